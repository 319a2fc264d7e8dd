package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"pommego/env"
)

// Protocol is another way to play at a server's address. Its requests are admitted as others are: by
// host, origin, token and number of connections, and not while the server drains. The token may
// also come in the path, as /token/TOKEN/ before the protocol's own.
//
// What it plays with comes from its guests, which hold all of it in the server's account:
// they read messages within bounds of bytes and time, count memory and games
// ([Guest.Lease]), and report when nobody waits for an answer any more ([Guest.Context]).
type Protocol interface {
	// Answers reports whether requests of a path are the protocol's.
	Answers(path string) bool

	// Serve answers a request, whose body has been read. It is called from several goroutines at the same time.
	Serve(g *Guest, w http.ResponseWriter, r *http.Request)
}

const (
	// sessionHeader names the session of a request, if it has one that is kept.
	sessionHeader = "Mcp-Session-Id"

	// guestBytes is the longest message of a guest, and guestSpare how much of one is not counted.
	guestBytes, guestSpare = 512 << 10, 4 << 10

	// How many bytes of memory each byte of a JSON message takes: decoded into fields, and
	// decoded into maps as libraries do.
	fieldsWeight, mapsWeight = 8, 64
)

// Guest is a client that speaks another protocol: a request, a connection once it is upgraded, or a
// session that is kept beyond its requests.
type Guest struct {
	link
	leave   func() // undoes its count as a connection
	address string // see addressOf
	here    bool
	body    int64       // bytes of the body of its request
	unbind  func() bool // unbinds the guest from its request's end

	gone chan struct{} // closed when the kept session has ended

	mu       sync.Mutex
	requests int       // requests of a kept session under way
	rested   time.Time // since when no request is under way
}

// guestUpgrader keeps what a connection has while it is idle small: most wait for a model.
var guestUpgrader = websocket.Upgrader{
	HandshakeTimeout: headerTimeout, ReadBufferSize: 512, WriteBufferSize: 4 << 10, WriteBufferPool: new(sync.Pool),
	CheckOrigin: func(*http.Request) bool { return true }, // admit has checked the origin
}

// protocol returns the protocol that answers a path; nil: the server itself does.
func (srv *Server) protocol(path string) Protocol {
	for _, p := range srv.cfg.Protocols {
		if p.Answers(path) {
			return p
		}
	}
	return nil
}

// takeToken moves a token from the path of a request to its header, so that no log shows it.
func (srv *Server) takeToken(r *http.Request) {
	if rest, ok := strings.CutPrefix(r.URL.Path, "/token/"); ok && len(srv.cfg.Protocols) > 0 {
		token, path, _ := strings.Cut(rest, "/")
		r.Header.Set("Authorization", "Bearer "+token)
		r.URL.Path = "/" + path
	}
}

func (srv *Server) newGuest(client string, leave func()) *Guest {
	g := &Guest{leave: leave, gone: make(chan struct{}), rested: time.Now()}
	g.setUp(srv, client)
	g.longest, g.spare, g.kind = guestBytes, guestSpare, websocket.TextMessage
	return g
}

// Local is a guest who plays in this program, within the server's limits.
func (srv *Server) Local() *Guest { return srv.newGuest("local", nil) }

// serveGuest answers a request of another protocol, and calls leave when the request is over. What
// the guest holds in the account is released with the request, unless the request is upgraded.
func (srv *Server) serveGuest(p Protocol, w http.ResponseWriter, r *http.Request, leave func()) {
	g := srv.newGuest(r.RemoteAddr, leave)
	g.address, g.here = addressOf(r)
	g.conn = r.Context().Value(peerKey{}).(peer)
	g.conn.wait(srv.cfg.writeTimeout)
	if status, err := g.readBody(r); err != nil {
		srv.refuse(w, r, status, err.Error())
		g.finish()
		return
	}
	if v, ok := srv.kept.Load(r.Header.Get(sessionHeader)); ok {
		kept := v.(*Guest)
		kept.note(1)
		defer kept.note(-1)
		if r.Method == http.MethodDelete { // ends the session that it names
			kept.Close()
		}
	}
	g.unbind = context.AfterFunc(r.Context(), g.end)
	if err := g.guard(func() { p.Serve(g, w, r) }); err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
	}
	if g.ws == nil {
		g.finish()
	}
}

// readBody reads the body of a request first, so that the protocol's handler never waits for the client.
func (g *Guest) readBody(r *http.Request) (status int, err error) {
	g.body = int64(min(uint64(r.ContentLength), handshakeBytes)) // conn allows no more; -1 (unknown) becomes the most
	if err := g.memory.reserve(g.body*mapsWeight, "", "a request"); err != nil {
		return http.StatusServiceUnavailable, err
	}
	g.conn.SetReadDeadline(time.Now().Add(g.server.cfg.messageTimeout))
	g.conn.allow(handshakeBytes) // the header has taken some
	body, err := io.ReadAll(io.LimitReader(r.Body, handshakeBytes+1))
	switch {
	case errors.Is(err, errFlood), len(body) > handshakeBytes:
		return http.StatusRequestEntityTooLarge,
			fmt.Errorf("the body has more than %d bytes, want at most that", handshakeBytes)
	case err != nil:
		return http.StatusBadRequest, fmt.Errorf("the body cannot be read: %w", err)
	}
	g.conn.SetReadDeadline(time.Time{})
	g.conn.allow(handshakeBytes) // reading also notices that the client goes
	g.conn.settle()
	r.Body = io.NopCloser(bytes.NewReader(body))
	return 0, nil
}

// finish gives back what the guest holds in the account.
func (g *Guest) finish() {
	g.end()
	g.memory.close()
	g.leave()
}

// Upgrade makes a connection of the request. It calls answer for each message, in order and one at a time, and
// sends the answer unless it is nil; lacks says why there is no memory for the message. At the end it calls end.
func (g *Guest) Upgrade(w http.ResponseWriter, r *http.Request, answer func(text []byte, lacks error) []byte,
	end func()) {
	upgrader := guestUpgrader
	upgrader.Error = g.server.upgrader.Error
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered with the error
	}
	g.unbind()
	g.open(ws)
	if !g.server.add(&g.link) {
		ws.Close()
		g.finish()
		return
	}
	ws.SetReadLimit(guestBytes)
	go g.stay(func() { // on a goroutine of its own, so that the HTTP server frees the request
		defer ws.Close()
		g.serve(answer)
		g.sayGoodbye()
		g.guard(end)
		g.linger()
		g.cut.Stop()
	})
}

// stay counts a guest as connected while run runs, and then gives back what the guest holds.
func (g *Guest) stay(run func()) {
	defer close(g.gone)
	defer g.server.remove(&g.link)
	defer g.finish()
	g.server.cfg.Log.Info("connected", "client", g.client)
	run()
	g.server.cfg.Log.Info("disconnected", "client", g.client, "code", g.code, "reason", g.reason)
}

// serve answers messages until the connection is to end.
func (g *Guest) serve(answer func(text []byte, lacks error) []byte) {
	cfg := &g.server.cfg
	last := make(chan struct{}) // closed when the last message has been answered
	for close(last); ; {
		m := new(request)
		if err := g.receive(m, guestBytes, 0, cfg.messageTimeout); err != nil {
			g.stop(ending(err))
			break
		}
		if g.busy.Add(1) > int64(cfg.maxInFlight) {
			g.stop(websocket.ClosePolicyViolation, "too many messages wait for their answers")
			break
		}
		before, done := last, make(chan struct{})
		last = done
		go func() { // reading goes on, which answers pings and notices that the client goes
			<-before
			decoded := m.held * (fieldsWeight - 1)
			if err := g.memory.reserve(decoded, "", "a long message"); err != nil {
				m.lacks, decoded = err, 0
			}
			if !g.stopped() {
				if text := answer(m.buf, m.lacks); text != nil {
					g.sendMessage(text)
				}
			}
			g.answered(m.held + decoded)
			close(done)
		}()
	}
	<-last
	g.idle.Stop()
}

// Keep makes a session outlast its request. It returns a guest that counts as a connection
// until it is closed and end has returned; such guests may be half of all connections. If
// there is no room, Keep closes the one whose last request is longest ago, if that is
// longer ago than idle. Without room or memory, or at shutdown, it returns an error.
func (g *Guest) Keep(name string, idle time.Duration, end func()) (*Guest, error) {
	srv := g.server
	leave, status, reason := g.enter()
	if status != 0 && g.makeRoom(idle, status == http.StatusTooManyRequests) {
		leave, status, reason = g.enter()
	}
	if status != 0 {
		return nil, errors.New(reason)
	}
	kept := srv.newGuest(g.client, leave)
	kept.address, kept.here = g.address, g.here
	err := kept.memory.reserve(g.body*mapsWeight, "", "a session") // the session keeps the request that began it
	if err == nil && !srv.add(&kept.link) {
		err = errors.New("bridge: the server is shutting down")
	}
	if err != nil {
		kept.finish()
		return nil, err
	}
	srv.kept.Store(name, kept)
	go kept.stay(func() {
		<-kept.ctx.Done()
		srv.kept.Delete(name)
		kept.guard(end)
	})
	return kept, nil
}

// enter counts a session of the guest's address, which is a connection, too: see crowd.enter.
func (g *Guest) enter() (leave func(), status int, reason string) {
	session, status, reason := g.server.keeping.enter(g.address, g.here)
	if status != 0 {
		return nil, status, reason
	}
	connection, status, reason := g.server.connections.enter(g.address, g.here)
	if status != 0 {
		session()
	}
	return func() { connection(); session() }, status, reason
}

// makeRoom closes the kept session whose last request is longest ago, provided that is longer
// ago than idle; with near only one of the guest's address. It reports whether it closed one.
func (g *Guest) makeRoom(idle time.Duration, near bool) bool {
	var oldest *Guest
	since := time.Now().Add(-idle)
	g.server.kept.Range(func(_, v any) bool {
		k := v.(*Guest)
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.requests == 0 && k.rested.Before(since) && (!near || k.address == g.address) {
			oldest, since = k, k.rested
		}
		return true
	})
	if oldest != nil {
		oldest.Close()
		select {
		case <-oldest.gone:
		case <-g.ctx.Done():
		}
	}
	return oldest != nil
}

// note counts the requests under way of a kept session.
func (g *Guest) note(requests int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests, g.rested = g.requests+requests, time.Now()
}

// Context is done when the guest's connection, session or request has ended.
func (g *Guest) Context() context.Context { return g.ctx }

// Close ends the connection, or the session.
func (g *Guest) Close() { g.stop(websocket.CloseNormalClosure, "") }

// Game finds a game, by rules of its own unless they are nil.
func (g *Guest) Game(id string, rules json.RawMessage) (env.Game, error) {
	return g.server.cfg.game(id, rules)
}

// Agent makes a built-in agent within the server's limits.
func (g *Guest) Agent(game env.Game, name string) (env.Agent, error) {
	if err := g.server.cfg.allowAgent(name); err != nil {
		return nil, err
	}
	return game.NewAgent(name)
}

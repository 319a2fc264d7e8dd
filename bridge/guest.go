package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"pommego/env"
	"pommego/vec"
)

// Protocol is another way to play at a server's address. Its requests are admitted as others are: by
// host, origin, token and number of connections, and not while the server drains. The token may
// also come in the path, as /token/TOKEN/ before the protocol's own.
type Protocol interface {
	// Answers reports whether requests of a path are the protocol's.
	Answers(path string) bool

	// Serve answers one. Requests are served at the same time.
	Serve(g *Guest, w http.ResponseWriter, r *http.Request)
}

const (
	// sessionHeader names the session of a request, if it has one that is kept.
	sessionHeader = "Mcp-Session-Id"

	// guestBytes is the longest message of a guest; as much as others may have in flight.
	guestBytes = 512 << 10

	// guestGame is what a guest's game takes besides what its agents search in.
	guestGame = 64 << 10
)

// Guest is a request of another protocol: a connection, once it is upgraded.
type Guest struct {
	service *service
	leave   func() // undoes its count as a connection
	ws      *websocket.Conn
	conn    peer
	client  string // for the log
	address string // see addressOf
	here    bool

	stopOnce sync.Once
	quit     chan struct{}
}

// guestUpgrader keeps what a connection has while it is idle small: most wait for a model.
var guestUpgrader = websocket.Upgrader{
	HandshakeTimeout: headerTimeout, ReadBufferSize: 512, WriteBufferSize: 4 << 10, WriteBufferPool: new(sync.Pool),
	CheckOrigin: func(*http.Request) bool { return true }, // admit has done it
}

// protocol is what answers a path; nil: the server itself.
func (srv *Server) protocol(path string) Protocol {
	for _, p := range srv.cfg.Protocols {
		if p.Answers(path) {
			return p
		}
	}
	return nil
}

// takeToken moves a token from the path of a request to its header.
func (srv *Server) takeToken(r *http.Request) {
	if rest, ok := strings.CutPrefix(r.URL.Path, "/token/"); ok && len(srv.cfg.Protocols) > 0 {
		token, path, _ := strings.Cut(rest, "/")
		r.Header.Set("Authorization", "Bearer "+token)
		r.URL.Path = "/" + path
	}
}

// serveGuest answers a request of another protocol. leave is called when it is over.
func (s *service) serveGuest(p Protocol, w http.ResponseWriter, r *http.Request, leave func()) {
	g := &Guest{service: s, leave: leave, client: r.RemoteAddr, quit: make(chan struct{})}
	g.address, g.here = addressOf(r)
	conn := r.Context().Value(peerKey{}).(peer)
	conn.SetReadDeadline(time.Now().Add(s.server.cfg.messageTimeout))
	p.Serve(g, w, r)
	if g.ws == nil {
		leave()
	}
}

// Upgrade makes a connection of the request, which run then serves in a goroutine of its own. After
// an error the request has been answered.
func (g *Guest) Upgrade(w http.ResponseWriter, r *http.Request, run func()) error {
	srv := g.service.server
	ws, err := guestUpgrader.Upgrade(w, r, nil)
	if err != nil {
		return err
	}
	g.conn, g.ws = ws.NetConn().(peer), ws
	if !g.service.add(g) {
		g.ws = nil
		return ws.Close()
	}
	g.conn.settle()
	ws.SetReadLimit(guestBytes)
	srv.metrics.opened.Inc()
	srv.metrics.sessions.Inc()
	go func() { // so that what the HTTP server keeps of the request is freed
		defer g.service.remove(g)
		defer g.leave()
		defer srv.metrics.sessions.Dec()
		defer ws.Close()
		run()
		g.Close()
	}()
	return nil
}

// Local is a guest who plays in this program, within the server's limits.
func (srv *Server) Local() *Guest {
	return &Guest{service: &service{server: srv}, client: "local", quit: make(chan struct{})}
}

// Keep has a guest outlast its request, as a session whose requests come on connections of their
// own. Until leave is called it counts as a connection. Half of all are for requests.
func (g *Guest) Keep() (leave func(), err error) {
	left, _, reason := g.service.server.enter(g.address, g.here, 2)
	if reason != "" {
		return nil, errors.New(reason)
	}
	if !g.service.add(g) {
		left()
		return nil, errGone
	}
	g.service.server.metrics.sessions.Inc()
	return func() {
		g.service.server.metrics.sessions.Dec()
		g.service.remove(g)
		left()
	}, nil
}

// errGone is why a guest's connection cannot be read.
var errGone = errors.New("bridge: the connection is at its end")

// Read waits for the next message. Any error ends the connection.
func (g *Guest) Read() ([]byte, error) {
	g.conn.allow(2 * guestBytes)
	g.ws.SetReadDeadline(time.Now().Add(g.service.server.cfg.IdleTimeout))
	select {
	case <-g.quit:
		return nil, errGone
	default:
	}
	_, text, err := g.ws.ReadMessage()
	g.service.server.metrics.received.Add(float64(len(text)))
	return text, err
}

// Write sends a message. One goroutine at a time may write. What cannot be sent ends the connection.
func (g *Guest) Write(text []byte) {
	g.ws.SetWriteDeadline(time.Now().Add(g.service.server.cfg.messageTimeout))
	if g.ws.WriteMessage(websocket.TextMessage, text) != nil {
		g.stop(0, "")
		return
	}
	g.service.server.metrics.sent.Add(float64(len(text)))
}

// Close ends the connection.
func (g *Guest) Close() { g.stop(websocket.CloseNormalClosure, "") }

// Quit is closed when the connection is to end.
func (g *Guest) Quit() <-chan struct{} { return g.quit }

// stop has Read fail and tells the peer code, unless it is 0.
func (g *Guest) stop(code int, reason string) {
	g.stopOnce.Do(func() {
		close(g.quit)
		if g.ws == nil {
			return
		}
		if code != 0 {
			closing := websocket.FormatCloseMessage(code, reason)
			// If it cannot be sent there is nobody to tell.
			_ = g.ws.WriteControl(websocket.CloseMessage, closing, time.Now().Add(lingerTime))
		}
		g.conn.SetReadDeadline(longAgo)
	})
}

// Game finds a game, by rules of its own unless they are nil.
func (g *Guest) Game(id string, rules json.RawMessage) (env.Game, error) {
	return g.service.server.cfg.game(id, rules)
}

// Agent makes a built-in agent within the server's limits.
func (g *Guest) Agent(game env.Game, name string) (env.Agent, error) {
	if err := g.service.server.cfg.allowAgent(name); err != nil {
		return nil, err
	}
	return game.NewAgent(name)
}

// Lease counts a game, by rules of its own or not, and its agents as the server's. It is an error if it
// has too many, or too little memory; otherwise release is to be called when the game is over.
func (g *Guest) Lease(ownRules bool, agents []env.Agent) (release func(), err error) {
	srv, bytes := g.service.server, int64(guestGame)
	if ownRules {
		bytes += vec.VariantBytes
	}
	for _, a := range agents {
		if a != nil {
			bytes += a.SearchBytes()
		}
	}
	memory := &account{budget: &srv.memory}
	if err := memory.reserve(bytes, "opponents", fmt.Sprintf("a game with %d agents", len(agents))); err != nil {
		return nil, err
	}
	if err := srv.reserve(1); err != nil {
		memory.close()
		return nil, err
	}
	return func() {
		srv.release(1)
		memory.close()
	}, nil
}

// Fault notes a panic.
func (g *Guest) Fault(value any, stack []byte) {
	g.service.server.cfg.Log.Error("fault", "client", g.client, "value", value, "stack", string(stack))
}

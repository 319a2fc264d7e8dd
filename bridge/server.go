package bridge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"pommego/vec"
)

// The bounds of a handshake. A header may have 8 KiB: net/http takes 4 KiB more than it is told.
const (
	headerTimeout  = 5 * time.Second
	maxHeaderBytes = 4 << 10
)

// Server serves environments. Make one with [New].
type Server struct {
	cfg      Config
	token    [sha256.Size]byte
	upgrader websocket.Upgrader

	connections crowd
	keeping     crowd // the sessions of kept, which are connections, too
	games       atomic.Int64
	sharing     atomic.Int64 // environments that share memory
	memory      budget
	clients     atomic.Int64 // how many clients there have been
	neighbours  vec.Neighbours
	draining    atomic.Bool
	metrics     *metrics
	paused      atomic.Int64 // how many answers to wrong tokens wait
	gallery     gallery
	kept        sync.Map     // by name: the *Guest of each session that outlasts its requests
	live        http.Handler // the handler that Live returns, for clients with the token

	mu       sync.Mutex
	sessions map[*link]bool
	stopping bool
	running  sync.WaitGroup // counts the sessions
}

// New makes a server. It does not listen yet.
func New(cfg Config) (*Server, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	srv := &Server{
		cfg:      cfg,
		sessions: map[*link]bool{},
		memory:   budget{most: cfg.MaxMemoryBytes},
		token:    sha256.Sum256([]byte(cfg.Token)),
		upgrader: websocket.Upgrader{
			HandshakeTimeout: headerTimeout,
			ReadBufferSize:   16 << 10,
			WriteBufferSize:  4 << 10,
			Subprotocols:     []string{Subprotocol},
			CheckOrigin:      func(*http.Request) bool { return true }, // admit has checked the origin
		},
	}
	srv.upgrader.Error = func(w http.ResponseWriter, r *http.Request, status int, reason error) {
		srv.refuse(w, r, status, reason.Error())
	}
	srv.connections.limit("connections", cfg.MaxConnections, cfg.MaxPerAddress)
	srv.keeping.limit("sessions", cfg.MaxConnections/2, cfg.MaxPerAddress/2)
	srv.metrics, srv.live = newMetrics(srv), srv.Live()
	return srv, nil
}

// MemoryBudget returns how many bytes games, batches and saved states may take.
func (srv *Server) MemoryBudget() int64 { return srv.cfg.MaxMemoryBytes }

// ErrAbandoned is a cause for which Serve's context may end. It says that nobody is
// left who waits for replies.
var ErrAbandoned = errors.New("bridge: all clients are gone")

// Serve accepts connections until ctx is done or the listener fails. Then it shuts down: it
// finishes replies in progress, closes connections with code 1001 and frees environments. If the
// cause of ctx is [ErrAbandoned], it stops requests in progress instead of finishing them. Serve
// closes the listener, and may be called once. It returns nil after a clean shutdown by ctx.
func (srv *Server) Serve(ctx context.Context, ln net.Listener) error {
	web := &http.Server{
		Handler:           http.HandlerFunc(srv.serveHTTP),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       headerTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(complaints{srv.cfg.Log}, "", 0),
		ConnContext:       ConnContext,
	}
	failed := make(chan error, 1)
	go func() {
		failed <- web.Serve(&listener{Listener: ln})
	}()
	select {
	case err := <-failed:
		return errors.Join(fmt.Errorf("bridge: listening: %w", err), srv.shutdown(web, websocket.CloseGoingAway))
	case <-ctx.Done():
		code := websocket.CloseGoingAway
		if errors.Is(context.Cause(ctx), ErrAbandoned) {
			code = 0
		}
		err := srv.shutdown(web, code)
		<-failed
		return err
	}
}

// complaints logs what the HTTP server reports: panics, and connections that the system does not give, as errors. The
// rest is for debugging, since anybody who connects can cause it.
type complaints struct{ log *slog.Logger }

func (c complaints) Write(line []byte) (int, error) {
	text, level := strings.TrimSpace(string(line)), slog.LevelDebug
	if strings.HasPrefix(text, "http: Accept error") || strings.HasPrefix(text, "http: panic") {
		level = slog.LevelError
	}
	c.log.Log(context.Background(), level, text)
	return len(line), nil
}

// reserve counts games as the server's, or returns an error if they are too many.
func (srv *Server) reserve(games int) error {
	if now := srv.games.Add(int64(games)); now > int64(srv.cfg.MaxTotalGames) {
		srv.games.Add(-int64(games))
		return fail(codeLimit, "games", "close environments, or ask for a higher limit when the server is started",
			"the server has %d games, and %d more would exceed its limit of %d", now-int64(games), games, srv.cfg.MaxTotalGames)
	}
	return nil
}

func (srv *Server) release(games int) { srv.games.Add(-int64(games)) }

// peerKey is the key of a request's peer in its context.
type peerKey struct{}

func (srv *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Connection", "close") // only looks come one after the other on one connection
	p := r.Context().Value(peerKey{}).(peer)
	if r.ContentLength != 0 { // the connection stays until the body has come, whatever is answered
		p.SetReadDeadline(time.Now().Add(headerTimeout))
	}
	if srv.probe(w, r) {
		return
	}
	srv.takeToken(r)
	status, reason := srv.admit(r)
	if _, kept := srv.kept.Load(r.Header.Get(sessionHeader)); status == 0 && srv.draining.Load() && !kept {
		status, reason = http.StatusServiceUnavailable, srv.unready()
	}
	if status != 0 {
		srv.refuse(w, r, status, reason)
		return
	}
	if asksLive(r) {
		w.Header().Del("Connection")
		srv.live.ServeHTTP(w, r)
		return
	}
	address, here := addressOf(r)
	leave, status, reason := srv.connections.enter(address, here)
	if status != 0 {
		srv.refuse(w, r, status, reason)
		return
	}
	if p := srv.protocol(r.URL.Path); p != nil {
		srv.serveGuest(p, w, r, leave)
		return
	}
	defer leave()
	ws, err := srv.upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered with the error
	}
	session := newSession(srv, ws)
	if !srv.add(&session.link) {
		ws.Close()
		return
	}
	defer srv.remove(&session.link)
	session.run()
}

// refuse answers a request that gets no connection, and counts and logs it.
func (srv *Server) refuse(w http.ResponseWriter, r *http.Request, status int, reason string) {
	srv.metrics.refused.WithLabelValues(strconv.Itoa(status)).Inc()
	srv.cfg.Log.Info("refused", "address", r.RemoteAddr, "status", status, "reason", reason)
	refuse(w, status, reason)
}

// add registers a session, so that shutdown finds it. If the server is already shutting
// down, it returns false.
func (srv *Server) add(session *link) bool {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if srv.stopping {
		return false
	}
	srv.sessions[session] = true
	srv.running.Add(1)
	srv.metrics.opened.Inc()
	srv.metrics.sessions.Inc()
	return true
}

func (srv *Server) remove(session *link) {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	delete(srv.sessions, session)
	srv.metrics.sessions.Dec()
	srv.running.Done()
}

// shutdown ends everything. A session cuts its own connection and stops its games when its time is up. But
// a step that does not search cannot be interrupted, so shutdown itself waits only for a limited time.
func (srv *Server) shutdown(web *http.Server, code int) error {
	srv.draining.Store(true) // the address for metrics stays, and says so
	srv.mu.Lock()
	srv.stopping = true
	for session := range srv.sessions {
		session.stop(code, "the server is shutting down")
	}
	srv.mu.Unlock()

	begun, timeout := time.Now(), srv.cfg.shutdownTimeout
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if web.Shutdown(ctx) != nil {
		web.Close()
	}
	done := make(chan struct{})
	go func() {
		srv.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(timeout + lingerTime):
		srv.mu.Lock()
		defer srv.mu.Unlock()
		return fmt.Errorf("bridge: shutting down: %d connections are still at work after %v", len(srv.sessions),
			time.Since(begun).Round(time.Millisecond))
	}
}

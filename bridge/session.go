package bridge

import (
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"pommego/vec"
)

const (
	// keepBytes is the longest message whose buffer is kept for the next, and
	// that others may be read ahead of. So a connection holds its requests in
	// flight times this, and one long message, which alone counts as memory.
	keepBytes = 64 << 10

	// tooLong times the limit is what is read of a message over it, to answer
	// with an error. Anything longer ends the connection.
	tooLong = 4

	lingerTime = time.Second // for the peer to take the last bytes
)

// session is one connection, from its hello to its end.
//
// Three goroutines work on it. read fills requests taken from free and puts
// them into queue; work answers them in order and owns the environments;
// write sends the replies. Requests go round between read and work, so there
// are never more of them than may be in flight.
type session struct {
	server  *Server
	ws      *websocket.Conn
	conn    peer
	client  string // for the log
	number  int64  // of the client, for its pools
	start   time.Time
	greeted bool // it has said hello

	free  chan *request
	queue chan *request
	long  chan struct{} // the worker is done with a long message
	out   chan reply

	// The worker's own, and the reader's before there is a worker.
	fields     fields // of the request being answered
	envs       []*environment
	nextHandle uint32
	memory     account       // what they and requests take
	taken      *batchMessage // taken, and not yet handed to the writer
	okReplies  [2][]byte     // replies to send
	nextOK     int           // the one that is free
	spinner    vec.Spinner
	spinTime   time.Duration // for how long to spin for the next step in shared memory; 0: not at all
	stepSignal chan struct{} // a step has been posted there
	viewSignal chan struct{} // a viewer has asked
	looks      atomic.Int32  // at its games, under way

	working bool         // the worker has a long message; the reader's own
	control bucket       // of control frames; the reader's own
	pinged  atomic.Int64 // pings sent and not yet answered

	busy atomic.Int64 // requests read and not yet answered
	last atomic.Int64 // when there was one, as time since start

	stopOnce sync.Once
	quit     chan struct{} // closed when the session is to end
	code     int           // what to tell the peer then; 0: nothing. Set before quit is closed
	reason   string
	cut      *time.Timer
	cancel   atomic.Bool // ends the request in progress; environments have it
}

func newSession(srv *Server, ws *websocket.Conn) *session {
	s := &session{
		server: srv, ws: ws, conn: ws.NetConn().(peer), client: ws.RemoteAddr().String(), number: srv.clients.Add(1),
		start:      time.Now(),
		nextHandle: 1, memory: account{budget: &srv.memory},
		free: make(chan *request, srv.cfg.maxInFlight), queue: make(chan *request, srv.cfg.maxInFlight),
		long: make(chan struct{}, 1), out: make(chan reply), stepSignal: make(chan struct{}, 1),
		viewSignal: make(chan struct{}, 1), quit: make(chan struct{}),
	}
	for range srv.cfg.maxInFlight {
		s.free <- &request{}
	}
	ws.SetPingHandler(s.ping)
	ws.SetPongHandler(s.pong)
	return s
}

func (s *session) run() {
	defer s.conn.Close()
	if s.greet() {
		var both sync.WaitGroup
		both.Go(s.work)
		both.Go(s.write)
		s.read()
		close(s.queue)
		both.Wait()
	} else {
		s.sayGoodbye()
	}
	s.memory.close()
	s.linger()
	s.cut.Stop()
	s.server.cfg.Log.Info("disconnected", "client", s.client, "code", s.code, "reason", s.reason)
}

// stop ends the session, once: the request in progress is finished, those
// behind it are dropped, and the peer is told code. If that takes too long, the
// connection is cut and the games are stopped; with code 0, when there is no peer,
// they are at once. Any goroutine may call it.
func (s *session) stop(code int, reason string) {
	s.stopOnce.Do(func() {
		s.code, s.reason = code, reason
		if code == 0 {
			s.cancel.Store(true)
		}
		s.cut = time.AfterFunc(s.server.cfg.shutdownTimeout, func() {
			s.cancel.Store(true)
			s.conn.Close()
		})
		close(s.quit)
		s.conn.SetReadDeadline(longAgo) // wakes the reader
	})
}

var longAgo = time.Unix(1, 0)

func (s *session) stopped() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}

// sayGoodbye tells the peer why the session ends.
func (s *session) sayGoodbye() {
	if s.code == 0 {
		return
	}
	text := s.reason[:min(len(s.reason), 123)] // a control frame holds no more
	closing := websocket.FormatCloseMessage(s.code, strings.ToValidUTF8(text, ""))
	// If it cannot be sent there is nobody to tell.
	_ = s.ws.WriteControl(websocket.CloseMessage, closing, time.Now().Add(lingerTime))
}

// linger lets the peer take what has been sent. A connection closed with
// unread bytes in it would be reset, and the peer would lose the last reply.
func (s *session) linger() {
	half, ok := s.conn.(interface{ CloseWrite() error })
	if s.code == 0 || !ok || half.CloseWrite() != nil {
		return
	}
	s.conn.SetReadDeadline(time.Now().Add(lingerTime))
	s.conn.allow(maxMessageBytes)
	_, _ = io.Copy(io.Discard, s.conn)
}

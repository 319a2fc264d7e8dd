package bridge

import (
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

	// tooLong times the limit is how much of an over-long message is read, to answer
	// with an error. A longer one ends the connection.
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
	link
	number  int64 // of the client, for its pools
	start   time.Time
	greeted bool // it has said hello

	free  chan *request
	queue chan *request
	out   chan reply

	// The worker's own, and the reader's before there is a worker.
	fields     fields // of the request being answered
	envs       []*environment
	nextHandle uint32
	taken      *batchMessage // taken, and not yet handed to the writer
	okReplies  [2][]byte     // replies to send
	nextOK     int           // the one that is free
	spinner    vec.Spinner
	spinTime   time.Duration // for how long to spin for the next step in shared memory; 0: not at all
	stepSignal chan struct{} // a step has been posted there
	visits     chan func()   // of viewers, between two requests
	looks      atomic.Int32  // viewers of its games

	busy atomic.Int64 // requests read and not yet answered
	last atomic.Int64 // when there was one, as time since start
}

func newSession(srv *Server, ws *websocket.Conn) *session {
	s := &session{
		number: srv.clients.Add(1), start: time.Now(), nextHandle: 1,
		free: make(chan *request, srv.cfg.maxInFlight), queue: make(chan *request, srv.cfg.maxInFlight),
		out: make(chan reply), stepSignal: make(chan struct{}, 1), visits: make(chan func()),
	}
	s.setUp(srv, ws.RemoteAddr().String())
	s.longest, s.spare, s.kind = srv.cfg.maxMessageBytes, keepBytes, websocket.BinaryMessage
	s.long = make(chan struct{}, 1)
	for range srv.cfg.maxInFlight {
		s.free <- &request{}
	}
	s.open(ws)
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

package bridge

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"pommego/vec"
)

const (
	// keepBytes is the longest message whose buffer is kept for the next message, and the
	// longest behind which others are read ahead. So a connection holds at most its requests
	// in flight times keepBytes, and one long message, which alone counts as memory.
	keepBytes = 64 << 10

	// tooLong says how much of an over-long message is read before it is answered with an
	// error: so many times the limit. A longer message ends the connection.
	tooLong = 4

	lingerTime = time.Second // how long the peer may take to read the last bytes
)

// session is one connection, from its hello to its end.
//
// Three goroutines work on it. read takes requests from free, fills them and puts them
// into queue. work answers them in order, puts them back, and owns the environments.
// write sends the replies. So there are never more requests than may be in flight.
type session struct {
	link
	number  int64 // the client's number, for its pools
	greeted bool  // the client has said hello

	free  chan *request
	queue chan *request
	out   chan reply

	// Only the worker uses these; before there is a worker, the reader.
	fields     fields // reads the request being answered
	envs       []*environment
	nextHandle uint32
	taken      *batchMessage // a batch message that was taken and not yet handed to the writer
	held       int64         // the memory budget that the reply to the present request holds until it is sent
	okReplies  [2][]byte     // the two buffers of begun, the one used last behind the other
	spinner    vec.Spinner
	spinTime   time.Duration // for how long to spin for the next step in shared memory; 0: not at all
	stepSignal chan struct{} // signals that a step was posted in shared memory
	visits     chan func()   // what viewers want done between two requests
	looks      atomic.Int32  // how many viewers its games have
}

func newSession(srv *Server, ws *websocket.Conn) *session {
	s := &session{
		number: srv.clients.Add(1), nextHandle: 1,
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
	s.idle.Stop()
	s.server.cfg.Log.Info("disconnected", "client", s.client, "code", s.code, "reason", s.reason)
}

// hold reserves memory that the reply to the present request holds until it is sent.
func (s *session) hold(bytes int64, field, what string) error {
	err := s.memory.reserve(bytes, field, what)
	if err == nil {
		s.held += bytes
	}
	return err
}

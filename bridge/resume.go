package bridge

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A session that is to outlive its connection has a lease. When the connection is
// lost, what the session owns, its estate, lies with the lease for the time of grace,
// and the session of a connection whose hello has the lease's key takes it over:
// environments, the number of the last request answered, and its reply, in case that
// was lost. So no request is answered twice, and none is lost that its client repeats.
//
// The estate has one owner at any time: a session whose worker has not begun or has
// ended, or the lease. The request in progress when the connection is lost is
// finished first, by the old session.

// estate is what a session owns beyond its connection.
type estate struct {
	envs       []*environment
	memory     account // what they and requests take
	nextHandle uint32
	cancel     *atomic.Bool // ends the request in progress; environments have it

	lease    *lease // nil: the estate ends with its connection
	answered uint64 // the number of the last request answered; with a lease alone
	kept     reply  // its reply; the writer's
}

func newEstate(srv *Server) estate {
	return estate{nextHandle: 1, memory: account{budget: &srv.memory}, cancel: new(atomic.Bool)}
}

// lease is a place for an estate without a connection.
type lease struct {
	key    string
	grace  time.Duration
	parked chan estate   // has the estate while nobody owns it
	gone   chan struct{} // closed when there will be none any more

	owner *session // nil while parked
	turn  int      // how often it has been parked or taken
}

// leases are those of the sessions of one Serve.
type leases struct {
	server *Server

	mu     sync.Mutex
	all    map[string]*lease
	closed bool
}

// grant gives a session a lease.
func (ls *leases) grant(s *session, grace time.Duration) error {
	if s.ws.LocalAddr().Network() == "unix" {
		return fail(codeBadOption, "resume_seconds", "leave it out: such a connection ends only with one of its two processes", "a connection over a Unix socket cannot be resumed")
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if most := 2 * ls.server.cfg.MaxConnections; len(ls.all) >= most {
		return fail(codeLimit, "resume_seconds", "come back later, or connect without it", "this server keeps %d sessions, and may keep no more", most)
	}
	key := make([]byte, keyBytes)
	rand.Read(key) // never fails
	s.lease = &lease{key: string(key), grace: min(grace, ls.server.cfg.ResumeTimeout), parked: make(chan estate, 1), gone: make(chan struct{}), owner: s}
	s.leased.Store(true)
	ls.all[s.lease.key] = s.lease
	return nil
}

func notResumable() error {
	return fail(codeNotResumable, "resume", "connect anew, and make your environments again",
		"this server keeps no session of this key: its time is over, it was ended, or the server has been restarted")
}

// take has a session take over the estate of a lease. If its owner still has it, as it
// has not noticed yet that its connection is lost or is at work on a request, it waits.
func (ls *leases) take(s *session, key []byte) error {
	ls.mu.Lock()
	l := ls.all[string(key)]
	if l == nil {
		ls.mu.Unlock()
		return notResumable()
	}
	owner := l.owner
	ls.mu.Unlock()
	if owner != nil {
		owner.stop(0, "resumed on another connection")
	}
	select {
	case s.estate = <-l.parked:
		for _, e := range s.envs {
			e.owner.Store(s)
		}
	case <-l.gone:
		return notResumable()
	case <-s.quit:
		return fmt.Errorf("the connection ends: %s", s.reason)
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.owner = s
	l.turn++
	s.flag.Store(s.cancel)
	s.leased.Store(true)
	ls.server.metrics.parked.Dec()
	ls.server.metrics.resumed.Inc()
	return nil
}

// settle parks the estate of a session that has ended, if its connection was lost and
// it has a lease, or frees it.
func (ls *leases) settle(s *session) {
	if s.lease == nil || !s.lost() || !ls.park(s) {
		ls.free(&s.estate)
	}
}

// park leaves a session's estate with its lease, unless the server is shutting down.
func (ls *leases) park(s *session) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.closed {
		return false
	}
	l := s.lease
	l.owner = nil
	l.turn++
	turn := l.turn
	l.parked <- s.estate
	ls.server.metrics.parked.Inc()
	time.AfterFunc(l.grace, func() {
		ls.mu.Lock()
		still := l.turn == turn
		ls.mu.Unlock()
		if still {
			ls.expire(l)
		}
	})
	return true
}

// expire frees the estate of a lease, unless somebody owns it or takes it meanwhile.
func (ls *leases) expire(l *lease) {
	select {
	case e := <-l.parked:
		ls.server.metrics.parked.Dec()
		ls.free(&e)
	default:
	}
}

// free frees an estate, and ends its lease.
func (ls *leases) free(e *estate) {
	heir := &session{server: ls.server, estate: *e}
	heir.freeAll()
	heir.memory.close()
	if e.lease == nil {
		return
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	delete(ls.all, e.lease.key)
	close(e.lease.gone)
}

// close frees what is parked, and has sessions that work on without a connection stop.
func (ls *leases) close() {
	ls.mu.Lock()
	ls.closed = true
	all := slices.Collect(maps.Values(ls.all))
	for _, l := range all {
		if l.owner != nil && l.owner.stopped() && l.owner.lost() {
			l.owner.flag.Load().Store(true)
		}
	}
	ls.mu.Unlock()
	for _, l := range all {
		ls.expire(l)
	}
}

// lost reports whether a session that has been stopped lost its connection, so that
// its client may come back: neither side has closed it.
func (s *session) lost() bool { return s.code == 0 && !s.left.Load() }

// keep keeps a reply until the next, and returns the one before, which the client
// has: it would not have sent another request without it.
func (s *session) keep(rep reply) (before reply) {
	if rep.id == 0 {
		return rep // of a message whose number could not be read
	}
	if rep.frame == nil {
		rep.msg = bytes.Clone(rep.msg) // it may be in a buffer that is used again
	}
	before, s.kept = s.kept, rep
	return before
}

// wantNext refuses a request that is not numbered higher than those before it, in a
// session where that tells which ones were answered.
func (s *session) wantNext(r *request) error {
	if s.lease == nil || !r.hasID || r.id > s.answered {
		return nil
	}
	return fail(codeOutOfRange, "id", "number your requests upwards", "id is %d, want more than %d, that of the request before: the session can be resumed", r.id, s.answered)
}

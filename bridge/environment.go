package bridge

import (
	"slices"
	"sync/atomic"

	"pommego/vec"
)

func init() {
	registerEnv("close", false, (*session).closeEnv)
}

// environment is what make makes. It belongs to its session's worker; only
// batch messages come back from the writer, through their channel.
type environment struct {
	handle   uint32
	pool     *vec.Pool
	layout   *messageLayout
	messages chan *batchMessage // those not on their way
	channel  *channel           // nil without shared memory
	noop     bool               // steps do nothing
	running  bool               // all games have been reset
	mask     []bool             // scratch for reset
	sent     []int32            // scratch for send
	refused  error              // why a posted send was, until the next recv says so
	sims     []*simulator
	starts   vec.Starts // as last set

	bytes    int64 // of the memory budget, taken for all of it but the simulators
	agents   int64 // of these, for agents
	starting int64 // and for starts

	owner  *session    // whose worker answers viewers
	key    string      // which they have to have
	listed bool        // the key, for who has that of the list
	begun  atomic.Bool // running, for others to read
	moves  atomic.Uint64
	gone   chan struct{} // closed once it is freed
	shown  shown         // by the client, see show

	followed map[int]*followed       // games that have viewers; the worker's own
	over     atomic.Pointer[episode] // that has ended last; nil: none
}

func (s *session) find(handle uint64) (*environment, error) {
	for _, e := range s.envs {
		if uint64(e.handle) == handle {
			return e, nil
		}
	}
	handles := []uint32{}
	for _, e := range s.envs {
		handles = append(handles, e.handle)
	}
	return nil, fail(codeUnknownEnv, "env", "make one, and use the handle in its reply",
		"this connection has no environment %d, it has %v", handle, handles)
}

// wantRunning refuses what needs games that have been reset.
func (e *environment) wantRunning() error {
	if e.running {
		return nil
	}
	return fail(codeNotReset, "env", "send reset first", "environment %d has not been reset", e.handle)
}

// take waits for a batch message of a pool. The session owns it until it is sent.
func (s *session) take(home chan *batchMessage) *batchMessage {
	s.taken = <-home
	return s.taken
}

// into is where the batch goes that answers the request.
func (s *session) into(e *environment) *batchMessage {
	if c := e.channel; c != nil && c.place >= 0 {
		return c.message(e)
	}
	return s.take(e.messages)
}

func (s *session) closeEnv(e *environment, id uint64, _ nothing) (reply, error) {
	s.freeEnv(e)
	s.envs = slices.DeleteFunc(s.envs, func(other *environment) bool { return other == e })
	return e.ok(id)
}

// freeEnv stops an environment's pools. Frames still on their way stay whole.
func (s *session) freeEnv(e *environment) {
	s.server.gallery.remove(e)
	e.running = false
	s.memory.release(followedBytes * int64(len(e.followed)))
	clear(e.followed)
	close(e.gone)
	for _, sim := range e.sims {
		s.freeSimulator(sim)
	}
	e.pool.Close()
	s.server.release(e.pool.Games())
	s.memory.release(e.bytes + e.pool.Reserved())
	s.server.metrics.environments.Dec()
	if e.channel != nil {
		e.channel.free()
	}
}

func (s *session) freeAll() {
	for _, e := range s.envs {
		s.freeEnv(e)
	}
	s.envs = nil
}

func (e *environment) ok(id uint64) (reply, error) { return message("ok", id, "env", int(e.handle)) }

package bridge

import (
	"slices"
	"sync/atomic"

	"pommego/vec"
)

// environment is what the request make makes. It belongs to its session's worker; only
// batch messages come back from the writer, through their channel.
type environment struct {
	*batches
	channel  *channel    // nil without shared memory
	noop     bool        // steps do nothing: it measures the transport alone
	running  atomic.Bool // all games have been reset
	mask     []bool      // scratch for reset
	sent     []int32     // scratch for send
	refused  error       // why a posted send was refused; the next recv returns it
	sims     []*simulator
	starts   vec.Starts // the starts set last
	starting int64      // the memory budget that they take

	owner  *session // its worker answers viewers
	key    string   // the key that viewers need
	listed bool     // whether the list of all environments shows the key
	moves  atomic.Uint64
	gone   chan struct{}         // closed once the environment is freed
	shown  atomic.Pointer[shown] // what the client has shown viewers last

	followed      map[int]*followed // games that have viewers; only the worker uses it
	followedBytes int64             // the most memory that each takes

	over atomic.Pointer[episode] // the episode that ended last; nil: none
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

// want returns an error if the environment is not as a request needs it.
func (e *environment) want(needs when) error {
	size := e.pool.Config().BatchSize
	switch {
	case needs != anyTime && !e.running.Load():
		return fail(codeNotReset, "env", "send reset first", "environment %d has not been reset", e.handle)
	case needs == oneByOne && size == 0:
		return fail(codeBadOption, "env", "step it with step, or make it with batch_size",
			"environment %d was made without batch_size, so all its games step together", e.handle)
	case needs == together && size > 0:
		return fail(codeBadOption, "env", "step it with send and recv, or make it without batch_size",
			"environment %d was made with batch_size %d, so its games do not step together", e.handle, size)
	}
	return nil
}

// take waits for a free batch message of a pool. The session owns it until it is sent.
func (s *session) take(home chan *batchMessage) *batchMessage {
	s.taken = <-home
	return s.taken
}

// into returns the batch message for the answer to the present request.
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

// freeEnv stops an environment's pools.
func (s *session) freeEnv(e *environment) {
	s.server.gallery.remove(e)
	e.running.Store(false)
	s.memory.release(e.starting + e.followedBytes*int64(len(e.followed)))
	clear(e.followed)
	close(e.gone)
	s.freeSimulators(e)
	s.freePool(e.batches)
	if e.channel != nil {
		e.channel.free()
		s.server.sharing.Add(-1)
	}
}

func (s *session) freeAll() {
	for _, e := range s.envs {
		s.freeEnv(e)
	}
	s.envs = nil
}

func (e *environment) ok(id uint64) (reply, error) { return message("ok", id, "env", int(e.handle)) }

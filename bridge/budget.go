package bridge

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"pommego/env"
	"pommego/vec"
)

// budget is the memory that all connections together may take. It counts memory before
// it is allocated, and counts what a client decides on: games, their agents and what
// these search in, batches and the messages around them, shared memory, saved states
// that are kept or on their way, and long requests.
type budget struct {
	mu   sync.Mutex
	most int64
	used int64
}

// account is the part of a budget that one connection has taken. It may be used
// from several goroutines.
type account struct {
	*budget
	held int64 // bytes; guarded by the budget's mutex
}

// perConnection is how much of the budget one connection may have: half, so that
// no one client can take all from the others.
func (b *budget) perConnection() int64 { return b.most / 2 }

// taken returns how many bytes of the budget are taken.
func (b *budget) taken() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// reserve counts bytes as the account's. If they are too many, it returns an error that names what they are for and
// the request's field.
func (a *account) reserve(bytes int64, field, what string) error {
	const hint = "close environments, ask for less at a time (fewer games, workers or ticks), or start the server " +
		"with a higher --max-memory-bytes"
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.held+bytes > a.perConnection():
		return fail(codeLimit, field, hint,
			"%s would take %d bytes; this connection has %d, and may have %d, half of the server's memory budget",
			what, bytes, a.held, a.perConnection())
	case a.used+bytes > a.most:
		return fail(codeLimit, field, hint,
			"%s would take %d bytes; all connections have %d of the server's memory budget of %d",
			what, bytes, a.used, a.most)
	}
	a.held += bytes
	a.used += bytes
	return nil
}

func (a *account) release(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held -= bytes
	a.used -= bytes
}

// exchange replaces what something takes by so many bytes. These are reserved
// already; exchange releases the old ones.
func (a *account) exchange(takes *int64, bytes int64) {
	a.release(*takes)
	*takes = bytes
}

func (a *account) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used -= a.held
	a.held = 0
}

// guestGame is the memory of a guest's game, without what its agents search in.
const guestGame = 64 << 10

// Lease is a game of guests that counts in the server's account, with its agents and its
// clock. Attend and Load may be called at any time; the rest is for one goroutine at a time.
type Lease struct {
	// Release gives back the memory and the game that the lease counts, and stops the clock.
	Release func()

	// Stepped counts a step of the game.
	Stepped func()

	waiting atomic.Int64
	clock   *time.Timer
}

// Lease counts a game and its agents in the server's account; ownRules says that the game has rules of its own. It
// returns an error if the server has too many games or too little memory. Else call Release when the game is over.
func (g *Guest) Lease(ownRules bool, agents []env.Agent) (*Lease, error) {
	l, srv, bytes := &Lease{clock: time.NewTimer(0)}, g.server, int64(guestGame)
	if ownRules {
		bytes += vec.VariantBytes
	}
	for _, a := range agents {
		if a != nil {
			a.StopOn(l)
			bytes += a.SearchBytes()
		}
	}
	memory := &account{budget: &srv.memory}
	err := memory.reserve(bytes, "opponents", fmt.Sprintf("a game with %d agents", len(agents)))
	if err == nil {
		err = srv.reserve(1)
	}
	if err != nil {
		memory.close()
		return nil, srv.metrics.failed(asError(err))
	}
	l.Stepped = srv.metrics.steps.Inc
	l.Release = sync.OnceFunc(func() {
		l.clock.Stop()
		srv.release(1)
		memory.close()
	})
	return l, nil
}

// Attend says that a request waits for the game, until its ctx is done or the returned function is called.
func (l *Lease) Attend(ctx context.Context) (done func()) {
	l.waiting.Add(1)
	leave := func() { l.waiting.Add(-1) }
	stop := context.AfterFunc(ctx, leave)
	return func() {
		if stop() {
			leave()
		}
	}
}

// Load reports whether no request waits. Then searches end (see [env.Agent]), and what they have found does not
// count.
func (l *Lease) Load() bool { return l.waiting.Load() == 0 }

// After calls f once, after d, instead of the function that it was to call before.
func (l *Lease) After(d time.Duration, f func()) {
	l.clock.Stop()
	l.clock = time.AfterFunc(d, f)
}

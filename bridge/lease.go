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

// guestGame is what a guest's game takes besides what its agents search in.
const guestGame = 64 << 10

// Lease is a game of guests in the server's account, with its agents and its clock. While no request
// waits for the game its agents' searches end at once, and after Release its clock stands still.
type Lease struct {
	server *Server
	memory account
	idle   atomic.Bool // no request waits

	mu       sync.Mutex
	waiting  int // requests
	clock    *time.Timer
	released bool
}

// Lease counts a game, by rules of its own or not, and its agents as the server's, until it is
// released. It is an error if the server has too many, or too little memory.
func (g *Guest) Lease(ownRules bool, agents []env.Agent) (*Lease, error) {
	l, bytes := &Lease{server: g.server, memory: account{budget: &g.server.memory}}, int64(guestGame)
	l.idle.Store(true)
	if ownRules {
		bytes += vec.VariantBytes
	}
	for _, a := range agents {
		if a != nil {
			a.StopOn(&l.idle)
			bytes += a.SearchBytes()
		}
	}
	if err := l.memory.reserve(bytes, "opponents", fmt.Sprintf("a game with %d agents", len(agents))); err != nil {
		return nil, err
	}
	if err := g.server.reserve(1); err != nil {
		l.memory.close()
		return nil, err
	}
	return l, nil
}

// Release ends it. It may be called again.
func (l *Lease) Release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return
	}
	l.released = true
	if l.clock != nil {
		l.clock.Stop()
	}
	l.server.release(1)
	l.memory.close()
}

// Attend has a request wait for the game, until its ctx is done or the function that it returns is called.
func (l *Lease) Attend(ctx context.Context) (done func()) {
	l.wait(1)
	left := context.AfterFunc(ctx, func() { l.wait(-1) })
	return func() {
		if left() {
			l.wait(-1)
		}
	}
}

func (l *Lease) wait(requests int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting += requests
	l.idle.Store(l.waiting == 0)
}

// Idle reports whether no request waits: what searches have found since then does not count.
func (l *Lease) Idle() bool { return l.idle.Load() }

// After calls f once, after a while, in place of what it was to call before.
func (l *Lease) After(d time.Duration, f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.clock != nil {
		l.clock.Stop()
	}
	if !l.released {
		l.clock = time.AfterFunc(d, f)
	}
}

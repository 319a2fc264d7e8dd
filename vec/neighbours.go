package vec

import (
	"cmp"
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// shortTime is the work of a call, summed over workers, up to which it is short.
	shortTime = 250 * time.Microsecond
	// shortPause is the time after a short call in which the client's next is expected.
	shortPause = 3 * time.Millisecond
	// longSlice is for how long the threads of a long call ask to run at a time. They get no
	// more in all, but threads with the usual time, such as those of short calls and of
	// clients, go first as soon as they wake.
	longSlice = 20 * time.Millisecond
)

// Neighbours is what the pools of a program's clients know of each other: whether
// somebody makes short calls. As long as they come, long calls of other clients leave
// one core to them, and the rest of their workers yield their cores after each chunk. So
// short calls do not wait for long ones, whose workers would occupy all cores for as
// long as the system lets them. It affects when games are stepped, but never the result.
//
// The zero value is ready, and may be used by any number of goroutines.
type Neighbours struct {
	until  atomic.Int64 // when the next short call is expected at the latest
	client atomic.Int64 // whose the last was
}

// epoch is what the times of Neighbours count from.
var epoch = time.Now()

// note records a client's short call.
func (n *Neighbours) note(client int64) {
	n.client.Store(client)
	n.until.Store(int64(time.Since(epoch) + shortPause))
}

// expects is for how long somebody else's short calls are to be expected; 0 or less:
// there are none.
func (n *Neighbours) expects(client int64) time.Duration {
	until := n.until.Load()
	if until == 0 || n.client.Load() == client {
		return 0
	}
	return time.Duration(until) - time.Since(epoch)
}

// announce notes a short call for the neighbours, and reports whether this one is long,
// and is to give way.
func (p *Pool) announce() (long bool) {
	n := p.cfg.Neighbours
	if n == nil {
		return false
	}
	if long = p.long(); !long {
		n.note(p.cfg.Client)
	}
	return long
}

// long reports whether calls are long. Agents that wait for something outside the
// program leave the cores to others anyway.
func (p *Pool) long() bool {
	return !p.waiting && time.Duration(p.cfg.Games)*p.meanCost() > shortTime
}

// meanCost is what a step of one game takes on average. The queue of a first-ready pool
// guards it, whose workers note it while others ask.
func (p *Pool) meanCost() time.Duration {
	if p.queue != nil {
		return p.queue.meanCost()
	}
	return p.cost.mean
}

// cores is how many workers of the pool can compute at a time.
func (c *Config) cores() int { return cmp.Or(c.Cores, runtime.GOMAXPROCS(0)) }

// giveWay lets neighbours' short calls go first, before a chunk of a long call. The
// workers that would take the last core wait until there are none, or no chunks; the
// first, which is the caller, always goes on.
func (w *worker) giveWay() {
	for {
		pause := w.neighbours.expects(w.client)
		if pause <= 0 {
			return
		}
		if !w.waits {
			yieldCore()
			return
		}
		if !w.more() {
			return
		}
		time.Sleep(min(pause, shortPause))
	}
}

// more reports whether there are games that the worker could take.
func (w *worker) more() bool {
	if q := w.p.queue; q != nil {
		return q.more()
	}
	return w.p.shares.left.Load() > 0
}

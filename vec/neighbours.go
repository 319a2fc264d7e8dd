package vec

import (
	"cmp"
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// shortTime is the most work of a short call, summed over workers.
	shortTime = 250 * time.Microsecond
	// shortPause is how long after a short call the client's next one is expected.
	shortPause = 3 * time.Millisecond
)

// Neighbours is what the pools of a program's clients know of each other: whether one
// of them makes short calls. While one does, long calls of the others leave one core
// free, and their remaining workers yield their cores after each chunk. So short calls
// do not wait until the system takes a core from a long one. Neighbours affects when
// games are stepped, but never the result.
//
// The zero value is ready. Any number of goroutines may use it.
type Neighbours struct {
	until  atomic.Int64 // the latest time at which the next short call is expected
	client atomic.Int64 // the client that made the last short call
}

// epoch is the time from which the times of Neighbours count.
var epoch = time.Now()

// note records a client's short call.
func (n *Neighbours) note(client int64) {
	n.client.Store(client)
	n.until.Store(int64(time.Since(epoch) + shortPause))
}

// expects reports whether short calls of other clients are expected.
func (n *Neighbours) expects(client int64) bool {
	until := n.until.Load()
	return until != 0 && n.client.Load() != client && time.Duration(until) > time.Since(epoch)
}

// announce tells the neighbours about a call whose games take mean each, and notes
// whether its workers are to give way. If agents wait for something outside the
// program, they leave the cores to others anyway.
func (p *Pool) announce(mean time.Duration) {
	if p.cfg.Neighbours == nil {
		return
	}
	long := !p.waiting && time.Duration(p.cfg.Games)*mean > shortTime
	p.givesWay.Store(long)
	if !long {
		p.cfg.Neighbours.note(p.cfg.Client)
	}
}

// cores returns how many workers of the pool can compute at a time.
func (c *Config) cores() int { return cmp.Or(c.Cores, runtime.GOMAXPROCS(0)) }

// giveWay lets neighbours' short calls go first, before a chunk of a long call. The
// workers of the last core wait until there are no such calls, or no games are left.
// The first worker, which is the caller, never waits.
func (w *worker) giveWay() {
	c := &w.p.cfg
	for w.p.givesWay.Load() && c.Neighbours.expects(c.Client) {
		if w.id == 0 || w.id < c.cores()-1 {
			yieldCore()
			return
		}
		if !w.more() {
			return
		}
		time.Sleep(shortPause)
	}
}

func (w *worker) more() bool {
	if q := w.p.queue; q != nil {
		return q.more()
	}
	return w.p.ranges.left.Load() > 0
}

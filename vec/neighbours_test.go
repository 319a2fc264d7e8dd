package vec

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestNeighbours: a client's short calls are expected by others, not by itself, and
// not for longer than a while.
func TestNeighbours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Neighbours
		if n.expects(1) {
			t.Error("short calls are expected before there were any")
		}
		n.note(1)
		time.Sleep(shortPause / 2)
		if own, other := n.expects(1), n.expects(2); own || !other {
			t.Errorf("client 1 expects short calls of others: %v, client 2: %v; want false and true", own, other)
		}
		time.Sleep(shortPause / 2)
		if n.expects(2) {
			t.Error("short calls are still expected when none has come for a while")
		}
	})
}

// TestGiveWay: while short calls of others come, a long one leaves a core to them,
// and is made to its end all the same; otherwise it uses all of its workers.
func TestGiveWay(t *testing.T) {
	var n Neighbours
	busy := func(client int64) {
		n.client.Store(client)
		n.until.Store(int64(time.Since(epoch) + time.Hour))
	}
	var m *meeting
	var inside, most atomic.Int32
	_, alone := guestsOf(t, 6, 3, false, func(int) {
		now := inside.Add(1)
		for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
		}
		m.come(t, true)
		inside.Add(-1)
	})
	cfg := alone.Config()
	cfg.Cores, cfg.Neighbours, cfg.Client = 3, &n, 1
	p := make1(t, cfg)
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	for _, c := range []struct {
		client int64
		wanted int32 // at work at the same time
	}{{2, 2}, {1, 3}, {2, 2}} {
		busy(c.client)
		p.cost.mean = time.Second
		m = newMeeting(int(c.wanted))
		most.Store(0)
		must(t, p.Step(b, still(p)))
		if most.Load() != c.wanted {
			t.Errorf("while client %d makes short calls, %d workers of client 1 are at work, want %d", c.client, most.Load(),
				c.wanted)
		}
	}
}

// TestFlag: agents that search are told to stop when the pool is, and not for neighbours.
func TestFlag(t *testing.T) {
	var n Neighbours
	var stop atomic.Bool
	f := (*flag)(&plan{cfg: Config{Stop: &stop, Neighbours: &n, Client: 1}})
	n.note(2)
	if f.Load() {
		t.Error("a search is to stop for a neighbour's short call")
	}
	stop.Store(true)
	if !f.Load() {
		t.Error("a search is not to stop when its pool has been stopped")
	}
}

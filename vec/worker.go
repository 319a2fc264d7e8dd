package vec

import (
	"errors"
	"runtime/debug"
	"slices"
)

// call is what the workers are asked to do with each game.
type call uint8

const (
	callReset call = iota
	callStep
	callObserve
)

// job is one call for all games.
type job struct {
	call    call
	batch   *Batch
	actions []uint8
	reset   ResetOptions
}

// worker does the job for the games lo to hi-1 and writes their part of the
// batch, nothing else. It has what a game needs while it is being stepped.
type worker struct {
	p      *Pool
	lo, hi int
	wake   chan struct{}

	at       int // the game being worked on
	finished int // games whose episode ended, noted in Batch.ended from lo on
	faults   []*GameError

	actions []uint8 // of one game, all seats
	acting  []uint8 // those being made, nil outside Match.Step
	numbers []float64
	obs     [][]byte // where one game's observation goes
}

// start makes the workers. The first has no goroutine: it is the caller.
func (p *Pool) start(n int) {
	p.workers = make([]worker, n)
	for i := range p.workers {
		p.workers[i] = worker{
			p: p, lo: i * p.cfg.Games / n, hi: (i + 1) * p.cfg.Games / n,
			wake:    make(chan struct{}, 1),
			actions: make([]uint8, p.spec.Seats*len(p.spec.Actions)),
			numbers: make([]float64, p.spec.Seats),
			obs:     make([][]byte, len(p.fields)),
		}
	}
	for i := 1; i < n; i++ {
		p.running.Add(1)
		go p.workers[i].serve()
	}
}

// Close stops the workers. A closed pool can no longer reset, step or observe.
// Closing twice does nothing.
func (p *Pool) Close() {
	if p.closed {
		return
	}
	p.closed = true
	for i := range p.workers {
		close(p.workers[i].wake)
	}
	p.running.Wait()
}

func (w *worker) serve() {
	defer w.p.running.Done()
	for range w.wake {
		w.work()
		w.p.pending.Done()
	}
}

// run has the job done by all workers and collects what they report.
func (p *Pool) run() error {
	p.pending.Add(len(p.workers) - 1)
	for i := 1; i < len(p.workers); i++ {
		p.workers[i].wake <- struct{}{}
	}
	p.workers[0].work()
	p.pending.Wait()
	b := p.job.batch
	p.job = job{} // keeps nothing of the caller's
	n := p.workers[0].finished
	for i := 1; i < len(p.workers); i++ {
		w := &p.workers[i]
		n += copy(b.ended[n:], b.ended[w.lo:w.lo+w.finished])
	}
	b.finished = b.ended[:n]
	return p.faults()
}

// faults returns what panicked: a *GameError, or several joined.
func (p *Pool) faults() error {
	var all []error
	for i := range p.workers {
		for _, f := range p.workers[i].faults {
			all = append(all, f)
		}
		p.workers[i].faults = nil
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

func (w *worker) work() {
	w.finished = 0
	for w.at = w.lo; w.at < w.hi; w.at++ {
		w.workOn()
	}
}

// workOn works on the games from at on, to the end or to one that panics. So
// catching panics costs nothing a game.
func (w *worker) workOn() {
	defer func() {
		if v := recover(); v != nil {
			w.fault(v)
		}
	}()
	for ; w.at < w.hi; w.at++ {
		switch w.p.job.call {
		case callReset:
			w.reset(w.at)
		case callStep:
			w.step(w.at)
		case callObserve:
			w.show(w.at)
		}
	}
}

// fault notes that the game being worked on panicked with v.
func (w *worker) fault(v any) {
	p, g := w.p, &w.p.games[w.at]
	e := &GameError{
		Game: w.at, Seed: g.seed.Value, Episode: g.seed.Episode,
		Actions: slices.Clone(w.acting), Value: v, Stack: debug.Stack(),
	}
	w.acting = nil
	func() {
		defer func() { _ = recover() }()
		e.State = g.match.Append(nil)
	}()
	g.fault = e
	w.faults = append(w.faults, e)
	p.phases[w.at] = broken
	if n := w.finished; n > 0 && p.job.batch.ended[w.lo+n-1] == int32(w.at) {
		w.finished--
	}
	w.blank(w.at)
}

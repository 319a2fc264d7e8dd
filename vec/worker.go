package vec

import (
	"errors"
	"runtime/debug"
	"slices"
	"time"
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

// worker does the job for one chunk of games after the other and writes their
// part of the batch, nothing else. It has what a game needs while it is being
// stepped.
type worker struct {
	p       *Pool
	id      int
	wake    chan struct{}
	spinner Spinner

	lo, hi   int // the chunk's games
	at       int // the game being worked on
	finished int // games of the chunk whose episode ended, noted in Batch.ended from lo on
	faults   []*GameError

	actions []uint8 // of one game, all seats
	acting  []uint8 // those being made, nil outside Match.Step
	numbers []float64
	obs     [][]byte // where one game's observation goes

	// The next worker's core writes to its own part all the time: that must
	// not share a cache line with this one's. Processors fetch two at a time.
	_ [128]byte
}

// linger is for how long a worker spins for the next job before it parks.
const linger = 50 * time.Microsecond

// start makes the workers. The first has no goroutine: it is the caller.
func (p *Pool) start(n, chunk int) {
	p.shares = newShares(p.cfg.Games, n, chunk)
	p.workers = make([]worker, n)
	for i := range p.workers {
		p.workers[i] = worker{
			p: p, id: i,
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

// serve helps with every job it is woken for, or wakes in time for.
func (w *worker) serve() {
	defer w.p.running.Done()
	for w.wait() {
		if w.work() {
			w.p.shares.last <- struct{}{}
		}
	}
}

// wait waits for a job; it returns false when there will be none.
func (w *worker) wait() (more bool) {
	seen := w.spinner.Spin(linger, func() bool {
		select {
		case _, more = <-w.wake:
			return true
		default:
			return false
		}
	})
	if !seen {
		_, more = <-w.wake
	}
	return more
}

// run has the job done by all workers that wake in time, and collects what they
// report.
func (p *Pool) run() error {
	p.shares.offer()
	for i := 1; i < len(p.workers); i++ {
		select {
		case p.workers[i].wake <- struct{}{}:
		default: // it has not woken for the job before yet
		}
	}
	if !p.workers[0].work() {
		<-p.shares.last
	}
	b := p.job.batch
	p.job = job{} // keeps nothing of the caller's
	n := 0
	for chunk, ended := range p.shares.done {
		lo, _ := p.shares.bounds(chunk)
		n += copy(b.ended[n:], b.ended[lo:lo+int(ended)])
	}
	b.finished = b.ended[:n]
	return p.faults()
}

// faults returns what panicked: a *GameError, or several joined, by game.
func (p *Pool) faults() error {
	var broke []*GameError
	for i := range p.workers {
		broke = append(broke, p.workers[i].faults...)
		p.workers[i].faults = nil
	}
	slices.SortFunc(broke, func(a, b *GameError) int { return a.Game - b.Game })
	if len(broke) == 1 {
		return broke[0]
	}
	var all []error
	for _, f := range broke {
		all = append(all, f)
	}
	return errors.Join(all...)
}

// work does chunks until there are none, and reports whether it did the last one.
func (w *worker) work() (last bool) {
	s := w.p.shares
	for {
		chunk, ok := s.take(w.id)
		if !ok {
			return last
		}
		w.lo, w.hi = s.bounds(chunk)
		w.finished = 0
		for w.at = w.lo; w.at < w.hi; w.at++ {
			w.workOn()
		}
		last = s.finish(chunk, w.finished)
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

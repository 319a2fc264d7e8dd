package vec

import (
	"cmp"
	"errors"
	"runtime"
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

	at, hi int // the game being worked on, and the end of those taken with it
	faults []*GameError
	games  []int32 // those taken, with Config.BatchSize

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

// crew is how many workers the pool is to have: as many as the caller asked for;
// else one a core, and more if agents wait.
func (p *Pool) crew() int {
	n := p.cfg.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
		if p.waiting {
			n = max(n, waitingWorkers)
		}
		n = min(n, cmp.Or(p.cfg.MaxWorkers, n))
	}
	return min(n, p.cfg.Games)
}

// start makes the workers, in the place of those there are if their number is to
// change. The first has no goroutine: it is the caller. With Config.BatchSize all
// have one, as the caller does not wait for what it sends.
func (p *Pool) start() {
	n := p.crew()
	if n == len(p.workers) {
		return
	}
	p.stop()
	p.shares = newShares(p.cfg.Games, n)
	p.workers = make([]worker, n)
	for i := range p.workers {
		p.workers[i] = worker{
			p: p, id: i,
			wake:    make(chan struct{}, 1),
			actions: make([]uint8, p.spec.Seats*len(p.spec.Actions)),
			numbers: make([]float64, p.spec.Seats),
			obs:     make([][]byte, len(p.fields)),
			games:   make([]int32, 0, chunkGames),
		}
	}
	if p.queue != nil {
		p.queue.end(false)
		for i := range p.workers {
			p.running.Go(p.workers[i].serveSent)
		}
		return
	}
	for i := 1; i < n; i++ {
		p.running.Go(p.workers[i].serve)
	}
}

// Close stops the workers. A closed pool can no longer reset, step or observe.
// Closing twice does nothing.
func (p *Pool) Close() {
	if p.closed {
		return
	}
	p.closed = true
	p.stop()
}

// stop ends the workers.
func (p *Pool) stop() {
	if p.queue != nil {
		p.queue.end(true)
	}
	for i := range p.workers {
		close(p.workers[i].wake)
	}
	p.running.Wait()
}

// serve helps with every job it is woken for, or wakes in time for.
func (w *worker) serve() {
	for w.wait() {
		if w.work() {
			w.p.shares.last <- struct{}{}
		}
	}
}

// wait waits for a job; it returns false when there will be none. Only as many
// workers spin as there are cores.
func (w *worker) wait() (more bool) {
	seen := w.id < runtime.GOMAXPROCS(0) && w.spinner.Spin(linger, func() bool {
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

// run has the job done by as many workers as it is worth, if they wake in time,
// and collects what they report.
func (p *Pool) run() error {
	n, chunk := p.share()
	p.shares.offer(n, chunk)
	for i := 1; i < n; i++ {
		select {
		case p.workers[i].wake <- struct{}{}:
		default: // it has not woken for the job before yet
		}
	}
	if !p.workers[0].work() {
		<-p.shares.last
	}
	if p.job.call == callStep {
		p.cost.note(p.cfg.Games, time.Duration(p.shares.spent.Load()))
	}
	p.job.batch.finish(p.over)
	p.job = job{} // keeps nothing of the caller's
	return p.faults()
}

// share is how many workers get games, and how many games at a time. Where the
// caller has said how many there are, or where agents wait, that is all of them.
func (p *Pool) share() (workers, chunk int) {
	workers, chunk = len(p.workers), p.cost.chunk()
	if p.cfg.Workers == 0 && !p.waiting {
		workers = min(workers, p.cost.workers(p.cfg.Games))
	}
	return workers, chunk
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

// work takes games until there are none, and reports whether it did the last.
func (w *worker) work() (last bool) {
	s := w.p.shares
	for {
		lo, hi, ok := s.take(w.id)
		if !ok {
			return last
		}
		begun := time.Now()
		for w.at, w.hi = lo, hi; w.at < hi; w.at++ {
			w.workOn()
		}
		last = s.finish(hi-lo, time.Since(begun))
	}
}

// workOn works on the games from at on, to the last taken or to one that panics.
// So catching panics costs nothing a game.
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
	p.phases[w.at], p.over[w.at] = broken, 0
	w.blank(w.at)
}

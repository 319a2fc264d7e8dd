package vec

import (
	"cmp"
	"errors"
	"runtime/debug"
	"slices"
	"time"
)

// job is one call, for all games.
type job struct {
	do      func(w *worker, game int) // what is done with each game
	batch   *Batch
	actions []uint8
	steps   int // how many steps it makes in each game
	reset   ResetOptions
}

// worker does the job for one chunk of games after another, and writes only their part
// of the batch. It holds the buffers that a game needs while it is stepped.
type worker struct {
	p       *Pool
	id      int
	wake    chan struct{}
	spinner Spinner

	at, hi int // the current game, and the end of its chunk
	faults []*GameError
	games  []int32 // the games of the chunk, with Config.BatchSize

	actions []uint8 // the actions of one game, all seats
	choices []uint8 // the actions of one game's players in Play
	acting  []uint8 // the actions that Match.Step got, nil outside it
	numbers []float64
	counts  []int32  // the counts of one row
	obs     [][]byte // one game's part of the observations in the batch
	state   [][]byte // one game's part of the global states in the batch

	// Cores write to their workers all the time, so two workers must not share a
	// cache line. Processors fetch two lines at a time.
	_ [128]byte
}

// linger is how long a worker spins for the next job before it parks.
const linger = 50 * time.Microsecond

// workerCount returns how many workers the pool is to have: as many as the caller asked
// for, otherwise one for each core, and more if agents wait.
func (p *plan) workerCount(waiting bool) int {
	n := p.cfg.Workers
	if n == 0 {
		n = p.cfg.cores()
		if waiting {
			n = max(n, waitingWorkers)
		}
		n = min(n, cmp.Or(p.cfg.MaxWorkers, n))
	}
	return min(n, p.cfg.Games)
}

// start makes the workers; if their number changes, it replaces the present ones. The
// first has no goroutine, because the caller runs it. With Config.BatchSize all have
// one, because the caller does not wait for the games that it sends.
func (p *Pool) start() {
	n := p.workerCount(p.waiting)
	if n == len(p.workers) {
		return
	}
	p.stop()
	p.ranges = newRanges(p.cfg.Games, n)
	p.workers = make([]worker, n)
	for i := range p.workers {
		p.workers[i] = worker{
			p: p, id: i,
			wake:    make(chan struct{}, 1),
			actions: make([]uint8, p.spec.Seats*len(p.spec.Actions)),
			choices: make([]uint8, p.seating.learners*len(p.spec.Actions)),
			numbers: make([]float64, p.spec.Seats),
			counts:  make([]int32, p.counts),
			obs:     make([][]byte, len(p.spec.Encodings[p.encoding].Fields)),
			state:   make([][]byte, len(p.spec.State)),
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

// Close stops the workers. A closed pool can no longer reset, step, observe, save or load.
// Closing twice does nothing.
func (p *Pool) Close() {
	if p.closed {
		return
	}
	p.closed = true
	p.stop()
	for i := range p.games {
		p.games[i].made, p.games[i].lineup = nil, lineup{}
	}
	p.sweep()
}

func (p *Pool) stop() {
	if p.queue != nil {
		p.queue.end(true)
	}
	for i := range p.workers {
		close(p.workers[i].wake)
	}
	p.running.Wait()
}

// serve takes part in every job for which the worker is woken, or is awake in time.
func (w *worker) serve() {
	for w.wait() {
		if w.work() {
			w.p.ranges.last <- struct{}{}
		}
	}
}

// wait waits for a job. It returns false when there will be no more. Only as many
// workers spin as there are cores.
func (w *worker) wait() (more bool) {
	seen := w.id < w.p.cfg.cores() && w.spinner.Spin(linger, func() bool {
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

// run does the job with as many workers as are worth waking, and collects their
// faults. Workers that wake late do nothing.
func (p *Pool) run() error {
	n := p.split()
	p.announce(p.cost.mean)
	p.ranges.offer(n, p.cost.chunk())
	for i := 1; i < n; i++ {
		select {
		case p.workers[i].wake <- struct{}{}:
		default: // the worker has not yet woken for the last job
		}
	}
	if !p.workers[0].work() {
		<-p.ranges.last
	}
	if p.job.steps > 0 {
		p.cost.note(p.cfg.Games, time.Duration(p.ranges.spent.Load()))
	}
	p.job.batch.finish(p.over)
	p.job = job{} // keep no reference to the caller's memory
	if p.stopped() {
		return ErrStopped
	}
	return p.faults()
}

// split returns how many workers get games: all if the caller has set their number, or if agents wait.
func (p *Pool) split() int {
	if p.cfg.Workers == 0 && !p.waiting {
		return min(len(p.workers), p.cost.workers(p.cfg.Games))
	}
	return len(p.workers)
}

// faults returns the panics of games: a *GameError, or several joined in order of games.
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

// work takes games until none are left, and reports whether it finished the last.
func (w *worker) work() (last bool) {
	s := w.p.ranges
	for {
		w.giveWay()
		lo, hi, ok := s.take(w.id)
		if !ok {
			return last
		}
		begun := time.Now()
		for w.at, w.hi = lo, hi; w.at < hi && !w.p.stopped(); w.at++ {
			w.workOn()
		}
		last = s.finish(hi-lo, time.Since(begun))
	}
}

// workOn does the job for the games from at on, up to the end of the chunk or to a game
// that panics. So catching panics costs time once per chunk, not once per game.
func (w *worker) workOn() {
	defer func() {
		if v := recover(); v != nil {
			w.fault(v)
		}
	}()
	w.clearFlags(w.at, w.hi)
	for ; w.at < w.hi && !w.p.stopped(); w.at++ {
		w.p.job.do(w, w.at)
	}
}

// fault records that the current game panicked with v.
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

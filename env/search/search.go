// Package search plans by simulation, in any game that has a forward model.
//
// A searcher knows a game through a [Model]: what its own moves are, what a tick does,
// and how good a state is for it. The model also decides what the other seats do, and
// what the searcher cannot see; both may be drawn from an RNG. From that, a [Searcher]
// finds a move by one of five methods. The shortest use:
//
//	var s search.Searcher[State]
//	settings := search.Settings{Method: search.TreeSearch, C: 25, Depth: 3}
//	found := s.Search(model, &state, &settings, search.Budget{Ticks: 2000}, &rng)
//	play(found.Move)
//
// # Budgets
//
// A search ends when its [Budget] is used up: a number of simulated ticks, with which
// it can be repeated from its RNG, or time on the clock, with which it cannot. It also
// ends when there is nothing left to find out.
//
// # Chance
//
// Scores are compared and averaged, never converted, so they can be in any unit; only
// UCB1's constant must suit it. Logarithms are rounded to single precision, so that
// they agree on all machines. All other operations are exact, so a search gives the
// same move everywhere.
package search

import (
	"time"

	"pommego/env"
)

// Move is one of the searcher's choices, numbered by the model.
type Move uint8

// Model is a game as a searcher sees it. S is a state: a value without pointers,
// so that assignment clones it.
type Model[S any] interface {
	// Moves appends the moves worth trying in s to dst: at least one, unless s
	// is terminal.
	Moves(s *S, dst []Move) []Move

	// Step makes one tick: the searcher's move, and those that the others make.
	Step(s *S, move Move, rng *env.RNG)

	// Terminal reports whether nothing that follows s can change its score.
	Terminal(s *S) bool

	// Score is how good s is for the searcher, the higher the better.
	Score(s *S) float64
}

// Budget is what a search may spend. If both Ticks and Time are given, the search ends
// when one of them is used up.
type Budget struct {
	Ticks int           // calls of Model.Step; 0: no limit
	Time  time.Duration // on the clock; 0: no limit

	// Stop, unless nil, ends the search when it is set. A search loads it every few
	// rounds, and then returns the best move so far.
	Stop env.Flag
}

// Found is the result of a search.
type Found struct {
	Move  Move
	Score float64 // the mean score found after Move; 0 if there was no choice
	Ticks uint64  // calls of Model.Step

	// Tried has the statistics of the moves, by their numbers, up to the last move that
	// was tried. It belongs to the searcher and is valid until its next search.
	Tried []MoveStatistics
}

// Meter spends a [Budget].
//
// Invariant: left and spent together are the limit.
type Meter struct {
	left, spent int64
	deadline    time.Time // zero: no deadline
	stop        env.Flag
	asked       uint8 // how often late was called with a deadline or a flag
}

// noLimit stands for no limit: more ticks than any search makes.
const noLimit = 1 << 50

// NewMeter returns a meter with nothing spent. It panics if the budget has no limit.
func NewMeter(b Budget) Meter {
	if b.Ticks <= 0 && b.Time <= 0 {
		panic("search: a budget needs ticks or time")
	}
	m := Meter{left: int64(b.Ticks), stop: b.Stop}
	if b.Ticks <= 0 {
		m.left = noLimit
	}
	if b.Time > 0 {
		m.deadline = time.Now().Add(b.Time)
	}
	return m
}

// clockEvery is how many rounds a search makes from one look at the clock, and at the
// flag that stops it, to the next.
const clockEvery = 8

// Open reports whether some budget is left.
func (m *Meter) Open() bool {
	if m.left > 0 && m.late() {
		m.left = 0
	}
	return m.left > 0
}

// late reports whether time is up or the flag is set, whatever ticks are left. Most calls do not look, and say no.
func (m *Meter) late() bool {
	if m.deadline.IsZero() && m.stop == nil {
		return false
	}
	if m.asked++; m.asked%clockEvery != 0 {
		return false
	}
	return m.stop != nil && m.stop.Load() || !m.deadline.IsZero() && !time.Now().Before(m.deadline)
}

// Tick spends a tick, and reports whether one was left.
func (m *Meter) Tick() bool {
	if m.left <= 0 {
		return false
	}
	m.left--
	m.spent++
	return true
}

// Spent returns how many ticks have been spent.
func (m *Meter) Spent() uint64 { return uint64(m.spent) }

// Best keeps the best of several choices; equally good ones have the same chance. The
// zero value holds none.
type Best[T any] struct {
	Choice T
	Score  float64
	equal  int // how many choices have this score
}

// Offer compares one more choice.
func (b *Best[T]) Offer(choice T, score float64, rng *env.RNG) {
	switch {
	case b.equal == 0 || score > b.Score:
		*b = Best[T]{choice, score, 1}
	case score == b.Score:
		b.equal++
		if rng.IntN(b.equal) == 0 {
			b.Choice = choice
		}
	}
}

// Found reports whether there was any choice.
func (b *Best[T]) Found() bool { return b.equal > 0 }

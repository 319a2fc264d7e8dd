package java

import (
	"cmp"
	"math"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/search"
)

// planner is the working memory of one decision: the game as the agent imagines
// it, in which everybody else moves at random.
type planner struct {
	*settings
	search.Meter     // limits ticks and time
	rounds       int // how many iterations are left
	heuristic
	rng Generator

	root, try pommerman.State
	actions   [pommerman.MaxAgents * (1 + pommerman.MaxWords)]uint8

	nodes      []node // the tree of treeSearch
	statistics [tactics.Choices]search.MoveStatistics
}

// begin starts a decision of a seat on the root. It returns false if there is nothing to decide.
func (p *planner) begin(r *pommerman.Rules, seat int, s *settings, b search.Budget, rng Generator) bool {
	clear(p.actions[:]) // their number differs between rules
	p.settings, p.rng, p.rules, p.seat = s, rng, r, seat
	p.rounds = cmp.Or(s.iterations, math.MaxInt)
	if b.Ticks == 0 {
		b.Ticks = math.MaxInt
	}
	p.Meter = search.NewMeter(b)
	return !p.terminal(&p.root)
}

func (p *planner) decide(m *memory) pommerman.Action {
	clear(p.statistics[:])
	p.heuristic.begin(&p.root, m, p.settings.advanced, p.rng)
	switch p.method {
	case lookAhead:
		return p.lookAhead()
	case evolution:
		return p.evolve(&m.plan)
	}
	return p.searchTree()
}

// round reports whether there is another iteration, and counts it.
func (p *planner) round() bool {
	p.rounds--
	return p.rounds >= 0 && p.Open()
}

// step makes a tick if one is left.
func (p *planner) step(s *pommerman.State, move uint8) bool {
	if !p.Tick() {
		return false
	}
	width := 1 + p.rules.RadioWords
	for seat := range p.rules.Seats() {
		if seat == p.seat {
			p.actions[seat*width] = move
		} else {
			p.actions[seat*width] = uint8(p.rng.IntN(tactics.Choices))
		}
	}
	p.rules.Step(s, p.actions[:])
	return true
}

// terminal reports whether the game is decided for the seat.
func (p *planner) terminal(s *pommerman.State) bool {
	return p.rules.Result(s, p.seat) != env.Incomplete
}

// lookAhead is OSLAPlayer: the move after which the state scores best.
func (p *planner) lookAhead() pommerman.Action {
	best := 0
	for move := range tactics.Choices {
		p.try = p.root
		p.step(&p.try, uint8(move))
		value := noisy(p.value(&p.try, p.rng), p.rng)
		p.statistics[move] = search.MoveStatistics{Visits: 1, Value: value}
		if value > p.statistics[best].Value {
			best = move
		}
	}
	return pommerman.Action(best)
}

// Generator is where chance comes from: an agent's own RNG in play, Java's generator
// where recorded decisions are made again.
type Generator interface {
	IntN(n int) int   // from 0 to n-1
	Float64() float64 // from 0 up to 1
	Float32() float32 // from 0 up to 1
	Discard(n int)    // for what the original draws n times without using it
}

// ownRNG is an agent's own RNG.
type ownRNG struct{ env.RNG }

func (r *ownRNG) Float32() float32 { return float32(r.Uint64()>>40) / (1 << 24) }

func (r *ownRNG) Discard(int) {}

// epsilon is the number with which the original breaks ties and avoids a division by 0.
const epsilon = 1e-6

// noisy returns a value with a little noise, which breaks ties at random. Products are
// rounded before sums, so that no machine fuses them.
func noisy(value float64, rng Generator) float64 {
	return (value + epsilon) * (1 + float64(epsilon*(rng.Float64()-0.5)))
}

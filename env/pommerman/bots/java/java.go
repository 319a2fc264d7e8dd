// Package java holds the agents of the Java re-implementation of Pommerman, as they are
// there. Our own agents of similar names are in other packages.
//
//	bot, err := java.Roster.New("java-mcts")
//
// # Names
//
// "java-simple" plays by rules. "java-osla" looks one step ahead, "java-rhea" evolves a
// plan by a rolling horizon, and "java-mcts" is Monte Carlo tree search with an open
// loop. They try every move, even into walls and flames, assume that all others move at
// random, and score the result by the framework's CustomHeuristic or AdvancedHeuristic.
// Package internal/oracle compares them, draw for draw, with recorded decisions of the
// original.
//
// In games by the Java step they plan, as the original does, on a copy of what the
// seat sees now ([pommerman.Rules.CopyJava]). In all others they plan on what our
// searching agents believe ([pommerman.Belief]).
//
// Their options are in docs/matches.md. "omniscient" plans on the whole state
// ([pommerman.Rules.CopyWhole]), as the original's players do without fog, its default.
package java

import (
	"math"
	"unsafe"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/saved"
	"pommego/env/search"
	"pommego/env/seat"
)

// Roster lists the agents, the simplest first.
var Roster = seat.Roster[pommerman.View]{
	seat.Plain("java-simple", func() pommerman.Bot { return new(simple) }),
	searching("java-osla", settings{method: lookAhead}),
	searching("java-rhea", settings{method: evolution, iterations: 200, length: 12, mutation: 0.5}),
	searching("java-mcts", settings{method: treeSearch, iterations: 200, c: math.Sqrt2, depth: 12}),
}

type agent struct {
	settings
	memory
	belief pommerman.Belief // used in games with another step than Java's
	whole  *pommerman.State // the whole state, while an omniscient agent acts
	rng    ownRNG
	search.Memo
}

// memory is what an agent keeps from one decision to the next.
type memory struct {
	wood uint16 // the heuristics' divisor: 1 plus the wood at the first decision; 0: no decision yet
	plan member // the plan of evolution; it has no moves before the first decision
}

func (a *agent) Reset(rng env.RNG) {
	a.Forget()
	*a = agent{settings: a.settings, rng: ownRNG{rng}, Memo: a.Memo}
}

func (a *agent) Reseed(rng env.RNG) { a.rng = ownRNG{rng} }

func (a *agent) Know(m *pommerman.Match) {
	if a.omniscient {
		a.whole = &m.State
	}
}

func (a *agent) Act(v *pommerman.View, action []uint8) {
	clear(action)
	a.Forget()
	p := planners.Lend(a.Bytes)
	defer planners.GiveBack(a.Bytes, p)
	switch {
	case a.whole != nil:
		v.Rules.CopyWhole(a.whole, &p.root)
		a.whole = nil
	case v.Rules.Traits().Conceals:
		v.Rules.CopyJava(v, &p.root)
	default:
		v.Rules.Imagine(&a.belief, v)
		p.root = a.belief.State
	}
	if a.method == treeSearch && len(action) > 1 {
		action[1] = 1 // the original sends it too
	}
	if v.Seat >= v.Rules.Seats() || !p.root.Agents[v.Seat].Alive ||
		!p.begin(v.Rules, v.Seat, &a.settings, a.Limit(a.budget), &a.rng) {
		return
	}
	action[0] = uint8(p.decide(&a.memory))
	a.Ticks = p.Spent()
	a.Keep(0, p.statistics[:])
}

// Replayable is an agent whose recorded decisions can be made again.
type Replayable interface {
	// Could returns the moves that the original may play with the draws of rng, a bit for
	// each: some of its choices depend on the process that makes them. Searches plan on
	// root.
	Could(v *pommerman.View, root *pommerman.State, rng Generator) uint8
}

func (a *agent) Could(v *pommerman.View, root *pommerman.State, rng Generator) uint8 {
	p := planner{root: *root}
	if !p.begin(v.Rules, v.Seat, &a.settings, a.budget, rng) {
		return 1 << pommerman.Stop
	}
	return 1 << p.decide(&a.memory)
}

// Code writes or reads what is saved: the RNG, the wood at the first decision, the plan
// and its value, and the belief.
func (a *agent) Code(c *saved.Codec) {
	value := math.Float64bits(a.plan.value)
	saved.Numbers(c, &a.rng.State)
	saved.Numbers(c, &a.wood)
	c.Len("moves in its plan", &a.plan.length, search.MaxLength)
	saved.List(c, a.plan.moves[:a.plan.length])
	saved.Numbers(c, &value)
	a.plan.value = math.Float64frombits(value)
	for _, m := range a.plan.moves[:a.plan.length] {
		if int(m) >= tactics.Choices {
			c.Fail("has the move %d in its plan, want 0 to %d", m, tactics.Choices-1)
		}
	}
	if math.IsNaN(a.plan.value) || math.IsInf(a.plan.value, 0) {
		c.Fail("has %v for the value of its plan, want a number", a.plan.value)
	}
	a.belief.Code(c)
}

// planners lends planners to agents while they act.
var planners search.Workspaces[planner]

type method uint8

const (
	lookAhead  method = iota // planner.go
	evolution                // rhea.go
	treeSearch               // mcts.go
)

// settings say how an agent searches.
type settings struct {
	method method

	// What one decision may spend; 0: no limit.
	iterations int
	budget     search.Budget

	depth    int     // for treeSearch, in ticks
	c        float64 // for treeSearch: UCB1's factor of exploration
	length   int     // for evolution: moves in a plan
	mutation float64 // for evolution: the chance that a move is replaced
	advanced bool    // score by AdvancedHeuristic

	omniscient bool // plan on the whole state
}

// searching makes a kind of agent that searches as s says, unless options say
// otherwise. A search with a number of iterations also has the options ticks and ms;
// each of them lifts that number, unless an option gives it too.
func searching(name string, s settings) seat.Kind[pommerman.View] {
	return seat.Kind[pommerman.View]{Name: name, Make: func(o *seat.Options) pommerman.Bot {
		own := s
		if s.iterations > 0 {
			if o.Budget(&own.budget) {
				own.iterations = 0
			}
			seat.Number(o, "iterations", 1, 1e9, &own.iterations)
		}
		switch s.method {
		case treeSearch:
			seat.Number(o, "depth", 1, 100, &own.depth)
			seat.Number(o, "c", 0, 1e6, &own.c)
		case evolution:
			seat.Number(o, "length", 1, search.MaxLength, &own.length)
			seat.Number(o, "mutation", 0, 1, &own.mutation)
		}
		o.Switch("advanced", &own.advanced)
		o.Switch("omniscient", &own.omniscient)
		bytes := int64(unsafe.Sizeof(planner{}))
		if own.method == treeSearch {
			bytes += int64(own.mostNodes()) * int64(unsafe.Sizeof(node{}))
		}
		return &agent{settings: own, Memo: search.Memo{Bytes: search.RoundUp(bytes)}}
	}}
}

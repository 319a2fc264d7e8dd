// Package champion holds the strongest built-in agent of Pommerman: "champion", a tree
// search with pessimistic scenarios.
package champion

import (
	"sync"
	"unsafe"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/saved"
	"pommego/env/search"
	"pommego/env/seat"
)

// champion is an agent that searches in every situation: tree search with
// pessimistic scenarios, after Osogami and Takahashi, "Real-time tree search with
// pessimistic scenarios" (2019). In order:
//
//   - The first ply has its own moves, and for each of them several scenarios: one
//     in which the others can be anywhere within reach, and one for each useful move
//     of a rival nearby.
//   - Further plies have its own moves alone. From then on the others are sets: the
//     cells that each can be on and live. Plies are added one by one until the
//     budget is used up, or there are maxPlies.
//   - From each leaf on, bombs, flames and the collapse go on as if nobody does
//     anything, and the sets of all agents with them, its own twice: once
//     with nobody in its way, and once without the cells that others can be on.
//     What is left of the sets at the end is the leaf's score; see [planner.leaf].
//   - For each scenario it finds what a rival could do in the next steps that tries
//     to trap it: lay a bomb, kick one, stand in the way; see [planner.threat].
//   - The value of a move mixes the value of its worst scenario and the average of
//     all its scenarios.
//   - With a budget of more than duelTicks it plays duels in the time that is left: lines in
//     which a near rival moves too in every step, one step longer each time. From their ends
//     on the others are sets again.
//
// In fog it remembers what it saw, and where agents out of sight can be. By radio it
// tells its teammate what it sees, see [championMemory.say].
type champion struct {
	championMemory
	rng      env.RNG
	settings settings
	search.Memo
}

// settings say how a champion plays: its budget and its weights.
type settings struct {
	budget search.Budget
	weights
}

// levels holds the ticks of each level, from level 1 on.
var levels = [...]int{6, 12, 25, 50, duelTicks, 2000}

// Roster lists the agent. Where two of its options set the same, the later one counts.
var Roster = seat.Roster[pommerman.View]{
	seat.Kind[pommerman.View]{Name: "champion", Make: func(o *seat.Options) pommerman.Bot {
		s, level := settings{search.Budget{Ticks: duelTicks}, defaultWeights}, 0
		if seat.Number(o, "level", 1, len(levels), &level) {
			s.budget.Ticks = levels[level-1]
		}
		seat.Named(o, "weights", weightSets, &s.weights, readWeights)
		o.Budget(&s.budget)
		return &champion{settings: s, Memo: search.Memo{Bytes: int64(unsafe.Sizeof(planner{}))}}
	}}.Version(4),
}

func (a *champion) Reset(rng env.RNG) {
	a.Forget()
	*a = champion{rng: rng, settings: a.settings, Memo: a.Memo}
}

func (a *champion) Reseed(rng env.RNG) { a.rng = rng }

func (a *champion) Act(v *pommerman.View, action []uint8) {
	clear(action)
	a.Forget()
	if !a.attend(v) {
		return
	}
	p := planners.Get().(*planner)
	defer planners.Put(p)
	p.begin(v.Rules, v.Seat, &a.settings.weights, a.Limit(a.settings.budget), &a.championMemory)
	move := p.decide(&a.rng, a.failed(v.Self.Cell))
	a.tries(v.Self.Cell, move)
	a.Ticks = p.Spent()
	if a.Ticks > 0 {
		a.Keep(0, p.statistics[:])
	}
	action[0] = uint8(move)
	a.say(v, move, action[1:])
}

func (p *planner) urgency() int32 {
	own, rivals := 1, 0
	for other := range p.rules.Seats() {
		switch {
		case !p.others.Has(other):
		case other == p.mate:
			own++
		default:
			rivals++
		}
	}
	urgency := int(p.lateness())
	if own > rivals {
		urgency = max(urgency, int(p.weights.Odds))
	}
	return int32(urgency)
}

func (p *planner) lateness() int32 {
	return int32(min(max(2000*int(p.root.StepCount)/p.rules.MaxSteps-500, 0), 1000))
}

// planners lends planners to agents while they act.
var planners = sync.Pool{New: func() any { return new(planner) }}

func (a *champion) Code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	a.championMemory.code(c)
}

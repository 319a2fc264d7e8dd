// Package champion holds the strongest built-in agents of Pommerman: "champion", a tree
// search with pessimistic scenarios, and "guided", the same with a network's advice.
package champion

import (
	"sync"
	"unsafe"

	"pommego/env"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/learned"
	"pommego/env/pommerman/bots/tactics"
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
//   - The agent "guided" adds to the value of each first move how much a network that learned
//     by playing prefers it in its draw. The network decides, unless the search sees danger.
//
// In fog it remembers what it saw, and where agents out of sight can be. By radio it
// tells its teammate what it sees, see [championMemory.say].
type champion struct {
	championMemory
	rng      env.RNG
	settings settings
	search.Memo
}

// settings say how a champion plays: its budget, its weights, and the network that guides it.
type settings struct {
	budget search.Budget
	weights
	guide *learned.Guide // nil: none
}

// levels holds the ticks of each level, from level 1 on.
var levels = [...]int{6, 12, 25, 50, duelTicks, 2000}

// Roster lists the agents. Where two options of one set the same, the later one counts.
var Roster = seat.Roster[pommerman.View]{
	{Name: "champion", Version: 5, Make: func(o *seat.Options) pommerman.Bot { return newChampion(o, nil) }},
	// With a new version of champion or of a network guided has one, too.
	{Name: "guided", Version: 9, Make: func(o *seat.Options) pommerman.Bot { return newChampion(o, new(learned.Guide)) }},
}

func newChampion(o *seat.Options, guide *learned.Guide) *champion {
	s, level, bytes := settings{search.Budget{Ticks: duelTicks}, defaultWeights, guide}, 0, int64(unsafe.Sizeof(planner{}))
	if seat.Number(o, "level", 1, len(levels), &level) {
		s.budget.Ticks = levels[level-1]
	}
	seat.Named(o, "weights", weightSets, &s.weights, readWeights)
	o.Budget(&s.budget)
	if guide != nil {
		guide.Choose(o, "net")
		bytes += guide.Bytes()
	}
	return &champion{settings: s, Memo: search.Memo{Bytes: bytes}}
}

func (a *champion) Reset(rng env.RNG) {
	a.Forget()
	*a = champion{rng: rng, settings: a.settings, Memo: a.Memo}
}

func (a *champion) Reseed(rng env.RNG) { a.rng = rng }

func (a *champion) Act(v *pommerman.View, action []uint8) {
	clear(action)
	a.Forget()
	a.remember(v)
	a.listen(v)
	if v.Seat >= v.Rules.Seats() || !a.belief.Agents[v.Seat].Alive {
		return
	}
	p := planners.Get().(*planner)
	defer planners.Put(p)
	p.begin(v.Rules, v.Seat, &a.settings.weights, a.Limit(a.settings.budget), &a.championMemory)
	if p.advice = [tactics.Choices]int32{}; a.settings.guide != nil {
		p.advice = a.settings.guide.Scores(v, p.weights.Advice)
	}
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
	rivals := p.others & p.rules.Enemies(p.seat)
	if own := 1 + p.others.Len() - rivals.Len(); own > rivals.Len() {
		return max(p.lateness(), p.weights.Odds)
	}
	return p.lateness()
}

func (p *planner) lateness() int32 {
	return int32(min(max(2000*int(p.root.StepCount)/p.rules.MaxSteps-500, 0), 1000))
}

// planners lends planners to agents while they act.
var planners = sync.Pool{New: func() any { return new(planner) }}

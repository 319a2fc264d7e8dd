package paper

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// analysis is the working memory of one decision of a hybrid agent: what the seat
// knows, and what follows from that. It lives on the stack.
type analysis struct {
	v      *pommerman.View // what the seat sees and, under fog, remembers
	memory *hybridMemory

	literal, allBombs bool // as in hybrid

	// The RNG decides among equals: by the order in which to try directions, and by a mask
	// for cells when they are sorted. Both are drawn for each decision.
	dirs  [4]grid.Dir
	twist uint8

	hazards   pommerman.Forecast
	threshold uint8 // a bomb with less life than this is dangerous
	ways      ways
	open      grid.Bits // what can be walked on, flames included
	beside    grid.Bits // cells next to wood
	steps     grid.Bits // where the agent can be after one step, if only walls stop it
	near      grid.Bits // where other agents are that could get in the way
	quiet     grid.Bits // open cells to escape to: those with no other agent beside them; by the text, all

	target int       // the seat of the enemy to attack, pommerman.NoSeat if none is known
	at     grid.Cell // the target's cell
	gap    int       // the distance to it, rows plus columns
}

func (o *analysis) look(v *pommerman.View, memory *hybridMemory, rng *env.RNG) {
	o.v, o.memory = v, memory
	drawn := rng.Uint64()
	for i := range o.dirs {
		o.dirs[i] = grid.Dirs[(int(drawn&3)+i)%len(grid.Dirs)]
	}
	o.twist = uint8(drawn >> 32)
	o.steps.Add(v.Self.Cell)
	for _, d := range grid.Dirs {
		if to := v.Self.Cell.Next(d); tactics.Walkable.Has(v.Board[to]) {
			o.steps.Add(to)
		}
	}
	o.hazards.Foresee(v, pommerman.Stop)
	o.threshold = dangerLife + dangerPerBomb*uint8(o.furtherBombs())
	o.ways.find(o)
	o.survey()
}

// survey finds the target, which is the nearest known enemy (of equals, that of the
// lowest seat), and where the agent and others can be.
func (o *analysis) survey() {
	self, agents := o.v.Self.Cell, o.v.Rules.Agent0()
	o.target, o.gap = pommerman.NoSeat, 2*grid.MaxSide
	var others, wood grid.Bits
	enemies := tactics.ItemSet(o.v.Enemies[:]...)
	for c := range grid.Square(o.v.Rules.BoardSize).All {
		item := o.v.Board[c]
		switch {
		case c == self && !o.v.BombAt(o.v.Self.Cell) || (tactics.Free | 1<<pommerman.Flames).Has(item):
			o.open.Add(c) // the agent cannot come back to its own cell if a bomb lies there
		case item == pommerman.Wood:
			wood.Add(c)
		case c != self && item >= agents:
			others.Add(c)
			seat, gap := int(item-agents), c.Distance(self)
			if gap <= approachRange {
				o.near.Add(c)
			}
			if enemies.Has(item) && (gap < o.gap || gap == o.gap && seat < o.target) {
				o.target, o.at, o.gap = seat, c, gap
			}
		}
	}
	o.beside, o.quiet = wood.Grow(), o.open
	if !o.literal {
		o.quiet = o.open.AndNot(others.Grow())
	}
}

// A bomb is dangerous if its life is less than dangerLife. For each further bomb around
// the agent that limit grows by dangerPerBomb.
const (
	dangerLife    = 5
	dangerPerBomb = 2
)

// furtherBombs counts the bombs around the agent: those that reach its cell or a cell
// that it could step onto. It leaves one out, unless all count.
func (o *analysis) furtherBombs() int {
	n := 0
	for i := range o.v.NumBombs {
		b := &o.v.Bombs[i]
		for c := range o.steps.All {
			if reaches(&o.v.Board, b.Cell, b.Blast, c) {
				n++
				break
			}
		}
	}
	if o.allBombs {
		return n
	}
	return max(n-1, 0)
}

// threatened reports whether a dangerous bomb reaches a cell, or a ring of the collapse
// falls on it as soon.
func (o *analysis) threatened(c grid.Cell) bool {
	return o.hazards.Due[c] != 0 && o.hazards.Due[c] < o.threshold
}

// mustEvade reports whether the agent's cell, or a cell that it could step onto, is
// threatened.
func (o *analysis) mustEvade() bool {
	for c := range o.steps.All {
		if o.threatened(c) {
			return true
		}
	}
	return false
}

// toSafety returns the first step to the nearest cell that is not threatened, Stay if
// the agent is on it or can reach none.
func (o *analysis) toSafety() (d grid.Dir, found bool) {
	return o.cheapest(func(grid.Cell) (extra int, good bool) { return 0, true })
}

// toTarget returns the first step to the nearest cell next to the target, Stay if the
// agent is on it or can reach none.
func (o *analysis) toTarget() grid.Dir {
	d, _ := o.cheapest(func(c grid.Cell) (extra int, good bool) { return 0, c.Distance(o.at) == 1 })
	return d
}

// cheapest returns the first step to one of the good cells that are not threatened: the
// one with the least sum of extra and the cost of the way. It returns false if the
// agent can reach none.
func (o *analysis) cheapest(rate func(grid.Cell) (extra int, good bool)) (d grid.Dir, found bool) {
	least := 0
	for _, c := range o.ways.order[:o.ways.n] {
		extra, good := rate(c)
		cost := int(o.ways.cost[c]) + extra
		if good && !o.threatened(c) && (!found || cost < least) {
			d, found, least = o.ways.first[c], true, cost
		}
	}
	return d, found
}

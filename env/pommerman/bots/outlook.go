package bots

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// outlook is the working memory of one decision of a hybrid agent: what the
// seat knows, and what follows from it. It lives on the stack.
type outlook struct {
	v      *pommerman.View // what the seat sees and, under fog, remembers
	memory *hybridMemory
	dirs   [4]grid.Dir // the order in which to try directions, drawn anew each time

	hazards   hazards
	threshold uint8 // a bomb with less life than this is dangerous
	ways      ways

	target int       // the seat of the enemy to attack, pommerman.NoSeat if none is known
	at     grid.Cell // where it is
	gap    int       // how far, in rows and columns together
}

// look takes in what the seat knows.
func (o *outlook) look(v *pommerman.View, memory *hybridMemory, dice *env.Dice) {
	o.v, o.memory = v, memory
	first := dice.IntN(len(grid.Dirs))
	for i := range o.dirs {
		o.dirs[i] = grid.Dirs[(first+i)%len(grid.Dirs)]
	}
	o.hazards.foresee(v, false)
	o.threshold = dangerLife + dangerPerBomb*uint8(o.furtherBombs())
	o.ways.find(o)
	o.aim()
}

// A bomb is dangerous if its life is under dangerLife, and earlier by
// dangerPerBomb for each further bomb around the agent.
const (
	dangerLife    = 5
	dangerPerBomb = 2
)

// furtherBombs counts the bombs that reach the agent's cell or one it could
// step onto, but for one.
func (o *outlook) furtherBombs() int {
	n := 0
	for _, b := range o.v.Bombs[:o.v.NumBombs] {
		self := o.v.Self.Cell
		near := reaches(&o.v.Board, b.Cell, b.Blast, self)
		for _, d := range grid.Dirs {
			to := self.Next(d)
			near = near || walkable.has(o.v.Board[to]) && reaches(&o.v.Board, b.Cell, b.Blast, to)
		}
		if near {
			n++
		}
	}
	return max(n-1, 0)
}

// threatened tells whether a dangerous bomb reaches a cell, or a ring of the
// collapse is as close to falling on it.
func (o *outlook) threatened(c grid.Cell) bool {
	return o.hazards.due[c] != 0 && o.hazards.due[c] < o.threshold
}

// mustEvade tells whether the agent's cell or one it could step onto is
// threatened.
func (o *outlook) mustEvade() bool {
	self := o.v.Self.Cell
	if o.threatened(self) {
		return true
	}
	for _, d := range grid.Dirs {
		if to := self.Next(d); walkable.has(o.v.Board[to]) && o.threatened(to) {
			return true
		}
	}
	return false
}

// mustAttack tells whether the agent has a bomb, and an enemy is near.
func (o *outlook) mustAttack() bool { return o.v.Self.Ammo > 0 && o.gap <= approachRange }

// aim finds the target: the nearest enemy known, of equals that of the lowest
// seat.
func (o *outlook) aim() {
	o.target, o.gap = pommerman.NoSeat, 99
	enemies := itemSet(o.v.Enemies[:]...)
	for row := range o.v.Rules.BoardSize {
		for col := range o.v.Rules.BoardSize {
			c := grid.At(row, col)
			item := o.v.Board[c]
			if item < o.v.Rules.Agent0() || !enemies.has(item) {
				continue
			}
			seat := int(item - o.v.Rules.Agent0())
			if gap := manhattan(c, o.v.Self.Cell); gap < o.gap || gap == o.gap && seat < o.target {
				o.target, o.at, o.gap = seat, c, gap
			}
		}
	}
}

// toSafety is the first step to the nearest cell that is not threatened, Stay
// if the agent is on it or knows of none it can reach.
func (o *outlook) toSafety() (d grid.Dir, found bool) {
	c, found := o.ways.nearest(func(c grid.Cell) bool {
		return o.v.Board[c] != pommerman.Fog && !o.threatened(c)
	})
	return o.ways.first[c], found
}

// toTarget is the first step to the nearest cell next to the target, Stay if
// the agent is on it or there is no way.
func (o *outlook) toTarget() grid.Dir {
	c, _ := o.ways.nearest(func(c grid.Cell) bool { return manhattan(c, o.at) == 1 })
	return o.ways.first[c]
}

// explore lays a bomb next to wood, or walks to the nearest item or wood, or to
// the cell least visited.
func (o *outlook) explore() pommerman.Action {
	self := o.v.Self.Cell
	stuck := false // next to wood, but not to be bombed from here
	if o.besideWood(self) {
		if o.mayBomb() {
			return pommerman.LayBomb
		}
		stuck = true
	}
	if d, ok := o.cheapest(func(c grid.Cell) (extra int, good bool) {
		if c == self {
			return 0, false
		}
		if pickups.has(o.v.Board[c]) {
			return 0, true
		}
		return int(o.memory.visits[c]), o.besideWood(c) && (o.v.Self.Ammo > 0 || stuck)
	}); ok {
		return pommerman.Action(d)
	}
	d, _ := o.cheapest(func(c grid.Cell) (extra int, good bool) {
		return 8 * int(o.memory.visits[c]), c != self
	})
	return pommerman.Action(d)
}

// cheapest is the first step to the cell that is good and for which the cost of
// the way and extra are least, and whether there is one that is not threatened.
func (o *outlook) cheapest(rate func(grid.Cell) (extra int, good bool)) (d grid.Dir, found bool) {
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

// pickups is what makes an agent stronger.
const pickups = items(1<<pommerman.ExtraBomb | 1<<pommerman.IncrRange | 1<<pommerman.Kick)

// besideWood tells whether wood is next to a cell.
func (o *outlook) besideWood(c grid.Cell) bool {
	for _, d := range grid.Dirs {
		if o.v.Board[c.Next(d)] == pommerman.Wood {
			return true
		}
	}
	return false
}

// mayBomb is the rule against accidental suicide: the agent has a bomb to lay,
// and from there it reaches, in time, a cell that nothing is going to burn and
// that has at least two neighbours to go on to.
func (o *outlook) mayBomb() bool {
	self := o.v.Self.Cell
	if o.v.Self.Ammo == 0 {
		return false
	}
	if o.onBomb() {
		return false
	}
	var h hazards
	h.foresee(o.v, true)
	var at grid.Bits
	at.Add(self)
	open := o.open()
	open.Remove(self)
	refuge := o.refuges(&h, open)
	for t := 1; t <= horizon && !at.Empty(); t++ {
		if t > 1 {
			at = at.Or(at.Grow().And(open))
		}
		at = at.AndNot(h.deadly[t])
		if reached := at.And(refuge); !reached.Empty() {
			return true
		}
	}
	return false
}

// refuges is the open cells that nothing is going to burn and that have two
// neighbours to go on to, the agent's own cell included.
func (o *outlook) refuges(h *hazards, open grid.Bits) (good grid.Bits) {
	for c := range open.All {
		ways := 0
		for _, d := range grid.Dirs {
			if to := c.Next(d); open.Has(to) {
				ways++
			}
		}
		if ways >= 2 && h.due[c] == 0 {
			good.Add(c)
		}
	}
	return good
}

// onBomb tells whether a bomb lies on the agent's cell.
func (o *outlook) onBomb() bool {
	for _, b := range o.v.Bombs[:o.v.NumBombs] {
		if b.Cell == o.v.Self.Cell {
			return true
		}
	}
	return false
}

// open is the cells that can be walked on, flames included, and the agent's own
// unless it could not come back to it because of a bomb.
func (o *outlook) open() (open grid.Bits) {
	for row := range o.v.Rules.BoardSize {
		for col := range o.v.Rules.BoardSize {
			c := grid.At(row, col)
			if (roomy | 1<<pommerman.Flames).has(o.v.Board[c]) {
				open.Add(c)
			}
		}
	}
	if !o.onBomb() {
		open.Add(o.v.Self.Cell)
	}
	return open
}

// survives is how many steps somebody who now goes in direction d can stay
// alive at best, up to the horizon; 0 if the step itself is deadly or leads
// nowhere.
func (o *outlook) survives(d grid.Dir) int {
	open := o.open()
	to := o.v.Self.Cell.Next(d)
	if !open.Has(to) && d != grid.Stay {
		return 0
	}
	var at grid.Bits
	at.Add(to)
	for t := 1; t <= horizon; t++ {
		if t > 1 {
			at = at.Or(at.Grow().And(open))
		}
		at = at.AndNot(o.hazards.deadly[t])
		if at.Empty() {
			return t - 1
		}
	}
	return horizon
}

// manhattan is the distance of two cells in rows and columns together.
func manhattan(a, b grid.Cell) int { return abs(a.Row()-b.Row()) + abs(a.Col()-b.Col()) }

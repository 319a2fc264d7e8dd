package paper

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// The search for a way out works with sets of cells: from the cells where the agent can
// be after one step, given bombs and flames, follow those after the next. Other agents
// may walk or lay bombs there, so a careful agent does not rely on a cell that another
// agent is next to.

// forGood is the rating by survives of a move after which a careful agent survives all
// hazards that it knows.
const forGood = 2 * pommerman.Horizon

// survives rates a step in direction d, or Stay, by the number of steps that the agent
// can survive from then on at best; 0 if this step kills it or cannot be made. If the
// agent survives all steps, the number of steps that it survives with care is added.
//
// A step to a cell next to another agent may fail, because that agent may enter the cell too.
// So if staying kills the agent in the end, such a step is rated no higher than staying.
func (o *analysis) survives(d grid.Dir) int {
	self := o.v.Self.Cell
	to := self.Next(d)
	if d != grid.Stay && !o.open.Has(to) {
		return 0
	}
	contested := !o.quiet.Has(to)
	steps := outlast(&o.hazards, to, o.open)
	if contested {
		steps = min(steps, outlast(&o.hazards, self, o.open))
	}
	if steps < pommerman.Horizon {
		return steps
	}
	careful := outlast(&o.hazards, to, o.quiet)
	if contested && o.threatened(self) {
		careful = min(careful, outlast(&o.hazards, self, o.quiet))
	}
	return pommerman.Horizon + careful
}

// enoughRoom is how many cells of its own an agent needs while others are near. With
// fewer cells, others could shut it in with a bomb.
const enoughRoom = 3

// room counts the cells, up to enoughRoom, that the agent reaches before anybody else if
// it now goes in direction d, or stays. If it lays a bomb, it cannot pass that bomb again.
func (o *analysis) room(d grid.Dir, laying bool) int {
	if o.near.Empty() {
		return enoughRoom
	}
	open := o.open
	if laying {
		open.Remove(o.v.Self.Cell)
	}
	mine, theirs := grid.Only(o.v.Self.Cell.Next(d)), o.near
	for mine.Len() < enoughRoom {
		theirs = theirs.Or(theirs.Grow().And(open))
		next := mine.Or(mine.Grow().And(open).AndNot(theirs))
		if next == mine {
			break
		}
		mine = next
	}
	return min(mine.Len(), enoughRoom)
}

// prospects rates a step in direction d, or Stay, by how long the agent survives
// after it, and among equals by its room.
func (o *analysis) prospects(d grid.Dir) int { return o.survives(d)*(enoughRoom+1) + o.room(d, false) }

// bright is the highest value of prospects.
const bright = forGood*(enoughRoom+1) + enoughRoom

// outlast returns how many steps an agent can stay alive that is on a cell at the end
// of the first step, and in each later step stays or walks over open cells.
func outlast(h *pommerman.Forecast, c grid.Cell, open grid.Bits) int {
	at := grid.Only(c)
	for t := 1; t <= h.Last; t++ {
		if at = at.AndNot(h.Deadly[t]); at.Empty() {
			return t - 1
		}
		at = at.Or(at.Grow().And(open))
	}
	return pommerman.Horizon
}

// mayBomb is the rule against accidental suicide: it reports whether the agent has a
// bomb to lay and can then reach, in time and with care, a cell that nothing is going
// to burn and that has at least two such neighbours.
func (o *analysis) mayBomb() bool {
	if o.v.Self.Ammo == 0 || o.v.BombAt(o.v.Self.Cell) {
		return false
	}
	var h pommerman.Forecast
	h.Foresee(o.v, pommerman.LayBomb)
	goals, at := refuges(&h, o.quiet), grid.Only(o.v.Self.Cell)
	for t := 1; t <= pommerman.Horizon; t++ {
		at = at.AndNot(h.Deadly[t])
		if safe := at.And(goals); !safe.Empty() {
			return true
		}
		if at.Empty() {
			return false
		}
		at = at.Or(at.Grow().And(o.quiet))
	}
	return false
}

// refuges returns those of some cells that nothing is going to burn and that have at
// least two such cells as neighbours.
func refuges(h *pommerman.Forecast, open grid.Bits) (good grid.Bits) {
	for c := range open.All {
		ways := 0
		for _, d := range grid.Dirs {
			if open.Has(c.Next(d)) {
				ways++
			}
		}
		if ways >= 2 && h.Due[c] == 0 {
			good.Add(c)
		}
	}
	return good
}

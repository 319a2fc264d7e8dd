package paper

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// What the ways of a hybrid agent cost.
const (
	costStep   = 2  // one step
	costThreat = 6  // more, onto a cell that a bomb is about to reach
	costSkull  = 20 // more, over a skull
	costVisit  = 8  // more, to a cell to explore, for each time it was visited
)

// ways is the cheapest ways from an agent's cell to all it can walk to, found
// by Dijkstra's algorithm. Nobody is expected to move out of the way, and
// no way leads onto a cell in a step in which it is deadly.
type ways struct {
	cost  [256]uint16   // of the way to the cell, plus one; 0 where none leads
	steps [256]uint8    // of that way
	first [256]grid.Dir // its first step
	order [256]grid.Cell
	n     int // how many cells were reached, order[:n], the cheapest first
}

// frontier is the cells to go on from, the cheapest first: the cost and the cell in one
// number, the cell twisted so that no place on the board comes first among equals. A cell
// whose cost fell is in it more than once. A cell is left once and then enters at most four
// others, most of which cost more than all that are in it.
type frontier struct {
	list       [1 + 4*256]uint32
	begin, end int
	twist      uint8
}

func (f *frontier) push(cost uint16, c grid.Cell) {
	entry, at := uint32(cost)<<8|uint32(uint8(c)^f.twist), f.end
	for ; at > f.begin && f.list[at-1] > entry; at-- {
		f.list[at] = f.list[at-1]
	}
	f.list[at] = entry
	f.end++
}

func (f *frontier) pop() (cost uint16, c grid.Cell) {
	top := f.list[f.begin]
	f.begin++
	return uint16(top >> 8), grid.Cell(uint8(top) ^ f.twist)
}

// find searches all ways of o's agent. Of equally cheap ones it keeps the first
// found in the order of o.dirs.
func (w *ways) find(o *analysis) {
	f := frontier{twist: o.twist}
	var left grid.Bits
	self := o.v.Self.Cell
	w.cost[self] = 1
	f.push(1, self)
	for f.begin < f.end {
		cost, from := f.pop()
		if left.Has(from) {
			continue
		}
		left.Add(from)
		w.order[w.n] = from
		w.n++
		if from != self && o.v.Board[from] == pommerman.Fog {
			continue // nobody knows what is beyond
		}
		for _, d := range o.dirs {
			w.enter(o, &f, from, d, cost)
		}
	}
}

// enter goes on from a cell in direction d if that makes a new or a cheaper way.
func (w *ways) enter(o *analysis, f *frontier, from grid.Cell, d grid.Dir, cost uint16) {
	to := from.Next(d)
	steps := w.steps[from] + 1
	if !tactics.Walkable.Has(o.v.Board[to]) || o.hazards.Deadly[min(int(steps), pommerman.Horizon)].Has(to) {
		return
	}
	cost += costStep
	if o.threatened(to) {
		cost += costThreat
	}
	if o.v.Board[to] == pommerman.Skull {
		cost += costSkull
	}
	if w.cost[to] != 0 && w.cost[to] <= cost {
		return
	}
	w.cost[to], w.steps[to] = cost, steps
	w.first[to] = w.first[from]
	if w.first[to] == grid.Stay {
		w.first[to] = d
	}
	f.push(cost, to)
}

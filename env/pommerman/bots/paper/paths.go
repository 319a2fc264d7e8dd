package paper

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// The costs of a hybrid agent's ways.
const (
	costStep   = 2  // for each step
	costThreat = 6  // in addition, for a cell that a bomb is about to reach
	costSkull  = 20 // in addition, for a skull
	costVisit  = 8  // in addition, for a cell to explore, for each earlier visit
)

// ways holds the cheapest ways from an agent's cell to all cells it can walk to, found
// by Dijkstra's algorithm. It assumes that nobody moves out of the way. No way leads
// onto a cell in a step in which that cell is deadly.
type ways struct {
	cost  [256]uint16   // by cell: the cost of the way to it, plus one; 0 if there is none
	steps [256]uint8    // by cell: the number of steps of that way
	first [256]grid.Dir // by cell: the first step of that way
	order [256]grid.Cell
	n     int // order[:n] are the cells reached, the cheapest first
}

// frontier holds the cells from which to go on, the cheapest first. A number holds the cost and
// the cell; the cell is scrambled so that no place on the board comes first among equals. If a
// cell's cost has fallen, the cell is in it more than once. The search leaves each cell once,
// and then enters at most four others, most of which cost more than all cells in the frontier.
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

// find finds the ways of o's agent to all cells. Of equally cheap ways it keeps the one
// found first in the order of o.dirs.
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
			continue // it is unknown what lies beyond
		}
		for _, d := range o.dirs {
			w.enter(o, &f, from, d, cost)
		}
	}
}

// enter extends a way from a cell in direction d, if that gives a new or a cheaper way.
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

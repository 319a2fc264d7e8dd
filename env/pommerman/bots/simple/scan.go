package simple

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

const (
	// depth is how far away, counting rows and columns together, the agent
	// looks at all.
	depth = 10
	// nearby is how many steps away its targets may be. Only up to there does it
	// matter which of several shortest ways it takes.
	nearby = 3
)

// passable is what the agent thinks it can walk on: passages, items to pick up,
// itself and its teammate.
func passable(v *pommerman.View) tactics.Items {
	agents := tactics.Items(1<<pommerman.MaxAgents-1) << v.Rules.Agent0()
	pickups := tactics.Items(1<<v.Rules.Dummy() - 1<<pommerman.ExtraBomb)
	return (1<<pommerman.Passage | pickups | agents) &^ tactics.ItemSet(v.Enemies[0], v.Enemies[1], v.Enemies[2])
}

// scan is a breadth-first search from the agent's cell over the cells in its
// sight. Cells that cannot be entered are reached, but not left again. Where a
// cell is reached a second time by an equally short way, a coin decides whether
// that way replaces the one known.
//
// It starts with the cells nearby, where ways matter. Further away only distances
// do, so the rest is searched on demand, and its coins are tossed only if a script
// needs all of them.
//
// Invariant: queue[:head] has been left, queue[head:tail] waits, in the order
// of reaching; a cell's dist is set exactly if it is in queue[:tail].
type scan struct {
	v     *pommerman.View
	draws *draws
	open  tactics.Items // what can be walked on
	whole bool

	dist  [256]uint8    // steps from the agent's cell plus one, 0 where not reached
	first [256]grid.Dir // the first step of the way there; nearby cells only
	queue [256]grid.Cell

	head, tail int
	around     [nearby + 1]tactics.Items // what was reached at each distance
}

// start searches the cells nearby.
func (s *scan) start(v *pommerman.View, d *draws) {
	s.v, s.draws, s.whole = v, d, d.whole()
	s.open = passable(v)
	self := v.Self.Cell
	if tactics.Opaque.Has(v.Board[self]) {
		return // an agent that died in flames
	}
	s.dist[self] = 1
	s.queue[0] = self
	s.tail = 1
	for s.expand(nearby) {
	}
	for s.whole && s.expand(len(s.dist)) {
	}
}

// expand leaves the next cell of the queue, unless it lies limit or more steps
// away or there is none: then it returns false. With that, all cells up to
// limit steps away have been reached.
func (s *scan) expand(limit int) bool {
	if s.head == s.tail || int(s.dist[s.queue[s.head&255]]) > limit {
		return false
	}
	from := s.queue[s.head&255]
	s.head++
	board := &s.v.Board
	if !s.open.Has(board[from]) {
		return true
	}
	steps, way := int(s.dist[from]), s.first[from]
	for d := grid.Up; d <= grid.Right; d++ {
		to := from.Next(d)
		if known := int(s.dist[to]); known != 0 {
			if known > steps && (steps <= nearby || s.whole) && s.draws.coin() {
				s.first[to] = along(way, d)
			}
			continue
		}
		item := board[to]
		if tactics.Opaque.Has(item) || steps >= depth && !s.sees(to) {
			continue
		}
		s.dist[to] = uint8(steps + 1)
		s.first[to] = along(way, d)
		s.queue[s.tail&255] = to
		s.tail++
		if steps <= nearby {
			s.around[steps] |= 1 << (item & 31)
		}
	}
	return true
}

// along is the first step of a way that goes on in direction d.
func along(way, d grid.Dir) grid.Dir {
	if way == grid.Stay {
		return d
	}
	return way
}

// sees reports whether a cell is in the agent's sight: up to depth rows and
// columns away taken together, where the rows and columns depth further down
// and right are left out.
func (s *scan) sees(c grid.Cell) bool {
	self := s.v.Self.Cell
	return c.Distance(self) <= depth && c.Row()-self.Row() < depth && c.Col()-self.Col() < depth
}

// within reports whether a cell can be reached in at most limit steps.
func (s *scan) within(c grid.Cell, limit int) bool {
	for s.dist[c] == 0 && s.expand(limit) {
	}
	return s.dist[c] != 0 && int(s.dist[c]) <= limit+1
}

// toward is the first step of the way to the nearest cell that shows one of
// wanted, at most radius steps away; grid.Stay if there is none. Of equally
// near cells it is the one with the item named last, and of those the last in
// row-major order.
func (s *scan) toward(radius int, wanted ...pommerman.Item) grid.Dir {
	set := tactics.ItemSet(wanted...)
	for steps := 1; steps <= radius; steps++ {
		if s.around[steps]&set == 0 {
			continue
		}
		for i := len(wanted) - 1; i >= 0; i-- {
			if s.around[steps].Has(wanted[i]) {
				return s.first[s.last(steps, wanted[i])]
			}
		}
	}
	return grid.Stay
}

// last is the last cell in row-major order that shows item steps away. There
// must be one.
func (s *scan) last(steps int, item pommerman.Item) grid.Cell {
	var found grid.Cell
	for _, c := range s.queue[:s.tail] {
		if int(s.dist[c]) == steps+1 && s.v.Board[c] == item {
			found = max(found, c)
		}
	}
	return found
}

// canHide reports whether the agent reaches a passage that a bomb laid on its
// cell would not reach: further away than the blast, or round a corner.
func (s *scan) canHide() bool {
	self, blast := s.v.Self.Cell, int(s.v.Self.Blast)
	for i := 0; i < s.tail || s.expand(len(s.dist)); {
		if i == s.tail {
			continue // the last expansion reached nothing
		}
		c := s.queue[i]
		i++
		_, inLine := tactics.Line(self, c)
		if s.v.Board[c] == pommerman.Passage && (int(s.dist[c]) > blast+1 || !inLine) {
			return true
		}
	}
	return false
}

// seesPassage reports whether any passage is in sight, reachable or not.
func (s *scan) seesPassage() bool {
	for c := range grid.Square(s.v.Rules.BoardSize).All {
		if s.v.Board[c] == pommerman.Passage && s.sees(c) {
			return true
		}
	}
	return false
}

package simple

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// The search of 2018 was made for boards of one size only, and left out skulls.
const (
	side2018   = 13
	opaque2018 = tactics.Opaque | 1<<pommerman.Skull
)

// search2018 is the search of 2018, which searches everything at once. It leaves each
// cell once: first the agent's own, then the others row by row, whatever their
// distance. So it finds cells at any distance to the right and down, but straight up
// and left only up to two cells away, and its ways need not be the shortest. It tosses
// no coins.
//
// Afterwards Queue[:Tail] holds the cells reached, first the agent's own, and no cell
// waits in it.
type search2018 struct {
	tactics.Sight
	side int // the side of the board
}

func (s *search2018) start() {
	self := s.Self
	if !s.takesPart(self) {
		return // the agent stands in flames
	}
	var from [256]grid.Dir // the last step of the way to a cell
	s.Dist[self] = 1
	s.leave(self, &from)
	for c := range grid.Square(s.side).All {
		if c != self && s.Dist[c] != 0 {
			s.leave(c, &from)
		}
	}
	s.list(self, &from)
}

func (s *search2018) takesPart(c grid.Cell) bool {
	return !opaque2018.Has(s.Board[c]) && c.Row() < side2018 && c.Col() < side2018 && s.Sees(c)
}

// leave goes on from a cell to its neighbours, if the cell can be walked on.
func (s *search2018) leave(c grid.Cell, from *[256]grid.Dir) {
	if !s.Open.Has(s.Board[c]) {
		return
	}
	for _, d := range grid.Dirs {
		to := c.Next(d)
		if steps := s.Dist[c] + 1; s.takesPart(to) && (s.Dist[to] == 0 || steps < s.Dist[to]) {
			s.Dist[to], from[to] = steps, d
		}
	}
}

// list lists the cells reached, and finds the first steps to those nearby.
func (s *search2018) list(self grid.Cell, from *[256]grid.Dir) {
	s.Queue[0], s.Tail = self, 1
	for c := range grid.Square(s.side).All {
		if s.Dist[c] < 2 {
			continue
		}
		s.Queue[s.Tail] = c
		s.Tail++
		if steps := s.Dist[c] - 1; steps <= tactics.Nearby {
			for at := c; at != self; at = at.Next(from[at].Opposite()) {
				s.First[c] = from[at]
			}
		}
	}
	s.Head = s.Tail
}

// found takes the near cells from the search.
func (n *near) found(s *search2018) {
	n.at = [tactics.Nearby + 1]uint32{uint32(s.Dist[s.Self])}
	for i, offset := range offsets {
		if steps := int(s.Dist[s.Self+offset]) - 1; steps > 0 && steps <= tactics.Nearby {
			n.at[steps] |= 1 << i
		}
	}
}

// offsets holds the places of near's cells, as differences of cells.
var offsets = [24]grid.Cell{223, 224, 225, 238, 239, 240, 241, 242, 253, 254, 255, 208,
	1, 2, 3, 48, 14, 15, 16, 17, 18, 31, 32, 33}

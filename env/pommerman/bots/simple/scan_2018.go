package simple

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// The search of 2018 knew boards of one size and no other, and left out skulls.
const (
	side2018   = 13
	opaque2018 = tactics.Opaque | 1<<pommerman.Skull
)

// start2018 is the search of 2018 in place of Start, whole from the beginning. It
// leaves each cell once: the agent's own, then the others row by row, whatever
// their distance. So distances run on to the right and down, but straight up and
// left no further than two cells, and ways need not be the shortest. It tosses no
// coins.
//
// Afterwards queue[:tail] is the cells reached, first the agent's own, and
// nothing waits in it.
func (s *scan) start2018() {
	self := s.Self
	if !s.takesPart2018(self) {
		return // an agent in flames
	}
	var from [256]grid.Dir // the last step of the way to a cell
	s.Dist[self] = 1
	s.leave2018(self, &from)
	for c := range grid.Square(s.v.Rules.BoardSize).All {
		if c != self && s.Dist[c] != 0 {
			s.leave2018(c, &from)
		}
	}
	s.list2018(self, &from)
}

func (s *scan) takesPart2018(c grid.Cell) bool {
	return !opaque2018.Has(s.v.Board[c]) && c.Row() < side2018 && c.Col() < side2018 && s.Sees(c)
}

// leave2018 goes on from a cell to its neighbours, if it can be walked on.
func (s *scan) leave2018(c grid.Cell, from *[256]grid.Dir) {
	if !s.Open.Has(s.v.Board[c]) {
		return
	}
	for _, d := range grid.Dirs {
		to := c.Next(d)
		if steps := s.Dist[c] + 1; s.takesPart2018(to) && (s.Dist[to] == 0 || steps < s.Dist[to]) {
			s.Dist[to], from[to] = steps, d
		}
	}
}

// list2018 lists the cells reached, and finds the first steps to those nearby.
func (s *scan) list2018(self grid.Cell, from *[256]grid.Dir) {
	s.Queue[0], s.Tail = self, 1
	for c := range grid.Square(s.v.Rules.BoardSize).All {
		if s.Dist[c] < 2 {
			continue
		}
		s.Queue[s.Tail] = c
		s.Tail++
		if steps := s.Dist[c] - 1; steps <= tactics.Nearby {
			s.Around[steps] |= 1 << (s.v.Board[c] & 31)
			for at := c; at != self; at = at.Next(from[at].Opposite()) {
				s.First[c] = from[at]
			}
		}
	}
	s.Head = s.Tail
}

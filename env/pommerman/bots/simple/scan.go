package simple

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// scan is what the agent sees. A coin decides between equally short ways. Coins on which
// nothing depends are tossed only if a script needs all of them.
type scan struct {
	tactics.Sight
	v *pommerman.View
}

// toward is the first step of the way to the nearest cell that shows one of
// wanted, at most radius steps away; grid.Stay if there is none. Of equally
// near cells it is the one with the item named last, and of those the last in
// row-major order.
func (s *scan) toward(radius int, wanted ...pommerman.Item) grid.Dir {
	set := tactics.ItemSet(wanted...)
	for steps := 1; steps <= radius; steps++ {
		if s.Around[steps]&set == 0 {
			continue
		}
		for i := len(wanted) - 1; i >= 0; i-- {
			if s.Around[steps].Has(wanted[i]) {
				return s.First[s.last(steps, wanted[i])]
			}
		}
	}
	return grid.Stay
}

// last is the last cell in row-major order that shows item steps away. There
// must be one.
func (s *scan) last(steps int, item pommerman.Item) grid.Cell {
	var found grid.Cell
	for _, c := range s.Queue[:s.Tail] {
		if int(s.Dist[c]) == steps+1 && s.v.Board[c] == item {
			found = max(found, c)
		}
	}
	return found
}

// canHide reports whether the agent reaches a passage that a bomb laid on its
// cell would not reach: further away than the blast, or round a corner.
func (s *scan) canHide() bool {
	self, blast := s.v.Self.Cell, int(s.v.Self.Blast)
	for i := 0; i < s.Tail || s.Expand(len(s.Dist)); {
		if i == s.Tail {
			continue // the last expansion reached nothing
		}
		c := s.Queue[i]
		i++
		_, inLine := tactics.Line(self, c)
		if s.v.Board[c] == pommerman.Passage && (int(s.Dist[c]) > blast+1 || !inLine) {
			return true
		}
	}
	return false
}

// seesPassage reports whether any passage is in sight, reachable or not.
func (s *scan) seesPassage() bool {
	for c := range grid.Square(s.v.Rules.BoardSize).All {
		if s.v.Board[c] == pommerman.Passage && s.Sees(c) {
			return true
		}
	}
	return false
}

package simple

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// scan holds what the agent sees and where it can walk. Near cells, where it matters which of
// several shortest ways is taken, are found at once; others are found when they are needed.
type scan struct {
	near
	v      *pommerman.View
	of2018 *search2018 // the search of 2018; nil: today's
}

func passable(v *pommerman.View) tactics.Items {
	return tactics.Passable(v.Rules, tactics.ItemSet(v.Enemies[:]...))
}

// ground returns where the agent can walk.
func (s *scan) ground() tactics.Ground {
	return tactics.Ground{Board: &s.v.Board, Self: s.v.Self.Cell, Open: passable(s.v), Order: tactics.InOrder(grid.Dirs)}
}

// search searches with a coin for each tie nearby or, if whole, for each tie anywhere.
func (s *scan) search(coin func() bool, whole bool) (f tactics.Sight) {
	f.Ground, f.Shown, f.Tie, f.Whole = s.ground(), &s.v.Board, coin, whole
	f.Start()
	return f
}

// far returns a search for what is not nearby. Ties have no effect there.
func (s *scan) far() tactics.Sight {
	if s.of2018 != nil {
		return s.of2018.Sight
	}
	return s.search(func() bool { return false }, false)
}

// toward returns the first step of the way to the nearest cell that shows one of
// wanted, at most radius steps away; grid.Stay if there is none. Of equally near cells
// it takes the one with the item named last, and of those the last in row-major order.
// Only the cells in among can show a wanted item.
func (s *scan) toward(radius int, among uint32, wanted ...pommerman.Item) grid.Dir {
	for steps := 1; steps <= radius; steps++ {
		cells := s.at[steps] & among
		for i := len(wanted) - 1; i >= 0 && cells != 0; i-- {
			if found := cells & s.showing(wanted[i]); found != 0 {
				if s.of2018 != nil {
					return s.of2018.First[s.of2018.Self+offsets[last(found)]]
				}
				return s.first(last(found))
			}
		}
	}
	return grid.Stay
}

// canHide reports whether the agent reaches a passage that a bomb on its present cell
// would not reach: further away than the blast, or round a corner.
func (s *scan) canHide() bool {
	self, blast := s.v.Self.Cell, int(s.v.Self.Blast)
	if s.passage&(s.at[2]|s.at[3])&^inLine != 0 {
		return true
	}
	f := s.far()
	for i := 0; i < f.Tail || f.Expand(len(f.Dist)); {
		if i == f.Tail {
			continue // the last expansion reached nothing
		}
		c := f.Queue[i]
		i++
		_, inLine := tactics.Line(self, c)
		if s.v.Board[c] == pommerman.Passage && (int(f.Dist[c]) > blast+1 || !inLine) {
			return true
		}
	}
	return false
}

// within reports whether a cell in the agent's row or column can be reached in at most
// limit steps. A way that is not straight is at least two steps longer.
func (s *scan) within(c grid.Cell, limit int) bool {
	d, _ := tactics.Line(s.v.Self.Cell, c)
	steps := s.v.Self.Cell.Distance(c)
	near := steps <= tactics.Nearby && s.at[steps]>>inDirection[d][steps]&1 != 0
	if near || limit < steps || steps <= tactics.Nearby && limit < steps+2 {
		return near && steps <= limit
	}
	f := s.far()
	return f.Within(c, limit)
}

// seesPassage reports whether any passage is in sight, reachable or not.
func (s *scan) seesPassage() bool {
	ground := s.ground()
	for c := range grid.Square(s.v.Rules.BoardSize).All {
		if s.v.Board[c] == pommerman.Passage && ground.Sees(c) {
			return true
		}
	}
	return false
}

// steps lists the directions in which an agent wanders, in order. stepOf has, by the
// difference of two cells, the bit for the direction's place in that list.
var (
	steps  = [5]grid.Dir{grid.Stay, grid.Left, grid.Right, grid.Up, grid.Down}
	stepOf = func() (bits [256]uint8) {
		for i, d := range steps {
			bits[grid.Cell(0).Next(d)] = 1 << i
		}
		return bits
	}()
)

// safe returns the steps onto cells that are open and exposed to no bomb, as a set of bits.
func (s *scan) safe() uint8 {
	ways := uint8(s.open>>10&1<<1 | s.open>>12&1<<2 | s.open>>5&1<<3 | s.open>>18&1<<4)
	if s.stay {
		ways |= 1
	}
	self := s.v.Self.Cell
	for i := range s.v.NumBombs {
		b := &s.v.Bombs[i]
		for k, d := range steps {
			if tactics.Exposes(b, self.Next(d)) {
				ways &^= 1 << k
			}
		}
	}
	return ways
}

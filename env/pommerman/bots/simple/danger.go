package simple

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// dirList is a short list of directions, in order. Stay may be one of them.
type dirList struct {
	dirs [5]grid.Dir
	n    int
}

func (l *dirList) all() []grid.Dir { return l.dirs[:l.n] }

func (l *dirList) add(d grid.Dir) {
	l.dirs[l.n] = d
	l.n++
}

// keep keeps the directions for which good is true, in order.
func (l *dirList) keep(good func(grid.Dir) bool) {
	n := 0
	for _, d := range l.all() {
		if good(d) {
			l.dirs[n] = d
			n++
		}
	}
	l.n = n
}

// threats is the directions in which a bomb lies that could reach the agent, in
// the order in which they were found, and the longest blast in each.
type threats struct {
	dirList
	blast [5]uint8
}

func (t *threats) find(d grid.Dir, blast uint8) {
	if t.blast[d] == 0 {
		t.add(d)
	}
	t.blast[d] = max(t.blast[d], blast)
}

// underfoot is the order in which a bomb on the agent's own cell makes all
// directions unsafe.
var underfoot = [4]grid.Dir{grid.Right, grid.Left, grid.Up, grid.Down}

// threats looks at the bombs in row-major order. A bomb counts if it lies in
// the agent's row or column and no more steps away than its blast is strong; the
// steps are those of the search, so a bomb behind a wall may be too far.
func (s *scan) threats() (t threats) {
	self := s.v.Self.Cell
	for i := range s.v.NumBombs {
		b := &s.v.Bombs[i]
		d, inLine := tactics.Line(self, b.Cell)
		if !inLine || b.Blast == 0 || !s.within(b.Cell, int(b.Blast)) {
			continue
		}
		if d != grid.Stay {
			t.find(d, b.Blast)
			continue
		}
		for _, d := range underfoot {
			t.find(d, b.Blast)
		}
	}
	return t
}

// flee lists the directions that lead out of danger, to draw one from.
func (s *scan) flee(t *threats) (dirList, Branch) {
	if t.n == len(underfoot) {
		return s.breakOut(t), FleeAll4
	}
	var safe dirList
	for _, d := range grid.Dirs {
		item := s.v.Board[s.v.Self.Cell.Next(d)]
		if t.blast[d] == 0 && (item == pommerman.Fog || s.open.Has(item)) {
			safe.add(d)
		}
	}
	if safe.n == 0 {
		// A bomb lies in each of these directions, so none leaves the board.
		safe = t.dirList
	}
	return safe, FleeSome
}

// breakOut is the first unsafe direction that is no dead end, or to stay.
func (s *scan) breakOut(t *threats) (way dirList) {
	for _, d := range t.all() {
		if s.leadsOut(d, int(t.blast[d])) {
			way.add(d)
			return way
		}
	}
	way.add(grid.Stay)
	return way
}

// leadsOut reports whether an agent that steps in direction d, with its own cell
// then blocked, can get further than blast away from the cell entered, or out of
// its row and column. As long as neither is the case, it can reach four straight
// arms of the cell.
func (s *scan) leadsOut(d grid.Dir, blast int) bool {
	entered := s.v.Self.Cell.Next(d)
	if !s.walkable(entered) {
		return false
	}
	for _, arm := range grid.Dirs {
		left, right := across(arm)
		at := entered.Next(arm)
		for length := 1; s.walkable(at); length++ {
			if length > blast || s.walkable(at.Next(left)) || s.walkable(at.Next(right)) {
				return true
			}
			at = at.Next(arm)
		}
	}
	return false
}

// walkable reports whether a cell other than the agent's own can be walked on.
func (s *scan) walkable(c grid.Cell) bool {
	return c != s.v.Self.Cell && s.open.Has(s.v.Board[c])
}

// across is the two directions at right angles to d.
func across(d grid.Dir) (grid.Dir, grid.Dir) {
	if d == grid.Up || d == grid.Down {
		return grid.Left, grid.Right
	}
	return grid.Up, grid.Down
}

// exposed reports whether any bomb in view lies in the row or column of c and no
// further away than its blast is strong. What lies between does not matter.
func exposed(v *pommerman.View, c grid.Cell) bool {
	for i := range v.NumBombs {
		b := &v.Bombs[i]
		if _, inLine := tactics.Line(b.Cell, c); inLine && b.Cell.Distance(c) <= int(b.Blast) {
			return true
		}
	}
	return false
}

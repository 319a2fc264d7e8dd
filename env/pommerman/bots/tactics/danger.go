package tactics

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// Ways is a short list of directions, in order. Stay may be one of them.
type Ways struct {
	dirs [5]grid.Dir
	N    int
}

// WaysOf is the list of the given directions.
func WaysOf(dirs ...grid.Dir) (l Ways) {
	l.N = copy(l.dirs[:], dirs)
	return l
}

// All returns the directions.
func (l *Ways) All() []grid.Dir { return l.dirs[:l.N] }

// Add appends a direction.
func (l *Ways) Add(d grid.Dir) {
	l.dirs[l.N] = d
	l.N++
}

// Keep keeps the directions for which good is true, in order.
func (l *Ways) Keep(good func(grid.Dir) bool) {
	n := 0
	for _, d := range l.All() {
		if good(d) {
			l.dirs[n] = d
			n++
		}
	}
	l.N = n
}

// Threats is the directions in which a bomb lies that could reach the agent, in
// the order in which they were found, and the longest blast in each.
type Threats struct {
	Ways
	Blast [5]uint8
}

// ThreatsTo looks at the bombs around an agent. One counts if it lies in the agent's row or column and no more
// steps away than its blast is strong, as within says: a bomb behind a wall may be too far.
// On the agent's own cell it threatens the directions here.
func ThreatsTo(self grid.Cell, bombs []pommerman.SeenBomb, within func(grid.Cell, int) bool,
	here ...grid.Dir,
) (t Threats) {
	for i := range bombs {
		b := &bombs[i]
		d, inLine := Line(self, b.Cell)
		if !inLine || b.Blast == 0 || !within(b.Cell, int(b.Blast)) {
			continue
		}
		if d != grid.Stay {
			t.find(d, b.Blast)
			continue
		}
		for _, d := range here {
			t.find(d, b.Blast)
		}
	}
	return t
}

func (t *Threats) find(d grid.Dir, blast uint8) {
	if t.Blast[d] == 0 {
		t.Add(d)
	}
	t.Blast[d] = max(t.Blast[d], blast)
}

// Flee lists the directions that lead out of danger: with danger all round the unsafe
// ones that are no dead end, perhaps none; else the safe ones, or without any the unsafe.
func (s *Ground) Flee(t *Threats) (ways Ways) {
	if t.N == len(grid.Dirs) {
		ways = t.Ways
		ways.Keep(func(d grid.Dir) bool { return s.LeadsOut(d, int(t.Blast[d]), s.Self) })
		return ways
	}
	for order := s.Order; order != 0; order >>= 8 {
		d := grid.Dir(order & 7)
		item := s.Board[s.Self.Next(d)]
		if t.Blast[d] == 0 && (item == pommerman.Fog || s.Open.Has(item)) {
			ways.Add(d)
		}
	}
	if ways.N == 0 {
		// A bomb lies in each of these directions, so none leaves the board.
		ways = t.Ways
	}
	return ways
}

// LeadsOut reports whether an agent that steps in direction d, with a cell blocked, its own
// as a rule, can get further than blast away from the cell entered, or out of
// its row and column. As long as neither is the case, it can reach four straight
// arms of the cell.
func (s *Ground) LeadsOut(d grid.Dir, blast int, blocked grid.Cell) bool {
	entered := s.Self.Next(d)
	if !s.walkable(entered, blocked) {
		return false
	}
	for _, arm := range grid.Dirs {
		left, right := across(arm)
		at := entered.Next(arm)
		for length := 1; s.walkable(at, blocked); length++ {
			if length > blast || s.walkable(at.Next(left), blocked) || s.walkable(at.Next(right), blocked) {
				return true
			}
			at = at.Next(arm)
		}
	}
	return false
}

// walkable reports whether a cell other than a blocked one can be walked on.
func (s *Ground) walkable(c, blocked grid.Cell) bool { return c != blocked && s.Open.Has(s.Board[c]) }

// across is the two directions at right angles to d.
func across(d grid.Dir) (grid.Dir, grid.Dir) {
	if d == grid.Up || d == grid.Down {
		return grid.Left, grid.Right
	}
	return grid.Up, grid.Down
}

// Exposed reports whether any bomb in view exposes c.
func Exposed(v *pommerman.View, c grid.Cell) bool {
	for i := range v.NumBombs {
		if Exposes(&v.Bombs[i], c) {
			return true
		}
	}
	return false
}

// Exposes reports whether a bomb lies in the row or column of c and no further away
// than its blast is strong. What lies between does not matter.
func Exposes(b *pommerman.SeenBomb, c grid.Cell) bool {
	_, inLine := Line(b.Cell, c)
	return inLine && b.Cell.Distance(c) <= int(b.Blast)
}

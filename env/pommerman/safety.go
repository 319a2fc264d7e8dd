package pommerman

import (
	"math/bits"
	"unsafe"

	"pommego/env/grid"
)

// Moves is a set of actions.
type Moves uint8

// Has reports whether an action is in the set.
func (m Moves) Has(a Action) bool { return m>>a&1 != 0 }

// With is the set and an action.
func (m Moves) With(a Action) Moves { return m | 1<<a }

// Without is the set less an action.
func (m Moves) Without(a Action) Moves { return m &^ (1 << a) }

// First is the action of the set with the lowest number.
func (m Moves) First() Action { return Action(bits.TrailingZeros8(uint8(m))) }

// All calls visit with each action in ascending order until it returns false.
func (m Moves) All(visit func(Action) bool) {
	for ; m != 0; m &= m - 1 {
		if !visit(m.First()) {
			return
		}
	}
}

// Safety finds the moves of a seat that can be survived, as far as it can know: after them there is a path that no
// fire touches to the end of all that is foreseen, while everybody else stands still. Cells in fog
// count as free. A Safety can be used again.
type Safety struct {
	Stays Forecast // if the seat stands still, too

	v                         *View
	ground, wood, fog, others grid.Bits // cells without walls and other agents, and those of wood, fog and other agents
	moved                     Forecast  // if it lays or kicks a bomb, or goes where one rolls
}

// See takes what a seat sees.
func (s *Safety) See(v *View) {
	s.v = v
	s.survey()
	s.Stays.Foresee(v, Stop)
}

// Moves returns those legal moves that can be survived; all legal ones if there are none.
func (s *Safety) Moves() Moves {
	v, self := s.v, s.v.Self.Cell
	legal := v.legal()
	if !v.Self.Alive {
		return legal
	}
	ends, by := [numActions]grid.Cell{self}, Moves(0) // where moves lead, and those with a forecast of their own
	var to grid.Bits
	to.Add(self)
	for a := Up; a <= Right; a++ {
		ends[a] = self.Next(grid.Dir(a))
		bomb := v.bombAt(ends[a])
		if !s.ground.Has(ends[a]) || bomb != nil && bomb.Moving == grid.Stay {
			ends[a] = self
		}
		if bomb != nil && v.Self.Kicks || v.inTheWay(ends[a]) {
			by = by.With(a)
		} else {
			to.Add(ends[a])
		}
	}
	lives, safe := s.Stays.lives(s.ground, to), Moves(0)
	for a := range legal.All {
		var survived bool
		switch {
		case a == LayBomb, by.Has(a):
			survived = s.survives(a)
		default:
			survived = lives.Has(ends[a])
		}
		if survived {
			safe = safe.With(a)
		}
	}
	if safe == 0 {
		return legal
	}
	return safe
}

// survives reports whether a move can be survived that changes what is to come.
func (s *Safety) survives(a Action) bool {
	f := &s.moved
	if a == LayBomb && s.v.Rules.Traits().BombsStack && s.v.bombAt(s.v.Self.Cell) != nil {
		return false // no view shows both
	}
	f.Foresee(s.v, a)
	var from grid.Bits
	from.Add(f.own.Cell)
	lives := f.lives(s.ground, from)
	return f.own.Alive && lives.Has(f.own.Cell)
}

// inTheWay reports whether a bomb rolls along the line on which the seat, or the cell to which it goes, is ahead.
func (v *View) inTheWay(to grid.Cell) bool {
	for i := range v.Bombs[:v.NumBombs] {
		b := &v.Bombs[i]
		if b.Moving != grid.Stay && (ahead(b, v.Self.Cell) || ahead(b, to)) {
			return true
		}
	}
	return false
}

// ahead reports whether a bomb rolls towards a cell.
func ahead(b *SeenBomb, c grid.Cell) bool {
	down, right := b.Moving.Delta()
	rows, cols := c.Row()-b.Cell.Row(), c.Col()-b.Cell.Col()
	return rows*right == 0 && cols*down == 0 && rows*down+cols*right > 0
}

// lives is the cells from which, after the first step, one can live on over cells of the ground on which no bomb lies.
// The pass goes backwards in time. It may leave out cells that are not asked for.
func (f *Forecast) lives(ground, asked grid.Bits) grid.Bits {
	lives := grid.Bits{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	if danger := asked.And(f.Ever); danger.Empty() {
		return lives
	}
	open := ground.AndNot(f.Rest)
	for t := f.Last; t > 0; t-- {
		lives.Retrace(&open, &f.Deadly[t])
	}
	return lives
}

// legal is what Mask says.
func (v *View) legal() (moves Moves) {
	var mask [numActions]uint8
	v.Rules.maskMoves(&v.Board, &v.Self, v.StepCount, mask[:], v.lies)
	for a, is := range mask {
		moves |= Moves(is) << a
	}
	return moves
}

// lies reports whether a bomb lies on a cell, and whether it rolls.
func (v *View) lies(c grid.Cell) (lies, rolls bool) {
	b := v.bombAt(c)
	return b != nil, b != nil && b.Moving != grid.Stay
}

// survey finds the sets of cells, eight cells at a time.
func (s *Safety) survey() {
	v, over := s.v, (0x80-uint64(s.v.Rules.Agent0()))*ones
	board := v.bytes()
	s.ground, s.wood, s.fog, s.others = grid.Bits{}, grid.Bits{}, grid.Bits{}, grid.Bits{}
	for w := range 2 * (v.Rules.BoardSize + 1) {
		cells := wordAt(board[:], 8*w)
		rigid, wood := equalCells(cells, uint8(Rigid)), equalCells(cells, uint8(Wood))
		agents, at := (cells+over)>>7&ones, 8*(w&7)
		s.ground[w>>3] |= gather(^(rigid|wood|agents)&ones) << at
		s.wood[w>>3] |= gather(wood) << at
		s.others[w>>3] |= gather(agents) << at
		s.fog[w>>3] |= gather(equalCells(cells, uint8(Fog))) << at
	}
	if v.Board[v.Self.Cell] == v.Rules.Agent0()+Item(v.Seat) {
		s.ground.Add(v.Self.Cell)
		s.others.Remove(v.Self.Cell)
	}
}

// bytes is the board; an Item is a byte.
func (v *View) bytes() *[256]byte { return (*[256]byte)(unsafe.Pointer(&v.Board)) }

// gather makes bits of bytes that are 0 or 1.
func gather(bytes uint64) uint64 { return bytes * 0x0102040810204080 >> 56 }

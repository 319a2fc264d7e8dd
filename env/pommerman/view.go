package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/observe"
)

// View is what one seat may know: the observation as a value, for agents
// written in Go. It holds nothing that the seat's observation dictionary in
// the reference does not hold. Bombs are in row-major order, because a seat
// sees maps and not the order in which bombs were laid.
//
// Board is in the bordered layout of package grid: cells off the board are Rigid, cells
// that the seat cannot see are Fog.
type View struct {
	Rules *Rules
	Seat  int

	Board    [256]Item
	Bombs    [MaxBombs]Bomb // as the maps show them: whose they are is not known
	NumBombs int
	flames   // only the youngest flame of each cell

	Self      Agent // the seat's own agent
	Teammate  Item  // the teammate's cell value, Rules.Dummy if there is none
	Enemies   [3]Item
	Alive     env.SeatSet // never fogged
	StepCount int
	Message   [MaxWords]uint8 // what the teammate sent in the last step

	inView grid.Bits // the cells in view; only in views that See made
}

// window returns the cells that an agent sees from a cell. A dead one still looks from its last cell.
func (r *Rules) window(from grid.Cell) grid.Bits {
	n := r.BoardSize
	if r.ViewSize == 0 {
		return grid.Square(n)
	}
	row, col, size := from.Row(), from.Col(), max(r.ViewSize, 0)
	back := size - r.Traits().lookBack
	return grid.Rect(max(row-back, 0), min(row+size+1, n), max(col-back, 0), min(col+size+1, n))
}

// See fills v with what seat sees.
func (r *Rules) See(s *State, seat int, v *View) {
	if r.Traits().Conceals {
		var copied State
		r.CopyWhole(s, &copied)
		s = &copied
	}
	w := r.window(s.Agents[seat].Cell)
	v.Rules, v.Seat, v.inView = r, seat, w
	v.Board = s.Board
	if r.ViewSize != 0 {
		v.fog(&w)
	}
	v.flames = flames{}
	left := w // cells where no younger flame shows
	for life := maxFlameLife - 1; life >= 0; life-- {
		if burning := &s.flames[life]; !burning.Empty() {
			v.flames[life] = burning.And(left)
			left = left.AndNot(*burning)
		}
	}
	v.seeBombs(s, &w)
	v.Self = s.Agents[seat]
	v.Teammate, v.Enemies = r.relations(seat)
	v.Alive = s.Living()
	v.StepCount = int(s.StepCount)
	v.Message = [MaxWords]uint8{}
	if mate := r.Teammate(seat); mate != NoSeat {
		v.Message = s.Radio[mate]
	}
}

// fog hides what is out of the window, row by row: most rows hide the same cells as the one before.
func (v *View) fog(w *grid.Bits) {
	board, hidden := rawBoard(&v.Board), grid.Square(v.Rules.BoardSize).AndNot(*w)
	was, left, right := uint16(0), uint64(0), uint64(0)
	for row := 1; row <= v.Rules.BoardSize; row++ {
		if is := uint16(hidden[row>>2] >> (16 * (row & 3))); is != was {
			was, left, right = is, observe.Spread[is&0xff]*0xff, observe.Spread[is>>8]*0xff
		}
		at := board[16*row:][:16]
		putWord(at, 0, wordAt(at, 0)&^left|uint64(Fog)*ones&left)
		putWord(at, 8, wordAt(at, 8)&^right|uint64(Fog)*ones&right)
	}
}

// seeBombs lists the visible bombs. If several lie on a cell, the maps show the last one.
func (v *View) seeBombs(s *State, w *grid.Bits) {
	v.NumBombs = 0
	for i := range s.bombs() {
		if b := &s.Bombs[i]; w.Has(b.Cell) {
			v.SeeBomb(b)
		}
	}
}

// SeeBomb adds a bomb to the list, in row-major order. It replaces the one on its cell if there is one.
func (v *View) SeeBomb(b *Bomb) {
	at := v.NumBombs
	for at > 0 && v.Bombs[at-1].Cell >= b.Cell {
		at--
	}
	if at == v.NumBombs || v.Bombs[at].Cell != b.Cell {
		copy(v.Bombs[at+1:], v.Bombs[at:v.NumBombs])
		v.NumBombs++
	}
	v.Bombs[at] = NewBomb(b.Cell, b.Life, b.Blast, Nobody, b.Moving())
}

// relations returns the teammate and the enemies of a seat as cell values, in the
// reference's order. One-vs-one uses the first enemy alone.
func (r *Rules) relations(seat int) (teammate Item, enemies [3]Item) {
	teammate = r.Dummy()
	enemies = [3]Item{r.Dummy(), r.Dummy(), r.Dummy()}
	if mate := r.Teammate(seat); mate != NoSeat {
		teammate = r.Agent0() + Item(mate)
	}
	n, first := 0, r.Agent0()
	for other := range r.Enemies(seat).All {
		enemies[n] = first + Item(other)
		n++
	}
	return teammate, enemies
}

package pommerman

import (
	"math/bits"
	"unsafe"

	"pommego/env/grid"
)

// Moves is a set of actions.
type Moves uint8

const allMoves = Moves(1)<<numActions - 1

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

// Safety finds the moves of a seat that can be survived, as far as it can know: after such
// a move there is a path that no fire touches up to the end of all that is foreseen, while
// everybody else stands still. Cells in fog count as free. A Safety can be used again.
type Safety struct {
	Stays Forecast // the forecast if the seat stands still, too

	v     *View
	cells cells
	moved Forecast // the forecast if it lays or kicks a bomb, or goes where one rolls
}

// cells holds what a board shows, as sets of cells. Free cells have neither walls nor agents.
type cells struct{ free, wood, fog, agents grid.Bits }

// See takes in what a seat sees.
func (s *Safety) See(v *View) {
	s.v, s.cells = v, v.Rules.survey(&v.Board)
	s.Stays.Foresee(v, Stop)
}

// Moves returns those legal moves that can be survived; all legal ones if there are none.
func (s *Safety) Moves() Moves {
	v, self := s.v, s.v.Self.Cell
	legal := s.legal()
	if !v.Self.Alive {
		return legal
	}
	f, ground := &s.Stays, s.cells.free // cells without other agents
	ground.Add(self)
	ends, by := [numActions]grid.Cell{self}, Moves(0) // where moves lead, and the moves with a forecast of their own
	var to grid.Bits
	to.Add(self)
	for a := Up; a <= Right; a++ {
		next := self.Next(grid.Dir(a))
		if ends[a] = next; !ground.Has(next) || f.Still.Has(next) {
			ends[a] = self
		}
		if f.Rolls.Has(next) || v.Self.Kicks && f.Still.Has(next) || !f.Rolls.Empty() && v.inTheWay(ends[a]) {
			by = by.With(a)
		} else {
			to.Add(ends[a])
		}
	}
	lives, safe := f.lives(ground, to), Moves(0)
	for a := range legal.All {
		var survived bool
		switch {
		case a == LayBomb, by.Has(a):
			survived = s.survives(a, ground)
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

// survives reports whether the seat can survive a move that changes what is to come.
func (s *Safety) survives(a Action, ground grid.Bits) bool {
	f, self := &s.moved, s.v.Self.Cell
	if a == LayBomb && s.Stays.apart(s.v) {
		ground.Remove(self)
		var blast grid.Bits
		Rays(&s.Stays.Board, self, s.v.Self.Blast, &blast)
		return s.Stays.outlived(self, &ground, &blast, min(s.v.Rules.BombLife, Horizon))
	}
	if a == LayBomb && s.v.Rules.Traits().BombsStack && s.Stays.Still.Has(self) {
		return false // the view does not show both
	}
	f.Foresee(s.v, a)
	return f.own.Alive && f.outlived(f.own.Cell, &ground, &grid.Bits{}, 0)
}

// apart reports whether a bomb that the seat lays explodes by itself and after all
// others, so that it does not change what they do.
func (f *Forecast) apart(v *View) bool {
	apart := f.Rolls.Empty() && f.now == 0 && !f.Struck.Has(v.Self.Cell) && !f.Still.Has(v.Self.Cell)
	apart = apart && (v.Rules.FirstCollapse == NoCollapse || f.fallen[Horizon].Empty())
	for i := range v.Bombs[:v.NumBombs] {
		apart = apart && int(v.Bombs[i].Life) < v.Rules.BombLife
	}
	return apart
}

// inTheWay reports whether a bomb rolls towards the seat's cell, or the cell to which the seat goes, on the same
// line.
func (v *View) inTheWay(to grid.Cell) bool {
	for i := range v.Bombs[:v.NumBombs] {
		b := &v.Bombs[i]
		if b.Moving() != grid.Stay && (ahead(b, v.Self.Cell) || ahead(b, to)) {
			return true
		}
	}
	return false
}

// ahead reports whether a bomb rolls towards a cell.
func ahead(b *Bomb, c grid.Cell) bool {
	down, right := b.Moving().Delta()
	rows, cols := c.Row()-b.Cell.Row(), c.Col()-b.Cell.Col()
	return rows*right == 0 && cols*down == 0 && rows*down+cols*right > 0
}

// lives returns the cells from which, after the first step, an agent can live on over cells of the ground
// on which no bomb lies. It works backwards in time. It may leave out cells that are not in asked.
func (f *Forecast) lives(ground, asked grid.Bits) grid.Bits {
	if inDanger := asked.And(f.Ever); inDanger.Empty() {
		return asked
	}
	open, lives := ground.AndNot(f.Rest), grid.Square(f.rules.BoardSize)
	lives.Retrace(&open, f.Deadly[1:f.Last+1])
	return lives
}

// outlived reports whether an agent can live on from a cell after the first step, with
// one more bomb whose blast burns from a step on. It works forwards in time until it
// reaches a cell that never burns.
func (f *Forecast) outlived(from grid.Cell, ground, blast *grid.Bits, at int) bool {
	var reached, open grid.Bits // nobody walks in the first step
	reached.Add(from)
	free, ever := ground.AndNot(f.Rest), f.Ever.Or(*blast)
	end := min(at+f.rules.Lasting(), Horizon+1)
	for t := 1; t < end || t <= f.Last; t++ {
		burns := f.Deadly[t]
		if t >= at && t < end {
			burns = burns.Or(*blast)
		}
		if reached.Walk(&open, &burns); reached.Empty() {
			return false
		}
		if never := reached.AndNot(ever); !never.Empty() {
			return true
		}
		open = free
	}
	return true
}

// legal returns the moves that Mask allows.
func (s *Safety) legal() Moves {
	v, f, self, t := s.v, &s.Stays, s.v.Self.Cell, s.v.Rules.Traits()
	if !v.Self.Alive {
		return Moves(1) << Stop
	}
	legal, bombs := v.Rules.walks(&v.Board, self)
	if bombs != 0 && !v.Self.Kicks {
		var crowded Moves
		for c := range s.cells.agents.All {
			crowded |= twoSteps[c-self]
		}
		for a := range (bombs & t.blocks &^ (crowded & t.jostle)).All {
			if to := self.Next(grid.Dir(a)); !f.Rolls.Has(to) {
				legal = legal.Without(a)
			}
		}
	}
	legal |= v.Rules.unseen(&v.Board, self)
	here := f.Still.Has(self) || f.Rolls.Has(self)
	if v.Rules.mayLay(&v.Self, v.StepCount) && (t.BombsStack || !here) {
		legal = legal.With(LayBomb)
	}
	return legal
}

// survey finds the cells of a board, eight at a time.
func (r *Rules) survey(items *[256]Item) (c cells) {
	board, over := rawBoard(items), (0x80-uint64(r.Agent0()))*ones
	for w := range (r.BoardSize + 4) / 4 { // words of four rows
		var free, wood, fog, agents uint64
		for at := 0; at < 64; at += 8 {
			items := wordAt(board[:], 64*w+at)
			woods, people := equalCells(items, uint8(Wood)), (items+over)>>7&ones
			free |= gather(^(equalCells(items, uint8(Rigid))|woods|people)&ones) << at
			wood |= gather(woods) << at
			fog |= gather(equalCells(items, uint8(Fog))) << at
			agents |= gather(people) << at
		}
		c.free[w], c.wood[w], c.fog[w], c.agents[w] = free, wood, fog, agents
	}
	return c
}

// within writes the cells as an observer sees them who sees a window of a board.
func (c *cells) within(window, board *grid.Bits, to *cells) {
	for w, seen := range window {
		fog := board[w] &^ seen
		to.free[w], to.wood[w], to.fog[w], to.agents[w] = c.free[w]|fog, c.wood[w]&seen, fog, c.agents[w]&seen
	}
}

// rawBoard returns a board as bytes: an Item is a byte.
func rawBoard(board *[256]Item) *[256]byte { return (*[256]byte)(unsafe.Pointer(board)) }

// gather turns eight bytes that are 0 or 1 into eight bits.
func gather(bytes uint64) uint64 { return bytes * 0x0102040810204080 >> 56 }

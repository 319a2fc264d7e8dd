package pommerman

import (
	"fmt"

	"pommego/env/grid"
)

// Check reports whether a state from outside can be played: every value in its
// range, and every invariant of State. It returns the first thing wrong.
func (r *Rules) Check(s *State) error {
	f := r.form()
	return f.Check(s)
}

// invariants reports what does not fit together in a state whose values are in
// their ranges.
func (r *Rules) invariants(s *State) error {
	if r.StepKind == StepJava {
		return r.invariantsJava(s)
	}
	burning := s.burning()
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			if err := r.checkCell(s, grid.At(row, col), &burning); err != nil {
				return err
			}
		}
	}
	var seen grid.Bits
	for i, a := range s.Agents[:r.Seats()] {
		inFlames := !r.FlamesKill() && s.Board[a.Cell] == Flames
		switch {
		case a.Alive && !inFlames && s.Board[a.Cell] != r.Agent0()+Item(i):
			return fmt.Errorf("agent %d lives at %s, but the board shows %d there", i, where(a.Cell), s.Board[a.Cell])
		case a.Alive && seen.Has(a.Cell):
			return fmt.Errorf("agent %d lives at %s, where another lives", i, where(a.Cell))
		case a.Alive:
			seen.Add(a.Cell)
		}
	}
	seen = grid.Bits{}
	for i, b := range s.bombs() {
		if seen.Has(b.Cell) && !r.BombsStack() {
			return fmt.Errorf("two bombs lie at %s", where(b.Cell))
		}
		if item := s.Board[b.Cell]; item != BombItem && item != Flames && item < r.Agent0() {
			return fmt.Errorf("bombs[%d] lies at %s, but the board shows %d there", i, where(b.Cell), item)
		}
		seen.Add(b.Cell)
	}
	return nil
}

// invariantsJava reports the same by the Java rules, by which much can lie on a
// cell and the board draws what it likes of it.
func (r *Rules) invariantsJava(s *State) error {
	burning := s.burning()
	for i := range r.BoardSize * r.BoardSize {
		c := r.cell(i)
		switch item := s.Board[c]; {
		case item == Fog, item == r.Dummy(), item >= r.Agent0()+Item(r.Seats()):
			return fmt.Errorf("the board shows %d at %s, which no board can", item, where(c))
		case (item == Flames) != burning.Has(c):
			return fmt.Errorf("at %s the board shows %d, which does not agree with the list of flames", where(c), item)
		}
	}
	return nil
}

// checkCell compares what the board shows at a cell with what is listed there.
func (r *Rules) checkCell(s *State, c grid.Cell, burning *grid.Bits) error {
	item, hidden := s.Board[c], s.Hidden(c)
	switch {
	case item == Fog, item == r.Dummy(), item >= r.Agent0()+Item(r.Seats()):
		return fmt.Errorf("the board shows %d at %s, which no board can", item, where(c))
	case item == BombItem && !s.bombAt(c):
		return fmt.Errorf("the board shows a bomb at %s, where none is listed", where(c))
	case (item == Flames) != burning.Has(c):
		return fmt.Errorf("at %s the board shows %d, which does not agree with the list of flames", where(c), item)
	case hidden != Passage && item != Wood && item != Flames:
		return fmt.Errorf("item %d is hidden at %s, where the board shows %d; want it under wood or flames", hidden, where(c), item)
	}
	if item >= r.Agent0() {
		if a := s.Agents[item-r.Agent0()]; !a.Alive || a.Cell != c {
			return fmt.Errorf("the board shows agent %d at %s, where it is not alive", item-r.Agent0(), where(c))
		}
	}
	return nil
}

func where(c grid.Cell) string { return fmt.Sprintf("row %d, column %d", c.Row(), c.Col()) }

package basewar

import (
	"fmt"

	"pommego/env/grid"
)

// Check reports whether a state from outside can be played: every value in its
// range, and every invariant of State. It returns the first thing wrong.
func (r *Rules) Check(s *State) error { return r.form().Check(s) }

// invariants reports what does not fit together in a state whose values are in
// their ranges.
func (r *Rules) invariants(s *State) error {
	for id := range s.Bombers {
		if err := r.standable(s, s.Bombers[id].Cell); err != nil {
			return fmt.Errorf("bombers[%d] is at %w", id, err)
		}
		if err := r.checkStock(s, id); err != nil {
			return err
		}
	}
	for side := Blue; side <= Green; side++ {
		if s.Gained[side] > s.Score[side] {
			return fmt.Errorf("%v gained %d points in the last round, but has %d", side, s.Gained[side], s.Score[side])
		}
	}
	return r.checkBombs(s)
}

// standable reports why a bomber or a bomb cannot be on a cell.
func (r *Rules) standable(s *State, c grid.Cell) error {
	if board := grid.Square(r.BoardSize); !board.Has(c) || r.ground(s, c) != boardEmpty {
		return fmt.Errorf("%s, off the board or where a stone, a box or a base stands", where(c))
	}
	return nil
}

func (r *Rules) checkBombs(s *State) error {
	var seen grid.Bits
	for i, b := range s.bombs() {
		if err := r.standable(s, b.Cell); err != nil {
			return fmt.Errorf("bombs[%d] lies at %w", i, err)
		}
		switch {
		case seen.Has(b.Cell):
			return fmt.Errorf("two bombs lie at %s, want at most one on a cell", where(b.Cell))
		case !r.AllPay && (several(b.Owners&Blue.Bombers()) || several(b.Owners&Green.Bombers())):
			return fmt.Errorf("bombs[%d] belongs to the bombers %d, want at most one of each side", i, b.Owners)
		}
		seen.Add(b.Cell)
	}
	return nil
}

func several(set BomberSet) bool { return set&(set-1) != 0 }

// checkStock counts a bomber's bombs, those on the map and those it has.
func (r *Rules) checkStock(s *State, id int) error {
	has, lie := int(s.Bombers[id].Bombs), 0
	for i := range s.bombs() {
		lie += int(s.Bombs[i].Owners >> id & 1)
	}
	switch {
	case has+lie > r.Bombs:
		return fmt.Errorf("bomber %d has %d bombs, and %d of its bombs lie; want at most %d together", id, has, lie, r.Bombs)
	case has+lie < r.Bombs && !r.BombsSpent:
		return fmt.Errorf("bomber %d has %d bombs, and %d of its bombs lie; want %d together", id, has, lie, r.Bombs)
	}
	return nil
}

func where(c grid.Cell) string { return fmt.Sprintf("row %d, column %d", c.Row(), c.Col()) }

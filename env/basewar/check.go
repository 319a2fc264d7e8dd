package basewar

import (
	"fmt"

	"pommego/env/grid"
)

// Check says whether a state from outside can be played: every invariant of
// State, and every value in its range. It returns the first thing wrong.
func (r *Rules) Check(s *State) error {
	for _, check := range []func(*State) error{r.checkMap, r.checkBombers, r.checkBombs, r.checkStock, r.checkCounters} {
		if err := check(s); err != nil {
			return fmt.Errorf("basewar: state: %w", err)
		}
	}
	return nil
}

func (r *Rules) checkMap(s *State) error {
	board := grid.Square(r.BoardSize)
	for _, set := range []struct {
		what  string
		cells grid.Bits
	}{{"a stone stands", s.Stones}, {"a box stands", s.Boxes}, {"an explosion reached", s.Blast}} {
		if out := set.cells.AndNot(board); !out.Empty() {
			return fmt.Errorf("%s at %s, off the board", set.what, where(out.First()))
		}
	}
	if both := s.Stones.And(s.Boxes); !both.Empty() {
		return fmt.Errorf("a stone and a box stand at %s", where(both.First()))
	}
	for side := Blue; side <= Green; side++ {
		if c := r.Base(side); s.Stones.Has(c) || s.Boxes.Has(c) {
			return fmt.Errorf("a stone or a box stands at %s, in %v's base", where(c), side)
		}
	}
	return nil
}

// standable is whether a bomber or a bomb can be on a cell.
func (r *Rules) standable(s *State, c grid.Cell) error {
	board := grid.Square(r.BoardSize)
	switch {
	case !board.Has(c):
		return fmt.Errorf("%s, off the board", where(c))
	case s.Stones.Has(c), s.Boxes.Has(c), c == r.Base(Blue), c == r.Base(Green):
		return fmt.Errorf("%s, where a stone, a box or a base stands", where(c))
	}
	return nil
}

func (r *Rules) checkBombers(s *State) error {
	for id := range s.Bombers {
		b := &s.Bombers[id]
		if err := r.standable(s, b.Cell); err != nil {
			return fmt.Errorf("bomber %d is at %w", id, err)
		}
		if int(b.Lives) > r.Lives || int(b.Bombs) > r.Bombs {
			return fmt.Errorf("bomber %d has %d lives and %d bombs, want at most %d and %d", id, b.Lives, b.Bombs, r.Lives, r.Bombs)
		}
	}
	return nil
}

func (r *Rules) checkBombs(s *State) error {
	if int(s.NumBombs) > MaxBombs {
		return fmt.Errorf("there are %d bombs, want at most %d", s.NumBombs, MaxBombs)
	}
	var seen grid.Bits
	for i, b := range s.Bombs {
		if i >= int(s.NumBombs) {
			if b != (Bomb{}) {
				return fmt.Errorf("there is a bomb past the end of the list of %d", s.NumBombs)
			}
			continue
		}
		if err := r.standable(s, b.Cell); err != nil {
			return fmt.Errorf("bomb %d lies at %w", i, err)
		}
		switch {
		case seen.Has(b.Cell):
			return fmt.Errorf("two bombs lie at %s", where(b.Cell))
		case b.Life < 1 || int(b.Life) > r.BombLife:
			return fmt.Errorf("bomb %d has life %d, want 1 to %d", i, b.Life, r.BombLife)
		case b.Owners == 0 || b.Owners >= 1<<NumBombers:
			return fmt.Errorf("bomb %d belongs to the bombers %d, want a sum of 1, 2, 4, 8, 16 and 32", i, b.Owners)
		case !r.AllPay && (several(b.Owners&Blue.Bombers()) || several(b.Owners&Green.Bombers())):
			return fmt.Errorf("bomb %d belongs to the bombers %d, want at most one of each side", i, b.Owners)
		}
		seen.Add(b.Cell)
	}
	return nil
}

func several(set BomberSet) bool { return set&(set-1) != 0 }

// checkStock counts each bomber's bombs, those that lie and those it has.
func (r *Rules) checkStock(s *State) error {
	for id := range s.Bombers {
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
	}
	return nil
}

// maxScore is the highest score that a state may hold.
const maxScore = 32767

func (r *Rules) checkCounters(s *State) error {
	for side := Blue; side <= Green; side++ {
		switch {
		case int(s.Energy[side]) > r.BaseEnergy:
			return fmt.Errorf("%v's base has energy %d, want at most %d", side, s.Energy[side], r.BaseEnergy)
		case s.Score[side] > maxScore-maxGain:
			return fmt.Errorf("%v has %d points, want at most %d", side, s.Score[side], maxScore-maxGain)
		case s.Gained[side] > s.Score[side]:
			return fmt.Errorf("%v gained %d points in the last round, but has %d", side, s.Gained[side], s.Score[side])
		}
	}
	if int(s.StepCount) > r.MaxSteps {
		return fmt.Errorf("step_count is %d, want at most max_steps, %d", s.StepCount, r.MaxSteps)
	}
	return nil
}

// maxGain is more than a side can score in what is left of any game.
const maxGain = 100*maxCells + 100*NumBombers

func where(c grid.Cell) string { return fmt.Sprintf("row %d, column %d", c.Row(), c.Col()) }

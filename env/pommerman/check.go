package pommerman

import (
	"fmt"

	"pommego/env/grid"
)

// Check says whether a state from outside can be played: every invariant of
// State, and every value in its range. It returns the first thing wrong.
func (r *Rules) Check(s *State) error {
	for _, check := range []func(*State) error{r.checkBoard, r.checkAgents, r.checkBombs, r.checkFlames, r.checkHidden, r.checkCounters} {
		if err := check(s); err != nil {
			return fmt.Errorf("pommerman: state: %w", err)
		}
	}
	return nil
}

func (r *Rules) checkBoard(s *State) error {
	on := grid.Square(r.BoardSize)
	for i, item := range s.Board {
		c := grid.Cell(i)
		switch {
		case !on.Has(c):
			if item != Rigid {
				return fmt.Errorf("the border holds %d, want only rigid", item)
			}
		case item == Fog, item == r.Dummy(), item >= r.Agent0()+Item(r.Seats()):
			return fmt.Errorf("the board shows %d at %s, which no board can", item, where(c))
		case item >= r.Agent0():
			if a := s.Agents[item-r.Agent0()]; !a.Alive || a.Cell != c {
				return fmt.Errorf("the board shows agent %d at %s, where it is not alive", item-r.Agent0(), where(c))
			}
		case item == BombItem && !s.bombAt(c):
			return fmt.Errorf("the board shows a bomb at %s, where none is listed", where(c))
		}
	}
	return nil
}

func (r *Rules) checkAgents(s *State) error {
	for i, a := range s.Agents {
		switch {
		case i >= r.Seats():
			if a != (Agent{}) || s.Radio[i] != [MaxWords]uint8{} {
				return fmt.Errorf("there is an agent %d, but only %d seats", i, r.Seats())
			}
		case !r.onBoard(a.Cell):
			return fmt.Errorf("agent %d is at %s, off the board", i, where(a.Cell))
		case a.Alive && s.Board[a.Cell] != r.Agent0()+Item(i):
			return fmt.Errorf("agent %d lives at %s, but the board shows %d there", i, where(a.Cell), s.Board[a.Cell])
		case a.Blast < 1:
			return fmt.Errorf("agent %d has blast strength 0, want at least 1", i)
		}
		for w := r.RadioWords; w < MaxWords; w++ {
			if s.Radio[i][w] != 0 {
				return fmt.Errorf("agent %d sent a word %d, but messages have %d words", i, w, r.RadioWords)
			}
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
		switch {
		case !r.onBoard(b.Cell):
			return fmt.Errorf("bomb %d is at %s, off the board", i, where(b.Cell))
		case seen.Has(b.Cell):
			return fmt.Errorf("two bombs lie at %s", where(b.Cell))
		case b.Owner() >= r.Seats():
			return fmt.Errorf("bomb %d belongs to agent %d, want one of %d", i, b.Owner(), r.Seats())
		case b.Moving() > grid.Right:
			return fmt.Errorf("bomb %d moves in direction %d, want 0 to 4", i, b.Moving())
		case b.Life < 1 || b.Blast < 1:
			return fmt.Errorf("bomb %d has life %d and blast strength %d, want at least 1", i, b.Life, b.Blast)
		}
		if item := s.Board[b.Cell]; item != BombItem && item != Flames && item < r.Agent0() {
			return fmt.Errorf("bomb %d lies at %s, but the board shows %d there", i, where(b.Cell), item)
		}
		seen.Add(b.Cell)
	}
	return nil
}

func (r *Rules) checkFlames(s *State) error {
	for life := r.FlameLife; life < maxFlameLife; life++ {
		if !s.flames[life].Empty() {
			return fmt.Errorf("there is a flame of life %d, want less than %d", life, r.FlameLife)
		}
	}
	burning := s.burning()
	for i, item := range s.Board {
		if c := grid.Cell(i); (item == Flames) != burning.Has(c) {
			return fmt.Errorf("at %s the board shows %d, which does not agree with the list of flames", where(c), item)
		}
	}
	return nil
}

func (r *Rules) checkHidden(s *State) error {
	last := Kick
	if r.Skulls {
		last = Skull
	}
	for i, item := range s.Board {
		c := grid.Cell(i)
		hidden := s.Hidden(c)
		if hidden != Passage && (hidden > last || item != Wood && item != Flames) {
			return fmt.Errorf("item %d is hidden at %s, where the board shows %d; want an item of 6 to %d under wood or flames", hidden, where(c), item, last)
		}
	}
	return nil
}

func (r *Rules) checkCounters(s *State) error {
	switch {
	case int(s.StepCount) > r.MaxSteps:
		return fmt.Errorf("step_count is %d, want at most max_steps, %d", s.StepCount, r.MaxSteps)
	case s.due < 0 || int(s.due) > len(r.Collapses()):
		return fmt.Errorf("ring %d is due, want one of %d", s.due-1, len(r.Collapses()))
	case s.training < 0 || int(s.training) > r.Seats():
		return fmt.Errorf("the training agent is %d, want -1 to %d", s.training-1, r.Seats()-1)
	}
	return nil
}

func (r *Rules) onBoard(c grid.Cell) bool {
	row, col := c.Row(), c.Col()
	return row >= 0 && col >= 0 && row < r.BoardSize && col < r.BoardSize
}

func where(c grid.Cell) string { return fmt.Sprintf("row %d, column %d", c.Row(), c.Col()) }

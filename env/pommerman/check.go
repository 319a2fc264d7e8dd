package pommerman

import (
	"fmt"

	"pommego/env/grid"
)

// Check checks that a state from outside can be played: that every value is in its
// range, and every invariant of State holds. It returns the first error.
func (r *Rules) Check(s *State) error { return r.Form().Check(s) }

// invariants checks that the values of a state, each in its range, are consistent.
func (r *Rules) invariants(s *State) error {
	if err := r.checkRoom(s); err != nil {
		return err
	}
	if err := r.checkBoard(s); err != nil || r.Traits().AgentsStack {
		return err
	}
	for c := range s.hidden[0].Or(s.hidden[1]).Or(s.hidden[2]).All {
		if item := s.Board[c]; item != Wood && item != Flames {
			return fmt.Errorf("item %d is hidden at %s, where the board shows %d; want it under wood or flames", s.Hidden(c),
				where(c), item)
		}
	}
	var seen grid.Bits
	for i, a := range s.Agents[:r.Seats()] {
		inFlames := !r.Traits().FlamesKill && s.Board[a.Cell] == Flames
		switch {
		case a.Alive && !inFlames && s.Board[a.Cell] != r.Agent0()+Item(i):
			return fmt.Errorf("agent %d lives at %s, but the board shows %d there", i, where(a.Cell), s.Board[a.Cell])
		case a.Alive && seen.Has(a.Cell):
			return fmt.Errorf("agent %d lives at %s, where another lives", i, where(a.Cell))
		case a.Alive:
			seen.Add(a.Cell)
		}
	}
	return r.checkBombs(s)
}

// checkBombs compares where bombs lie with what the board shows there.
func (r *Rules) checkBombs(s *State) error {
	var seen grid.Bits
	for i, b := range s.bombs() {
		item := s.Board[b.Cell]
		switch {
		case seen.Has(b.Cell) && !r.Traits().BombsStack:
			return fmt.Errorf("two bombs lie at %s", where(b.Cell))
		case item != BombItem && item != Flames && item < r.Agent0():
			return fmt.Errorf("bombs[%d] lies at %s, but the board shows %d there", i, where(b.Cell), item)
		// no agent can lay one there, and one that rolls there explodes
		case r.Traits().FlamesKill && s.Hidden(b.Cell) != Passage:
			return fmt.Errorf("bombs[%d] lies at %s, where item %d is hidden; want one or the other", i, where(b.Cell),
				s.Hidden(b.Cell))
		}
		seen.Add(b.Cell)
	}
	return nil
}

// checkRoom checks that a state can hold all bombs: those that lie, and those that living
// agents could lay before any explodes. They can lay as many as they have or find, and at
// most one each per step.
func (r *Rules) checkRoom(s *State) error {
	lie, living, stock := int(s.NumBombs), 0, 0
	for _, a := range s.Agents[:r.Seats()] {
		if a.Alive {
			living++
			stock += int(a.Ammo)
		}
	}
	if lie+living*r.BombLife <= MaxBombs {
		return nil
	}
	stock += s.finds()
	if most := min(lie+stock, r.bombsAtOnce(s, living)); most > MaxBombs {
		return fmt.Errorf("bombs has %d entries, and the agents, which have or may find %d more, could make it %d before "+
			"these explode; want at most %d: remove some, or reduce life or ammo", lie, stock, most, MaxBombs)
	}
	return nil
}

// finds is the number of items that give a bomb, which includes skulls.
func (s *State) finds() int {
	hidden := s.hidden[0].AndNot(s.hidden[1]).Or(s.hidden[2])
	n := hidden.Len()
	for _, item := range s.Board {
		if item == ExtraBomb || item == Skull {
			n++
		}
	}
	return n
}

// bombsAtOnce is how many bombs can lie at once if that many agents lay one in every
// step. The maximum is reached when one of the present bombs is about to explode, or the
// first of the new ones.
func (r *Rules) bombsAtOnce(s *State, layers int) (most int) {
	left := func(step int) {
		n := layers * min(step, r.BombLife)
		for _, b := range s.bombs() {
			n += int(toByte(int(b.Life) >= step))
		}
		most = max(most, n)
	}
	left(r.BombLife)
	for _, b := range s.bombs() {
		left(int(b.Life))
	}
	return most
}

// checkBoard compares what the board shows with what is listed there.
func (r *Rules) checkBoard(s *State) error {
	burning, stack := s.burning(), r.Traits().AgentsStack
	agent0, dummy, beyond := r.Agent0(), r.Dummy(), r.Agent0()+Item(r.Seats())
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			c := grid.At(row, col)
			switch item := s.Board[c]; {
			case item == Fog, item == dummy, item >= beyond:
				return fmt.Errorf("the board shows %d at %s, which no board can", item, where(c))
			case (item == Flames) != burning.Has(c):
				return fmt.Errorf("at %s the board shows %d, which does not agree with the list of flames", where(c), item)
			case stack:
			case item == BombItem && !s.BombAt(c):
				return fmt.Errorf("the board shows a bomb at %s, where none is listed", where(c))
			case item >= agent0 && (!s.Agents[item-agent0].Alive || s.Agents[item-agent0].Cell != c):
				return fmt.Errorf("the board shows agent %d at %s, where it is not alive", item-agent0, where(c))
			}
		}
	}
	return nil
}

func where(c grid.Cell) string { return fmt.Sprintf("row %d, column %d", c.Row(), c.Col()) }

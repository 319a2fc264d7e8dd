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
	stack, agent0 := r.Traits().AgentsStack, r.Agent0()
	listed, err := r.listed(s)
	if err != nil {
		return err
	}
	for i := range r.BoardSize * r.BoardSize {
		c := r.cell(i)
		item, want, hidden := s.Board[c], listed[c], s.Hidden(c)
		thing := item == Flames || !stack && (item == BombItem || item >= agent0)
		switch {
		case item == Fog, item == r.Dummy(), item >= agent0+Item(r.Seats()):
			return fmt.Errorf("the board shows %d at %s, which no board can", item, where(c))
		case item != want && (thing || want != Passage):
			return fmt.Errorf("the board shows %d at %s, want %d by what is listed there (bombs, agents, flames)", item,
				where(c), want)
		case hidden != Passage && item != Wood && item != Flames && !stack:
			return fmt.Errorf("item %d is hidden at %s, where the board shows %d; want it under wood or flames", hidden,
				where(c), item)
		}
	}
	return nil
}

// listed is what the board shows of bombs, agents and flames, Passage elsewhere. Where they
// can share a cell that is flames alone.
func (r *Rules) listed(s *State) (board [256]Item, err error) {
	traits := r.Traits()
	if !traits.AgentsStack {
		for _, b := range s.bombs() {
			switch item := s.Hidden(b.Cell); {
			case board[b.Cell] == BombItem && !traits.BombsStack:
				err = fmt.Errorf("two bombs lie at %s, want at most one on a cell", where(b.Cell))
			case traits.FlamesKill && item != Passage: // no agent can lay one there, and one that rolls there explodes
				err = fmt.Errorf("a bomb lies at %s, where item %d is hidden; want one or the other", where(b.Cell), item)
			}
			board[b.Cell] = BombItem
		}
		for i, a := range s.Agents[:r.Seats()] {
			switch {
			case !a.Alive:
				continue
			case board[a.Cell] >= r.Agent0():
				err = fmt.Errorf("agent %d lives at %s, where another lives; want one on a cell", i, where(a.Cell))
			case traits.FlamesKill && s.burns(a.Cell):
				err = fmt.Errorf("agent %d lives at %s, in flames; want it dead, or no flames there", i, where(a.Cell))
			}
			board[a.Cell] = r.Agent0() + Item(i)
		}
	}
	for c := range s.burning().All {
		board[c] = Flames
	}
	return board, err
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

func where(c grid.Cell) string { return fmt.Sprintf("row %d, column %d", c.Row(), c.Col()) }

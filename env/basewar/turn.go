package basewar

import (
	"pommego/env"
	"pommego/env/grid"
)

// Step plays one round. actions holds what each seat sends, seat after seat, a
// number for each of its bombers. The numbers in the comments are those of the
// rules in docs/games/basewar.md.
func (g *Game) Step(s *State, actions []uint8) {
	if g.moveAndLay(s, actions) {
		g.explode(s) // 4 to 6
	}
	s.StepCount++ // 7
}

// moveAndLay plays a round up to its explosions, and reports whether there are any.
func (g *Game) moveAndLay(s *State, actions []uint8) (due bool) {
	r, moves := &g.rules, g.movesOf(actions)
	s.Blast, s.Gained = grid.Bits{}, [2]uint16{}
	bombs := s.bombCells()
	old := s.NumBombs
	layers := s.layers(&moves, &bombs)
	closed := s.Stones.Or(s.Boxes).Or(g.fixed).Or(bombs)
	if r.LayFirst {
		closed = closed.Or(s.cellsOf(layers))
	}
	s.move(&moves, &closed) // 1
	s.lay(r, layers)        // 2
	return s.tick(r, old)   // 3
}

func (g *Game) movesOf(actions []uint8) (moves [NumBombers]Action) {
	for id := range moves {
		moves[id] = Action(actions[g.actionAt[id]])
	}
	return moves
}

// move lets the living bombers walk into cells that are not closed.
func (s *State) move(moves *[NumBombers]Action, closed *grid.Bits) {
	for id := range s.Bombers {
		b := &s.Bombers[id]
		if b.Alive() {
			if to := b.Cell.Next(grid.Dir(moves[id])); !closed.Has(to) {
				b.Cell = to
			}
		}
	}
}

// layers returns the bombers that want to lay a bomb and can: they live, have a bomb,
// and stand where no bomb lay before this round.
func (s *State) layers(moves *[NumBombers]Action, bombs *grid.Bits) BomberSet {
	var set BomberSet
	for id := range s.Bombers {
		b := &s.Bombers[id]
		if moves[id] == LayBomb && b.Alive() && b.Bombs > 0 && !bombs.Has(b.Cell) {
			set |= 1 << id
		}
	}
	return set
}

func (s *State) cellsOf(set BomberSet) grid.Bits {
	var cells grid.Bits
	for ; set != 0; set &= set - 1 {
		cells.Add(s.Bombers[set.first()].Cell)
	}
	return cells
}

// lay lays the bombs: one on each cell, however many bombers lay there. On each side
// the first of them spends a bomb for it and owns it.
func (s *State) lay(r *Rules, layers BomberSet) {
	for ; layers != 0; layers &= layers - 1 {
		id := layers.first()
		b := &s.Bombers[id]
		own := BomberSet(1) << id
		if i := s.bombAt(b.Cell); i < 0 {
			s.addBomb(Bomb{b.Cell, uint8(r.BombLife), own})
		} else if owners := &s.Bombs[i].Owners; r.AllPay || *owners&SideOf(id).Bombers() == 0 {
			*owners |= own
		} else {
			continue
		}
		b.Bombs--
	}
}

// tick ages the bombs, and reports whether one is due. old is how many bombs lay there
// before this round; those laid in it age only with TickAtOnce.
func (s *State) tick(r *Rules, old uint8) (due bool) {
	list := s.bombs()
	if !r.TickAtOnce {
		list = list[:old]
	}
	for i := range list {
		list[i].Life--
		due = due || list[i].Life == 0
	}
	return due
}

// Over reports whether the game has ended.
func (r *Rules) Over(s *State) bool {
	return s.Energy[Blue] == 0 || s.Energy[Green] == 0 || int(s.StepCount) >= r.MaxSteps || !r.PlayOn && s.settled()
}

func (s *State) settled() bool {
	if s.NumBombs > 0 {
		return false
	}
	for id := range s.Bombers {
		if b := &s.Bombers[id]; b.Alive() && b.Bombs > 0 {
			return false
		}
	}
	return true
}

// Leader returns the side that would win if the game ended now: the one whose base is the only
// one left, else the one with the higher score. The second value is false if there is none.
func (r *Rules) Leader(s *State) (Side, bool) {
	blue, green := int(s.Score[Blue]), int(s.Score[Green])
	blueStands, greenStands := s.Energy[Blue] > 0, s.Energy[Green] > 0
	switch {
	case blueStands && !greenStands:
		return Blue, true
	case greenStands && !blueStands:
		return Green, true
	case r.DrawTogether && !blueStands, blue == green:
		return 0, false
	case blue > green:
		return Blue, true
	}
	return Green, true
}

// Status reports the state of play. A seat is out when its bomber is dead; one
// that moves a side never is.
func (r *Rules) Status(s *State) env.Status {
	all := env.AllSeats(r.Seats())
	st := env.Playing(all, int(s.StepCount))
	if !r.Sides {
		st.In = env.SeatSet(s.Living())
	}
	if !r.Over(s) {
		return st
	}
	return st.Ended(all, r.leaders(s))
}

// leaders returns the seats of the side that would win if the game ended now.
func (r *Rules) leaders(s *State) env.SeatSet {
	side, leads := r.Leader(s)
	if !leads {
		return 0
	}
	return r.seatsOf(side.Bombers())
}

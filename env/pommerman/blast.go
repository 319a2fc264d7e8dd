package pommerman

import "pommego/env/grid"

func (s *State) liftBombs() {
	for i := range s.bombs() {
		s.Board[s.Bombs[i].Cell] = Passage
	}
}

func (s *State) catchFire() (any bool) {
	for i := range s.bombs() {
		if b := &s.Bombs[i]; s.Board[b.Cell] == Flames {
			b.Life = 0
			any = true
		}
	}
	return any
}

// explode lets all bombs that are due explode together, and draws the result. Bombs
// that this reaches explode in the next round of the same step or, with DelayedChain,
// in the next step. All rays see the board as it was before the first explosion.
func (s *State) explode(r *Rules, track *tracker) {
	own := new(fire)
	if track != nil {
		own = track.fire(s)
	}
	for due := true; due; {
		track.exploding(r, s)
		s.keepBombs(func(b *Bomb) bool {
			if b.Life != 0 {
				return true
			}
			s.Agents[b.Owner()].giveAmmo(r)
			Rays(&s.Board, b.Cell, b.Blast, &own[b.Owner()])
			return false
		})
		reached := own.all()
		due = false
		for i := range s.bombs() {
			b := &s.Bombs[i]
			switch {
			case !reached.Has(b.Cell):
			case r.DelayedChain:
				b.Life = 1
			default:
				b.Life = 0
				due = true
			}
		}
	}
	s.drawBombs()
	s.drawFlames(r, own, track)
}

// drawFlames puts a new flame onto every cell reached.
func (s *State) drawFlames(r *Rules, own *fire, track *tracker) {
	reached := own.all()
	s.flames[r.FlameLife-1] = reached
	for c := range reached.All {
		if track != nil && s.Board[c] == Wood {
			track.burnt(c, own.owners(c))
		}
		s.Board[c] = Flames
	}
}

// Rays adds to reached the cells that a bomb reaches: its own and up to blast-1 cells
// each way. A ray ends before a rigid wall or the border, and on the first wood.
func Rays(board *[256]Item, from grid.Cell, blast uint8, reached *grid.Bits) {
	reached.Add(from)
	for _, d := range grid.Dirs {
		c := from
		for range int(blast) - 1 {
			c = c.Next(d)
			if board[c] == Rigid {
				break
			}
			reached.Add(c)
			if board[c] == Wood {
				break
			}
		}
	}
}

// drawBombs draws the remaining bombs on the board. Older flames stay
// drawn, except where a bomb lay.
func (s *State) drawBombs() {
	for i := range s.bombs() {
		c := s.Bombs[i].Cell
		s.Board[c] = BombItem
		if s.burns(c) {
			s.Board[c] = Flames
		}
	}
}

// drawOldFlames draws every flame again, over what was drawn.
func (s *State) drawOldFlames() {
	for c := range s.burning().All {
		s.Board[c] = Flames
	}
}

// Settled returns the state after the ring that is due, if any, has fallen. That is
// what the reference holds between two steps, and records.
func (r *Rules) Settled(s State) State {
	if s.due != 0 {
		r.fall(&s)
	}
	return s
}

// fall turns the ring that is due into rigid walls. The living agents on it die;
// its bombs vanish without exploding and give their ammo back, as explosions do;
// flames and hidden items on it are gone.
func (r *Rules) fall(s *State) {
	ring := ringCells(r.BoardSize, int(s.due)-1)
	s.due = 0
	for seat := range r.Seats() {
		a := &s.Agents[seat]
		a.Alive = a.Alive && !ring.Has(a.Cell)
	}
	for c := range ring.All {
		s.Hide(c, Passage)
		s.Board[c] = Rigid
	}
	for life := range s.flames {
		s.flames[life] = s.flames[life].AndNot(ring)
	}
	s.keepBombs(func(b *Bomb) bool {
		switch {
		case !ring.Has(b.Cell):
			return true
		case r.Traits().BombsVanish:
			s.giveBack(b)
		default:
			s.Agents[b.Owner()].giveAmmo(r)
		}
		return false
	})
}

func ringCells(side, ring int) grid.Bits {
	var b grid.Bits
	for i := ring; i < side-ring; i++ {
		far := side - ring - 1
		b.Add(grid.At(ring, i))
		b.Add(grid.At(i, ring))
		b.Add(grid.At(far, i))
		b.Add(grid.At(i, far))
	}
	return b
}

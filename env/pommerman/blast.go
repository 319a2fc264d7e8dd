package pommerman

import "pommego/env/grid"

// tickBombs ages the bombs and reports whether one is due: at the end of its
// life, or because it lies in flames.
func (s *State) tickBombs() (due bool) {
	for i := range s.bombs() {
		b := &s.Bombs[i]
		b.Life--
		if s.Board[b.Cell] == Flames {
			b.Life = 0
		}
		due = due || b.Life == 0
	}
	return due
}

// explode lets all bombs that are due explode together and draws what is left.
// Bombs reached explode in the next round of the same step, or, with
// DelayedChain, in the next step. All rays see the board as it was before the
// first explosion.
func (s *State) explode(r *Rules) {
	var reached grid.Bits
	for due := true; due; {
		s.keepBombs(func(b *Bomb) bool {
			if b.Life != 0 {
				return true
			}
			s.Agents[b.Owner()].giveAmmo(r)
			s.rays(b, &reached)
			return false
		})
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
	s.drawFlames(r, reached)
}

// rays marks the bomb's cell and up to Blast-1 cells each way. A ray stops
// before rigid walls and the border, and with the wood it hits.
func (s *State) rays(b *Bomb, reached *grid.Bits) {
	reached.Add(b.Cell)
	for _, d := range grid.Dirs {
		c := b.Cell
		for range int(b.Blast) - 1 {
			c = c.Next(d)
			if s.Board[c] == Rigid {
				break
			}
			reached.Add(c)
			if s.Board[c] == Wood {
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

// drawOldFlames draws every flame again: bombs were lifted off some of them.
func (s *State) drawOldFlames() {
	for c := range s.burning().All {
		s.Board[c] = Flames
	}
}

// drawFlames puts a new flame onto every cell reached.
func (s *State) drawFlames(r *Rules, reached grid.Bits) {
	s.flames[r.FlameLife-1] = reached
	for c := range reached.All {
		s.Board[c] = Flames
	}
}

// Settled is the state with the ring that is due, if any, fallen: what the
// reference holds between two steps, and records.
func (r *Rules) Settled(s State) State {
	r.fallDue(&s)
	return s
}

// fallDue lets the ring fall that is due, if one is.
func (r *Rules) fallDue(s *State) {
	if s.due != 0 {
		r.fall(s)
	}
}

// fall turns the ring that is due into rigid walls. The living agents on it die;
// its bombs vanish without exploding and give their ammo back; flames and hidden
// items on it are gone.
func (r *Rules) fall(s *State) {
	ring := ringCells(r.BoardSize, int(s.due)-1)
	s.due = 0
	for seat := range r.Seats() {
		a := &s.Agents[seat]
		a.Alive = a.Alive && !ring.Has(a.Cell)
	}
	for c := range ring.All {
		s.hide(c, Passage)
		s.Board[c] = Rigid
	}
	for life := range s.flames {
		s.flames[life] = s.flames[life].AndNot(ring)
	}
	s.keepBombs(func(b *Bomb) bool {
		if ring.Has(b.Cell) {
			s.Agents[b.Owner()].giveAmmo(r)
			return false
		}
		return true
	})
}

// ringCells is the cells at the given distance from the edge, none beyond the
// centre.
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

package pommerman

import "pommego/env/grid"

// Bombs is the bombs that have not exploded yet, their lives counted from now. It
// forecasts what they do if nobody lays, kicks or moves anything: bombs set each other
// off (or in 2018 take each other away), and rolling bombs roll until something stops
// them.
type Bombs struct {
	list [MaxBombs]SeenBomb
	n    int
}

// See takes the bombs of a view to where they will explode.
func (f *Bombs) See(v *View) {
	f.n = copy(f.list[:], v.Bombs[:v.NumBombs])
	f.settle(v.Rules, &v.Board, func(c grid.Cell) uint8 { return v.Flames[c] })
}

// Take takes the bombs of a state to where they will explode.
func (f *Bombs) Take(r *Rules, s *State) {
	f.n = int(s.NumBombs)
	for i := range s.Bombs[:s.NumBombs] {
		b := &s.Bombs[i]
		f.list[i] = SeenBomb{Cell: b.Cell, Life: b.Life, Blast: b.Blast, Moving: b.Moving()}
	}
	f.settle(r, &s.Board, s.Flame)
}

// settle takes the bombs to where they will explode, on a board with flames of the
// given lives.
func (f *Bombs) settle(r *Rules, board *[256]Item, flame func(grid.Cell) uint8) {
	for i := range f.list[:f.n] {
		b := &f.list[i]
		b.Life = max(b.Life, 1)
		for step := uint8(1); step <= b.Life; step++ {
			to := b.Cell.Next(b.Moving)
			if b.Moving == grid.Stay || board[to] != Passage && board[to] != Flames {
				break
			}
			b.Cell = to
			if !r.Traits().FlamesKill && flame(to) > step {
				b.Life = step
			}
		}
		if r.Traits().FlamesKill && flame(b.Cell) > 1 {
			b.Life = 1
		}
	}
}

// Add adds a bomb that lies still, if there is room for it.
func (f *Bombs) Add(b SeenBomb) {
	if f.n < len(f.list) {
		f.list[f.n] = b
		f.n++
	}
}

// Keep keeps the bombs for which keep is true, in order.
func (f *Bombs) Keep(keep func(b *SeenBomb) bool) {
	n := 0
	for i := range f.list[:f.n] {
		if keep(&f.list[i]) {
			f.list[n] = f.list[i]
			n++
		}
	}
	f.n = n
}

// Explode lets the bombs that are due first explode and drops them. It returns when
// that is and what they burn; 0 if there are none left. Wood that they burn is gone
// from the board afterwards.
func (f *Bombs) Explode(r *Rules, board *[256]Item) (at int, burnt grid.Bits) {
	if f.n == 0 {
		return 0, burnt
	}
	first := f.list[0].Life
	for _, b := range f.list[:f.n] {
		first = min(first, b.Life)
	}
	for again := true; again; {
		again = false
		f.Keep(func(b *SeenBomb) bool {
			if b.Life != first {
				return true
			}
			Rays(board, b.Cell, b.Blast, &burnt)
			again = !r.DelayedChain
			return false
		})
		if r.Traits().BombsVanish {
			f.Keep(func(b *SeenBomb) bool { return !burnt.Has(b.Cell) })
		} else {
			f.setOff(first, r.DelayedChain, &burnt)
		}
	}
	for c := range burnt.All {
		if board[c] == Wood {
			board[c] = Passage
		}
	}
	return int(first), burnt
}

func (f *Bombs) setOff(at uint8, delayed bool, burnt *grid.Bits) {
	if delayed {
		at++
	}
	for i := range f.list[:f.n] {
		if b := &f.list[i]; burnt.Has(b.Cell) {
			b.Life = min(b.Life, at)
		}
	}
}

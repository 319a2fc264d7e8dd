package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
)

// foresight is what a seat knows: under fog with what it believes out of its view.
type foresight struct {
	seat   int
	whole  Rules // the game's, without fog
	view   View
	belief Belief
	unseen grid.Bits
	ahead  Forecast
}

// Foresight is what a seat knows of the fire to come.
func (m *Match) Foresight(seat int) env.Foresight {
	f := &foresight{seat: seat, whole: m.game.rules}
	f.whole.ViewSize = 0
	return f
}

func (f *foresight) Look(m env.Match) {
	match := m.(*Match)
	r := &match.game.rules
	match.View(f.seat, &f.view)
	if r.ViewSize == 0 {
		return
	}
	f.unseen = grid.Square(r.BoardSize).AndNot(r.window(&match.State, f.seat))
	r.Imagine(&f.belief, &f.view)
	f.whole.See(&f.belief.State, f.seat, &f.view)
}

// Foresee writes what is to come. Where others are out of view is only a guess: they are not in
// the way.
func (f *foresight) Foresee(move uint8, to *env.Forecast) {
	n := f.whole.BoardSize
	f.ahead.Foresee(&f.view, Action(move))
	to.Clear(n * n)
	for i := range to.Burns {
		c := grid.At(i/n, i%n)
		for t := 1; t <= f.ahead.Last; t++ {
			if f.ahead.Deadly[t].Has(c) {
				to.Burns[i] |= 1 << t
			}
		}
		item := f.view.Board[c]
		free := item != Rigid && item != Wood && !f.ahead.Rest.Has(c)
		to.Open[i] = free && (item < f.whole.Agent0() || f.unseen.Has(c))
	}
}

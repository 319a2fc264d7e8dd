package basewar

import (
	"pommego/env"
	"pommego/env/grid"
)

// foresight is what a seat that moves one bomber foresees.
type foresight struct {
	bomber int
	game   *Game
	state  State
}

// Foresight foresees for the first bomber of a seat.
func (m *Match) Foresight(seat int) env.Foresight {
	return &foresight{bomber: int(m.game.rules.Own(seat)[0]), game: m.game}
}

func (f *foresight) Look(m env.Match) { f.state = m.(*Match).State }

func (f *foresight) Foresee(move uint8, to *env.Forecast) {
	layer, n := -1, f.game.rules.BoardSize
	if Action(move) == LayBomb {
		layer = f.bomber
	}
	var ahead Forecast
	f.game.Foresee(&f.state, layer, &ahead)
	to.Clear(n * n)
	for i := range to.Burns {
		c := grid.At(i/n, i%n)
		for t := 1; t <= ahead.Rounds; t++ {
			if ahead.Blast[t].Has(c) {
				to.Burns[i] |= 1 << t
			}
		}
		to.Open[i] = !ahead.Closed[1].Has(c)
	}
}

package suitebot

import "pommego/env"

// foresight is what a seat foresees by what it sees.
type foresight struct {
	seat     int
	view     View
	forecast Forecast
}

// Foresight foresees for a seat.
func (m *Match) Foresight(seat int) env.Foresight { return &foresight{seat: seat} }

func (f *foresight) Look(m env.Match) { m.(*Match).View(f.seat, &f.view) }

// Foresee writes what is to come. Agents and the home bases of others kill: they are closed.
func (f *foresight) Foresee(move uint8, to *env.Forecast) {
	p, s := f.view.Plan, &f.view.State
	to.Clear(p.cells)
	for i := range to.Open {
		to.Open[i] = true
	}
	for other := range p.rules.Players {
		if at := s.Agents[other]; other != f.seat && at != NoCell {
			to.Open[at] = false
		}
		to.Open[s.Homes[other]] = to.Open[s.Homes[other]] && other == f.seat
	}
	p.Forecast(s, &f.forecast)
	for k := range f.forecast.Rounds {
		for c := range f.forecast.At[k].All {
			to.Burns[c] |= 2 << k
		}
	}
	if Action(move) != PlantBomb {
		return
	}
	own, due := s.Agents[f.seat], p.rules.BombDelay
	for k := due - 1; k > 0; k-- {
		if f.forecast.At[k].Has(own) {
			due = k // others set it off
		}
	}
	reach := p.Reach(own)
	for c := range reach.All {
		to.Burns[c] |= 2 << due
	}
}

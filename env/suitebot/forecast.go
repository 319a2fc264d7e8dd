package suitebot

import "pommego/env"

// Forecast holds what the bombs on a plan will do if nobody plants another.
type Forecast struct {
	At       [MaxDelay]Cells    // fields reached at the end of each coming round, 0 the next
	Claimed  Cells              // fields that some bomb reaches
	Collects [MaxPlayers]uint16 // by player: how many fields it will collect
	Rounds   int                // rounds until nothing more happens; 0: there are no bombs

	state State // working memory
}

// Forecast finds what the bombs of a state will do.
func (g *Game) Forecast(s *State, f *Forecast) {
	f.Claimed, f.Rounds = Cells{}, 0
	f.state = *s
	for k := range g.rules.BombDelay {
		due := g.burnFuses(&f.state)
		f.At[k] = Cells{}
		if due == (volley{}) {
			continue
		}
		var e explosion
		e.add(&due)
		g.chain(&f.state, &e)
		g.share(&f.state, &e)
		f.At[k], f.Rounds = e.reached, k+1
		for w := range g.words {
			f.Claimed[w] |= e.reached[w]
			f.state.Spent[w] |= e.reached[w]
		}
	}
	for seat := range f.Collects {
		f.Collects[seat] = f.state.Collected[seat] - s.Collected[seat]
	}
}

// foresight is the env.Foresight of a seat.
type foresight struct {
	seat     int
	view     View
	forecast Forecast
}

// Foresight returns the foresight of a seat.
func (m *Match) Foresight(seat int) env.Foresight { return &foresight{seat: seat} }

func (f *foresight) Look(m env.Match) { m.(*Match).View(f.seat, &f.view) }

// Foresee writes what is to come. Fields with an agent or another player's home base are closed, since they kill.
func (f *foresight) Foresee(move uint8, to *env.Forecast) {
	g, s := f.view.Game, &f.view.State
	to.Clear(g.cells)
	for i := range to.Open {
		to.Open[i] = true
	}
	for other := range g.rules.Players {
		if at := s.Agents[other]; other != f.seat && at != NoCell {
			to.Open[at] = false
		}
		to.Open[s.Homes[other]] = to.Open[s.Homes[other]] && other == f.seat
	}
	g.Forecast(s, &f.forecast)
	for k := range f.forecast.Rounds {
		for c := range f.forecast.At[k].All {
			to.Burns[c] |= 2 << k
		}
	}
	if Action(move) != PlantBomb {
		return
	}
	own, due := s.Agents[f.seat], g.rules.BombDelay
	for k := due - 1; k > 0; k-- {
		if f.forecast.At[k].Has(own) {
			due = k // another bomb sets it off
		}
	}
	reach := g.Reach(own)
	for c := range reach.All {
		to.Burns[c] |= 2 << due
	}
}

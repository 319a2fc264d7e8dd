package suitebot

import "pommego/env"

// Forecast holds what the bombs on a plan will do if nobody plants another.
type Forecast struct {
	At       [MaxDelay + 1]Cells // fields reached at the end of each coming round, 0 the next
	Claimed  Cells               // fields that some bomb reaches
	Collects [MaxPlayers]uint16  // by player: how many fields it will collect
	Rounds   int                 // rounds until nothing more happens; 0: there are no bombs

	state State // working memory
}

// Forecast finds what the bombs of a state will do.
func (g *Game) Forecast(s *State, f *Forecast) { g.forecast(s, 0, f) }

// forecast is Forecast after some players have planted bombs in the coming round.
func (g *Game) forecast(s *State, plants env.SeatSet, f *Forecast) {
	f.Claimed, f.Rounds = Cells{}, 0
	f.state = *s
	for k := range g.rules.BombDelay + min(1, int(plants)) {
		due := g.burnFuses(&f.state)
		if k == 0 {
			g.plant(&f.state, plants, &due)
		}
		f.At[k] = Cells{}
		if due == (volley{}) {
			continue
		}
		var e explosion
		g.chain(&f.state, &e, &due)
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
	view     View // with the bombs that were seen and are out of sight now
	forecast Forecast
}

func (m *Match) Foresight(seat int) env.Foresight { return &foresight{seat: seat} }

func (f *foresight) Look(match env.Match) {
	m, known := match.(*Match), f.view.State
	for ; known.StepCount < m.StepCount; known.StepCount++ {
		var e explosion
		due := m.game.burnFuses(&known)
		m.game.chain(&known, &e, &due)
	}
	m.View(f.seat, &f.view)
	for b := range known.Bombs {
		if !f.view.Sight.Has(b.Cell) {
			f.view.State.Place(b)
		}
	}
}

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
	var plants env.SeatSet
	if Action(move) == PlantBomb {
		plants = plants.With(f.seat)
	}
	g.forecast(s, plants, &f.forecast)
	for k := range f.forecast.Rounds {
		for c := range f.forecast.At[k].All {
			to.Burns[c] |= 2 << k
		}
	}
}

package suitebot

// Forecast is what the bombs on a plan will do if nobody plants another.
type Forecast struct {
	At       [MaxDelay]Cells    // fields reached at the end of each coming round, 0 the next
	Claimed  Cells              // fields reached by any
	Collects [MaxPlayers]uint16 // fields that each will collect
	Rounds   int                // until nothing more happens; 0: there are no bombs

	state State // working memory
}

// Forecast works out what the bombs of a state will do.
func (p *Plan) Forecast(s *State, f *Forecast) {
	f.Claimed, f.Rounds = Cells{}, 0
	f.state = *s
	for k := range p.rules.BombDelay {
		due := p.burnFuses(&f.state)
		f.At[k] = Cells{}
		if due == (volley{}) {
			continue
		}
		var e explosion
		e.add(&due)
		p.chain(&f.state, &e)
		p.share(&f.state, &e)
		f.At[k], f.Rounds = e.reached, k+1
		for w := range p.words {
			f.Claimed[w] |= e.reached[w]
			f.state.Spent[w] |= e.reached[w]
		}
	}
	for seat := range f.Collects {
		f.Collects[seat] = f.state.Collected[seat] - s.Collected[seat]
	}
}

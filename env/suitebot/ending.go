package suitebot

import "pommego/env"

// Over reports whether the last round has been played.
func (p *Plan) Over(s *State) bool { return int(s.StepCount) >= p.rules.Rounds }

// Status reports the state of play. Nobody drops out.
func (p *Plan) Status(s *State) env.Status {
	all := env.AllSeats(p.rules.Players)
	st := env.Status{In: all, Steps: int(s.StepCount), Result: env.Incomplete}
	if !p.Over(s) {
		return st
	}
	st.Over, st.Decided, st.Result = true, all, env.Tie
	if first := p.first(s); first.Len() == 1 || first != all && p.rules.SharedFirst {
		st.Result, st.Winners = env.Win, first
	}
	return st
}

// first is the seats with the most points.
func (p *Plan) first(s *State) (seats env.SeatSet) {
	best := s.Scores[0]
	for _, score := range s.Scores[:p.rules.Players] {
		best = max(best, score)
	}
	for seat, score := range s.Scores[:p.rules.Players] {
		if score == best {
			seats = seats.With(seat)
		}
	}
	return seats
}

// Rewards writes the points that each seat got in the last round.
func (p *Plan) Rewards(s *State, dst []float64) {
	for seat, gain := range s.Gains[:p.rules.Players] {
		dst[seat] = float64(gain)
	}
}

// Outcome writes +1 for seats that have won, -1 for seats that have lost, and 0
// for all in a tie and until the game is over.
func (p *Plan) Outcome(s *State, dst []float64) {
	st := p.Status(s)
	for seat := range p.rules.Players {
		switch {
		case st.Result != env.Win:
			dst[seat] = 0
		case st.Winners.Has(seat):
			dst[seat] = 1
		default:
			dst[seat] = -1
		}
	}
}

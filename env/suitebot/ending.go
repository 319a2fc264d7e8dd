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

package basewar

import "pommego/env"

// Over reports whether the game has ended.
func (r *Rules) Over(s *State) bool {
	return s.Energy[Blue] == 0 || s.Energy[Green] == 0 || int(s.StepCount) >= r.MaxSteps || !r.PlayOn && s.settled()
}

func (s *State) settled() bool {
	if s.NumBombs > 0 {
		return false
	}
	for id := range s.Bombers {
		if b := &s.Bombers[id]; b.Alive() && b.Bombs > 0 {
			return false
		}
	}
	return true
}

// Leader is the side that would win if the game ended now: the one whose base
// is the only one left, else the one with the higher score. There may be none.
func (r *Rules) Leader(s *State) (Side, bool) {
	blue, green := int(s.Score[Blue]), int(s.Score[Green])
	blueStands, greenStands := s.Energy[Blue] > 0, s.Energy[Green] > 0
	switch {
	case blueStands && !greenStands:
		return Blue, true
	case greenStands && !blueStands:
		return Green, true
	case r.DrawTogether && !blueStands, blue == green:
		return 0, false
	case blue > green:
		return Blue, true
	}
	return Green, true
}

// Status reports the state of play. A seat is out when its bomber is dead; one
// that moves a side never is.
func (r *Rules) Status(s *State) env.Status {
	all := env.AllSeats(r.Seats())
	st := env.Status{In: all, Steps: int(s.StepCount), Result: env.Incomplete}
	if !r.Sides {
		st.In = env.SeatSet(s.Living())
	}
	if !r.Over(s) {
		return st
	}
	st.Over, st.Decided, st.Result = true, all, env.Tie
	if st.Winners = r.leaders(s); st.Winners != 0 {
		st.Result = env.Win
	}
	return st
}

// leaders is the seats of the side that would win if the game ended now.
func (r *Rules) leaders(s *State) env.SeatSet {
	side, leads := r.Leader(s)
	if !leads {
		return 0
	}
	return r.seatsOf(side.Bombers())
}

package pommerman

import (
	"fmt"

	"pommego/env"
	"pommego/env/grid"
)

const (
	team0 env.SeatSet = 1<<0 | 1<<2
	team1 env.SeatSet = 1<<1 | 1<<3
)

// lastLiving returns the only team with living members or, without teams, the only living agent; else nobody.
func (r *Rules) lastLiving(alive env.SeatSet) env.SeatSet {
	switch {
	case alive == 0:
		return 0
	case !r.Teams():
		if alive.Len() == 1 {
			return alive
		}
		return 0
	case alive&^team0 == 0:
		return team0
	case alive&^team1 == 0:
		return team1
	}
	return 0
}

func (r *Rules) overToday(s *State, alive env.SeatSet) bool {
	switch {
	case alive&(alive-1) == 0, int(s.StepCount) >= r.MaxSteps && int(s.StepCount) >= r.lastStep(): // at most one lives
		return true
	case r.Teams():
		// Both agents of one team live and none of the other; if only one agent lives, the case above ends the game.
		return alive == team0 || alive == team1
	}
	return s.training != 0 && !alive.Has(int(s.training)-1)
}

// Over reports whether the game has ended, as Status does.
func (r *Rules) Over(s *State) bool { return r.over(s, s.Living()) }

// Status reports the state of play. A game without a winner is a tie, even if the rules
// of 2018 call it a win.
func (r *Rules) Status(s *State) env.Status {
	alive := s.Living()
	st := env.Playing(alive, int(s.StepCount))
	all := env.AllSeats(r.Seats())
	if !r.Teams() {
		st.Decided = all &^ alive
	}
	if !r.over(s, alive) {
		return st
	}
	st = st.Ended(all, r.winners(s, alive))
	st.Tied = s.results.of(resultTie) // by Java's rules a ring kills after flames have
	return st
}

// rewardsToday writes the rewards of all steps but Java's.
func (r *Rules) rewardsToday(s *State, dst []float64) {
	alive := s.Living()
	limit := int(s.StepCount) >= r.lastStep()
	winners := r.lastLiving(alive)
	for seat := range r.Seats() {
		switch {
		case winners.Has(seat):
			dst[seat] = 1
		case winners != 0 || limit:
			dst[seat] = -1
		case r.Teams() && alive == 0 && !r.Traits().paysNobody, r.GameType == FFA && !alive.Has(seat):
			dst[seat] = -1
		default:
			dst[seat] = 0
		}
	}
}

// Endings plays a step to each way in which a game ends for a seat, and notes what that pays.
func (g *Game) Endings() (endings []env.Ending) {
	of := toByte(g.rules.TrainingAgent == 0) // not the seat of that rule
	m, spec, all, own := g.New(1)[0].(*Match), g.Spec(), env.AllSeats(g.rules.Seats()), env.SeatSet(1)<<of
	if g.rules.Teams() {
		own = team0
	}
	add := func(name string, dead env.SeatSet, step int) {
		m.State = g.rules.empty() // not Deal: recorded games may have rules by which no board can be dealt
		m.training, m.StepCount = int8(g.rules.TrainingAgent+1), uint16(step)
		for seat := range dead.All {
			m.addBomb(NewBomb(m.Agents[seat].Cell, 1, 2, seat, grid.Stay))
		}
		m.Step(make([]uint8, spec.Seats*len(spec.Actions)))
		status, paid := m.Status(), make([]float64, spec.Seats)
		m.Outcome(paid)
		result := status.SeatResults(spec.Teams, all)[of]
		endings = append(endings, env.Ending{Ending: name, Result: result, Outcome: paid[of]})
	}
	last := g.rules.lastStep() - 1
	add("the others are out", all&^own, 0)
	add("it is out, and others are left", own, 0)
	if trained := spec.Training; trained != 0 && spec.Seats > 2 {
		add(fmt.Sprintf("another seat, number %d, is out by training_agent, and several are left", g.rules.TrainingAgent),
			trained, 0)
	}
	add("all that are left go out in one step", all, 0)
	add("the step limit, and others are left too", 0, last)
	add("the step limit, and all that are left go out in that step", all, last)
	return endings
}

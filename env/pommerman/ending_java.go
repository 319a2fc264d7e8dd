package pommerman

import (
	"pommego/env"
	"pommego/env/grid"
)

// results holds how a game by the Java rules ended, in two bits per agent. 0 means that
// the result follows from whether the agent lives: not decided for the living, lost for
// the dead. So it is 0 until the game is over, and always with other rules.
type results uint8

const (
	resultWin results = 1
	resultTie results = 2
)

func (s *State) result(agent int) env.Result {
	switch code := s.results >> (2 * agent) & 3; {
	case code == resultWin:
		return env.Win
	case code == resultTie:
		return env.Tie
	case s.Agents[agent].Alive:
		return env.Incomplete
	}
	return env.Loss
}

// set gives a result to some agents: 0, resultWin or resultTie.
func (t *results) set(agents env.SeatSet, to results) {
	for i := range agents.All {
		*t = *t&^(3<<(2*i)) | to<<(2*i)
	}
}

// of returns the agents with a result.
func (t results) of(result results) (agents env.SeatSet) {
	for i := range MaxAgents {
		if t>>(2*i)&3 == result {
			agents = agents.With(i)
		}
	}
	return agents
}

// judge sets the results that follow from deaths: section 4 of the rules page.
func (s *State) judge(r *Rules, dead env.SeatSet) {
	living := s.Living()
	switch {
	case dead == 0:
		return
	case living == 0 && r.Teams():
		s.results.set(env.AllSeats(MaxAgents), resultTie)
		return
	case living == 0:
		s.results.set(dead, resultTie)
		return
	}
	s.results.set(dead, 0)
	s.results.set(r.lastLiving(living), resultWin)
}

// timeOut sets the results if the step limit is reached: a tie for the living or, with
// teams, for everybody.
func (s *State) timeOut(r *Rules) {
	if int(s.StepCount) != r.MaxSteps {
		return
	}
	tie := s.Living()
	if r.Teams() {
		tie = env.AllSeats(MaxAgents)
	}
	s.results.set(tie, resultTie)
}

// overJava reports whether the game has ended: at the step limit, with nobody left, or
// with a living winner.
func (r *Rules) overJava(s *State, alive env.SeatSet) bool {
	return int(s.StepCount) >= r.MaxSteps || alive == 0 || alive&s.results.of(resultWin) != 0 ||
		s.training != 0 && !alive.Has(int(s.training)-1)
}

// rewardsJava writes the rewards of the Java rules: nothing before the end; then 1 for
// winners and -1 for all others, also in ties.
func (r *Rules) rewardsJava(s *State, dst []float64) {
	for seat := range MaxAgents {
		switch {
		case !r.overJava(s, s.Living()):
			dst[seat] = 0
		case s.results.of(resultWin).Has(seat):
			dst[seat] = 1
		default:
			dst[seat] = -1
		}
	}
}

// fall lets the ring fall that is due, and returns the agents that died. It goes by
// what the cells show: a bomb under an agent stays in the wall.
func (t *javaTurn) fall() (dead env.SeatSet) {
	r, s := t.r, t.s
	number := r.ringJava(int(s.StepCount))
	if number < 0 {
		return 0
	}
	ring := ringCells(r.BoardSize, number)
	var bombs, flames grid.Bits
	for c := range ring.All {
		switch item := s.Board[c]; {
		case item == BombItem:
			bombs.Add(c)
		case item == Flames:
			flames.Add(c)
		case item >= r.Agent0():
			for i := range s.Agents {
				if s.Agents[i].Alive && s.Agents[i].Cell == c {
					dead = dead.With(i)
				}
			}
		}
		s.Board[c] = Rigid
	}
	for life := range s.flames {
		s.flames[life] = s.flames[life].AndNot(flames)
	}
	s.takeBombs(bombs)
	for i := range s.Agents {
		s.Agents[i].Alive = s.Agents[i].Alive && !dead.Has(i)
	}
	t.track.collapsed(s, number, dead)
	return dead
}

// fallsOn reports whether a ring falls on a cell in one of so many steps after a step
// count.
func (r *Rules) fallsOn(c grid.Cell, step, steps int) bool {
	far := r.BoardSize - 1
	ring := min(c.Row(), c.Col(), far-c.Row(), far-c.Col())
	for at := step; at < step+steps; at++ {
		if r.ringJava(at) == ring {
			return true
		}
	}
	return false
}

// ringJava returns the ring that falls at the end of the step after a step count, -1 if
// none does.
func (r *Rules) ringJava(step int) int {
	past := step - r.FirstCollapse
	if r.FirstCollapse == NoCollapse || past < 0 || past%r.CollapseStep() != 0 {
		return -1
	}
	return past / r.CollapseStep()
}

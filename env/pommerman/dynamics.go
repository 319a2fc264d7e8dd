package pommerman

import (
	"fmt"

	"pommego/env"
)

// dynamics is what differs between the steps that a game can be played by: how a move
// changes the state, how a game ends, and what it pays. [today] has what the steps
// share; the others embed it and replace what differs.
type dynamics interface {
	// check returns an error for rules that do not go together with this step.
	check(r *Rules) error

	// deal draws the walls of a fresh board.
	deal(l *layout, s *State, rng *env.RNG) walls

	// play makes one move of all agents. track, if not nil, is told what happens.
	play(r *Rules, s *State, actions []uint8, track *tracker)

	// lastStep is the step count at which the step limit ends a game.
	lastStep(r *Rules) int

	// over reports whether the game has ended. alive is the living agents.
	over(r *Rules, s *State, alive env.SeatSet) bool

	// winners are the winners of a game that is over, none if it is a tie.
	winners(r *Rules, s *State, alive env.SeatSet) env.SeatSet

	// rewards writes what the reference pays each seat in this step.
	rewards(r *Rules, s *State, dst []float64)

	// outcome writes how the game ended for the seats whose result is decided.
	outcome(r *Rules, s *State, dst []float64)

	// result is a seat's result so far, env.Incomplete while it plays.
	result(r *Rules, s *State, seat int) env.Result
}

// Traits is what else differs between the steps: facts that observations, saved states
// and agents need.
type Traits struct {
	// BombsVanish: a bomb that an explosion reaches vanishes. Otherwise it explodes too.
	BombsVanish bool
	// FlamesKill: flames kill in the steps after their explosion, and set off bombs that
	// lie in them. Otherwise they only set off bombs that roll into them.
	FlamesKill bool
	// BombsStack: more than one bomb may lie on a cell.
	BombsStack bool
	// AgentsStack: several agents and bombs may share a cell, of which the board shows one.
	AgentsStack bool
	// Conceals: observations show neither where bombs roll nor how old flames are.
	Conceals bool
	// Silence: an agent may send no words.
	Silence bool
	// Lingers is by how many steps flames outlast the observations that show them, and
	// by how many a ring falls later than it is due.
	Lingers int

	version    int  // grows when recorded games would change
	leastView  int  // the least ViewSize
	leastBlast int  // the least blast strength, unless agents start with less
	lookBack   int  // rows and columns that a seat sees less up and left
	ringsWait  bool // a ring that is due falls when the next step begins, not in its own
	results    bool // a state has results of its own, see State.results
}

// stepRules is one step: its dynamics and its traits.
type stepRules struct {
	dynamics
	Traits
}

var byStep = [numSteps]stepRules{
	StepToday: {today{}, Traits{FlamesKill: true, Silence: true, version: 1, leastBlast: 1, ringsWait: true}},
	Step2018: {may2018{}, Traits{
		BombsVanish: true, BombsStack: true,
		version: 2, leastBlast: 2, lookBack: 1, ringsWait: true,
	}},
	StepJava: {java{}, Traits{
		FlamesKill: true, AgentsStack: true, Conceals: true, Silence: true, Lingers: 1,
		version: 2, leastView: OwnCell, leastBlast: 1, results: true,
	}},
}

// Traits is what follows from the step of the game. The caller must not change it.
func (r *Rules) Traits() *Traits { return &byStep[r.StepKind].Traits }

// dynamics is how the game is played.
func (r *Rules) dynamics() dynamics { return byStep[r.StepKind].dynamics }

// today is the step of the reference as it is now: turn.go and ending.go.
type today struct{}

func (today) check(r *Rules) error {
	if r.CollapseEvery != 0 {
		return fmt.Errorf("rules: collapse_every is %d, want 0: only step java has it", r.CollapseEvery)
	}
	return nil
}

func (today) deal(l *layout, s *State, rng *env.RNG) walls {
	w := l.lay(s, rng)
	for !l.connected(&w) {
		w = l.lay(s, rng)
	}
	return w
}

func (today) lastStep(r *Rules) int { return r.MaxSteps }

func (today) outcome(r *Rules, s *State, dst []float64) { r.Rewards(s, dst) }

func (today) result(r *Rules, s *State, seat int) env.Result {
	status := r.Status(s)
	switch {
	case status.Winners.Has(seat):
		return env.Win
	case !s.Agents[seat].Alive, status.Result == env.Win:
		return env.Loss
	}
	return status.Result
}

// may2018 is the step of the reference in May 2018: turn_2018.go.
type may2018 struct{ today }

func (may2018) check(r *Rules) error {
	if r.DelayedChain {
		return fmt.Errorf("rules: delayed_chain is set, but by step 2018 no bomb sets off another: leave it out")
	}
	return today{}.check(r)
}

// The reference of that time paid 0 to teams of which nobody was left.
func (m may2018) rewards(r *Rules, s *State, dst []float64) { m.pay(r, s, dst, 0) }

// The count was compared with the limit before the step was counted.
func (may2018) lastStep(r *Rules) int { return r.MaxSteps + 1 }

// java is the step of the Java re-implementation's code: turn_java.go and ending_java.go.
type java struct{ today }

func (java) check(r *Rules) error {
	if r.Seats() != MaxAgents || r.RadioWords > 0 || r.Skulls || r.DelayedChain {
		return fmt.Errorf("rules: step java wants game_type 1 or 2, no skulls and no delayed_chain")
	}
	return nil
}

func (java) deal(l *layout, s *State, rng *env.RNG) walls {
	w := l.drawJava(rng)
	l.build(s, &w)
	return w
}

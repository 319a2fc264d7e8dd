package pommerman

import (
	"fmt"

	"pommego/env"
)

// Traits holds facts in which the steps differ, and which observations, saved states
// and agents need.
type Traits struct {
	// BombsVanish: a bomb that an explosion reaches vanishes. Otherwise it explodes too.
	BombsVanish bool
	// FlamesKill: flames kill in the steps after their explosion, and set off bombs that
	// lie in them. Otherwise they only set off bombs that roll into them.
	FlamesKill bool
	// BombsStack: more than one bomb may lie on a cell.
	BombsStack bool
	// AgentsStack: several agents and bombs may share a cell; the board shows one of them.
	AgentsStack bool
	// Conceals: observations show neither where bombs roll nor how old flames are ([Rules.CopyWhole]), and agents
	// that search plan on a copy of what shows ([Rules.CopyJava]), not on a belief.
	Conceals bool
	// Silence: an agent may send no words.
	Silence bool
	// Lingers is how many steps flames go on burning after observations have stopped
	// showing them, and how many steps a ring falls after it is due.
	Lingers int

	// Moves of an agent that cannot kick, against a bomb that lies still: those in blocks do nothing.
	// Those in jostle do something if another agent is beside the bomb: they prevent that agent's kick.
	blocks, jostle Moves

	version    int  // grows when recorded games would replay differently
	leastView  int  // the least ViewSize
	leastBlast int  // the least blast strength, unless agents start with less or items lead to less
	lookBack   int  // by how many rows and columns a seat sees less far up and left
	countsLate int  // how many steps a game goes on after the step limit
	paysNobody bool // a team of which nobody is left gets 0, not -1
	ringsWait  bool // a ring that is due falls when the next step begins, not in its own
	results    bool // states hold results, see State.results
}

var traits = [numSteps]Traits{
	StepToday: {
		FlamesKill: true, Silence: true, blocks: allMoves, jostle: allMoves,
		version: 1, leastBlast: 1, ringsWait: true,
	},
	Step2018: {
		BombsVanish: true, BombsStack: true, blocks: allMoves,
		version: 2, leastBlast: 2, lookBack: 1, countsLate: 1, paysNobody: true, ringsWait: true,
	},
	StepJava: {
		FlamesKill: true, AgentsStack: true, Conceals: true, Silence: true, Lingers: 1,
		version: 2, leastView: OwnCell, leastBlast: 1, results: true,
	},
}

// Traits returns the traits of the game's step. The caller must not change them.
func (r *Rules) Traits() *Traits { return &traits[r.StepKind] }

// Only the functions below choose by the step. They call the functions of a step by name:
// with calls through an interface, states and actions of searches would move to the heap.

// step makes one move of all agents, and notes what happens in track unless that is nil.
func (r *Rules) step(s *State, actions []uint8, track *tracker) {
	switch r.StepKind {
	case StepToday:
		r.stepToday(s, actions, track)
	case Step2018:
		r.step2018(s, actions, nil, track)
	case StepJava:
		r.stepJava(s, actions, nil, track)
	default:
		panic(fmt.Sprintf("pommerman: rules have step %d, want 0 to %d", r.StepKind, numSteps-1))
	}
}

// drawWalls draws the walls of a fresh board, until almost all passages can be reached.
func (l *layout) drawWalls(s *State, rng *env.RNG) walls {
	for {
		if w := l.draw(s, rng); l.connected(&w) {
			return w
		}
	}
}

// draw draws a fresh board once.
func (l *layout) draw(s *State, rng *env.RNG) walls {
	if l.rules.StepKind == StepJava {
		return l.drawJava(s, rng)
	}
	return l.lay(s, rng)
}

// over reports whether the game has ended. alive holds the living agents.
func (r *Rules) over(s *State, alive env.SeatSet) bool {
	if r.StepKind == StepJava {
		return r.overJava(s, alive)
	}
	return r.overToday(s, alive)
}

// winners returns the winners of a game that is over, none if it is a tie.
func (r *Rules) winners(s *State, alive env.SeatSet) env.SeatSet {
	if r.StepKind == StepJava {
		return s.results.of(resultWin)
	}
	return r.lastLiving(alive)
}

// Rewards writes what the reference pays each seat in this step.
func (r *Rules) Rewards(s *State, dst []float64) {
	if r.StepKind == StepJava {
		r.rewardsJava(s, dst)
		return
	}
	r.rewardsToday(s, dst)
}

// outcome writes how the game ended for the seats whose result is decided: what the
// reference pays in the step that decides it. The Java rules pay nothing before the
// end; then all seats that are out have lost.
func (r *Rules) outcome(s *State, dst []float64) {
	r.Rewards(s, dst)
	if r.StepKind != StepJava {
		return
	}
	for seat := range dst {
		if dst[seat] == 0 && !s.Agents[seat].Alive {
			dst[seat] = -1
		}
	}
}

// Result returns a seat's result so far, [env.Incomplete] while it plays. By the Java
// rules a seat's result can be decided before the game's.
func (r *Rules) Result(s *State, seat int) env.Result {
	if r.StepKind == StepJava {
		return s.result(seat)
	}
	status := r.Status(s)
	switch {
	case status.Winners.Has(seat):
		return env.Win
	case !s.Agents[seat].Alive, status.Result == env.Win:
		return env.Loss
	}
	return status.Result
}

// checkStep returns an error if the other rules do not go together with the step, else nil.
func (r *Rules) checkStep() error {
	switch {
	case r.StepKind == Step2018 && r.DelayedChain:
		return fmt.Errorf("rules: delayed_chain is set, but by step 2018 no bomb sets off another: leave it out")
	case r.StepKind == StepJava && (r.Seats() != MaxAgents || r.RadioWords > 0 || r.Skulls || r.DelayedChain):
		return fmt.Errorf("rules: step java wants game_type 1 or 2, no skulls and no delayed_chain")
	case r.StepKind != StepJava && r.CollapseEvery != 0:
		return fmt.Errorf("rules: collapse_every is %d, want 0: only step java has it", r.CollapseEvery)
	}
	return nil
}

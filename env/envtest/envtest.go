// Package envtest checks that a game keeps the contract of package env.
//
//	func TestConformance(t *testing.T) {
//		envtest.Run(t, game)
//	}
//
// One call per game suffices. Each clause of the contract is a subtest of its
// own; it stops at its first failure, which names the seed, the step and the
// seat it happened at and what was wanted and got. Games are played by scripts:
// seeds with the actions of some hundred steps, chosen at random, among what
// the mask allows, mostly idly, and by the game's own agents, so that both
// short and long games and all sorts of positions come up. The scripts depend
// on the game alone, so a failure comes back with the next run.
//
// Only what the contract says is asked for and only through its interfaces.
// What a game means, whether it follows its rules, is for its own tests.
//
// The package also holds a toy game ([Toy], [NewToy]) for the tests of what
// steps games: six seats in uneven teams, an oblong board, two action
// components, several element types, and a way to make it panic.
//
// # Concurrency
//
// Run counts allocations and therefore must not be called in a parallel test.
package envtest

import (
	"fmt"
	"runtime/debug"
	"testing"

	"pommego/env"
)

// TB is the part of testing.TB that the kit needs, so that its own failures
// can be tested.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Run checks game, each clause of the contract in a subtest.
func Run(t *testing.T, game env.Game) {
	t.Helper()
	f := &fixture{game: game}
	for _, c := range clauses {
		t.Run(c.name, func(t *testing.T) { f.check(t, c) })
	}
}

// Check does what Run does without subtests. Each failed clause is one Errorf.
func Check(t TB, game env.Game) {
	t.Helper()
	f := &fixture{game: game}
	for _, c := range clauses {
		f.check(t, c)
	}
}

// clause is one part of the contract.
type clause struct {
	name  string
	check func(k *kit)
}

var clauses = []clause{
	{"spec", checkSpec},
	{"matches", checkMatches},
	{"agents/names", checkAgentNames},
	{"agents/play", checkAgentPlay},
	{"agents/memory", checkAgentMemory},
	{"reset", checkReset},
	{"determinism", checkDeterminism},
	{"status", checkStatus},
	{"outcome", checkOutcome},
	{"train", checkTrain},
	{"mask/form", checkMaskForm},
	{"mask/meaning", checkMaskMeaning},
	{"ignored", checkIgnored},
	{"observe/range", checkObserveRange},
	{"observe/seats", checkObserveSeats},
	{"observe/safely", checkObserveSafely},
	{"reseed", checkReseed},
	{"save/state", checkSaveState},
	{"save/json", checkSaveJSON},
	{"damage/state", checkDamagedState},
	{"damage/json", checkDamagedJSON},
	{"trackers", checkTrackers},
	{"scene", checkScene},
	{"allocations", checkAllocations},
}

// fixture is what the clauses of one run share.
type fixture struct {
	game    env.Game
	scripts []*script
}

// kit is one clause being checked.
type kit struct {
	*fixture
	t    TB
	name string
	spec *env.Spec
	at   place
}

// place says where in which game the check is.
type place struct {
	playing bool
	seed    env.Seed
	step    int
	seat    int // -1 for none in particular
	agent   string
}

func (p place) String() string {
	if !p.playing {
		return ""
	}
	s := fmt.Sprintf("seed %d, episode %d, after step %d", p.seed.Value, p.seed.Episode, p.step)
	if p.seat >= 0 {
		s += fmt.Sprintf(", seat %d", p.seat)
	}
	if p.agent != "" {
		s += fmt.Sprintf(", agent %q", p.agent)
	}
	return s + ": "
}

// stop unwinds a clause that has failed.
type stop struct{}

// check runs one clause. A panic of the game's is a failure of the clause.
func (f *fixture) check(t TB, c clause) {
	t.Helper()
	k := &kit{fixture: f, t: t, name: c.name, spec: f.game.Spec()}
	defer func() {
		t.Helper()
		switch v := recover().(type) {
		case nil, stop:
		default:
			t.Errorf("%s: %vpanicked: %v\n%s", c.name, k.at, v, debug.Stack())
		}
	}()
	c.check(k)
}

// failf reports a failure and ends the clause.
func (k *kit) failf(format string, args ...any) {
	k.t.Helper()
	k.t.Errorf("%s: %v%s", k.name, k.at, fmt.Sprintf(format, args...))
	panic(stop{})
}

// match makes one match.
func (k *kit) match() env.Match { return k.game.New(1)[0] }

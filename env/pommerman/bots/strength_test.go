package bots

import (
	"flag"
	"testing"

	"pommego/env"
	"pommego/env/pommerman"
)

var (
	strengthGames = flag.Int("strength", 0, "measure the strength of -agent over this many games a preset")
	strengthAgent = flag.String("agent", "heuristic", "the agent whose strength to measure")
)

// tally is the outcome of some games for one seat.
type tally struct{ won, lost, tied, steps int }

// playSeat plays a game of one agent in a seat against simple in the others and
// tells how it ended for it.
func playSeat(t testing.TB, game *pommerman.Game, name string, seat int, seed env.Seed, sum *tally) (won bool) {
	match := game.New(1)[0]
	match.Reset(seed)
	seats := game.Spec().Seats
	players := make([]env.Agent, seats)
	for k := range players {
		players[k] = agent(t, game, "simple")
		if k == seat {
			players[k] = agent(t, game, name)
		}
		players[k].Reset(seed.RNG(env.StreamAgents + uint64(k)))
	}
	width := len(game.Spec().Actions)
	actions := make([]uint8, seats*width)
	for !match.Status().Over {
		for k, p := range players {
			if match.Status().In.Has(k) {
				p.Act(match, k, actions[k*width:][:width])
			}
		}
		match.Step(actions)
	}
	status := match.Status()
	sum.steps += status.Steps
	switch {
	case status.Winners.Has(seat):
		sum.won++
	case status.Result == env.Win || !status.In.Has(seat):
		sum.lost++
	default:
		sum.tied++
	}
	return status.Winners.Has(seat)
}

func agent(t testing.TB, game *pommerman.Game, name string) env.Agent {
	t.Helper()
	a, err := game.NewAgent(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// strength plays every seed twice, with the agent and with simple in the same
// seat, against three times simple. It is the share of the agent's wins where
// just one of the two won.
func strength(t testing.TB, rules pommerman.Rules, name string, games int) (share float64, own, base tally) {
	game, err := pommerman.New("strength", "", rules, Roster)
	if err != nil {
		t.Fatal(err)
	}
	only, other := 0, 0
	for i := range games {
		seed := env.Seed{Value: uint64(i)}
		seat := i % rules.Seats()
		a := playSeat(t, game, name, seat, seed, &own)
		b := playSeat(t, game, "simple", seat, seed, &base)
		switch {
		case a && !b:
			only++
		case b && !a:
			other++
		}
	}
	return float64(only) / float64(max(only+other, 1)), own, base
}

// strengths is where strength is measured.
var strengths = []struct {
	name  string
	rules pommerman.Rules
}{
	{"2018", pommerman.Rules2018(pommerman.FFA)},
	{"today", pommerman.Playground(pommerman.FFA)},
	{"java", pommerman.Java(pommerman.FFA)},
	{"fog", pommerman.Playground(pommerman.FFA).Fogged(4)},
	{"collapse", pommerman.Playground(pommerman.FFA).Collapsing(500)},
	{"team", pommerman.Playground(pommerman.Team)},
	{"team in fog", pommerman.Playground(pommerman.Team).Fogged(4)},
	{"one-vs-one", pommerman.Playground(pommerman.OneVsOne)},
}

// TestStrength prints how strong an agent is, for example over 300 games each:
//
//	go test ./env/pommerman/bots -run TestStrength -v -strength 300 -agent heuristic
func TestStrength(t *testing.T) {
	if *strengthGames == 0 {
		t.Skip("no -strength given")
	}
	for _, test := range strengths {
		share, own, base := strength(t, test.rules, *strengthAgent, *strengthGames)
		t.Logf("%s: share %.1f%%, %s %+v, simple %+v", test.name, 100*share, *strengthAgent, own, base)
	}
}

// TestHeuristicBeatsSimple over a few seeds by every kind of rules.
func TestHeuristicBeatsSimple(t *testing.T) {
	for _, test := range strengths {
		share, own, base := strength(t, test.rules, "heuristic", 40)
		if share < 0.8 || own.won <= base.won {
			t.Errorf("%s: heuristic has %.0f%% of the games that one of the two wins, want 80%%; heuristic %+v, simple %+v", test.name, 100*share, own, base)
		}
	}
}

package bots

import (
	"testing"

	"pommego/env"
	"pommego/env/pommerman"
)

// situation is a state that came up in play, and under which rules.
type situation struct {
	rules *pommerman.Rules
	state pommerman.State
}

// variants is one of each kind of rules there are.
func variants() []pommerman.Rules {
	ffa, team := pommerman.Playground(pommerman.FFA), pommerman.Playground(pommerman.Team)
	return []pommerman.Rules{
		ffa, team, ffa.Collapsing(60), team.Fogged(4).Collapsing(60),
		pommerman.Playground(pommerman.TeamRadio).Fogged(4), pommerman.Playground(pommerman.OneVsOne),
		pommerman.Rules2018(pommerman.FFA), pommerman.Rules2018(pommerman.Team),
		pommerman.Java(pommerman.FFA), pommerman.Java(pommerman.Team), pommerman.JavaDocument(pommerman.FFA), pommerman.JavaDocument(pommerman.Team),
	}
}

// situations plays games of random, simple and heuristic agents by all rules and
// calls visit with every third state.
func situations(t testing.TB, games int, visit func(*situation)) {
	t.Helper()
	for i, rules := range variants() {
		game, err := pommerman.New("sample", "", rules, Roster)
		if err != nil {
			t.Fatal(err)
		}
		for value := range uint64(games) {
			seed := env.Seed{Value: value, Episode: uint64(i)}
			match := game.New(1)[0].(*pommerman.Match)
			match.Reset(seed)
			playOn(t, game, match, seed, func() {
				if match.StepCount%3 == 0 {
					visit(&situation{game.Rules(), match.State})
				}
			})
		}
	}
}

// playOn plays a game to its end, or for 200 steps, and calls visit before each.
func playOn(t testing.TB, game *pommerman.Game, match env.Match, seed env.Seed, visit func()) {
	names := []string{"heuristic", "simple", "random", "heuristic"}
	players := make([]env.Agent, game.Spec().Seats)
	for k := range players {
		players[k] = agent(t, game, names[(k+int(seed.Value))%len(names)])
		players[k].Reset(seed.RNG(env.StreamAgents + uint64(k)))
	}
	width := len(game.Spec().Actions)
	actions := make([]uint8, len(players)*width)
	for range 200 {
		if match.Status().Over {
			return
		}
		visit()
		for k, p := range players {
			p.Act(match, k, actions[k*width:][:width])
		}
		match.Step(actions)
	}
}

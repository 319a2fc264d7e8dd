package bots

import (
	"testing"

	"pommego/env"
	"pommego/env/pommerman"
)

// BenchmarkGame steps games of four agents of a kind: an operation is one move of
// a whole game.
func BenchmarkGame(b *testing.B) {
	for _, name := range []string{"simple", "heuristic"} {
		b.Run(name, func(b *testing.B) { benchmarkGame(b, name) })
	}
}

func benchmarkGame(b *testing.B, name string) {
	game, err := pommerman.New("bench", "", pommerman.Playground(pommerman.FFA), Roster)
	if err != nil {
		b.Fatal(err)
	}
	match := game.New(1)[0]
	var players []env.Agent
	for range 4 {
		p, err := game.NewAgent(name)
		if err != nil {
			b.Fatal(err)
		}
		players = append(players, p)
	}
	seed := env.Seed{}
	actions := make([]uint8, 4)
	for over := true; b.Loop(); over = match.Status().Over {
		if over {
			seed.Episode++
			match.Reset(seed)
			for k := range players {
				players[k].Reset(seed.RNG(env.StreamAgents + uint64(k)))
			}
		}
		in := match.Status().In
		for k := range players {
			if in.Has(k) {
				players[k].Act(match, k, actions[k:k+1])
			}
		}
		match.Step(actions)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

package bots

import (
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/pommerman"
	"pommego/env/seat"
)

// moments collects states of free-for-all games in which seat 0 lives.
func moments(b *testing.B, rules *pommerman.Rules) []pommerman.State {
	b.Helper()
	game, err := pommerman.New("moments", "", *rules, Roster)
	if err != nil {
		b.Fatal(err)
	}
	var states []pommerman.State
	for value := range uint64(8) {
		seed := env.Seed{Value: value}
		match := game.New(1)[0].(*pommerman.Match)
		match.Reset(seed)
		pommermantest.PlayOn(b, game, match, seed, func() {
			if match.StepCount >= 40 && match.Agents[0].Alive {
				states = append(states, match.State)
			}
		})
	}
	return states
}

// BenchmarkTicks makes decisions by search, and, as their limit, ticks from the
// same states with nothing around them: each a copy of the state and a step with
// random moves of the seat and of one other. An operation is a decision, or as
// many ticks.
func BenchmarkTicks(b *testing.B) {
	const ticks = "2000"
	rules := pommerman.Playground(pommerman.FFA)
	states := moments(b, &rules)
	b.Run("bare", func(b *testing.B) {
		rng, actions := env.RNG{}, make([]uint8, 4)
		done := 0
		for i := 0; b.Loop(); i++ {
			for range 2000 / 3 {
				s := states[i%len(states)]
				for range 3 {
					actions[0], actions[1] = uint8(rng.IntN(5)), uint8(rng.IntN(5))
					rules.Step(&s, actions)
					done++
				}
			}
		}
		b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "ticks/s")
	})
	for _, name := range searching() {
		b.Run(name, func(b *testing.B) {
			a := pommermantest.Bot(b, Roster, name+":ticks="+ticks, 1)
			var views []pommerman.View
			for i := range states {
				var v pommerman.View
				rules.See(&states[i], 0, &v)
				views = append(views, v)
			}
			action, done := make([]uint8, 1), uint64(0)
			for i := 0; b.Loop(); i++ {
				a.Act(&views[i%len(views)], action)
				done += a.(seat.Searcher).Searched()
			}
			b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "ticks/s")
			b.ReportMetric(float64(done)/float64(b.N), "ticks/op")
		})
	}
}

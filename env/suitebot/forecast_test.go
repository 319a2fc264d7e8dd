package suitebot

import (
	"testing"

	"pommego/env"
)

// TestForecastComesTrue plays on from random states with everybody holding, and
// compares what then goes off with what was foreseen.
func TestForecastComesTrue(t *testing.T) {
	for name, rules := range variants() {
		rules.Rounds = 200
		p := mustGame(t, rules)
		idle := make([]uint8, rules.Players)
		rng := env.RNG{State: 2}
		for i, s := range walk(p, 80) {
			if i%2 == 0 {
				boost(p, &s, &rng)
			}
			var f Forecast
			p.Forecast(&s, &f)
			start, claimed, last := s, Cells{}, 0
			for k := range rules.BombDelay {
				p.Step(&s, idle)
				if s.Blast != f.At[k] {
					t.Fatalf("%s, game %d: %d rounds later bombs reach\n%v, foreseen were\n%v", name, i, k+1, s.Blast, f.At[k])
				}
				if s.Blast != (Cells{}) {
					last = k + 1
				}
				for w := range claimed {
					claimed[w] |= s.Blast[w]
				}
			}
			for seat := range rules.Players {
				if got := s.Collected[seat] - start.Collected[seat]; got != f.Collects[seat] {
					t.Fatalf("%s, game %d: player %d collects %d fields, foreseen were %d", name, i, seat, got, f.Collects[seat])
				}
			}
			if f.Claimed != claimed || f.Rounds != last {
				t.Fatalf("%s, game %d: all is over in %d rounds, foreseen %d", name, i, last, f.Rounds)
			}
		}
	}
}

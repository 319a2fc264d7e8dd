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

// TestForeseePlanting plants a bomb in random states, and compares what then goes off with what was foreseen.
func TestForeseePlanting(t *testing.T) {
	for name, rules := range variants() {
		rules.Rounds = 200
		g := mustGame(t, rules)
		m := g.New(1)[0].(*Match)
		rng := env.RNG{State: 3}
		for i, s := range walk(g, 80) {
			boost(g, &s, &rng)
			seat := i % rules.Players
			if i%3 == 0 { // on a bomb
				s.Place(Bomb{s.Agents[seat], 1 + rng.IntN(rules.BombDelay), rng.IntN(rules.Players)})
			}
			m.State = s
			f := m.Foresight(seat).(*foresight)
			if f.Look(m); f.view.State.fuses != s.fuses {
				continue // fog hides a bomb
			}
			var want env.Forecast
			f.Foresee(uint8(PlantBomb), &want)
			actions := make([]uint8, rules.Players)
			actions[seat] = uint8(PlantBomb)
			for k := range rules.BombDelay + 1 {
				g.Step(&s, actions)
				clear(actions)
				for c := range Cell(g.cells) {
					if got := s.Blast.Has(c); got != (want.Burns[c]>>(k+1)&1 == 1) {
						t.Fatalf("%s, game %d: round %d: bombs reach %v: %v, foreseen was the contrary", name, i, k+1, c, got)
					}
				}
			}
		}
	}
}

// TestForeseeOutOfSight: in fog a seat knows of a bomb that it has left behind until that goes off.
func TestForeseeOutOfSight(t *testing.T) {
	rules := Standard()
	rules.ViewRadius, rules.HomeLayout = 2, Fixed
	g := mustGame(t, rules)
	for _, tc := range []struct {
		reason string
		bombs  []Bomb
		want   uint64 // when the field of the last bomb burns
	}{
		{"a round has passed", []Bomb{{g.At(5, 5), 3, 1}}, 1 << 2},
		{"it was due", []Bomb{{g.At(5, 6), 1, 1}}, 0},
		{"it was set off", []Bomb{{g.At(5, 6), 1, 1}, {g.At(5, 7), 3, 1}}, 0},
	} {
		m := g.New(1)[0].(*Match)
		m.Reset(env.Seed{Value: 1})
		m.Agents[0] = g.At(7, 5)
		for _, b := range tc.bombs {
			m.Place(b)
		}
		f := m.Foresight(0)
		f.Look(m)
		m.Step([]uint8{uint8(Right), 0, 0, 0})
		for range 2 { // a second look in the same round changes nothing
			var ahead env.Forecast
			f.Look(m)
			f.Foresee(uint8(Hold), &ahead)
			if got := ahead.Burns[tc.bombs[len(tc.bombs)-1].Cell]; got != tc.want {
				t.Errorf("%s: the field burns at %b, want %b", tc.reason, got, tc.want)
			}
		}
	}
}

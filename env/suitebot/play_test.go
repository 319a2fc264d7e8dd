package suitebot

import (
	"flag"
	"testing"

	"pommego/env"
	"pommego/env/envtest"
)

// variants is every kind of rules: all readings turned the other way, smallest
// and largest plans, few and many players.
func variants() map[string]Rules {
	small := Standard()
	small.Width, small.Height, small.Players = 5, 5, 8
	large := Standard()
	large.Width, large.Height, large.Players, large.BombDelay, large.BlastRadius = 32, 32, 8, 8, 6
	oblong := Standard()
	oblong.Width, oblong.Height, oblong.Players = 7, 13, 3
	duel := Standard()
	duel.Width, duel.Height, duel.Players, duel.BombDelay = 8, 6, 2, 2
	other := Standard()
	other.Width, other.Height, other.Players = 9, 7, 5
	other.BlastShape, other.BlastRadius, other.HomeLayout, other.Start = Square, 1, Drawn, Scattered
	other.DeadPlant, other.DeadKills, other.OwnBombsContest, other.SharedFirst = true, true, false, false
	other.CollisionPoints, other.HomePoints, other.SelfKillPoints = 2, 3, -5
	other.HomeDeaths, other.Rounds, other.FieldPoints, other.KillPoints = AfterMoves, 40, 2, 7
	fog := Standard()
	fog.Width, fog.Height, fog.ViewRadius, fog.HomeLayout = 12, 10, 3, Fixed
	long := duel
	long.BlastRadius, long.BombDelay, long.HomePoints, long.DeadKills = 16, 1, 4, true
	crowded := small
	crowded.OwnBombsContest, crowded.CollisionPoints, crowded.BlastShape = false, 1, Square
	return map[string]Rules{
		"standard": Standard(), "5x5": small, "32x32": large, "7x13": oblong, "duel": duel,
		"other readings": other, "fog": fog, "rays round the torus": long, "5x5 square": crowded,
	}
}

func mustGame(t testing.TB, r Rules) *Game {
	t.Helper()
	p, err := newGame(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// boost makes a game dense: agents near each other and bombs everywhere.
func boost(p *Game, s *State, rng *env.RNG) {
	r := p.Rules()
	var taken Cells
	for _, home := range s.Homes[:r.Players] {
		taken.Add(home)
	}
	for seat := range r.Players {
		for {
			c := p.At(rng.IntN(min(r.Width, 6)), rng.IntN(min(r.Height, 6)))
			if !taken.Has(c) {
				taken.Add(c)
				s.Agents[seat] = c
				break
			}
		}
	}
	taken = Cells{}
	for k := range r.BombDelay {
		for seat := range r.Players {
			if c := p.At(rng.IntN(r.Width), rng.IntN(r.Height)); !taken.Has(c) && rng.Coin() {
				taken.Add(c)
				s.Place(Bomb{c, k + 1, seat})
			}
		}
	}
}

func randomActions(rng *env.RNG, actions []uint8) {
	for i := range actions {
		actions[i] = uint8(rng.IntN(int(numActions)))
	}
}

// TestSlowTwin plays random games of every variant, plain and dense, and
// demands after every round the twin's state and all invariants.
func TestSlowTwin(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			p := mustGame(t, rules)
			rounds := 400_000 / (p.cells + 100)
			if testing.Short() {
				rounds /= 6
			}
			var s State
			actions := make([]uint8, rules.Players)
			for episode := uint64(0); rounds > 0; episode++ {
				seed := env.Seed{Value: 1, Episode: episode}
				p.Deal(&s, seed)
				if err := p.form.Check(&s); err != nil {
					t.Fatalf("%+v deals a state that is none: %v", seed, err)
				}
				rng := seed.RNG(env.StreamPolicy)
				if episode%2 == 1 {
					boost(p, &s, &rng)
				}
				for ; !p.Over(&s) && rounds > 0; rounds-- {
					randomActions(&rng, actions)
					compareStep(t, p, &s, actions)
				}
			}
		})
	}
}

// FuzzStep does the same from fuzzed seeds, rules and actions.
func FuzzStep(f *testing.F) {
	f.Add(uint64(1), uint8(0), []byte("\x05\x01\x02\x03\x04\x00\x05\x05"))
	f.Add(uint64(7), uint8(9), []byte("\x05\x05\x05\x05\x01\x02\x03\x04\x01\x02\x03\x04"))
	var all []*Game
	for _, name := range []string{"standard", "5x5", "7x13", "duel", "other readings", "rays round the torus",
		"5x5 square", "32x32"} {
		all = append(all, mustGame(f, variants()[name]))
	}
	f.Fuzz(func(t *testing.T, seed uint64, variant uint8, moves []byte) {
		p := all[int(variant/2)%len(all)]
		var s State
		p.Deal(&s, env.Seed{Value: seed})
		if variant%2 == 1 {
			rng := env.RNG{State: seed}
			boost(p, &s, &rng)
		}
		for n := p.Rules().Players; len(moves) >= n && !p.Over(&s); moves = moves[n:] {
			actions := make([]uint8, n)
			for i := range actions {
				actions[i] = moves[i] % uint8(numActions)
			}
			compareStep(t, p, &s, actions)
		}
	})
}

// TestConformance holds every variant to the contract. The catalog's tests do this with the standard rules.
func TestConformance(t *testing.T) {
	for name, rules := range variants() {
		if name == "standard" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			g, err := New("test", "a variant", rules, nil)
			if err != nil {
				t.Fatal(err)
			}
			envtest.Run(t, g)
		})
	}
}

var invariantSteps = flag.Int("invariant-steps", 100_000, "rounds that TestInvariants plays")

package basewar

import (
	"testing"

	"pommego/env"
	"pommego/env/envtest"
	"pommego/env/grid"
)

// variants is the game as it is and with each reading of the rules that can be
// chosen, on the usual map and on small ones where all meet soon.
func variants() map[string]Rules {
	small := Standard()
	small.BoardSize, small.NumStones, small.NumBoxes, small.FreeSteps = 7, 2, 8, 1
	all := map[string]Rules{"standard": Standard(), "sides": StandardSides(), "small": small}
	for name, edit := range map[string]func(*Rules){
		"small sides":      func(r *Rules) { r.Sides = true },
		"9x9 rotated":      func(r *Rules) { r.BoardSize, r.Symmetry, r.NumStones, r.NumBoxes = 9, Rotated, 8, 21 },
		"unrelated":        func(r *Rules) { r.Symmetry, r.NumStones = Unrelated, 3 },
		"damage per round": func(r *Rules) { r.BaseDamage = PerRound },
		"tick at once":     func(r *Rules) { r.TickAtOnce = true },
		"lay first":        func(r *Rules) { r.LayFirst = true },
		"bombs spent":      func(r *Rules) { r.BombsSpent = true },
		"all pay":          func(r *Rules) { r.AllPay = true },
		"own cell safe":    func(r *Rules) { r.OwnCellSafe, r.BlastRange = true, 3 },
		"own cell shields": func(r *Rules) { r.OwnCellShields = true },
		"hurt first":       func(r *Rules) { r.HurtFirst = true },
		"own harmless":     func(r *Rules) { r.OwnHarmless = true },
		"draw together":    func(r *Rules) { r.DrawTogether, r.BaseEnergy = true, 1 },
		"play on":          func(r *Rules) { r.PlayOn, r.Lives, r.MaxSteps = true, 1, 60 },
		"many lives":       func(r *Rules) { r.Lives, r.BombLife, r.Bombs = 100, 3, 4 },
	} {
		r := small
		edit(&r)
		all[name] = r
	}
	return all
}

func mustGame(t testing.TB, r Rules) *Game {
	t.Helper()
	g, err := New("test", "a test", r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// crowd makes a state in which much happens: bombers stand anywhere free, often
// together, with few lives, and many boxes are gone.
func crowd(r *Rules, s *State, rng *env.RNG) {
	for c := range s.Boxes.All {
		if rng.IntN(3) > 0 {
			s.Boxes.Remove(c)
		}
	}
	for id := range s.Bombers {
		b := &s.Bombers[id]
		b.Lives = uint8(1 + rng.IntN(r.Lives))
		for range 20 {
			to := s.Bombers[rng.IntN(NumBombers)].Cell
			for range rng.IntN(4) {
				to = to.Next(grid.Dirs[rng.IntN(4)])
			}
			if r.standable(s, to) == nil {
				b.Cell = to
				break
			}
		}
	}
}

// randomActions draws actions in which bombs are a sixth, or a third for those
// who meet.
func randomActions(g *Game, s *State, rng *env.RNG, actions []uint8) {
	for i := range actions {
		actions[i] = uint8(rng.IntN(int(NumActions)))
	}
	for id := range s.Bombers {
		if several(s.standing(s.Bombers[id].Cell)) && rng.IntN(3) == 0 {
			actions[g.actionAt[id]] = uint8(LayBomb)
		}
	}
}

// TestConformance holds variants of all kinds to the contract. The catalog's tests do this with its own rules.
func TestConformance(t *testing.T) {
	for _, name := range []string{"small sides", "9x9 rotated", "all pay", "bombs spent"} {
		t.Run(name, func(t *testing.T) { envtest.Run(t, mustGame(t, variants()[name])) })
	}
}

// TestSlowTwin plays random games of every variant, plain and crowded, and
// demands after every round the twin's state and all invariants.
func TestSlowTwin(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := mustGame(t, rules)
			rounds := 4_000
			if testing.Short() {
				rounds = 1_000
			}
			var s State
			actions := make([]uint8, NumBombers)
			for episode := uint64(0); rounds > 0; episode++ {
				seed := env.Seed{Value: 1, Episode: episode}
				g.Deal(&s, seed)
				rng := seed.RNG(env.StreamPolicy)
				if episode%2 == 1 {
					crowd(&rules, &s, &rng)
				}
				for ; !rules.Over(&s) && rounds > 0; rounds-- {
					randomActions(g, &s, &rng, actions)
					compareStep(t, g, &s, actions)
				}
			}
		})
	}
}

// FuzzStep does the same from fuzzed seeds and moves.
func FuzzStep(f *testing.F) {
	f.Add(uint64(1), uint8(0), []byte("\x05\x01\x02\x03\x04\x00\x05\x05\x05\x05\x05\x05"))
	f.Add(uint64(7), uint8(9), []byte("\x05\x05\x05\x05\x05\x05\x01\x02\x03\x04\x01\x02\x03\x04\x00\x00\x00\x00"))
	var all []*Game
	for _, name := range []string{"standard", "small", "small sides", "damage per round", "lay first", "all pay",
		"own cell shields", "own harmless", "many lives"} {
		all = append(all, mustGame(f, variants()[name]))
	}
	f.Fuzz(func(t *testing.T, seed uint64, variant uint8, moves []byte) {
		g := all[int(variant/2)%len(all)]
		var s State
		g.Deal(&s, env.Seed{Value: seed})
		rng := env.RNG{State: seed}
		if variant%2 == 1 {
			crowd(g.Rules(), &s, &rng)
		}
		for ; len(moves) >= NumBombers && !g.rules.Over(&s); moves = moves[NumBombers:] {
			actions := make([]uint8, NumBombers)
			for i := range actions {
				actions[i] = moves[i] % uint8(NumActions)
			}
			compareStep(t, g, &s, actions)
		}
	})
}

package words_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/llm/words"
)

// game is a game that was played, with its steps, and what is legal and foreseen in each for each
// seat.
type game struct {
	*words.Writer
	spec  *env.Spec
	head  scene.Head
	steps []scene.Step
	masks [][][]uint8
	fires [][][]uint64

	of      env.Game
	states  [][]byte
	actions [][]uint8 // made in each step
}

// play plays a game with built-in agents in even seats and others that move at random.
func play(t testing.TB, id, rules string, seed uint64, most int) *game {
	t.Helper()
	of, err := catalog.Game(id)
	if rules != "" {
		of, err = catalog.Variant(id, []byte(rules))
	}
	if err != nil {
		t.Fatal(err)
	}
	spec, m, tracker := of.Spec(), of.New(1)[0], of.NewTrackers(1, true)[0]
	m.Reset(env.Seed{Value: seed})
	tracker.Begin(m)
	g := &game{of: of, spec: spec, head: scene.HeadOf(spec, m)}
	g.Writer = words.New(of, spec, m)
	rng, width := env.RNG{State: seed}, len(spec.Actions)
	var agents []env.Agent
	for range spec.Seats {
		name := "simple"
		if spec.Game != "pommerman" {
			name = "random"
		}
		a, err := of.NewAgent(name)
		if err != nil {
			t.Fatal(err)
		}
		a.Reset(env.RNG{State: seed})
		agents = append(agents, a)
	}
	actions := []uint8(nil)
	for step := 0; step <= most; step++ {
		g.steps = append(g.steps, scene.Describe(spec, m, tracker, actions))
		masks, fires := make([][]uint8, spec.Seats), make([][]uint64, spec.Seats)
		for seat := range masks {
			masks[seat], fires[seat] = make([]uint8, spec.MaskSize()), words.Fire(m, seat, 0)
			m.Mask(seat, masks[seat])
		}
		g.states = append(g.states, m.Append(nil))
		g.masks, g.fires = append(g.masks, masks), append(g.fires, fires)
		if m.Status().Over {
			break
		}
		actions = make([]uint8, spec.Seats*width)
		for seat, a := range agents {
			own := actions[seat*width : (seat+1)*width]
			if a.Act(m, seat, own); spec.Game == "pommerman" || rng.Uint64()%4 > 0 {
				continue
			}
			for i := range own {
				own[i] = uint8(rng.Uint64() % uint64(spec.Actions[i].N))
			}
		}
		g.actions = append(g.actions, actions)
		tracker.Step(m, actions)
	}
	return g
}

// same is a forecast that is the same after each move.
func same(fire []uint64) func(uint8) []uint64 { return func(uint8) []uint64 { return fire } }

// foreseer is what a seat can foresee of each move.
func foreseer(m env.Match, seat int) func(uint8) []uint64 {
	return func(move uint8) []uint64 { return words.Fire(m, seat, move) }
}

// surprised reports whether something happened in a step that nobody could foresee in an
// earlier one: a bomb was kicked, or one that was not there exploded or was laid on another.
func surprised(known, now *scene.Step) bool {
	for _, e := range now.Events {
		at, there := e.At, false
		for _, b := range known.Bombs {
			there = there || b.At == at
		}
		if e.Kind == env.Kicked || e.Kind == env.Exploded && !there || e.Kind == env.Laid && there {
			return true
		}
	}
	return false
}

// TestFire: what is forecast burns at that tick, and nothing else does, as far as nothing
// happens that nobody could foresee. In games of every id, with fog, chains and falling rings.
func TestFire(t *testing.T) {
	for _, id := range catalog.IDs() {
		variants := []string{""}
		if strings.HasPrefix(id, "Pomme") {
			variants = append(variants, `{"first_collapse": 60, "max_steps": 180}`)
		}
		for _, rules := range variants {
			burnt, fallen := 0, 0
			for seed := range uint64(3) {
				g := play(t, id, rules, seed+1, 200)
				for k := range g.steps {
					for seat := range g.spec.Seats {
						b, f := compare(t, g, k, seat)
						burnt, fallen = burnt+b, fallen+f
					}
				}
			}
			if burnt < 1000 || rules != "" && fallen == 0 {
				t.Errorf("%s %s: %d times a cell burnt and %d times a ring had fallen on it, want more for a test", id, rules,
					burnt, fallen)
			}
		}
	}
}

// TestDeadly: whatever a seat does while all others stop, it burns at once only by a move that its view calls deadly,
// also by kicking a bomb.
func TestDeadly(t *testing.T) {
	burnt, kicked := 0, 0
	for seed := range uint64(4) {
		g := play(t, "PommeFFACompetition-v0", `{"num_rigid": 16, "num_wood": 24, "num_items": 24}`, seed+11, 180)
		m, tracker, actions := g.of.New(1)[0], g.of.NewTrackers(1, true)[0], make([]uint8, g.spec.Seats)
		for k := range g.actions {
			for _, seat := range g.steps[k].Status.In {
				if err := m.Restore(g.states[k]); err != nil {
					t.Fatal(err)
				}
				seen := g.steps[k].Seen(&g.head, seat)
				view := g.View(&seen, seat, g.masks[k][seat], foreseer(m, seat), words.Form{}, new(words.Last))
				_, deadly, _ := strings.Cut(view, "\nDeadly:")
				for move, name := range g.spec.Actions[0].Names {
					if err := m.Restore(g.states[k]); err != nil {
						t.Fatal(err)
					}
					actions[seat] = uint8(move)
					tracker.Begin(m)
					tracker.Step(m, actions)
					clear(actions)
					kicks := slices.ContainsFunc(tracker.Events(), func(e env.Event) bool { return e.Kind == env.Kicked })
					to, _ := g.head.Next(seen.Agents[seat].At, move)
					other := func(a env.SceneAgent) bool { return a.Seat != seat && a.Alive && a.At == to } // it may make room
					if m.Status().In.Has(seat) || g.masks[k][seat][move] == 0 || slices.ContainsFunc(seen.Agents, other) {
						continue
					}
					if burnt++; kicks {
						kicked++
					}
					if !slices.Contains(strings.Fields(deadly), name) {
						t.Fatalf("seed %d, step %d, seat %d dies by %s of\n%s", seed, k, seat, name, view)
					}
				}
			}
		}
	}
	if burnt < 100 || kicked == 0 {
		t.Errorf("seats burnt %d times, %d of them by a kick, want more for a test", burnt, kicked)
	}
}

// TestLongFuses: of what burns after 35 ticks or more, views tell no tick but 35.
func TestLongFuses(t *testing.T) {
	of, err := catalog.Variant("OneVsOne-v0", []byte(`{"bomb_life": 70}`))
	if err != nil {
		t.Fatal(err)
	}
	spec, m := of.Spec(), of.New(1)[0]
	m.Reset(env.Seed{Value: 5})
	w := words.New(of, spec, m)
	for tick := range 40 {
		step := scene.Describe(spec, m, nil, nil)
		seen := step.Seen(&w.Head, 0)
		view := w.View(&seen, 0, nil, foreseer(m, 0), words.Form{}, new(words.Last))
		want := fmt.Sprintf("cell burns in %d\n", min(70-tick, 35))
		if rolls := strings.Contains(view, want); tick > 0 && (!rolls || strings.Contains(view, "z") != (70-tick >= 35)) {
			t.Fatalf("tick %d: %q is not in, or z is wrong in\n%s", tick, want, view)
		}
		actions := make([]uint8, spec.Seats)
		if tick == 0 {
			actions[0] = uint8(len(env.Moves))
		}
		m.Step(actions)
	}
}

// compare compares what a seat can foresee in a step with the steps after it.
func compare(t *testing.T, g *game, k, seat int) (burnt, fallen int) {
	seen := g.steps[k].Seen(&g.head, seat)
	if slices.ContainsFunc(g.steps[k].Bombs, func(b env.SceneBomb) bool { return b.Moving != "" }) {
		return 0, 0
	}
	fire, later := g.fires[k][seat], 1 // the step that shows a ring that has fallen is the next
	if strings.Contains(g.spec.ID, "Java-") {
		later = 0
	}
	for tick := 1; tick < 12 && k+tick+later < len(g.steps) && !surprised(&seen, &g.steps[k+tick]); tick++ {
		ground := g.steps[k+tick+later].Ground
		burns, shielded := g.burning(k+tick), false
		for c := range seen.Ground {
			said, falls := fire[c]>>tick&1 != 0, ground[c] == env.GroundWall && seen.Ground[c] != env.GroundWall
			switch {
			case seen.Ground[c] == env.GroundWall || seen.Ground[c] == env.GroundFog:
			case falls && said:
				fallen++
			case burns[c] && said:
				burnt++
			case said && g.spec.Game == "basewar":
				shielded = true // by a figure: what follows is unknown
			case said && g.head.Hides(env.FlameLives) && slices.ContainsFunc(seen.Flames, func(f env.SceneFlame) bool {
				return f.At == env.Place{c / g.head.Cols, c % g.head.Cols}
			}): // burns now, for how long is unknown
			case burns[c] && len(g.steps[k].Sight) == 0 || falls || said:
				t.Fatalf("%s, step %d, seat %d: %d ticks later (%d,%d) burns: %v, falls: %v, said: %v", g.spec.ID, k, seat, tick,
					c/g.head.Cols, c%g.head.Cols, burns[c], falls, said)
			}
		}
		if shielded {
			break
		}
	}
	return burnt, fallen
}

// burning is the cells whose flames hit at a step: by the rules of 2018 not the old ones, by the
// Java rules also those that have just gone out.
func (g *game) burning(step int) []bool {
	now := &g.steps[step]
	burns, flames := make([]bool, len(now.Ground)), now.Flames
	if strings.Contains(g.spec.ID, "Java-") {
		flames = append(slices.Clone(flames), g.steps[step-1].Flames...)
	}
	for _, f := range flames {
		burns[f.At[0]*g.head.Cols+f.At[1]] = !strings.Contains(g.spec.ID, "2018") || f.Life == 3
	}
	return burns
}

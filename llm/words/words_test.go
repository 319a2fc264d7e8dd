package words_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/arena/trace/tracetest"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/record"
	"pommego/env/suitebot"
	"pommego/llm/words"
)

var update = flag.Bool("update", false, "write testdata anew")

// TestGolden: the rules and views of a position of each game are as recorded.
func TestGolden(t *testing.T) {
	for _, id := range []string{"PommeRadioCompetition-v2", "PommeFFACompetition-v0", "BaseWarSides-v0", "SuiteBot-v0"} {
		g := play(t, id, "", 3, 46)
		at := len(g.steps) - 1
		got := g.Prompt(words.Form{}) + "\n" + views(t, g, &g.steps[at], 1, g.masks[at][1], g.fires[at][1])
		file := "testdata/" + id + ".txt"
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != got {
			t.Errorf("%s: got\n%s\nwant (%v)\n%s\nif it is meant, run the test with -update", id, got, err, want)
		}
	}
}

// TestDocs: the view in the guide is one that is told.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/language-models.md")
	if err != nil {
		t.Fatal(err)
	}
	g := play(t, "PommeRadioCompetition-v2", "", 3, 46)
	at := len(g.steps) - 1
	seen, fire := g.steps[at].Seen(&g.head, 1), g.fires[at][1]
	want := g.View(&seen, 1, g.masks[at][1], same(fire), words.Form{}, new(words.Last))
	if !strings.Contains(string(page), "\n"+want+"```") {
		t.Errorf("docs/language-models.md lacks\n%s", want)
	}
}

// TestRecorded: in recorded games of every id each seat is told where its figures are, and the board
// has their letters there.
func TestRecorded(t *testing.T) {
	formats := trace.Formats(catalog.Formats())
	for _, id := range catalog.IDs() {
		paths, err := filepath.Glob("../../env/*/testdata/golden/" + id + ".jsonl.gz")
		if err != nil || len(paths) != 1 {
			t.Fatalf("%s: recorded games are %v, %v; want one", id, paths, err)
		}
		replay, err := formats.Reopen(tracetest.Lines(t, paths[0])[0])
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		err = replay.Follow(func(at record.Moment) error {
			spec, head := at.Game.Spec(), scene.HeadOf(at.Game.Spec(), at.Match)
			g := words.New(at.Game, spec, at.Match)
			step := scene.Describe(spec, at.Match, at.Tracker, nil)
			letter := func(a *env.SceneAgent) string {
				n := 0
				if a.Name != "" {
					n = int(a.Name[0] - 'a')
				}
				return g.Alias(a.Seat)[n : n+1]
			}
			on := map[env.Place]string{} // of figures on one cell the last is shown
			for i := range step.Agents {
				if a := &step.Agents[i]; a.Alive {
					on[a.At] = letter(a)
				}
			}
			for i := range step.Agents {
				a := &step.Agents[i]
				if !a.Alive {
					continue
				}
				seen := step.Seen(&head, a.Seat)
				fire := words.Fire(at.Match, a.Seat, 0)
				text := g.View(&seen, a.Seat, nil, same(fire), words.Form{Detail: "short"}, new(words.Last))
				_, board, _ := strings.Cut(text, "Board:\n")
				shown := strings.Split(board, "\n")[1+a.At[0]][3+a.At[1]:][:1]
				if !strings.Contains(text, fmt.Sprintf("%s (%d,%d)", letter(a), a.At[0], a.At[1])) || shown != on[a.At] {
					return fmt.Errorf("seat %d is not told of %s at %v: %s", a.Seat, letter(a), a.At, text)
				}
				told++
			}
			return nil
		})
		if err != nil || told < 100 {
			t.Errorf("%s: %v after %d views", id, err, told)
		}
	}
}

// views is all that a seat can be told of a step.
func views(t testing.TB, g *game, step *scene.Step, seat int, mask []uint8, fire []uint64) string {
	t.Helper()
	seen := step.Seen(&g.head, seat)
	return tell(t, g, &seen, seat, mask, fire)
}

func tell(t testing.TB, g *game, seen *scene.Step, seat int, mask []uint8, fire []uint64) (all string) {
	t.Helper()
	last := &words.Last{Reading: "legal", Read: "up", Ticks: 1}
	g.Happens(seen, seat, last)
	for _, form := range []words.Form{{}, {Detail: "short"}, {Bare: true}} {
		all += g.View(seen, seat, mask, same(fire), form, last) + "\n"
		form.Detail = "json"
		all += g.View(seen, seat, mask, same(fire), form, last) + "\n\n"
		if strings.Contains(all, "[null]") {
			t.Fatalf("a list has nothing but null: %s", all)
		}
	}
	return all
}

// fogged is games in which seats do not see the whole board: ids and rules.
var fogged = [][2]string{{"PommeRadioCompetition-v2", ""}, {"PommeTeamJavaDocument-v0", ""},
	{"PommeFFA2018-v0", `{"agent_view_size": 3}`}, {"SuiteBot-v0", `{"view_radius": 3}`}}

// TestFog: what a seat does not see changes nothing in its views.
func TestFog(t *testing.T) {
	positions, hid := 0, 0
	for _, game := range append(fogged, [2]string{"PommeFFAJava-v0", ""}, [2]string{"BaseWar-v0", ""}) {
		for seed := range uint64(2) {
			g := play(t, game[0], game[1], seed, 150)
			for k := range g.steps {
				for seat := range g.spec.Seats {
					want := views(t, g, &g.steps[k], seat, g.masks[k][seat], g.fires[k][seat])
					other := disguised(&g.head, &g.steps[k], seat)
					if got := views(t, g, &other, seat, g.masks[k][seat], g.fires[k][seat]); got != want {
						t.Fatalf("%s, step %d, seat %d: what it does not see makes its view\n%s\nit was\n%s", game[0], k, seat, got, want)
					}
					positions++
					if !slices.Equal(other.Ground, g.steps[k].Ground) {
						hid++
					}
				}
			}
		}
	}
	if positions < 2000 || hid < 1000 {
		t.Errorf("%d positions, of which %d hid cells, want more for a test", positions, hid)
	}
}

// TestForks: whatever others do out of a seat's sight changes nothing that it is told, nor what it
// foresees.
func TestForks(t *testing.T) {
	same := 0
	for _, game := range fogged {
		g, rng := play(t, game[0], game[1], 7, 200), env.RNG{State: 7}
		width, tracker := len(g.spec.Actions), g.of.NewTrackers(1, true)[0]
		forked := func(k int, actions []uint8, seat int) (sight, told string) {
			m := g.of.New(1)[0]
			if err := m.Restore(g.states[k]); err != nil {
				t.Fatal(err)
			}
			tracker.Begin(m)
			tracker.Step(m, actions)
			mask, step := make([]uint8, g.spec.MaskSize()), scene.Describe(g.spec, m, tracker, nil)
			m.Mask(seat, mask)
			seen, err := json.Marshal(step.Seen(&g.head, seat))
			if err != nil {
				t.Fatal(err)
			}
			return string(seen), views(t, g, &step, seat, mask, words.Fire(m, seat, 0))
		}
		for k, actions := range g.actions {
			for seat := range g.spec.Seats {
				other := slices.Clone(actions)
				for i := range other {
					if i/width != seat {
						other[i] = uint8(rng.Uint64() % uint64(g.spec.Actions[i%width].N))
					}
				}
				sight, told := forked(k, actions, seat)
				sight2, told2 := forked(k, other, seat)
				if sight == sight2 && told != told2 {
					t.Fatalf("%s, step %d, seat %d sees the same and is told\n%s\nand\n%s", game[0], k, seat, told, told2)
				} else if sight == sight2 {
					same++
				}
			}
		}
	}
	if same < 500 {
		t.Errorf("%d pairs of positions look the same, want more for a test", same)
	}
}

// disguised is a step in which all that a seat cannot see is otherwise.
func disguised(h *scene.Head, s *scene.Step, seat int) scene.Step {
	other := *s
	other.Ground, other.Agents, other.Said = slices.Clone(s.Ground), slices.Clone(s.Agents), slices.Clone(s.Said)
	other.Bombs, other.Flames, other.Items = slices.Clone(s.Bombs), slices.Clone(s.Flames), slices.Clone(s.Items)
	out := func(at env.Place) bool { return len(s.Sight) > 0 && !s.Sight[seat][at[0]*h.Cols+at[1]] }
	for c := range other.Ground {
		if out(env.Place{c / h.Cols, c % h.Cols}) {
			other.Ground[c] = env.GroundWall
		}
	}
	for i := range other.Agents {
		a := &other.Agents[i]
		if a.Seat != seat && h.Hides(env.OthersCarry) {
			a.Ammo, a.Blast, a.Kicks = a.Ammo+1, a.Blast+1, !a.Kicks
		}
		if a.Seat != seat && out(a.At) {
			a.Lives++
		}
	}
	for i := range other.Bombs {
		b := &other.Bombs[i]
		if h.Hides(env.BombOwners) {
			b.Owners ^= 3
		}
		if h.Hides(env.BombDirections) {
			b.Moving = "left"
		}
		if out(b.At) {
			b.Life, b.Blast, b.Reach = 1, 9, []int{0, 1, 2}
		}
	}
	for i := range other.Flames {
		if f := &other.Flames[i]; h.Hides(env.FlameLives) || out(f.At) {
			f.Life++
		}
	}
	for i := range other.Items {
		if out(other.Items[i].At) || other.Items[i].Hidden && h.Hides(env.HiddenItems) {
			other.Items[i].Kind = "skull"
		}
	}
	for i := range other.Said {
		mate := slices.ContainsFunc(h.Teams, func(t []int) bool { return slices.Contains(t, seat) && slices.Contains(t, i) })
		if other.Said[i].Seat != seat && !mate {
			other.Said[i].Words = []int{8, 8}
		}
	}
	other.Thoughts, other.Actions, other.Rewards = nil, nil, nil
	return other
}

// TestViewSaysWhatIsThere: what is in a scene is in the view, and figures' names say nothing but
// their seat.
func TestViewSaysWhatIsThere(t *testing.T) {
	head := scene.Head{Game: "pommerman", Teams: [][]int{{0, 2}, {1, 3}}, MaxSteps: 800,
		Stage: env.Stage{Rows: 3, Cols: 11, Conceals: []env.Concealed{env.OthersCarry}, Looks: stageOf(t).Looks}}
	spec := &env.Spec{ID: "x", Seats: 4,
		Actions: []env.Choice{{Name: "drive", N: 6, Names: []string{"stop", "up", "down", "left", "right", "bomb"}}}}
	game, err := catalog.Game("PommeFFACompetition-v0")
	if err != nil {
		t.Fatal(err)
	}
	g := words.New(game, spec, game.New(1)[0])
	g.Head = head
	seen := scene.Step{Step: 5, Scene: env.Scene{
		Ground: env.Ground(".....#....." + "..........." + ".....+....."),
		Bombs: []env.SceneBomb{{At: env.Place{1, 0}, Life: 3, Blast: 2, Moving: "right", Reach: []int{11, 12}},
			{At: env.Place{2, 8}, Life: 12, Blast: 3, Reach: []int{30}}},
		Flames: []env.SceneFlame{{At: env.Place{0, 0}, Life: 2}},
		Items:  []env.SceneItem{{At: env.Place{0, 10}, Kind: "kick"}},
		Agents: []env.SceneAgent{{At: env.Place{0, 1}, Seat: 2, Alive: true, Ammo: 1, Blast: 2},
			{At: env.Place{1, 4}, Seat: 0, Alive: true}, {At: env.Place{2, 0}, Seat: 1}},
		Said: []env.SceneMessage{{Seat: 0, Words: []int{3, 0}}, {Seat: 1, Words: []int{0, 0}}},
	}, Status: &scene.Status{In: []int{0, 2, 3}}}
	fire := make([]uint64, 33)
	fire[0], fire[14], fire[15], fire[30] = 1<<1, 1<<3|1<<9, 1<<3, 1<<12
	const want = `Tick 5 of 800. Playing: A C D. Your mates: A.
You: C (0,1), ammo 1, reach 1
Others: A (1,4) down 1 right 3, cell burns in 3
Bombs: (1,0) in 3 rolls right reach right 1; (2,8) in 12 reach 0
Heard: A 3 0
Legend: . free; # wall; + wood; 12345 flame, free in so many ticks; o bomb; k kick
Board:
   01234567890
 0 2C...#....k
 1 o...A......
 2 .....+..o..
Danger, in ticks:
   01234567890
 0 1..........
 1 ...33......
 2 ........c..
Burns again: in 9 (1,3)
Legal: stop up left
Deadly: left
`
	if got := g.View(&seen, 2, []byte{1, 1, 0, 1, 0, 0}, same(fire), words.Form{}, new(words.Last)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzView: no step, from whatever JSON, makes a view panic, and views are the same each time.
func FuzzView(f *testing.F) {
	var all []*game
	for _, id := range []string{"PommeRadioCompetition-v2", "PommeFFAJava-v0", "BaseWarSides-v0", "SuiteBot-v0"} {
		g := play(f, id, "", 5, 30)
		all = append(all, g)
		text, err := json.Marshal(g.steps[len(g.steps)-1])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, 1)
	}
	f.Add([]byte(`{"agents": [{"at": [-1, 99], "seat": -7, "name": "", "alive": true}], "bombs": [{"at": [5, 300], "life": -1, `+
		`"blast": 99, "reach": [-1, 9999999999]}], "ground": "..", "items": [{"kind": "kick"}], "status": {"in": [-3, 99]}}`), 1)
	f.Fuzz(func(t *testing.T, text []byte, seat int) {
		var s scene.Step
		if json.Unmarshal(text, &s) != nil {
			return
		}
		for _, g := range all {
			fire := g.fires[len(g.fires)-1][1]
			if one, two := tell(t, g, &s, seat, nil, fire), tell(t, g, &s, seat, nil, fire); one != two {
				t.Fatalf("%s, and the second time %s", one, two)
			}
		}
	})
}

// TestPositions writes views of 11x11 boards, for tokenizers to count.
func TestPositions(t *testing.T) {
	file := os.Getenv("POMMEGO_POSITIONS")
	if file == "" {
		t.Skip("POMMEGO_POSITIONS names no file to write to")
	}
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for n, seed := 0, uint64(1); n < 10000; seed++ {
		id := []string{"PommeFFACompetition-v0", "PommeRadioCompetition-v2", "PommeTeam-v0"}[seed%3]
		g := play(t, id, "", seed, math.MaxInt)
		for k := range g.steps {
			for seat := range g.spec.Seats {
				if !slices.Contains(g.steps[k].Status.In, seat) {
					continue
				}
				seen, mask, fire := g.steps[k].Seen(&g.head, seat), g.masks[k][seat], g.fires[k][seat]
				all := map[string]string{}
				for name, form := range map[string]words.Form{"full": {}, "short": {Detail: "short"}, "json": {Detail: "json"}} {
					all[name] = g.View(&seen, seat, mask, same(fire), form, new(words.Last))
				}
				if err := json.NewEncoder(out).Encode(all); err != nil {
					t.Fatal(err)
				}
				n++
			}
		}
	}
}

func TestRulesOfEveryGame(t *testing.T) {
	for id, want := range map[string]string{
		"PommeFFACompetition-v0": "9 ticks after it was laid",
		"PommeFFA-v1": "; ring 0 at tick 500; ring 1 at tick 575; ring 2 at tick 650; ring 3 at tick 725. A ring falls " +
			"before the moves of its tick.",
		"PommeRadioCompetition-v2": "AC, BD play against each other",
		"PommeFFA2018-v0":          "A bomb that flames reach vanishes",
		"PommeTeamJavaDocument-v0": "explodes a tick later. Flames stay for 5 ticks",
		"BaseWar-v0":               "explodes 7 ticks after it was laid",
		"PommeFFAJava-v0":          "Flames stay for 6 ticks",
		"BaseWarSides-v0":          "You move three figures",
		"SuiteBot-v0":              "It explodes 4 ticks later",
	} {
		if got := play(t, id, "", 1, 0).Prompt(words.Form{}); !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in\n%s", id, want, got)
		}
	}
}

// TestRulesOfVariants: where other rules make a sentence false, another stands in its place.
func TestRulesOfVariants(t *testing.T) {
	for _, tc := range []struct{ id, rules, want string }{
		{"PommeRadioCompetition-v2", `{"radio_num_words": 1}`, `end with "; say" and 1 number. The`},
		{"PommeRadioCompetition-v2", `{"radio_num_words": 3}`, `end with "; say" and 3 numbers. The`},
		{"PommeFFA-v1", `{"max_steps": 400}`, "is in its way.\nHow the game can end"}, // no ring falls
		{"PommeFFAJava-v0", `{"first_collapse": 60, "max_steps": 180}`, "A ring falls after the moves of its tick."},
		{"PommeFFA-v1", `{"first_collapse": 0}`, "0 is the outermost; ring 1 at tick 200; ring 2 at"},
		{"PommeTeamJava-v0", `{"agent_view_size": -1}`, "Fog: you see your own cell alone."},
		{"PommeTeam2018-v0", `{"agent_view_size": 4}`, "Fog: you see 4 cells each way, one less up and left."},
		{"PommeTeam2018-v0", `{"max_steps": 60}`, "Tick 61 ends the game"},
		{"BaseWar-v0", `{"tick_at_once": true}`, "explodes 6 ticks after it was laid"},
		{"BaseWar-v0", `{"bombs_spent": true}`, "a figure has 3 for the whole game."},
		{"BaseWar-v0", `{"own_cell_safe": true}`, "lives. A bomb hurts no figure on its own cell. The"},
		{"BaseWar-v0", `{"own_cell_shields": true}`, "A figure on a bomb's own cell shields everything else from it. The"},
		{"BaseWar-v0", `{"hurt_first": true}`, "lives. Of several figures on a cell only one is hurt. The"},
		{"BaseWar-v0", `{"own_harmless": true}`, "lives. A bomb hurts neither figures nor base of its own side. The"},
		{"SuiteBot-v0", `{"own_bombs_contest": false}`, "counts for nobody; for a kill the victim's own bombs do not matter."},
		{"SuiteBot-v0", `{"self_kill_points": -5}`, "counts for nobody. Who is killed by own bombs alone gets -5.\n"},
		{"SuiteBot-v0", `{"collision_points": -100}`, "all die and get -100 for each other one there, and so does"},
		{"SuiteBot-v0", `{"home_points": 7}`, "an enemy's home, whose owner gets 7. The dead"},
	} {
		if got := play(t, tc.id, tc.rules, 1, 0).Prompt(words.Form{}); !strings.Contains(got, tc.want) {
			t.Errorf("%s %s: %q is not in\n%s", tc.id, tc.rules, tc.want, got)
		}
	}
}

// stageOf is the stage of the original's standard game.
func stageOf(t *testing.T) env.Stage {
	game, err := catalog.Game("PommeFFACompetition-v0")
	if err != nil {
		t.Fatal(err)
	}
	return game.New(1)[0].Stage()
}

// TestBombOnABomb: in SuiteBot a bomb laid on one that is due saves the seat, and bombs are in nobody's way.
func TestBombOnABomb(t *testing.T) {
	g := play(t, "SuiteBot-v0", "", 1, 0)
	m := g.of.New(1)[0].(*suitebot.Match)
	m.Reset(env.Seed{Value: 1})
	m.Place(suitebot.Bomb{Cell: m.Agents[0], Rounds: 1, Owner: 0})
	m.Place(suitebot.Bomb{Cell: m.Agents[0] + 1, Rounds: 4, Owner: 1})
	step := scene.Describe(g.spec, m, nil, nil)
	seen, fire := step.Seen(&g.head, 0), words.Fire(m, 0, 0)
	view := g.View(&seen, 0, nil, foreseer(m, 0), words.Form{}, new(words.Last))
	if want := "Deadly: hold up down left right\n"; !strings.Contains(view, want) {
		t.Errorf("%q is not in\n%s", want, view)
	}
	values := slices.Repeat([]float64{math.NaN()}, g.spec.MaskSize())
	for move, want := range map[uint8]string{4: "I go right to", 5: "I lay a bomb at"} {
		if got := g.Reason(m, &seen, 0, fire, move, values); !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
}

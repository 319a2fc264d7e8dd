package scene_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"slices"
	"testing"

	"pommego/arena/scene"
	"pommego/arena/trace/tracetest"
	"pommego/env"
	"pommego/env/catalog"
)

var update = flag.Bool("update", false, "write testdata/seen.json.gz anew")

// randomly plays a game of random moves of which many are the first, and describes it.
// Seats are made to have thought something.
func randomly(t testing.TB, id, rules string, most int) (head scene.Head, whole []scene.Step) {
	t.Helper()
	game, err := catalog.Variant(id, []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	m, tracker, spec, rng := game.New(1)[0], game.NewTrackers(1, true)[0], game.Spec(), env.RNG{State: 5}
	m.Reset(env.Seed{Value: 5})
	tracker.Begin(m)
	whole = []scene.Step{scene.Describe(spec, m, tracker, nil)}
	actions := make([]uint8, spec.Seats*len(spec.Actions))
	for step := 0; step < most && !m.Status().Over; step++ {
		for i := range actions {
			actions[i] = uint8(rng.Uint64() % uint64(spec.Actions[i%len(spec.Actions)].N))
			if rng.Uint64()%3 == 0 {
				actions[i] = 0
			}
		}
		tracker.Step(m, actions)
		s := scene.Describe(spec, m, tracker, actions)
		for seat := range spec.Seats {
			value := float64(seat)
			s.Thoughts = append(s.Thoughts, env.Thought{Seat: seat, Value: &value})
		}
		whole = append(whole, s)
	}
	return scene.HeadOf(spec, m), whole
}

// TestSeenStep: a seat learns its own actions and thoughts, what happens in its sight, and
// who died; the step itself stays as it is.
func TestSeenStep(t *testing.T) {
	for _, tc := range []struct {
		id, rules string
		fog       bool
	}{
		{"PommeRadioCompetition-v2", `{}`, true},
		{"PommeTeamJavaDocument-v0", `{}`, true},
		{"PommeTeamCompetition-v1", `{"first_collapse": 9}`, true},
		{"PommeFFACompetition-v0", `{}`, false},
		{"SuiteBot-v0", `{"view_radius": 3}`, true},
		{"BaseWar-v0", `{}`, false},
	} {
		head, whole := randomly(t, tc.id, tc.rules, 120)
		hidden := 0
		for i := range whole {
			s := &whole[i]
			before, _ := json.Marshal(s)
			for seat := range head.Colours {
				got := s.Seen(&head, seat)
				checkStep(t, &head, s, &got, seat)
				for _, e := range s.Events {
					if e.Kind == env.NotLaid && e.Seat != seat {
						hidden-- // which is hidden everywhere
					}
				}
				hidden += len(s.Events) - len(got.Events)
			}
			if after, _ := json.Marshal(s); !bytes.Equal(after, before) {
				t.Fatalf("%s: step %d has become %s, it was %s", tc.id, i, after, before)
			}
		}
		if hidden > 0 != tc.fog {
			t.Errorf("%s: of %d steps %d events are hidden", tc.id, len(whole), hidden)
		}
	}
}

func checkStep(t *testing.T, head *scene.Head, s, got *scene.Step, seat int) {
	t.Helper()
	sees := func(row, col int) bool { return row < 0 || len(s.Sight) == 0 || s.Sight[seat][row*head.Cols+col] }
	died := func(events []env.Event) (seats []int) {
		for _, e := range events {
			if e.Kind == env.Died {
				seats = append(seats, e.Seat)
			}
		}
		return seats
	}
	if !slices.Equal(died(got.Events), died(s.Events)) {
		t.Fatalf("step %d: seat %d learns of the deaths of %v, want %v", s.Step, seat, died(got.Events), died(s.Events))
	}
	for _, e := range got.Events {
		own := e.Seat == seat
		if !own && (e.Kind == env.NotLaid || !sees(e.At[0], e.At[1])) {
			t.Fatalf("step %d: seat %d learns of %+v", s.Step, seat, e)
		}
		if head.Hides(env.BombOwners) && e.At != env.Nowhere && e.By&^(1<<seat) != 0 && (!own || e.Kind != env.Died) {
			t.Fatalf("step %d: seat %d learns whose bombs did %+v", s.Step, seat, e)
		}
	}
	for other, action := range got.Actions {
		if (other == seat) != (action != nil) {
			t.Fatalf("step %d: seat %d learns the actions %v", s.Step, seat, got.Actions)
		}
	}
	if s.Actions != nil && (len(got.Thoughts) != 1 || got.Thoughts[0].Seat != seat) {
		t.Fatalf("step %d: seat %d learns the thoughts %+v", s.Step, seat, got.Thoughts)
	}
	if (got.Counts == nil) != head.Hides(env.OthersCarry) || got.Sight != nil {
		t.Fatalf("step %d: seat %d learns the counts %v and who sees what: %v", s.Step, seat, got.Counts, got.Sight)
	}
	for _, b := range got.Bombs {
		for _, cell := range b.Reach {
			if !sees(cell/head.Cols, cell%head.Cols) {
				t.Fatalf("step %d: seat %d learns that %+v reaches cell %d", s.Step, seat, b, cell)
			}
		}
	}
}

// TestSeenFile: testdata/seen.json.gz, by which the page's JavaScript is tested, has games and
// what each seat knows of each of their steps.
func TestSeenFile(t *testing.T) {
	type held struct {
		Game scene.Timeline `json:"game"`
		Seen [][]scene.Step `json:"seen"` // by step and seat
	}
	var all []held
	for _, game := range [][2]string{{"PommeRadioCompetition-v2", `{}`}, {"PommeTeamJavaDocument-v0", `{}`},
		{"PommeTeamCompetition-v1", `{"first_collapse": 9}`}, {"SuiteBot-v0", `{"view_radius": 3}`}, {"BaseWar-v0", `{}`}} {
		head, whole := randomly(t, game[0], game[1], 30)
		h := held{Game: *(&scene.Timeline{Head: head, Steps: whole}).Patched()}
		for i := range whole {
			var by []scene.Step
			for seat := range head.Colours {
				by = append(by, whole[i].Seen(&head, seat))
			}
			h.Seen = append(h.Seen, by)
		}
		all = append(all, h)
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	const path = "testdata/seen.json.gz"
	if *update {
		var out bytes.Buffer
		zipped, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
		zipped.Write(text)
		zipped.Close()
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, text) {
		t.Errorf("%s is not what seats know (%v); run this test with -update", path, err)
	}
}

// TestReach: bombs that explode burn the cells that they reached in the position before, and
// nothing else begins to burn.
func TestReach(t *testing.T) {
	for _, game := range [][2]string{{"PommeFFACompetition-v0", `{}`}, {"PommeFFAJava-v0", `{}`}, {"SuiteBot-v0", `{}`},
		{"SuiteBot-v0", `{"blast_shape": "square", "blast_radius": 2}`}, {"BaseWarSides-v0", `{}`}} {
		_, whole := randomly(t, game[0], game[1], 400)
		exploded := 0
		for i := range whole[1:] {
			before, after := &whole[i], &whole[i+1]
			if !still(before, after) {
				continue
			}
			reached := map[int]bool{}
			for _, e := range after.Events {
				at := slices.IndexFunc(before.Bombs, func(b env.SceneBomb) bool { return b.At == e.At })
				if e.Kind == env.Exploded && at >= 0 {
					exploded++
					for _, cell := range before.Bombs[at].Reach {
						reached[cell] = true
					}
				}
			}
			if got, want := burning(after, before), len(reached); game[0] != "PommeFFAJava-v0" && got != want {
				t.Fatalf("%s, step %d: %d cells began to burn, %d were reached", game, i+1, got, want)
			}
			for cell := range reached {
				cols := len(whole[0].Ground) / rowsOf(game[0])
				if !slices.ContainsFunc(after.Flames, func(f env.SceneFlame) bool { return f.At[0]*cols+f.At[1] == cell }) {
					t.Fatalf("%s, step %d: cell %d was reached and does not burn", game, i+1, cell)
				}
			}
		}
		if exploded < 3 {
			t.Errorf("%s: %d bombs exploded in %d steps, want more for a test", game, exploded, len(whole))
		}
	}
}

func rowsOf(id string) int {
	m, _ := catalog.Game(id)
	return m.New(1)[0].Stage().Rows
}

// still reports whether no bomb was laid or moved in a step, nor agents where blasts end at
// them.
func still(before, after *scene.Step) bool {
	for _, e := range after.Events {
		if e.Kind == env.Laid || e.Kind == env.Kicked {
			return false
		}
	}
	for i, a := range after.Agents {
		if a.Lives > 0 && a.At != before.Agents[i].At {
			return false
		}
	}
	return !slices.ContainsFunc(before.Bombs, func(b env.SceneBomb) bool { return b.Moving != "" })
}

// burning is the number of cells whose flames are as young as any.
func burning(s, before *scene.Step) (n int) {
	most := 0
	for _, f := range s.Flames {
		most = max(most, f.Life)
	}
	exploded := slices.ContainsFunc(s.Events, func(e env.Event) bool { return e.Kind == env.Exploded })
	for _, f := range s.Flames {
		if exploded && f.Life == most {
			n++
		}
	}
	return n
}

// TestRingFalls: when a ring falls, the board, who still plays, and the events say the same.
func TestRingFalls(t *testing.T) {
	crushed := 0
	for _, name := range []string{"ffa-collapse", "team-collapse"} {
		for n, line := range tracetest.Lines(t, "../../env/pommerman/testdata/traces/"+name+".jsonl.gz") {
			for _, s := range whole(t, read(t, line)) {
				var standing []int
				for _, a := range s.Agents {
					if a.Alive {
						standing = append(standing, a.Seat)
					}
				}
				if !slices.Equal(standing, s.Status.In) && len(standing)+len(s.Status.In) > 0 {
					t.Errorf("%s, game %d, step %d: agents %v stand on the board, seats %v play", name, n, s.Step, standing,
						s.Status.In)
				}
				for _, e := range s.Events {
					if e.Kind == env.Died && e.What == "collapse" {
						crushed++
						if slices.Contains(standing, e.Seat) {
							t.Errorf("%s, game %d, step %d: seat %d was crushed and stands", name, n, s.Step, e.Seat)
						}
					}
				}
			}
		}
	}
	if crushed < 20 {
		t.Errorf("%d were crushed, want more for a test", crushed)
	}
}

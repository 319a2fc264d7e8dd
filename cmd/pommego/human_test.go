package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// recordedSteps is what the first steps of a recorded game have under a key.
func recordedSteps(t *testing.T, path, key string, n int) []any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var game struct{ Steps []map[string]any }
	if err := json.Unmarshal(text, &game); err != nil || len(game.Steps) < n {
		t.Fatalf("%s: %d steps (error %v), want %d", path, len(game.Steps), err, n)
	}
	var all []any
	for _, step := range game.Steps[:n] {
		all = append(all, step[key])
	}
	return all
}

// Lines on standard input are moves, in every game, and what comes of them is
// recorded like any other game.
func TestHumanLines(t *testing.T) {
	for _, tc := range []struct {
		id, rules, agents, lines, key string
		want                          [][]any // in the first steps
	}{
		{"PommeFFACompetition-v0", `{"max_steps": 5}`, "human,static,static,static", "up\nW\n\nb\n 4 \n", "actions",
			[][]any{{1., 0., 0., 0.}, {1., 0., 0., 0.}, {0., 0., 0., 0.}, {5., 0., 0., 0.}, {4., 0., 0., 0.}}},
		{"PommeRadio-v2", `{"max_steps": 3}`, "static,human,static,static", "left 3 8\n2 down\n\n", "actions",
			[][]any{{0., 3., 0., 0.}, {0., 2., 0., 0.}, {0., 0., 0., 0.}}},
		{"PommeRadio-v2", `{"max_steps": 3}`, "static,human,static,static", "left 3 8\n2 down\n\n", "messages",
			[][]any{{[]any{0., 0.}, []any{3., 8.}, []any{0., 0.}, []any{0., 0.}}, {[]any{0., 0.}, []any{2., 0.}, []any{0., 0.}, []any{0., 0.}}}},
		{"BaseWarSides-v0", `{"max_steps": 2}`, "human,static", "up left bomb\n. s\n", "actions",
			[][]any{{1., 0., 3., 0., 5., 0.}, {0., 0., 2., 0., 0., 0.}}},
		{"BaseWar-v0", `{"max_steps": 1}`, "static,human,static,static,static,human", "up\ndown\n", "actions", [][]any{{0., 1., 0., 0., 0., 2.}}},
		{"SuiteBot-v0", `{"rounds": 3, "players": 2, "view_radius": 2}`, "static,human", "plant_bomb\nhold\nright\n", "actions",
			[][]any{{0., 5.}, {0., 0.}, {0., 4.}}},
	} {
		t.Run(tc.id, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "game.jsonl")
			r := pommegoReading(t, tc.lines, "play", "--env", tc.id, "--rules", tc.rules, "--agents", tc.agents, "--seed", "1", "--record", file)
			r.want(t, exitOK)
			for step, got := range recordedSteps(t, file, tc.key, len(tc.want)) {
				if !reflect.DeepEqual(got, tc.want[step]) {
					t.Errorf("step %d has %s %v, want %v", step+1, tc.key, got, tc.want[step])
				}
			}
			pommego(t, "verify", file).want(t, exitOK)
			if strings.Contains(r.out, "\x1b") {
				t.Error("escape sequences were written to what is no terminal")
			}
		})
	}
}

// A line that is no move is said to be none and asked for again.
func TestHumanWrongLine(t *testing.T) {
	r := pommegoReading(t, "jump\nup up\nup\n", "play", "--env", "OneVsOne-v0", "--rules", `{"max_steps": 1}`, "--agents", "human,static", "--seed", "1")
	r.want(t, exitOK)
	for _, want := range []string{`"jump": there is no move "jump", want one of stop, up, down, left, right, bomb`, `"up up": "up" is one move too many, want 1`} {
		if !strings.Contains(r.out, want) {
			t.Errorf("it does not say %q:\n%s", want, r.out)
		}
	}
}

// At a speed a line is a move, and the match goes on without any.
func TestHumanSpeed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "game.jsonl")
	lines := "up\nbomb\n" + strings.Repeat("\n", 2)
	r := pommegoReading(t, lines, "play", "--env", "OneVsOne-v0", "--rules", `{"max_steps": 4}`, "--agents", "human:speed=50,static", "--seed", "1", "--record", file, "--quiet")
	r.want(t, exitOK)
	want := []any{[]any{1., 0.}, []any{5., 0.}, []any{0., 0.}, []any{0., 0.}}
	if got := recordedSteps(t, file, "actions", 4); !reflect.DeepEqual(got, want) {
		t.Errorf("actions are %v, want %v", got, want)
	}
	pommego(t, "verify", file).want(t, exitOK)
}

// Whoever leaves ends the match: what was played until then is recorded.
func TestHumanLeaves(t *testing.T) {
	for _, tc := range []struct {
		input, want string
		steps       int
	}{
		{"up\n", "human has left before the match was over: the input has ended; the 1 steps until then are recorded in ", 1},
		{"up\n\nq\n", "human has left before the match was over; the 2 steps until then are recorded in ", 2},
		{"", "the input has ended; nothing was played", 0},
	} {
		dir := t.TempDir()
		file, events := filepath.Join(dir, "game.jsonl"), filepath.Join(dir, "events.jsonl")
		r := pommegoReading(t, tc.input, "play", "--agents", "simple,human,simple,simple", "--seed", "1", "--record", file, "--events", events)
		if r.code != exitError || !strings.Contains(r.errors, tc.want) || strings.Count(r.errors, "\n") != 1 {
			t.Errorf("after %q: %+v", tc.input, r)
		}
		if tc.steps == 0 {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("after %q there are files: %v (error %v)", tc.input, left, err)
			}
			continue
		}
		readsStopped(t, file, tc.steps)
		if text, err := os.ReadFile(events); err != nil || !strings.Contains(string(text), `"began"`) {
			t.Errorf("the events are %q (error %v)", text, err)
		}
	}
}

// readsStopped checks that verify and replay read the record of a match that was
// stopped after so many steps.
func readsStopped(t *testing.T, file string, steps int) {
	t.Helper()
	r := pommego(t, "verify", file)
	r.want(t, exitOK)
	if want := fmt.Sprintf("1 games, %d steps", steps); !strings.HasPrefix(lastLine(r.out), want) {
		t.Errorf("verify says\n%s\nwant %s", r.out, want)
	}
	r = pommego(t, "replay", file)
	r.want(t, exitOK)
	if want := fmt.Sprintf("Incomplete after %d steps", steps); lastLine(r.out) != want {
		t.Errorf("replay ends with %q, want %q", lastLine(r.out), want)
	}
}

// In fog a person sees its view and no more, with --json on standard error, and
// --show waits until the person is out.
func TestHumanSees(t *testing.T) {
	args := []string{"play", "--env", "PommeTeamCompetition-v0", "--rules", `{"max_steps": 2, "agent_view_size": 1}`, "--agents", "human,static,static,static", "--seed", "1"}
	r := pommegoReading(t, "\n\n", with(args, "--json", "--show")...)
	var result struct{ Steps int }
	if r.code != exitOK || json.Unmarshal([]byte(r.out), &result) != nil || result.Steps != 2 {
		t.Fatalf("%+v", r)
	}
	for i, picture := range strings.Split(r.errors, "you have seat 0\n")[1:] {
		if fog := strings.Count(picture, "??"); fog != 121-9 {
			t.Errorf("picture %d has %d cells in fog, want all but 9:\n%s", i, fog, picture)
		}
		if strings.Contains(picture, "A1") || !strings.Contains(picture, "your teammate is A2") {
			t.Errorf("picture %d:\n%s", i, picture)
		}
	}
	r = pommegoReading(t, "\n\n", with(args, "--show", "--quiet=false")...)
	r.want(t, exitOK)
	if shown := strings.Count(r.out, "agent 1: alive"); shown != 0 {
		t.Errorf("the whole board was shown %d times", shown)
	}
}

// human plays at the terminal of play, and nowhere else.
func TestHumanElsewhere(t *testing.T) {
	for _, tc := range []struct {
		args string
		want string
	}{
		{"tournament --agents human,simple --games 1", "a person plays at the terminal of pommego play alone"},
		{"generate --agents human --games 1 --out x", "a person plays at the terminal of pommego play alone"},
		{"play --agents human:sped=1", `option "sped" does not exist, human takes: speed`},
		{"play --agents human:speed=0", `speed is "0", want more than 0 and at most 60`},
		{"play --agents human:speed=fast", `speed is "fast"`},
		{"play --agents human --limit-all", "--limit-all and human exclude each other"},
	} {
		r := pommego(t, strings.Fields(tc.args)...)
		if r.code != exitUsage || !strings.Contains(r.errors, tc.want) || strings.Count(r.errors, "\n") != 1 {
			t.Errorf("%s: %+v, want one line with %q", tc.args, r, tc.want)
		}
	}
}

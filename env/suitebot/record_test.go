package suitebot

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/trace"
	"pommego/arena/trace/tracetest"
	"pommego/env"
	"pommego/env/record"
)

var update = flag.Bool("update", false, "write the recorded games anew")

var checkers = trace.Formats{Recorded}

func traceFile(name string) string { return filepath.Join("testdata", "traces", name+".jsonl.gz") }

// recordScenes is every scene of the sentences and readings, recorded.
func recordScenes(t *testing.T) (lines [][]byte) {
	var all []sentence
	all = append(append(append(all, sentences...), moreSentences...), readings...)
	for _, s := range all {
		for i := range s.scenes {
			sc := &s.scenes[i]
			p, state := sc.begin(t)
			m := &Match{State: state, game: p}
			rec, err := m.Record(record.Info{
				Variant: "scene", Setup: "scene", Name: fmt.Sprintf("%s/%d", s.id, i+1), Note: sc.reason, ObsEvery: 1,
				Policies: strings.Fields(strings.Repeat("scripted ", p.rules.Players)),
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, acts := range sc.acts {
				compareStep(t, p, &m.State, actionsOf(acts))
				if err := rec.Step(actionsOf(acts)); err != nil {
					t.Fatal(err)
				}
			}
			lines = append(lines, appended(t, rec))
		}
	}
	return lines
}

func appended(t *testing.T, rec record.Recorder) []byte {
	t.Helper()
	line, err := rec.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// recordVariants is a game of random actions of every variant.
func recordVariants(t *testing.T) (lines [][]byte) {
	for _, name := range []string{"standard", "5x5", "7x13", "duel", "other readings", "fog", "rays round the torus",
		"5x5 square"} {
		rules := variants()[name]
		rules.Rounds = min(rules.Rounds, 60)
		p := mustGame(t, rules)
		seed := env.Seed{Value: 20}
		m := &Match{game: p}
		s := &m.State
		p.Deal(s, seed)
		rng := seed.RNG(env.StreamPolicy)
		boost(p, s, &rng)
		rec, err := m.Record(record.Info{
			Variant: "custom:SuiteBot-v0", Setup: "dense", Name: name, Seed: seed.Value, ObsEvery: 7,
			Policies: strings.Fields(strings.Repeat("uniform ", rules.Players)),
		})
		if err != nil {
			t.Fatal(err)
		}
		for actions := make([]uint8, rules.Players); !p.Over(s); {
			randomActions(&rng, actions)
			compareStep(t, p, s, actions)
			if err := rec.Step(actions); err != nil {
				t.Fatal(err)
			}
		}
		lines = append(lines, appended(t, rec))
	}
	return lines
}

// TestRecordedGames replays the recorded games, and records them again: the same
// bytes. With -update it writes them. The slow twin has been beside every round.
func TestRecordedGames(t *testing.T) {
	for name, lines := range map[string][][]byte{"crafted": recordScenes(t), "variants": recordVariants(t)} {
		if *update {
			writeRecords(t, traceFile(name), lines)
		}
		report, err := checkers.Verify(traceFile(name), 10)
		if err != nil {
			t.Fatal(err)
		}
		if report.Mismatches != 0 || report.Games != len(lines) || report.Steps < len(lines) {
			t.Errorf("%s: %d games, %d steps, %d mismatches %v, want %d games and no mismatch", name, report.Games, report.Steps,
				report.Mismatches, report.Differences, len(lines))
		}
		for i, line := range tracetest.Lines(t, traceFile(name)) {
			if !bytes.Equal(line, lines[i]) {
				t.Errorf("%s: game %d is recorded as other bytes than now; if that is meant, raise Version and run with -update",
					name, i+1)
			}
		}
	}
}

func writeRecords(t *testing.T, file string, lines [][]byte) {
	t.Helper()
	_ = os.Remove(file) // trace.Write makes new files
	if err := trace.Write(file, lines...); err != nil {
		t.Fatal(err)
	}
}

// TestReplay shows a recorded game and compares its course.
func TestReplay(t *testing.T) {
	line := recordVariants(t)[0]
	rec, err := recording.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := Recorded.Open(line)
	if err != nil {
		t.Fatal(err)
	}
	for i := range shown.Len() {
		if err := errors.Join(rec.Step(), shown.(interface{ Step() error }).Step()); err != nil {
			t.Fatal(err)
		}
		if got, _ := shown.Position(); !bytes.Equal(got, rec.Match.Append(nil)) {
			t.Fatalf("after step %d the replay has another state", i+1)
		}
	}
	if st := shown.Status(); !st.Over || st != rec.Match.Status() {
		t.Errorf("at the end the replay stands at %+v", st)
	}
	if shown.(interface{ Step() error }).Step() == nil {
		t.Error("a step past the last was made")
	}
	if info := shown.Info(); info.Name != "standard" || len(info.Policies) != 4 || info.Seed != 20 {
		t.Errorf("info is %+v", info)
	}
}

// sample is a short record with observations, in which everything happens.
func sample(t *testing.T) map[string]any {
	t.Helper()
	r := sceneRules()
	r.Rounds = 3
	p := mustGame(t, r)
	s := draw(t, p, `. _ . . . . .   . . 1a A1 3b . .   . . . . 2b . .   . . . . . . A0   H0 . . . . . H1`)
	m := &Match{State: s, game: p}
	rec, err := m.Record(record.Info{Variant: "scene", Policies: []string{"a", "b"}, ObsEvery: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, acts := range []string{"b-", "<^", "-b"} {
		m.Step(actionsOf(acts))
		if err := rec.Step(actionsOf(acts)); err != nil {
			t.Fatal(err)
		}
	}
	var game map[string]any
	if err := json.Unmarshal(appended(t, rec), &game); err != nil {
		t.Fatal(err)
	}
	return game
}

func marshalled(t *testing.T, game any) []byte {
	t.Helper()
	line, err := json.Marshal(game)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// TestAlteredRecordsAreFound alters every single value of a record, one at a
// time, and wants the check to find it.
func TestAlteredRecordsAreFound(t *testing.T) {
	game := sample(t)
	if report, err := Recorded.Check(marshalled(t, game)); err != nil || report.Mismatches != 0 {
		t.Fatalf("before anything is altered: %v, %v", report, err)
	}
	altered := 0
	for _, key := range []string{"initial", "steps"} {
		eachLeaf(game[key], key, func(path string, set func(any), was any) {
			set(another(was))
			report, err := Recorded.Check(marshalled(t, game))
			if err == nil && report.Mismatches == 0 {
				t.Errorf("%s was altered from %v to %v, and nothing was found", path, was, another(was))
			}
			set(was)
			altered++
		})
	}
	if altered < 150 {
		t.Errorf("only %d values were altered", altered)
	}
}

// another is a value of the same kind; for a map one with another last field.
func another(v any) any {
	switch v := v.(type) {
	case float64:
		return v + 1
	case bool:
		return !v
	case string:
		last := byte('x')
		if v[len(v)-1] == 'x' {
			last = '.'
		}
		return v[:len(v)-1] + string(last)
	}
	panic(fmt.Sprintf("a value of type %T", v))
}

func eachLeaf(v any, path string, visit func(path string, set func(any), was any)) {
	descend := func(path string, v any, set func(any)) {
		switch v.(type) {
		case map[string]any, []any:
			eachLeaf(v, path, visit)
		default:
			visit(path, set, v)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for key, is := range v {
			descend(path+"."+key, is, func(to any) { v[key] = to })
		}
	case []any:
		for i, is := range v {
			descend(fmt.Sprintf("%s[%d]", path, i), is, func(to any) { v[i] = to })
		}
	}
}

// TestBadRecords checks that what cannot be replayed is an error that says why.
func TestBadRecords(t *testing.T) {
	for _, tc := range []struct {
		reason, want string
		alter        func(game map[string]any)
	}{
		{"another format", `format is "x"`, func(g map[string]any) { g["format"] = "x" }},
		{"no rules", "rules is missing", func(g map[string]any) { delete(g, "rules") }},
		{"no steps", "steps is missing", func(g map[string]any) { delete(g, "steps") }},
		{"an unknown key", "nonsense", func(g map[string]any) { g["nonsense"] = 1 }},
		{"rules out of range", "width is 4", func(g map[string]any) { g["rules"].(map[string]any)["width"] = 4 }},
		{"an unknown rule", "widht", func(g map[string]any) { g["rules"].(map[string]any)["widht"] = 4 }},
		{"an unknown shape", `blast_shape is "star"`,
			func(g map[string]any) { g["rules"].(map[string]any)["blast_shape"] = "star" }},
		{"no home bases", "initial: homes is []", func(g map[string]any) { delete(g["initial"].(map[string]any), "homes") }},
		{"too few fields", "fields is 3 cells, but a state could only hold 35 cells",
			func(g map[string]any) { g["initial"].(map[string]any)["fields"] = "..." }},
		{"a field of no kind", "fields[0,0] is q, but", func(g map[string]any) {
			g["initial"].(map[string]any)["fields"] = "q" + strings.Repeat(".", 34)
		}},
		{"an agent off the plan", "agents[0].x is 7, want 0 to 6", func(g map[string]any) {
			g["initial"].(map[string]any)["agents"].([]any)[0].([]any)[0] = 7
			g["initial"].(map[string]any)["agents"].([]any)[0].([]any)[1] = 0
		}},
		{"negative kills", "agents[0].kills is -1, want 0 to 3", func(g map[string]any) {
			g["initial"].(map[string]any)["agents"].([]any)[0].([]any)[4] = -1
		}},
		{"two bombs of a round", "bombs is [[2 1 1 0] [4 2 4 1] [4 1 4 1]], but a state could only hold",
			func(g map[string]any) {
				bombs := g["initial"].(map[string]any)["bombs"].([]any)
				bombs[1].([]any)[2], bombs[2].([]any)[2] = 4, 4
			}},
		{"a bomb of nobody", "bombs[0].owner is 2, want 0 to 1", func(g map[string]any) {
			g["initial"].(map[string]any)["bombs"].([]any)[0].([]any)[3] = 2
		}},
		{"an action that does not exist", "actions[1] is 6, want 0 to 5", func(g map[string]any) {
			g["steps"].([]any)[0].(map[string]any)["actions"].([]any)[1] = 6
		}},
		{"an action too few", "actions has 1 entries, want 2", func(g map[string]any) {
			st := g["steps"].([]any)[0].(map[string]any)
			st["actions"] = st["actions"].([]any)[:1]
		}},
		{"steps after the end", "the game is done, but 1 more steps follow", func(g map[string]any) {
			g["steps"] = append(g["steps"].([]any), g["steps"].([]any)[2])
		}},
		{"an observation too few", "obs has 1 observations, want 2", func(g map[string]any) {
			st := g["steps"].([]any)[0].(map[string]any)
			st["obs"] = st["obs"].([]any)[:1]
		}},
	} {
		game := sample(t)
		tc.alter(game)
		if _, err := Recorded.Check(marshalled(t, game)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one that says %q", tc.reason, err, tc.want)
		}
	}
	if _, err := Recorded.Check(append(marshalled(t, sample(t)), "{}"...)); err == nil {
		t.Error("text after the record is accepted")
	}
}

// FuzzRecord reads whatever there is: an error or a report, never a panic.
func FuzzRecord(f *testing.F) {
	for _, line := range tracetest.Lines(f, traceFile("crafted"))[:8] {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		report, err := Recorded.Check(line)
		if err != nil {
			return
		}
		shown, err := Recorded.Open(line)
		if err != nil {
			t.Fatalf("it was checked as %+v, but cannot be shown: %v", report, err)
		}
		for range report.Steps {
			if err := shown.(interface{ Step() error }).Step(); err != nil {
				t.Fatalf("it was checked as %+v, but cannot be shown: %v", report, err)
			}
		}
	})
}

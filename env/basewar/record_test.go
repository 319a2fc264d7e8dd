package basewar

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/record"
)

// recordGame plays a game of random moves and records it.
func recordGame(t testing.TB, g *Game, seed env.Seed, obsEvery int) (line []byte, last State) {
	t.Helper()
	m := g.New(1)[0].(*Match)
	m.Reset(seed)
	rec, err := m.Record(record.Info{EnvID: "BaseWar-v0", Seed: seed.Value, Policies: []string{"uniform"},
		ObsEvery: obsEvery})
	if err != nil {
		t.Fatal(err)
	}
	rng := seed.RNG(env.StreamPolicy)
	actions := make([]uint8, NumBombers)
	for !m.Status().Over {
		randomActions(g, &m.State, &rng, actions)
		m.Step(actions)
		if err := rec.Step(actions); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Step(actions); err == nil {
		t.Error("a round after the end was recorded")
	}
	line, err = rec.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return line, m.State
}

// TestReplayFile writes a game of every variant as a file of recorded games,
// checks it, and shows it: every round as it was played.
func TestReplayFile(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			g := mustGame(t, rules)
			line, last := recordGame(t, g, env.Seed{Value: 3}, 5)
			path := t.TempDir() + "/game.jsonl.gz"
			w, err := trace.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(line); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			report, err := trace.Formats{Recorded}.Verify(path, 10)
			if err != nil || report.Games != 1 || report.Steps != int(last.StepCount) || report.Mismatches != 0 {
				t.Fatalf("checking found %+v (error %v), want %d steps and no mismatch", report, err, last.StepCount)
			}
			shown, err := trace.Formats{Recorded}.Open(path, 1)
			if err != nil {
				t.Fatal(err)
			}
			for range shown.Len() {
				if err := shown.Step(); err != nil {
					t.Fatal(err)
				}
			}
			played, replayed := g.New(1)[0].(*Match), g.New(1)[0].(*Match)
			played.State = last
			state, _ := shown.Position()
			if err := replayed.Restore(state); err != nil {
				t.Fatal(err)
			}
			replayed.RNG = last.RNG // which is not recorded
			if replayed.State != played.State {
				t.Errorf("the replay ends as\n%+v\nthe game as\n%+v", replayed.State, played.State)
			}
			if st := shown.Status(); st != rules.Status(&last) {
				t.Errorf("the replay ends as %+v, want %+v", st, rules.Status(&last))
			}
			if err := shown.Step(); err == nil {
				t.Error("a step past the last was made")
			}
			if info := shown.Info(); info.EnvID != "BaseWar-v0" || info.Variant != info.EnvID || info.Setup != "standard" ||
				info.Seed != 3 {
				t.Errorf("info is %+v", info)
			}
		})
	}
}

// TestAlteredRecordsAreFound alters every value of a record in turn: each is
// found under its name, or refused.
func TestAlteredRecordsAreFound(t *testing.T) {
	line, _ := recordGame(t, mustGame(t, variants()["small"]), env.Seed{Value: 4}, 1)
	var doc map[string]any
	if err := json.Unmarshal(line, &doc); err != nil {
		t.Fatal(err)
	}
	delete(doc, "seed") // information only
	doc["policies"], doc["obs_every"] = nil, 0
	steps := doc["steps"].([]any)
	doc["steps"] = steps[:min(len(steps), 25)]
	tried := 0
	check := func(path string) {
		tried++
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		report, err := Recorded.Check(text)
		if err == nil && report.Mismatches == 0 {
			t.Errorf("%s was altered, and nobody noticed", path)
		}
	}
	for i, step := range doc["steps"].([]any) {
		if i%6 != 0 {
			continue
		}
		alterEach(step.(map[string]any), fmt.Sprintf("steps[%d]", i), check)
	}
	if tried < 100 {
		t.Errorf("only %d values were altered", tried)
	}
	if text, _ := json.Marshal(doc); true {
		if report, err := Recorded.Check(text); err != nil || report.Mismatches != 0 {
			t.Errorf("put right again, the record shows %+v (error %v)", report, err)
		}
	}
}

// alterEach alters the values of an object one by one; of actions none, because
// some have no effect.
func alterEach(object map[string]any, path string, check func(path string)) {
	for key, was := range object {
		if key == "actions" {
			continue
		}
		at := path + "." + key
		switch v := was.(type) {
		case float64:
			object[key] = v + 1
		case string:
			object[key] = flip(v)
		case []any:
			alterList(v, at, check)
			continue
		case map[string]any:
			alterEach(v, at, check)
			continue
		}
		check(at)
		object[key] = was
	}
}

func alterList(list []any, path string, check func(path string)) {
	for i, was := range list {
		switch v := was.(type) {
		case float64:
			list[i] = v + 1
			check(fmt.Sprintf("%s[%d]", path, i))
			list[i] = was
		case []any:
			alterList(v, fmt.Sprintf("%s[%d]", path, i), check)
		}
	}
}

// flip changes a character in the middle.
func flip(text string) string {
	at := len(text) / 2
	return text[:at] + string(text[at]^1) + text[at+1:]
}

// TestDifferencesHaveNames alters single values and reads what is said of them.
func TestDifferencesHaveNames(t *testing.T) {
	line, _ := recordGame(t, mustGame(t, variants()["small"]), env.Seed{Value: 4}, 2)
	for _, c := range []struct{ from, to, want string }{
		{`"score":[0,0]`, `"score":[1,0]`, "score: expected [1 0], got [0 0]"},
		{`"result":"Incomplete"`, `"result":"Tie"`, "result: expected Tie, got Incomplete"},
		{`"done":0`, `"done":1`, "more steps follow"},
		{`"rewards":[0,`, `"rewards":[2,`, "rewards: expected [2 0 0 0 0 0]"},
		{`"raw":"`, `"raw":"x`, "obs.raw: expected x"},
		{`"planes":"`, `"planes":"x`, "obs.planes: expected x"},
		{`"actions":[`, `"actions":[0,`, "actions has 7 entries"},
		{`"sides":false`, `"sids":false`, "sids"},
		{`"board_size":7`, `"board_size":8`, "board_size is 8"},
		{`"format":"basewar-trace/1"`, `"format":"basewar-trace/2"`, "format is"},
		{`"steps":`, `"stops":`, "stops"},
		{`"bombers":`, `"bummers":`, "bombers is missing"},
	} {
		// The last of its kind in the first half, so that steps and not the start are altered.
		text := string(line)
		at := strings.LastIndex(text[:len(text)/2], c.from)
		if at < 0 {
			t.Fatalf("the record has no %s", c.from)
		}
		report, err := Recorded.Check([]byte(text[:at] + c.to + text[at+len(c.from):]))
		said := fmt.Sprint(err)
		for _, d := range report.Differences {
			said += "\n" + d.String()
		}
		if !strings.Contains(said, c.want) {
			t.Errorf("%s became %s, and what is said is\n%.2000s\nwant %q", c.from, c.to, said, c.want)
		}
	}
}

// TestRecordBeyondTheEnd: a record that goes on where the rules end the game.
func TestRecordBeyondTheEnd(t *testing.T) {
	r := variants()["small"]
	r.MaxSteps = 3
	line, _ := recordGame(t, mustGame(t, r), env.Seed{Value: 4}, 0)
	longer := strings.Replace(string(line), `"max_steps":3`, `"max_steps":2`, 1)
	report, err := Recorded.Check([]byte(longer))
	if err != nil || report.Steps != 2 || report.Mismatches == 0 || report.Differences[0].Field != "done" &&
		report.Differences[0].Field != "rewards" {
		t.Errorf("checking found %+v (error %v), want it to end after 2 steps with a difference in done", report, err)
	}
}

// FuzzParseRecord reads any bytes: it refuses them or checks them.
func FuzzParseRecord(f *testing.F) {
	r := variants()["small sides"]
	r.MaxSteps = 6
	line, _ := recordGame(f, mustGame(f, r), env.Seed{Value: 4}, 3)
	f.Add(line)
	f.Fuzz(func(t *testing.T, line []byte) {
		if report, err := Recorded.Check(line); err == nil && report.Games != 1 {
			t.Errorf("checked without an error, and the report is %+v", report)
		}
	})
}

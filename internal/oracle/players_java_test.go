package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/arena/trace/tracetest"
	"pommego/env/record"
)

// recorded is the lines of a file of records.
func recorded(t testing.TB, name string) [][]byte {
	t.Helper()
	return tracetest.Lines(t, "testdata/java/"+name+".jsonl.gz")
}

// Every recorded decision and value comes out again.
func TestRecorded(t *testing.T) {
	for _, tc := range []struct {
		file      string
		decisions int
	}{{"decisions", 397}, {"simple", 831}, {"heuristic", 800}} {
		var sum record.Report
		for i, line := range recorded(t, tc.file) {
			report, err := check(line)
			if err != nil {
				t.Fatalf("%s, record %d: %v", tc.file, i+1, err)
			}
			for _, d := range report.Differences {
				t.Errorf("%s, record %d: %v", tc.file, i+1, d)
			}
			sum.Decisions += report.Decisions
		}
		if sum.Decisions != tc.decisions {
			t.Errorf("%s: %d decisions, want %d", tc.file, sum.Decisions, tc.decisions)
		}
	}
}

// object is a JSON object taken apart, for altering.
type object = map[string]any

func decode(t testing.TB, line []byte) object {
	t.Helper()
	var o object
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber() // or numbers would be written in another way
	if err := in.Decode(&o); err != nil {
		t.Fatal(err)
	}
	return o
}

func encode(t testing.TB, o object) []byte {
	t.Helper()
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func stepOf(game object, i int) object { return game["steps"].([]any)[i].(object) }

// altered is a record with a change made.
func altered(t *testing.T, line []byte, change func(rec object)) []byte {
	t.Helper()
	rec := decode(t, line)
	change(rec)
	return encode(t, rec)
}

// finds reports whether a check finds a difference in field, or cannot read it.
func finds(line []byte, field string) bool {
	report, err := check(line)
	if err != nil {
		return strings.Contains(err.Error(), field)
	}
	return reports(report, field)
}

func reports(report record.Report, field string) bool {
	return slices.ContainsFunc(report.Differences, func(d record.Difference) bool {
		return strings.Contains(d.Field, field) && d.Expected != d.Got
	})
}

func list(v any) []any { return v.([]any) }

func whole(v any) int {
	n, _ := v.(json.Number).Int64()
	return int(n)
}

// first is the first observation of a record.
func first(rec object) object {
	if rec["root"] != nil {
		return rec["root"].(object)
	}
	return list(rec["decisions"])[0].(object)["obs"].(object)
}

// Any other action than the recorded one is found, in every decision of every kind
// of player, but where the original's depends on its process.
func TestAlteredActionIsFound(t *testing.T) {
	for file, most := range map[string]int{"decisions": 0, "simple": 40} {
		missed := 0
		for i, line := range recorded(t, file) {
			n := 0
			report, err := check(altered(t, line, func(rec object) {
				n = len(list(rec["decisions"]))
				for k, one := range list(rec["decisions"]) {
					one.(object)["action"] = (whole(one.(object)["action"]) + 1 + (i+k)%5) % choices
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			for k := range n {
				if !reports(report, fmt.Sprintf("decisions[%d].action", k)) {
					missed++
				}
			}
		}
		if missed > most {
			t.Errorf("%s: %d altered actions were not found, want at most %d", file, missed, most)
		}
	}
}

// Altered values are found, in every record.
func TestAlteredValueIsFound(t *testing.T) {
	keys := []string{"custom", "advanced", "win_score", "player_count", "max_woods", "terminal"}
	for i, line := range recorded(t, "heuristic") {
		report, err := check(altered(t, line, func(rec object) {
			for _, key := range keys {
				x, _ := rec[key].(json.Number).Float64()
				switch key {
				case "max_woods":
					rec[key] = int(x) + 1
				case "terminal":
					rec[key] = 1 - int(x)
				default:
					rec[key] = x + 1e-15*max(x, 1)
				}
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if !reports(report, key) {
				t.Errorf("record %d: an altered %s is not found", i+1, key)
			}
		}
	}
}

// What an observation says twice must agree.
func TestAlteredObservationIsFound(t *testing.T) {
	for _, tc := range []struct {
		key    string
		change func(obs object) (any, bool) // false: there is nothing to change
	}{
		{"bomb_blast_strength", func(obs object) (any, bool) {
			blasts := obs["bomb_blast_strength"].(string)
			return strings.Replace(blasts, "2", "3", 1), strings.Contains(blasts, "2")
		}},
		{"bomb_life", func(obs object) (any, bool) {
			lives := obs["bomb_life"].(string)
			return "1" + lives[1:], lives[0] != '1'
		}},
		{"position", func(obs object) (any, bool) {
			at := list(obs["position"])
			return []any{at[1], at[0]}, at[0] != at[1]
		}},
		{"ammo", func(obs object) (any, bool) { return whole(obs["ammo"]) + 1, true }},
		{"blast_strength", func(obs object) (any, bool) { return whole(obs["blast_strength"]) + 1, true }},
		{"can_kick", func(obs object) (any, bool) { return 1 - whole(obs["can_kick"]), true }},
		{"teammate", func(obs object) (any, bool) { return 9 + (whole(obs["teammate"])-8)%5, true }},
		{"enemies", func(obs object) (any, bool) {
			l := list(obs["enemies"])
			return []any{l[1], l[0], l[2]}, true
		}},
		{"alive", func(obs object) (any, bool) { return []any{}, true }}, // and yet it plays
		{"result", func(obs object) (any, bool) { return 1, true }},
		{"agents", func(obs object) (any, bool) {
			l := list(obs["agents"])
			moved := fmt.Sprint(list(l[0])[:2]) != fmt.Sprint(list(l[1])[:2])
			return []any{l[1], l[0], l[2], l[3]}, moved && strings.Contains(obs["board"].(string), "a")
		}},
		{"bombs", func(obs object) (any, bool) {
			l := list(obs["bombs"])
			return l[:max(len(l), 1)-1], len(l) > 0
		}},
		{"flames", func(obs object) (any, bool) {
			l := list(obs["flames"])
			return l[:max(len(l), 1)-1], len(l) == 1
		}},
	} {
		tried, found := 0, 0
		for _, file := range []string{"decisions", "simple"} {
			for _, line := range recorded(t, file)[:40] {
				there := false
				text := altered(t, line, func(rec object) {
					obs := first(rec)
					var to any
					if to, there = tc.change(obs); there {
						obs[tc.key] = to
					}
				})
				if there {
					tried++
				}
				if there && finds(text, "obs.") {
					found++
				}
			}
		}
		if tried == 0 && tc.key != "flames" || found < tried {
			t.Errorf("an altered %s is found in %d of %d observations", tc.key, found, tried)
		}
	}
}

// What stands once in a record decides what the players do, and what is there to be
// scored.
func TestCheckLooksAt(t *testing.T) {
	board := func(from, to string) func(rec object) {
		return func(rec object) { first(rec)["board"] = strings.ReplaceAll(first(rec)["board"].(string), from, to) }
	}
	config := func(key string, to any) func(rec object) {
		return func(rec object) { rec["config"].(object)[key] = to }
	}
	for _, tc := range []struct {
		file, name, field string
		change            func(rec object)
	}{
		{"decisions", "seed", "action", func(rec object) { rec["seed"] = whole(rec["seed"]) + 1 }},
		{"simple", "seed", "action", func(rec object) { rec["seed"] = whole(rec["seed"]) + 1 }},
		{"decisions", "iterations", "action",
			func(rec object) { rec["player"] = strings.Replace(rec["player"].(string), ":12:", ":13:", 1) }},
		{"decisions", "length", "action",
			func(rec object) { rec["player"] = strings.Replace(rec["player"].(string), ":10", ":9", 1) }},
		{"decisions", "heuristic", "action",
			func(rec object) { rec["player"] = strings.TrimSuffix(rec["player"].(string), ":adv") }},
		{"decisions", "wood", "action", board("2", "1")},
		{"simple", "wood", "action", board("2", "1")},
		{"decisions", "passages", "action", board("0", "1")},
		{"simple", "passages", "action", board("0", "1")},
		{"simple", "items", "action", board("6", "0")},
		{"decisions", "step count", "action",
			func(rec object) { first(rec)["step_count"] = rec["config"].(object)["max_steps"] }},
		{"decisions", "bomb life", "action", config("bomb_life", 5)},
		{"decisions", "collapse", "action", config("collapse_board", 0)},
		{"heuristic", "wood", "custom", board("2", "1")},
		{"heuristic", "living", "custom", func(rec object) { first(rec)["alive"] = []any{10 + whole(rec["agent"])} }},
		{"heuristic", "mode", "advanced", config("game_type", 2)},
		{"heuristic", "items", "advanced", board("6", "0")},
	} {
		found := slices.ContainsFunc(recorded(t, tc.file), func(line []byte) bool {
			return finds(altered(t, line, tc.change), tc.field)
		})
		if !found {
			t.Errorf("%s: no record has a difference in %s with another %s", tc.file, tc.field, tc.name)
		}
	}
}

// A record that is none is an error that names what is wrong.
func TestCheckErrors(t *testing.T) {
	decision, value := recorded(t, "decisions")[0], recorded(t, "heuristic")[0]
	obs := func(key string, to any) func(rec object) { return func(rec object) { first(rec)[key] = to } }
	set := func(key string, to any) func(rec object) { return func(rec object) { rec[key] = to } }
	for _, tc := range []struct {
		line   []byte
		want   string
		change func(rec object)
	}{
		{decision, `player is "uct", want osla, mcts:ITERATIONS:DEPTH`, set("player", "uct")},
		{decision, `player is "mcts:0:8"`, set("player", "mcts:0:8")},
		{decision, `player is "rhea:8:41"`, set("player", "rhea:8:41")},
		{decision, `player is "osla:adv"`, set("player", "osla:adv")},
		{decision, "agent is 4, want 0 to 3", set("agent", 4)},
		{decision, "seed", set("seed", "x")},
		{decision, "decisions", set("decisions", 3)},
		{decision, "action is 6, want 0 to 5", func(rec object) { list(rec["decisions"])[0].(object)["action"] = 6 }},
		{decision, "config: game_type 9", func(rec object) { rec["config"].(object)["game_type"] = 9 }},
		{decision, "obs: missing", func(rec object) { delete(first(rec), "missing"); delete(first(rec), "items") }},
		{decision, "board", obs("board", "012")},
		{decision, "result is 4, want 0 to 3", obs("result", 4)},
		{decision, "agents: json: cannot unmarshal number", obs("agents", 3)},
		{decision, "agents is [[1]], want 4 lists of numbers", obs("agents", []any{[]any{1}})},
		{decision, "agents[0] wants [row, col,", obs("agents", []any{[]any{1, nil, 1, 1, 0}, nil, nil, nil})},
		{decision, "agents[0] wants", obs("agents", []any{[]any{1}, nil, nil, nil})},
		{decision, "bombs[0].bomber is 2, want -1", obs("bombs", []any{[]any{1, 1, 1, 1, 2, 0}})},
		{decision, "flames[0].life is 4, want 5", obs("flames", []any{[]any{1, 1, 4}})},
		{decision, "items", obs("items", []any{[]any{1, 1, 6}, []any{1, 1, 6}})},
		{value, "custom", set("custom", "x")},
		{value, "root: obs", obs("more", 1)},
	} {
		_, err := check(altered(t, tc.line, tc.change))
		want := strings.TrimSuffix(tc.want, "missing")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
}

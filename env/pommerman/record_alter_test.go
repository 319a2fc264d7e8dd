package pommerman

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/trace/tracetest"
	"pommego/env/record"
)

// object is a JSON object taken apart, for altering.
type object = map[string]any

// recordLines reads all records of a file.
func recordLines(t testing.TB, name string) [][]byte {
	t.Helper()
	return tracetest.Lines(t, recordFile(name))
}

func decode(t testing.TB, line []byte) object {
	t.Helper()
	var o object
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&o); err != nil {
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

// findStep finds a recorded step that the test can alter, in a game cut short
// behind the step after it.
func findStep(t *testing.T, file string, fit func(step object) bool) (game object, step int) {
	t.Helper()
	for _, line := range recordLines(t, file) {
		game := decode(t, line)
		steps := game["steps"].([]any)
		for i := range steps {
			if fit(stepOf(game, i)) {
				game["steps"] = steps[:min(i+2, len(steps))]
				return game, i
			}
		}
	}
	t.Fatalf("no step in %s fits", file)
	return nil, 0
}

// bump gives another number than v.
func bump(v any) any {
	n, _ := v.(json.Number).Int64()
	return json.Number(fmt.Sprint(n + 1))
}

// list is an entry of a step that is a list.
func list(step object, key string) []any { l, _ := step[key].([]any); return l }

// longList selects steps with at least n entries under key.
func longList(key string, n int) func(object) bool {
	return func(step object) bool { return len(list(step, key)) >= n }
}

func observed(step object) bool { return step["obs"] != nil }

// number alters number k of entry i of a list.
func number(key string, i, k int) func(object) {
	return func(step object) {
		row := list(step, key)[i].([]any)
		row[k] = bump(row[k])
	}
}

func swap(key string) func(object) {
	return func(step object) { l := list(step, key); l[0], l[1] = l[1], l[0] }
}

func drop(key string) func(object) {
	return func(step object) { l := list(step, key); step[key] = l[:len(l)-1] }
}

// otherDigit alters the cell at index i of a map.
func otherDigit(text string, i int) string {
	d := byte('1')
	if text[i] == d {
		d = '2'
	}
	return text[:i] + string(d) + text[i+1:]
}

// An altered value of any kind is found, alone and under its name.
func TestAlteredValueIsFound(t *testing.T) {
	type alteration struct {
		reason string
		file   string
		fit    func(step object) bool
		alter  func(step object)
		field  string
	}
	table := []alteration{
		{"cell of the board", "ffa", observed, func(s object) { s["board"] = otherDigit(s["board"].(string), 27) },
			"board[2,5]"},
		{"bomb missing", "ffa", longList("bombs", 1), drop("bombs"), "bombs"},
		{"order of bombs", "ffa", longList("bombs", 2), swap("bombs"), "bombs (order)"},
		{"flame missing", "ffa", longList("flames", 1), drop("flames"), "flames"},
		{"order of flames", "ffa", longList("flames", 2), swap("flames"), "flames (order)"},
		{"item missing", "ffa", longList("items", 1), drop("items"), "items"},
		{"order of items", "ffa", longList("items", 2), swap("items"), "items (order)"},
		{"reward", "team", observed, func(s object) { l := list(s, "rewards"); l[1] = bump(l[1]) }, "rewards"},
		{"done", "ffa", func(s object) bool { return s["done"] == json.Number("1") }, func(s object) { s["done"] = 0 },
			"done"},
		{"result", "ffa", observed, func(s object) { s["result"] = "Loss" }, "result"},
		{"winners", "team", longList("winners", 2), func(s object) { l := list(s, "winners"); l[0] = bump(l[0]) }, "winners"},
		{"winners missing", "team", longList("winners", 2), func(s object) { delete(s, "winners") }, "winners"},
		{"winners without a win", "ffa", func(s object) bool { return s["winners"] == nil },
			func(s object) { s["winners"] = []int{0} }, "winners"},
		{"step count", "ffa", observed, func(s object) { s["step_count"] = bump(s["step_count"]) }, "step_count"},
		{"word stored", "radio", longList("radio", 4), number("radio", 2, 1), "radio[2].word1"},
		{"cell after a collapse", "ffa-collapse",
			func(s object) bool { return strings.HasPrefix(s["board"].(string), "11111111111") },
			func(s object) { s["board"] = otherDigit(s["board"].(string), 0) }, "board[0,0]"},
	}
	for k, name := range []string{"row", "col", "alive", "ammo", "blast_strength", "can_kick"} {
		table = append(table, alteration{"agent's " + name, "ffa", observed, number("agents", 3, k), "agents[3]." + name})
	}
	for k, name := range []string{"row", "col", "life", "blast_strength", "bomber", "direction"} {
		table = append(table,
			alteration{"bomb's " + name, "ffa", longList("bombs", 2), number("bombs", 1, k), "bombs[1]." + name})
	}
	for k, name := range []string{"row", "col", "life"} {
		table = append(table,
			alteration{"flame's " + name, "ffa", longList("flames", 3), number("flames", 2, k), "flames[2]." + name})
	}
	for k, name := range []string{"row", "col", "item"} {
		table = append(table,
			alteration{"item's " + name, "ffa", longList("items", 2), number("items", 1, k), "items[1]." + name})
	}
	for _, tc := range table {
		t.Run(tc.reason, func(t *testing.T) {
			t.Parallel()
			game, step := findStep(t, tc.file, tc.fit)
			tc.alter(stepOf(game, step))
			wantOneDifference(t, game, step+1, tc.field)
		})
	}
}

// wantOneDifference checks a game in which one value was altered.
func wantOneDifference(t *testing.T, game object, step int, field string) {
	t.Helper()
	report, err := Recorded.Check(encode(t, game))
	if err != nil {
		t.Fatal(err)
	}
	if report.Mismatches != 1 || len(report.Differences) != 1 {
		t.Fatalf("found %d mismatches %v, want 1 in %s", report.Mismatches, report.Differences, field)
	}
	if d := report.Differences[0]; d.Step != step || d.Field != field || d.Expected == d.Got {
		t.Errorf("found %v, want step %d, %s", d, step, field)
	}
}

// So is every entry of every agent's observation, at the start as later.
func TestAlteredObservationIsFound(t *testing.T) {
	fields := map[string]string{ // to what the difference is called
		"board": "board[4,6]", "bomb_blast_strength": "bomb_blast_strength[4,6]", "bomb_life": "bomb_life[4,6]",
		"bomb_moving_direction": "bomb_moving_direction[4,6]", "flame_life": "flame_life[4,6]",
	}
	game, step := findStep(t, "radio", observed)
	original := encode(t, game)
	for key := range stepOf(game, step)["obs"].([]any)[0].(object) {
		name, isMap := fields[key]
		if !isMap {
			name = key
		}
		t.Run(key, func(t *testing.T) {
			for seat := range 4 {
				for _, initial := range []bool{false, true} {
					game := decode(t, original)
					at, number := stepOf(game, step), step+1
					if initial {
						at, number = game["initial"].(object), 0
					}
					alterObservation(at["obs"].([]any)[seat].(object), key)
					wantOneDifference(t, game, number, fmt.Sprintf("obs[%d].%s", seat, name))
				}
			}
		})
	}
}

// alterObservation changes the value under key: a map in cell 4, 6.
func alterObservation(obs object, key string) {
	switch v := obs[key].(type) {
	case json.Number:
		if key == "can_kick" {
			obs[key] = v == "0"
			return
		}
		obs[key] = bump(v)
	case string:
		if key == "game_env" {
			obs[key] = v + "x"
			return
		}
		obs[key] = otherDigit(v, 4*11+6)
	case []any:
		v[0] = bump(v[0])
	}
}

// An altered action leads elsewhere, and an altered start too.
func TestAlteredCourseIsFound(t *testing.T) {
	line := recordLines(t, "crafted")[0] // agent 0 lays a bomb and stays on it
	for _, tc := range []struct {
		reason string
		alter  func(game object)
	}{
		{"another move", func(g object) { list(stepOf(g, 0), "actions")[0] = 0 }},
		{"ammo at the start", func(g object) { number("agents", 0, 3)(g["initial"].(object)) }},
		{"step limit", func(g object) { g["config"].(object)["max_steps"] = 10 }},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			game := decode(t, line)
			tc.alter(game)
			if report, err := Recorded.Check(encode(t, game)); err != nil || report.Mismatches == 0 {
				t.Errorf("found %d mismatches, %v; want some", report.Mismatches, err)
			}
		})
	}
}

// A file with several altered games reports them all, by the line they stand
// on, and goes on to its end.
func TestAlteredFile(t *testing.T) {
	lines := recordLines(t, "crafted")
	for _, i := range []int{3, 50, 119} {
		game := decode(t, lines[i])
		game["steps"].([]any)[0].(object)["result"] = "Loss"
		lines[i] = encode(t, game)
	}
	path := filepath.Join(t.TempDir(), "altered.jsonl")
	if err := os.WriteFile(path, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := checkers.Verify(path, 10)
	if err != nil || report.Games != 120 || report.Steps != 479 || report.Mismatches != 3 {
		t.Fatalf("got %+v, %v; want 120 games, 479 steps, 3 mismatches", report, err)
	}
	for i, game := range []int{4, 51, 120} {
		if d := report.Differences[i]; d != (record.Difference{Game: game, Step: 1, Field: "result", Expected: "Loss",
			Got: "Incomplete"}) {
			t.Errorf("difference %d is %v, want game %d, step 1, result", i, d, game)
		}
	}
}

// A recorded file that is cut is an error, compressed or not.
func TestTruncatedRecords(t *testing.T) {
	packed, err := os.ReadFile(recordFile("crafted"))
	if err != nil {
		t.Fatal(err)
	}
	plain := append(bytes.Join(recordLines(t, "crafted"), []byte("\n")), '\n')
	for _, tc := range []struct {
		reason, name string
		data         []byte
	}{
		{"compressed, cut in the middle", "a.jsonl.gz", packed[:len(packed)/2]},
		{"compressed, last byte missing", "b.jsonl.gz", packed[:len(packed)-1]},
		{"plain, cut in the middle", "c.jsonl", plain[:len(plain)/2]},
		{"plain, last two bytes missing", "d.jsonl", plain[:len(plain)-2]},
		{"empty", "e.jsonl", nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tc.name)
			if err := os.WriteFile(path, tc.data, 0o600); err != nil {
				t.Fatal(err)
			}
			report, err := checkers.Verify(path, 10)
			if err == nil || !strings.Contains(err.Error(), tc.name) {
				t.Errorf("got %+v, %v; want an error that names the file", report, err)
			}
		})
	}
}

package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pommego/arena/trace/tracetest"
	"pommego/env/record"
)

const recordedDecisions = "testdata/playground/simple_agent.jsonl.gz"

// decisions are the recorded decisions, a line each.
func decisions(t testing.TB) [][]byte {
	t.Helper()
	return tracetest.Lines(t, recordedDecisions)
}

func TestRecordedDecisions(t *testing.T) {
	lines := decisions(t)
	if len(lines) != 5000 {
		t.Errorf("%s holds %d decisions, want 5000", recordedDecisions, len(lines))
	}
	bad := 0
	for i, line := range lines {
		report, err := checkDecision(line)
		if err != nil || report.Decisions != 1 {
			t.Fatalf("decision %d: %+v, %v", i+1, report, err)
		}
		for _, d := range report.Differences {
			if bad++; bad <= 10 {
				t.Errorf("decision %d: %v", i+1, d)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d differences", bad)
	}
}

// edit changes one key of a recorded decision; "obs.key" is one of its
// observation. A change to missing takes the key away.
func edit(t *testing.T, line []byte, key string, change func(old any) any) []byte {
	t.Helper()
	var rec map[string]any
	if err := json.Unmarshal(line, &rec); err != nil {
		t.Fatal(err)
	}
	in := rec
	if _, sub, ok := strings.Cut(key, "."); ok {
		in, key = rec["obs"].(map[string]any), sub
	}
	value := change(in[key])
	in[key] = value
	if value == any(missing) {
		delete(in, key)
	}
	text, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

type gone int

const missing gone = 0

// to changes anything to value.
func to(value any) func(any) any { return func(any) any { return value } }

// plusOne adds one to a number, staying under base.
func plusOne(base int) func(any) any {
	return func(old any) any { return (int(old.(float64)) + 1) % base }
}

// notices reports whether a check finds a difference in field.
func notices(t *testing.T, line []byte, field string) bool {
	t.Helper()
	report, err := checkDecision(line)
	if err != nil {
		t.Fatalf("%v; %s", err, line)
	}
	return slices.ContainsFunc(report.Differences, func(d record.Difference) bool {
		return strings.HasPrefix(d.Field, field) && d.Expected != d.Got
	})
}

// fields is a recorded decision, for choosing some to alter.
type fields struct {
	Coins, Branch string
	Choice        []int
	RecentAfter   [][]int `json:"recent_after"`
	Possible      []int
}

// TestDecisionCheckCanFail alters what a decision led to, in every kind of decision: the
// check must notice each.
func TestDecisionCheckCanFail(t *testing.T) {
	drawn := func(r *fields) bool { return r.Choice != nil }
	for _, test := range []struct {
		key    string
		of     func(*fields) bool // nil: any decision
		change func(old any) any
		field  string
	}{
		{key: "action", change: plusOne(6), field: "action"},
		{key: "branch", change: to("cornered"), field: "branch"},
		{key: "coins", change: func(old any) any { return old.(string) + "0" }, field: "coins"},
		{key: "coins", of: func(r *fields) bool { return r.Coins != "" },
			change: func(old any) any { return old.(string)[1:] }, field: "coins"},
		{key: "choice", of: func(r *fields) bool { return r.Choice == nil }, change: to([]int{2, 0}), field: "choice"},
		{key: "choice", of: drawn, change: to(nil), field: "choice"},
		{key: "choice", of: drawn, change: to([]int{5, 0}), field: "choice"},
		{key: "choice", of: func(r *fields) bool { return r.Choice != nil && r.Choice[0] > 1 }, field: "action",
			change: func(old any) any {
				n, k := int(old.([]any)[0].(float64)), int(old.([]any)[1].(float64))
				return []int{n, (k + 1) % n}
			}},
		{key: "recent_after", of: func(r *fields) bool { return len(r.RecentAfter) > 0 },
			change: func(old any) any { return old.([]any)[1:] }, field: "recent_after"},
		{key: "recent_after", change: to([][]int{{0, 0}, {0, 0}}), field: "recent_after"},
		{key: "recent", change: to([][]int{{0, 0}, {0, 0}}), field: "recent_after"},
		{key: "prev_direction_after", change: plusOne(5), field: "prev_direction_after"},
		{key: "prev_direction", of: func(r *fields) bool { return r.Branch != "toward_enemy" },
			change: plusOne(5), field: "prev_direction_after"},
		{key: "possible", change: func(old any) any { return old.([]any)[1:] }, field: "possible"},
		{key: "probs", change: to(map[string]float64{"0": 0.123}), field: "probs[0]"},
		{key: "probs", of: func(r *fields) bool { return len(r.Possible) > 1 }, field: "probs", change: func(old any) any {
			for action, p := range old.(map[string]any) {
				old.(map[string]any)[action] = p.(float64) - 2e-6
			}
			return old
		}},
	} {
		tried := 0
		for _, line := range decisions(t) {
			var rec fields
			if err := json.Unmarshal(line, &rec); err != nil {
				t.Fatal(err)
			}
			if test.of != nil && !test.of(&rec) {
				continue
			}
			altered := edit(t, line, test.key, test.change)
			if !notices(t, altered, test.field) {
				t.Errorf("%s altered: no difference in %s; %s", test.key, test.field, altered)
				break
			}
			if tried++; tried == 100 {
				break
			}
		}
		if tried == 0 {
			t.Errorf("%s: no decision to alter", test.key)
		}
	}
}

// TestDecisionsLookAt alters what a decision starts from. Not every decision turns
// on each of these, so for each there must be one that does.
func TestDecisionsLookAt(t *testing.T) {
	replace := func(from, to string) func(any) any {
		return func(old any) any { return strings.ReplaceAll(old.(string), from, to) }
	}
	for _, test := range []struct {
		key    string
		change func(old any) any
		field  string
	}{
		{"coins", func(old any) any { return strings.NewReplacer("0", "1", "1", "0").Replace(old.(string)) }, "action"},
		{"recent", to([][]int{}), "choice"},
		{"prev_direction", plusOne(5), "action"},
		{"obs.ammo", to(0), "action"},
		{"obs.blast_strength", to(1), "action"},
		{"obs.position", to([]int{5, 5}), "action"},
		{"obs.enemies", func(old any) any { return old.([]any)[:copy(old.([]any), []any{9, 9, 9})] }, "branch"},
		{"obs.board", replace("0", "1"), "action"},
		{"obs.board", replace("2", "1"), "branch"},
		{"obs.board", replace("6", "0"), "branch"},
		{"obs.board", replace("7", "0"), "branch"},
		{"obs.board", replace("8", "0"), "branch"},
		{"obs.board", replace("4", "0"), "action"},
		{"obs.bomb_blast_strength", replace("2", "6"), "action"},
	} {
		found := slices.ContainsFunc(decisions(t), func(line []byte) bool {
			return notices(t, edit(t, line, test.key, test.change), test.field)
		})
		if !found {
			t.Errorf("%s altered: no decision has a difference in %s", test.key, test.field)
		}
	}
}

// TestMalformedDecisions breaks one key at a time: the error must name it.
func TestMalformedDecisions(t *testing.T) {
	line := decisions(t)[0]
	var rec map[string]any
	if err := json.Unmarshal(line, &rec); err != nil {
		t.Fatal(err)
	}
	board := rec["obs"].(map[string]any)["board"].(string)
	empty := strings.Repeat("0", len(board))
	for _, test := range []struct {
		key    string
		value  any
		reason string
	}{
		{"format", "pommerman-trace/1", "another format"},
		{"agent", 4, "one seat too many"},
		{"agent", -1, "no seat"},
		{"agent", "3", "a string"},
		{"board_size", 6, "under the smallest board"},
		{"board_size", int64(1) << 40, "over the largest"},
		{"view_size", -1, "negative"},
		{"recent", [][]int{{1, 11}}, "off the board"},
		{"recent", [][]int{{1}}, "half a cell"},
		{"recent", [][]int{{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, "seven"},
		{"recent_after", [][]int{{-1, 1}}, "off the board"},
		{"prev_direction", 5, "no direction"},
		{"prev_direction_after", -1, "no direction"},
		{"coins", "012", "no coin"},
		{"choice", []int{3}, "half a choice"},
		{"choice", []int{3, 3}, "beyond the list"},
		{"choice", []int{0, 0}, "of nothing"},
		{"action", 6, "no action"},
		{"branch", "toward_glory", "no rule"},
		{"possible", []int{-1}, "no action"},
		{"probs", map[string]any{"6": 1}, "no action"},
		{"probs", map[string]any{"up": 1}, "not a number"},
		{"probs", map[string]any{"0": 1.5}, "no probability"},
		{"obs.board", board[1:], "a cell short"},
		{"obs.board", board + "0", "a cell too many"},
		{"obs.board", "?" + board[1:], "no digit"},
		{"obs.board", "9" + board[1:], "the dummy is never on a board"},
		{"obs.board", "e" + board[1:], "a fifth agent"},
		{"obs.board", "é" + board[2:], "not ASCII"},
		{"obs.bomb_blast_strength", strings.Repeat("2", len(board)), "more bombs than there can be"},
		{"obs.bomb_life", "3" + empty[1:], "the life of no bomb"},
		{"obs.bomb_moving_direction", "5" + empty[1:], "no direction"},
		{"obs.bomb_moving_direction", "1" + empty[1:], "the direction of no bomb"},
		{"obs.flame_life", "", "empty"},
		{"obs.position", []int{11, 0}, "off the board"},
		{"obs.position", []int{0, 0, 0}, "three numbers"},
		{"obs.ammo", -1, "negative"},
		{"obs.blast_strength", 0, "a blast that reaches nothing"},
		{"obs.can_kick", 2, "neither yes nor no"},
		{"obs.teammate", 14, "no agent"},
		{"obs.enemies", []int{10, 11}, "an enemy short"},
		{"obs.enemies", []int{10, 11, 8}, "an item"},
		{"obs.alive", []int{9}, "the dummy does not live"},
		{"obs.game_type", 5, "no such game"},
		{"obs.step_count", -1, "negative"},
		{"obs.message", []int{1}, "words without radio"},
	} {
		_, err := checkDecision(edit(t, line, test.key, to(test.value)))
		if key := strings.TrimPrefix(test.key, "obs."); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s, %s: error %v, want one that names the key", test.key, test.reason, err)
		}
	}
	keys := []string{
		"obs.board", "obs.bomb_blast_strength", "obs.bomb_life", "obs.bomb_moving_direction", "obs.flame_life",
		"obs.position", "obs.ammo",
		"obs.blast_strength", "obs.can_kick", "obs.teammate", "obs.enemies", "obs.alive", "obs.game_type", "obs.game_env",
		"obs.step_count",
	}
	var nullable []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[recordedDecision]()) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if options == "" {
			keys = append(keys, name)
		}
		if f.Type.Kind() == reflect.Pointer {
			nullable = append(nullable, name)
		}
	}
	for _, key := range keys {
		if _, err := checkDecision(edit(t, line, key, to(missing))); err == nil ||
			!strings.Contains(err.Error(), "missing") {
			t.Errorf("%s taken away: error %v, want one that says so", key, err)
		}
		_, err := checkDecision(edit(t, line, key, to(nil)))
		if name := strings.TrimPrefix(key, "obs."); !slices.Contains(nullable, name) &&
			(err == nil || !strings.Contains(err.Error(), "null")) {
			t.Errorf("%s set to null: error %v, want one that says so", key, err)
		}
	}
	for _, text := range []string{"", "{", "null", "[]", "17", string(line) + string(line), string(line[:len(line)/2])} {
		if _, err := checkDecision([]byte(text)); err == nil {
			t.Errorf("%.40q is taken for a decision", text)
		}
	}
}

// FuzzCheckDecision gives the check any line: an error, perhaps, never a panic.
func FuzzCheckDecision(f *testing.F) {
	lines := decisions(f)
	for i := 0; i < len(lines); i += 500 {
		f.Add(lines[i])
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		report, err := checkDecision(line)
		if err != nil && report.Differences != nil {
			t.Fatalf("both %v and %v", report, err)
		}
	})
}

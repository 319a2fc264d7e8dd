package pommerman

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A record that cannot be replayed is an error that says what is wrong.
func TestParseRecordErrors(t *testing.T) {
	ffa := recordLines(t, "micro")[0]
	radio := recordLines(t, "radio")[0]
	collapse := recordLines(t, "ffa-collapse")[0]
	config := func(key string, value any) func(object) {
		return func(g object) { g["config"].(object)[key] = value }
	}
	initial := func(key string, value any) func(object) {
		return func(g object) { g["initial"].(object)[key] = value }
	}
	inStep := func(key string, value any) func(object) {
		return func(g object) { stepOf(g, 0)[key] = value }
	}
	row := func(values ...int) [][]int { return [][]int{values} }
	for _, tc := range []struct {
		reason string
		line   []byte
		alter  func(g object)
		want   string
	}{
		{"another format", ffa, func(g object) { g["format"] = "x/1" }, `format is "x/1"`},
		{"unknown key", ffa, func(g object) { g["surprise"] = 1 }, `"surprise"`},
		{"unknown key in a step", ffa, inStep("surprise", 1), `"surprise"`},
		{"no config", ffa, func(g object) { delete(g, "config") }, "config is missing"},
		{"no steps", ffa, func(g object) { g["steps"] = nil }, "steps is missing"},
		{"config lacks a key", ffa, func(g object) { delete(g["config"].(object), "num_wood") },
			"config: num_wood is missing"},
		{"fog without a view size", ffa, config("partially_observable", true), "config: agent_view_size is missing"},
		{"no such game type", ffa, config("game_type", 7), "game_type is 7, want 1 to 4"},
		{"seats do not fit the type", ffa, config("num_agents", 2), "num_agents is 2, want 4"},
		{"board too large", ffa, config("board_size", 99), "board_size is 99, want 7 to 14"},
		{"collapses do not follow", collapse, config("collapses", [][]int{{500, 0}}),
			"they are [[500 0] [575 1] [650 2] [725 3]]"},
		{"collapses without a first", ffa, config("collapses", [][]int{{500, 0}}), "collapses are [[500 0]]"},
		{"rules with an unknown key", ffa, func(g object) { g["rules"] = object{"gravity": 1} },
			`rules: json: unknown field "gravity"`},
		{"rules that make no game", ffa, func(g object) { g["rules"] = object{} }, "rules: game_type is 0"},
		{"dice", ffa, func(g object) { g["dice"] = "six" }, `dice are "six"`},

		{"step counts from nowhere", ffa, initial("step_count", -1), "initial: step_count is -1"},
		{"short board", ffa, initial("board", "000"), "initial: board is 3 cells, but a state could only hold 121 cells"},
		{"no digit on the board", ffa, initial("board", strings.Repeat("?", 121)), "initial: board[0,0] is ?, but"},
		{"fog on the board", ffa, initial("board", strings.Repeat("5", 121)), "the board shows 5 at row 0, column 0"},
		{"agents are not where the board shows them", ffa, initial("board", strings.Repeat("0", 121)),
			"the board shows 0 at row 8, column 1, want 11"},
		{"three agents", ffa, func(g object) { drop("agents")(g["initial"].(object)) },
			"initial: agents is [[9 1 1 1 4 1] [8 1 1 1 4 1] [8 2 1 1 2 0]], but a state could only hold"},
		{"agent off the board", ffa, func(g object) { list(g["initial"].(object), "agents")[1].([]any)[0] = 11 },
			"agents[1].row is 11, want 0 to 10"},
		{"agent with too few numbers", ffa, initial("agents", [][]int{{1}, {1}, {1}, {1}}),
			"agents[0] has 1 numbers, want 6"},
		{"agent half alive", ffa, func(g object) { list(g["initial"].(object), "agents")[1].([]any)[2] = 2 },
			"agents[1].alive is 2, want 0 to 1"},
		{"ammo over a byte", ffa, func(g object) { list(g["initial"].(object), "agents")[1].([]any)[3] = 256 },
			"agents[1].ammo is 256, want 0 to 255"},
		{"bomb of nobody", ffa, initial("bombs", row(1, 1, 5, 2, 4, 0)), "bombs[0].bomber is 4, want 0 to 3"},
		{"bomb that rolls nowhere", ffa, initial("bombs", row(1, 1, 5, 2, 0, 5)), "bombs[0].direction is 5, want 0 to 4"},
		{"too many bombs", ffa, initial("bombs", slices.Repeat(row(1, 1, 5, 2, 0, 0), 65)), "initial: bombs is [[1 1 5"},
		{"flames in another order", ffa, initial("flames", [][]int{{1, 1, 2}, {1, 1, 0}}),
			"flames (order) is [[1 1 2] [1 1 0]], but a state could only hold [[1 1 0] [1 1 2]]"},
		{"flames in another order within a life", ffa, initial("flames", [][]int{{1, 2, 0}, {1, 1, 0}}),
			"flames (order) is [[1 2 0]"},
		{"same flame twice", ffa, initial("flames", [][]int{{1, 1, 0}, {1, 1, 0}}),
			"flames is [[1 1 0] [1 1 0]], but a state could only hold [[1 1 0]]"},
		{"flame that lives too long", ffa, initial("flames", row(1, 1, 3)), "flames[0].life is 3, want 0 to 2"},
		{"flame the board does not show", ffa, initial("flames", row(0, 0, 2)), "at row 0, column 0, want 4"},
		{"no such item", ffa, initial("items", row(1, 1, 5)), "items[0].item is 5, want 6 to 8"},
		{"two items in a place", ffa, initial("items", [][]int{{1, 1, 6}, {1, 1, 7}}),
			"items is [[1 1 6] [1 1 7]], but a state could only hold [[1 1 7]]"},
		{"no items", ffa, initial("items", nil), "initial: items is null"},
		{"radio without radio", ffa, initial("radio", row(1, 1)),
			"initial: radio is [[1 1]], but a state could only hold []"},
		{"no radio with radio", radio, func(g object) { delete(g["initial"].(object), "radio") },
			"initial: radio is [], but a state could only hold [[0 0]"},
		{"radio of one", radio, initial("radio", row(1, 1)), "radio is [[1 1]], but a state could only hold [[1 1] [0 0]"},
		{"one word of two", radio, func(g object) { list(g["initial"].(object), "radio")[2] = []int{1} },
			"radio[2] has 1 numbers, want 2"},

		{"three actions", ffa, inStep("actions", []int{0, 0, 0}), "step 1: actions has 3 entries, want 4"},
		{"no such move", ffa, inStep("actions", []int{0, 0, 6, 0}), "step 1: actions[2] is 6, want 0 to 5"},
		{"no such move, below", ffa, inStep("actions", []int{0, 0, -1, 0}), "step 1: actions[2] is -1"},
		{"messages without radio", ffa, inStep("messages", [][]int{{}, {}, {}, {}}),
			"step 1: there is a key \"messages\", which does not belong here"},
		{"no messages with radio", radio, inStep("messages", nil), "step 1: messages is missing"},
		{"message of one word", radio, inStep("messages", [][]int{nil, {1}, nil, nil}), "step 1: messages[1] has 1 words"},
		{"no rewards", ffa, inStep("rewards", nil), "step 1: rewards is null"},
		{"no bombs", ffa, inStep("bombs", nil), "step 1: bombs is null"},
		{"done is neither", ffa, inStep("done", 2), "2 is not a boolean"},
		{"steps after the end", ffa, inStep("done", 1), "step 1: the game is done, but"},
		{"one observation of four", ffa, inStep("obs", []object{{}}), "step 1: obs has 1 observations, want 4"},
		{"observation lacks a key", ffa, func(g object) {
			delete(list(g["initial"].(object), "obs")[2].(object), "flame_life")
		}, "initial: obs[2]: flame_life is missing"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			game := decode(t, tc.line)
			tc.alter(game)
			if _, err := Recorded.Check(encode(t, game)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
	for _, tc := range []struct{ reason, line, want string }{
		{"two objects on a line", string(ffa) + "{}", "more follows"},
		{"not an object", "[]", "cannot unmarshal array"},
		{"cut", string(ffa[:100]), "unexpected EOF"},
	} {
		if _, err := Recording.Parse([]byte(tc.line)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", tc.reason, err, tc.want)
		}
	}
}

// A message that is missing from an observation is a difference.
func TestMissingMessage(t *testing.T) {
	game := decode(t, recordLines(t, "radio")[0])
	delete(list(game["initial"].(object), "obs")[1].(object), "message")
	report, err := Recorded.Check(encode(t, game))
	if err != nil || report.Mismatches != 1 || report.Differences[0].Field != "obs[1].message" {
		t.Errorf("found %v, %v; want a difference in obs[1].message", report.Differences, err)
	}
}

// What the dead send is not looked at, whatever it is.
func TestDeadMayActAnyhow(t *testing.T) {
	game, step := findStep(t, "ffa", func(s object) bool {
		return list(s, "agents")[0].([]any)[2] == json.Number("0") && s["done"] == json.Number("0")
	})
	list(stepOf(game, step+1), "actions")[0] = -77
	if report, err := Recorded.Check(encode(t, game)); err != nil || report.Mismatches != 0 {
		t.Errorf("found %d mismatches %v, %v; want none", report.Mismatches, report.Differences, err)
	}
}

// A record may end before its game does.
func TestUnfinishedRecord(t *testing.T) {
	game := decode(t, recordLines(t, "ffa")[0])
	game["steps"] = game["steps"].([]any)[:3]
	if report, err := Recorded.Check(encode(t, game)); err != nil || report.Mismatches != 0 || report.Steps != 3 {
		t.Errorf("found %d mismatches in %d steps, %v; want none in 3", report.Mismatches, report.Steps, err)
	}
}

// fuzzSeeds are short records of all kinds, without observations.
func fuzzSeeds(f *testing.F) [][]byte {
	var lines [][]byte
	for _, seed := range []struct {
		file string
		line int
	}{{"crafted", 0}, {"micro", 0}, {"micro", 17}, {"radio", 0}, {"onevsone", 0}, {"ffa-collapse", 25}} {
		game := decode(f, recordLines(f, seed.file)[seed.line])
		steps := game["steps"].([]any)
		game["steps"] = steps[:min(3, len(steps))]
		delete(game["initial"].(object), "obs")
		for _, step := range steps {
			delete(step.(object), "obs")
		}
		lines = append(lines, encode(f, game))
	}
	return lines
}

// checkAnything checks a record from anywhere: it is refused, or it can be
// played to its end.
func checkAnything(t *testing.T, line []byte) {
	rec, err := Recording.Parse(line)
	if err != nil {
		return
	}
	if err := rec.Match.game.rules.Check(&rec.Match.State); err != nil {
		t.Errorf("a state that cannot be played was accepted: %v", err)
	}
	if report, err := Recorded.Check(line); err == nil && report.Steps > rec.Len() {
		t.Errorf("%d steps compared of %d", report.Steps, rec.Len())
	}
}

// Whatever the bytes, nothing panics.
func FuzzRecordBytes(f *testing.F) {
	for _, line := range fuzzSeeds(f) {
		f.Add(line)
	}
	f.Fuzz(checkAnything)
}

// Nor whatever the values: each three bytes of edits set one number of a record
// of the given kind, or one cell of a board.
func FuzzRecordValues(f *testing.F) {
	seeds := fuzzSeeds(f)
	f.Add(uint8(0), []byte{1, 2, 3})
	f.Add(uint8(5), []byte{0, 9, 200, 1, 40, 7})
	f.Fuzz(func(t *testing.T, kind uint8, edits []byte) {
		game := decode(t, seeds[int(kind)%len(seeds)])
		for ; len(edits) >= 3; edits = edits[3:] {
			at, value := int(edits[0])<<8|int(edits[1]), int(int8(edits[2]))
			editValue(game["config"], game["initial"], game["steps"], at, value)
		}
		checkAnything(t, encode(t, game))
	})
}

// editValue sets the number, or the cell of a board, that comes at-th.
func editValue(config, initial, steps any, at, value int) {
	if at%4 == 0 {
		initial.(object)["board"] = setDigit(initial.(object)["board"].(string), at/4, value)
		return
	}
	var numbers []func(any)
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case object:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if _, ok := v[key].(json.Number); ok || v[key] == nil {
					numbers = append(numbers, func(n any) { v[key] = n })
				} else {
					collect(v[key])
				}
			}
		case []any:
			for i := range v {
				if _, ok := v[i].(json.Number); ok {
					numbers = append(numbers, func(n any) { v[i] = n })
				} else {
					collect(v[i])
				}
			}
		}
	}
	collect(config)
	collect(initial)
	collect(stepsOf(steps))
	numbers[at%len(numbers)](json.Number(fmt.Sprint(value)))
}

// stepsOf is the actions of the steps: the rest is compared, not played.
func stepsOf(steps any) []any {
	var all []any
	for _, step := range steps.([]any) {
		all = append(all, step.(object)["actions"])
	}
	return all
}

func setDigit(text string, i, value int) string {
	i %= len(text)
	return text[:i] + string(digits[uint8(value)%16]) + text[i+1:]
}

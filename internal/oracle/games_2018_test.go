package main

import (
	"encoding/json"
	"strings"
	"testing"

	"pommego/arena/trace/tracetest"
	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/saved"
)

// recorded2018 lists the files of games recorded by the reference of 2018.
var recorded2018 = []struct {
	file         string
	games, steps int
}{
	{"crafted", 102, 250},
	{"ffa", 20, 980},
	{"micro", 100, 395},
	{"mutated", 20, 491},
	{"radio", 16, 747},
	{"simple-games", 4, 948},
	{"team", 24, 1031},
}

// Every game recorded in 2018 replays without a difference.
func TestRecordedGames2018(t *testing.T) {
	for _, tc := range recorded2018 {
		t.Run(tc.file, func(t *testing.T) {
			t.Parallel()
			report, err := formats.Verify("testdata/2018/"+tc.file+".jsonl.gz", 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range report.Differences {
				t.Error(d)
			}
			if report.Mismatches != 0 || report.Games != tc.games || report.Steps != tc.steps {
				t.Errorf("checked %d games and %d steps with %d mismatches, want %d, %d and 0", report.Games, report.Steps,
					report.Mismatches, tc.games, tc.steps)
			}
		})
	}
}

// scene2018 is a scene of the crafted ones by its name.
func scene2018(t *testing.T, has func(game object) bool) []byte {
	t.Helper()
	for _, line := range tracetest.Lines(t, "testdata/2018/crafted.jsonl.gz") {
		if has(decode(t, line)) {
			return line
		}
	}
	t.Fatal("no scene of the crafted ones is like that")
	return nil
}

// skullStep is the first step of a game in which a skull was taken, -1 for none.
func skullStep(game object) int {
	for i := range game["steps"].([]any) {
		if stepOf(game, i)["skulls"] != nil {
			return i
		}
	}
	return -1
}

// TestAltered2018 alters what only games of 2018 record: each is noticed, as a
// difference or as an error.
func TestAltered2018(t *testing.T) {
	skull := scene2018(t, func(g object) bool { return skullStep(g) >= 0 })
	nobody := scene2018(t, func(g object) bool {
		last := stepOf(g, len(g["steps"].([]any))-1)
		winners, there := last["winners"].([]any)
		return last["result"] == "Win" && there && len(winners) == 0
	})
	draws := func(value any) func(object) {
		return func(g object) { stepOf(g, skullStep(g))["skulls"] = value }
	}
	last := func(g object) object { return stepOf(g, len(g["steps"].([]any))-1) }
	for _, tc := range []struct {
		reason string
		line   []byte
		alter  func(g object)
		want   string // in the error, or of the field that differs
	}{
		{"a draw less", skull, func(g object) { delete(stepOf(g, skullStep(g)), "skulls") }, "skulls"},
		{"a draw more", skull, draws([][]float64{{0, 0.5}, {1, 0.5}, {2, 0.5}, {3, 0.5}, {0, 0.1}}), "skulls"},
		{"a draw of 1", skull, draws([][]float64{{0, 1}}), "skulls[0] is [0 1], want [agent, u]"},
		{"a draw of nobody", skull, draws([][]float64{{0.5}}), "skulls[0] is [0.5], want [agent, u]"},
		{"draws that are no list", skull, draws("x"), "skulls: json"},
		{"nobody has won, so it is a tie", nobody, func(g object) { last(g)["result"] = "Tie" }, "result"},
		{"an observation of today", skull, func(g object) {
			g["initial"].(object)["obs"].([]any)[0].(object)["step_count"] = 0
		}, `"step_count"`},
		{"a configuration of today", skull, func(g object) { g["config"].(object)["collapses"] = []int{} }, `"collapses"`},
		{"no bomb life", skull, func(g object) { delete(g["config"].(object), "default_bomb_life") },
			"default_bomb_life is missing"},
		{"flames without a life", skull, func(g object) { g["initial"].(object)["flames"] = [][]int{{1, 1}} },
			"flames has [1 1]"},
	} {
		game := decode(t, tc.line)
		tc.alter(game)
		report, err := check(encode(t, game))
		found := err != nil && strings.Contains(err.Error(), tc.want)
		for _, d := range report.Differences {
			found = found || err == nil && strings.HasPrefix(d.Field, tc.want)
		}
		if !found {
			t.Errorf("%s: found %v and %v, want %q", tc.reason, report.Differences, err, tc.want)
		}
	}
}

// TestDoubledFlames: of two flames on a cell with the same life the second takes
// away what the first uncovers.
func TestDoubledFlames(t *testing.T) {
	g, err := pommerman.New("test", "", pommerman.Rules2018(pommerman.FFA), nil)
	if err != nil {
		t.Fatal(err)
	}
	for flames, want := range map[int]pommerman.Item{1: pommerman.ExtraBomb, 2: pommerman.Passage} {
		m := &match2018{Match: g.New(1)[0].(*pommerman.Match)}
		m.Reset(env.Seed{})
		start := show2018(m)
		start.Board[0] = '0' + byte(pommerman.Flames)
		start.Items = saved.Rows{{0, 0, int(pommerman.ExtraBomb)}}
		for range flames {
			start.Flames.Add(0, 0, 1)
		}
		if err := start2018(m, start, ""); err != nil {
			t.Fatal(err)
		}
		if got := show2018(m).Flames; len(got) != flames {
			t.Errorf("%d flames are read as %v", flames, got)
		}
		for range 2 {
			m.Step(make([]uint8, 4))
		}
		if got := m.Board[grid.At(0, 0)]; got != want || m.Hidden(grid.At(0, 0)) != pommerman.Passage || len(m.double) > 0 {
			t.Errorf("after %d flames the board shows %d, want %d", flames, got, want)
		}
	}
}

// TestRecordedBoards: every recorded board is one that the rules could deal, and
// whatever is altered is found.
func TestRecordedBoards(t *testing.T) {
	lines := tracetest.Lines(t, "testdata/2018/boards.jsonl.gz")
	if len(lines) != 100 {
		t.Errorf("%d boards, want 100", len(lines))
	}
	for i, line := range lines {
		report, err := check(line)
		if err != nil || report.Decisions != 1 || report.Mismatches != 0 {
			t.Errorf("board %d: %+v, %v", i+1, report, err)
		}
	}
	cell := func(at int, letter string) func(object) {
		return func(b object) {
			board := b["board"].(string)
			b["board"] = board[:at] + letter + board[at+1:]
		}
	}
	for _, tc := range []struct {
		reason string
		alter  func(b object)
		want   string
	}{
		{"an agent elsewhere", cell(14, "0"), "board at row 1, column 1"},
		{"a wall on the diagonal", cell(0, "1"), "board at row 0, column 0"},
		{"no guaranteed wood", cell(13+5, "0"), "board at row 1, column 5"},
		{"a wall without its mirror image", cell(1, "1"), "board at row"},
		{"flames", cell(1, "4"), "board at row 0, column 1"},
		{"another number of drafts", func(b object) { b["attempts"] = 9 }, "attempts"},
		{"an acceptable draft drawn again",
			func(b object) { b["unreachable"] = append([]any{1}, b["unreachable"].([]any)...) }, "unreachable[0]"},
		{"another number cut off", func(b object) { b["unreachable"] = []int{9} }, "unreachable"},
		{"an item less", func(b object) { b["items"] = b["items"].([]any)[1:] }, "items (number)"},
		{"two items on a cell", func(b object) { b["items"].([]any)[1] = b["items"].([]any)[0] }, "items[1]"},
		{"other counts", func(b object) { b["counts"].(object)["wood"] = 1 }, "counts.wood"},
		{"a count of more", func(b object) { b["item_counts"].(object)["5"] = 1 }, "item_counts.5"},
	} {
		board := decode(t, lines[0])
		tc.alter(board)
		report, err := check(encode(t, board))
		found := false
		for _, d := range report.Differences {
			found = found || strings.HasPrefix(d.Field, tc.want)
		}
		if err != nil || !found {
			t.Errorf("%s: found %v, %v, want %q", tc.reason, report.Differences, err, tc.want)
		}
	}
	if _, err := check([]byte(`{"format":"pommerman-2018-board/1"}`)); err == nil {
		t.Error("half a board was accepted")
	}
}

// TestWonByNobody: games without a survivor were called won, but for team games at the
// step limit.
func TestWonByNobody(t *testing.T) {
	ffa, team := pommerman.Rules2018(pommerman.FFA), pommerman.Rules2018(pommerman.Team)
	for _, tc := range []struct {
		reason string
		rules  pommerman.Rules
		count  uint16
		alive  []int
		want   bool
	}{
		{"a step after the limit", ffa, 2501, []int{0, 1}, false},
		{"one is left", ffa, 2501, []int{1}, false},
		{"all are dead", ffa, 9, nil, true},
		{"all are dead at the limit", ffa, 2501, nil, true},
		{"both teams are dead", team, 9, nil, true},
		{"both teams are dead at the limit", team, 2501, nil, false},
		{"one of a team is left", team, 9, []int{2}, false},
	} {
		m := pommerman.NewMatch(tc.rules)
		m.StepCount = tc.count
		for _, seat := range tc.alive {
			m.Agents[seat].Alive = true
		}
		if got := wonByNobody(m); got != tc.want {
			t.Errorf("%s: won by nobody %v, want %v", tc.reason, got, tc.want)
		}
	}
}

// TestDecisions2018: every decision of the SimpleAgent of 2018 comes out again, as those of
// today's agent, which decides differently, do not. What is altered is found.
func TestDecisions2018(t *testing.T) {
	lines := tracetest.Lines(t, "testdata/2018/simple_agent.jsonl.gz")
	if len(lines) != 1060 {
		t.Errorf("%d decisions, want 1060", len(lines))
	}
	others, altered := 0, 0
	for i, line := range lines {
		report, err := check(line)
		if err != nil || report.Decisions != 1 || report.Mismatches > 0 {
			t.Fatalf("decision %d: %+v, %v", i+1, report, err)
		}
		d, err := readDecision(line, true)
		if err != nil {
			t.Fatal(err)
		}
		d.of2018 = false // today's agent
		if d.check().Mismatches > 0 {
			others++
		}
		rec := decode(t, line)
		action, _ := rec["action"].(json.Number).Int64()
		rec["action"] = (action + 1) % int64(choices)
		if report, err = check(encode(t, rec)); err == nil && report.Mismatches > 0 {
			altered++
		}
	}
	if others < 100 || altered != len(lines) {
		t.Errorf("today's agent decides differently in %d of %d positions, and %d altered actions are found", others,
			len(lines), altered)
	}
	for reason, alter := range map[string]func(rec object){
		"probs is":       func(rec object) { rec["probs"] = []float64{1, 0, 0, 0, 0, 0, 0} },
		`"step_count"`:   func(rec object) { rec["obs"].(object)["step_count"] = 3 },
		"obs: board":     func(rec object) { rec["obs"].(object)["board"] = 3 },
		"obs: teammate":  func(rec object) { delete(rec["obs"].(object), "teammate") },
		"ammo is -1":     func(rec object) { rec["obs"].(object)["ammo"] = -1 },
		"obs is missing": func(rec object) { delete(rec, "obs") },
	} {
		rec := decode(t, lines[0])
		alter(rec)
		if _, err := check(encode(t, rec)); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("the error is %v, want one with %q", err, reason)
		}
	}
}

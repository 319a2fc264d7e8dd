package tournament

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/catalog"
)

// lines are records as a client sends them.
func lines(t *testing.T, records ...Record) *strings.Reader {
	t.Helper()
	var all []byte
	for i := range records {
		text, err := json.Marshal(&records[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, text...), '\n')
	}
	return strings.NewReader(string(all))
}

// won gives games to the client's agent.
func won(asked []Record) []Record {
	for i := range asked {
		for _, name := range asked[i].Agents {
			result, outcome := env.Lost, -1.0
			if match.AtClient(name) {
				result, outcome = env.Won, 1
			}
			asked[i].Result, asked[i].Outcome = append(asked[i].Result, result), append(asked[i].Outcome, outcome)
		}
		asked[i].Steps = 7
	}
	return asked
}

// TestClient: games of a client's agents are asked for until all have come, and kept; the others
// are played here.
func TestClient(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	tournament, err := New(game, Config{Agents: []string{"client:me", "static", "random"}, Games: 4, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "games.jsonl")
	var played []Record
	for _, tc := range []struct {
		reason      string
		send, asked int
	}{{"nothing yet", 0, 8}, {"a part", 3, 5}, {"the same again", 0, 5}, {"and some known", 8, 0}} {
		client := lines(t, played[:min(tc.send, len(played))]...)
		report, err := tournament.Run(context.Background(), Options{Log: log, Client: client})
		if err != nil {
			t.Fatalf("%s: %v", tc.reason, err)
		}
		if len(report.Asked) != tc.asked {
			t.Fatalf("%s: asked for %d games, want %d", tc.reason, len(report.Asked), tc.asked)
		}
		if played == nil {
			played = won(report.Asked)
		}
		if tc.asked > 0 {
			continue
		}
		me := report.Results.Agents[0]
		if me.Wins != 8 || me.Steps.Value != 7 || len(report.Records) != 12 {
			t.Errorf("%d games, the client's agent %+v; want 12 and 8 wins", len(report.Records), me)
		}
	}
	kept, err := Read(log, find)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Replay(kept.Records[0].Game); !errors.Is(err, ErrNoMoves) {
		t.Errorf("a replay of a game of the client's: %v, want %v", err, ErrNoMoves)
	}
}

// TestImpossibleClient: a game of the client's that cannot be is refused with its line and what is wrong, and
// none of its games is kept.
func TestImpossibleClient(t *testing.T) {
	for _, tc := range []struct {
		id     string
		change func(r map[string]any)
		want   string
	}{
		{"OneVsOne-v0", func(r map[string]any) { delete(r, "game") }, "want the number of the game, 0 to 11"},
		{"OneVsOne-v0", func(r map[string]any) { r["game"] = 12 }, "game is 12, want 0 to 11"},
		{"OneVsOne-v0", func(r map[string]any) { r["game"] = -1 }, "game is -1, want 0 to 11"},
		{"OneVsOne-v0", func(r map[string]any) { r["game"] = "1" }, "game"},
		{"OneVsOne-v0", func(r map[string]any) { r["seed"] = 9 }, "has seed 9"},
		{"OneVsOne-v0", func(r map[string]any) { r["game"], r["agents"] = 2, []string{"static", "random"} },
			"want a game with an agent of the client"},
		{"OneVsOne-v0", func(r map[string]any) { delete(r, "result") }, "it has no result"},
		{"OneVsOne-v0", func(r map[string]any) { r["result"] = []string{"won"} }, "a list with 1 seats, want 2"},
		{"OneVsOne-v0", func(r map[string]any) { r["result"] = []string{"won", "undecided"} }, `the result "undecided"`},
		{"OneVsOne-v0", func(r map[string]any) { r["outcome"] = []float64{-1, 1} }, "and the outcome"},
		{"OneVsOne-v0", func(r map[string]any) { r["outcome"] = []float64{1e300, -1} }, "and the outcome 1e+300"},
		{"OneVsOne-v0", func(r map[string]any) { delete(r, "outcome") }, "a list with 0 seats"},
		{"OneVsOne-v0", func(r map[string]any) { r["steps"] = 0 }, "steps is 0, want 1 to 800"},
		{"OneVsOne-v0", func(r map[string]any) { r["steps"] = 801 }, "steps is 801, want 1 to 800"},
		{"OneVsOne-v0", func(r map[string]any) { r["moves"] = []int{-3, 0} }, "a count of -3"},
		{"OneVsOne-v0", func(r map[string]any) { r["late"] = []int{0, 1 << 40} }, "a count of 1099511627776"},
		{"PommeTeam-v0", func(r map[string]any) { r["result"] = []string{"won", "lost", "lost", "won"} }, "are a team"},
	} {
		game, err := catalog.Game(tc.id)
		if err != nil {
			t.Fatal(err)
		}
		tournament, err := New(game, Config{Agents: []string{"client:me", "static", "random"}, Games: 4, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		report, err := tournament.Run(context.Background(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		asked := won(report.Asked)
		asked[0].Steps = game.Spec().MaxSteps
		first, _ := json.Marshal(asked[0])
		second, _ := json.Marshal(report.Asked[1])
		var changed map[string]any
		if err := json.Unmarshal(second, &changed); err != nil {
			t.Fatal(err)
		}
		tc.change(changed)
		second, _ = json.Marshal(changed)
		log := filepath.Join(t.TempDir(), "games.jsonl")
		_, err = tournament.Run(context.Background(), Options{Log: log, Client: bytes.NewReader(
			slices.Concat(first, []byte("\n"), second))})
		if err == nil || !strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v; want line 2 and %q", err, tc.want)
		}
		if kept, err := Read(log, find); err != nil || len(kept.Records) > 0 {
			t.Errorf("%s: %d games are kept (%v)", tc.want, len(kept.Records), err)
		}
	}
}

package tournament

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

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
			if isClient(name) {
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
	if err := kept.Replay(context.Background(), &kept.Records[0], nil); !errors.Is(err, ErrNotAgain) {
		t.Errorf("playing a game of the client's again: %v, want %v", err, ErrNotAgain)
	}
}

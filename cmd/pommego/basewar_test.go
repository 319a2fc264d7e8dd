package main

import (
	"path/filepath"
	"strings"
	"testing"

	"pommego/env"
)

// Programs that play BaseWar are told the map and answer with one move, or with
// three for a whole side; the match is recorded, checked and shown.
func TestPlayBaseWar(t *testing.T) {
	for _, tc := range []struct{ id, agents string }{
		{"BaseWar-v0", lineAgent + ",simple," + lineAgent + ",simple," + lineAgent + ",mcts:ticks=20"},
		{"BaseWarSides-v0", strings.Replace(lineAgent, `"action": 0`, `"action": [1\, 2\, 5]`, 1) + ",simple"},
	} {
		t.Run(tc.id, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "match.jsonl.gz")
			r := pommego(t, "play", "--env", tc.id, "--agents", tc.agents, "--seed", "3", "--limit", "1m",
				"--record", path, "--json")
			r.want(t, exitOK)
			var got playReport
			r.decodes(t, &got)
			if got.Result[1] != env.Won || len(got.Winners) == 0 || got.Winners[0] != 1 {
				t.Errorf("%s: winners %v, want green", got.Result, got.Winners)
			}
			for seat, s := range got.Seats {
				if s.Moves == 0 || s.Late+s.Failed != 0 || s.LastError != "" {
					t.Errorf("seat %d: %+v, want moves and no trouble", seat, s)
				}
			}
			pommego(t, "verify", path).want(t, exitOK)
			shown := pommego(t, "replay", path)
			shown.want(t, exitOK)
			if !strings.Contains(shown.out, "seat 1: ") || !strings.Contains(shown.out, "energy 5") {
				t.Errorf("the replay shows %.2000s", shown.out)
			}
		})
	}
}

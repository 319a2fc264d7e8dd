package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// otherRules is an environment of each game with rules that differ from its own.
var otherRules = []struct {
	id, rules string
	agents    string
	want      map[string]any // of the rules of what was played
}{
	{"PommeFFACompetition-v0", `{"max_steps": 60, "agent_view_size": 2, "skulls": true}`, "simple",
		map[string]any{"agent_view_size": 2.0, "skulls": true}},
	{"PommeTeam2018-v0", `{"step": "today", "max_steps": 40}`, "simple", map[string]any{"max_steps": 40.0, "step": nil}},
	{"BaseWarSides-v0", `{"board_size": 9, "num_stones": 8, "num_boxes": 20, "max_steps": 40, "all_pay": true}`, "simple",
		map[string]any{"all_pay": true}},
	{"SuiteBot-v0", `{"width": 9, "height": 7, "players": 3, "rounds": 30, "view_radius": 2}`, "simple",
		map[string]any{"width": 9.0, "players": 3.0}},
}

// What is played by other rules says by which: the match, its record, which
// verifies, and a data set, whose games can be played again.
func TestOtherRules(t *testing.T) {
	for _, tc := range otherRules {
		t.Run(tc.id, func(t *testing.T) {
			file, set := filepath.Join(t.TempDir(), "game.jsonl"), filepath.Join(t.TempDir(), "set")
			chosen := []string{"--env", tc.id, "--rules", tc.rules, "--agents", tc.agents}
			var played struct {
				Env   string
				Rules map[string]any
				Steps int
			}
			r := pommego(t, with([]string{"play"}, with(chosen, "--seed", "5", "--json", "--record", file)...)...)
			r.want(t, exitOK)
			r.decodes(t, &played)
			if played.Env != "custom:"+tc.id {
				t.Errorf("played %q", played.Env)
			}
			for name, want := range tc.want {
				if got := played.Rules[name]; got != want {
					t.Errorf("%s is %v, want %v", name, got, want)
				}
			}
			pommego(t, "verify", file).want(t, exitOK)
			var shown struct{ Steps int }
			r = pommego(t, "replay", "--json", file)
			r.want(t, exitOK)
			if r.decodes(t, &shown); shown.Steps != played.Steps {
				t.Errorf("replayed %d steps, played %d", shown.Steps, played.Steps)
			}

			pommego(t, with([]string{"generate", "--games", "3", "--out", set}, chosen...)...).want(t, exitOK)
			pommego(t, "data", "verify", "--replay", set).want(t, exitOK)
			pommego(t, "replay", "--game", "1", "--json", set).want(t, exitOK)
			var manifest struct {
				Env struct{ Rules json.RawMessage }
			}
			readManifest(t, set, &manifest)
			for name, want := range tc.want {
				var rules map[string]any
				if err := json.Unmarshal(manifest.Env.Rules, &rules); err != nil || rules[name] != want {
					t.Errorf("the data set's %s is %v (error %v), want %v", name, rules[name], err, want)
				}
			}
		})
	}
}

// A tournament and a data set go on by the same rules only.
func TestOtherRulesResume(t *testing.T) {
	dir := t.TempDir()
	play := func(rules string) ran {
		return pommego(t, "tournament", "--env", "SuiteBot-v0", "--rules", rules, "--agents", "simple,static", "--against",
			"random",
			"--games", "4", "--out", dir, "--json")
	}
	var results struct {
		Env   string
		Rules struct{ Rounds int }
	}
	r := play(`{"rounds": 20}`)
	r.want(t, exitOK)
	if r.decodes(t, &results); results.Env != "custom:SuiteBot-v0" || results.Rules.Rounds != 20 {
		t.Errorf("results are of %+v", results)
	}
	again := play(`{"rounds": 20}`)
	if again.want(t, exitOK); again.out != r.out {
		t.Error("the same command gave other results")
	}
	r = play(`{"rounds": 25}`)
	if r.want(t, exitUsage); !strings.Contains(r.errors, "rounds is 20, not 25") {
		t.Errorf("with other rules it says %q", r.errors)
	}

	set := filepath.Join(t.TempDir(), "set")
	generate := func(rules string) ran {
		return pommego(t, "generate", "--env", "SuiteBot-v0", "--rules", rules, "--games", "2", "--out", set)
	}
	generate(`{"rounds": 20}`).want(t, exitOK)
	generate(`{"rounds": 20}`).want(t, exitOK)
	r = generate(`{"rounds": 25}`)
	if r.want(t, exitUsage); !strings.Contains(r.errors, "rounds is 20, not 25") {
		t.Errorf("with other rules it says %q", r.errors)
	}
}

// Wrong rules are refused by every command that takes them, by the field's name.
func TestOtherRulesErrors(t *testing.T) {
	for _, command := range []string{"play", "tournament --games 1", "generate --out x", "bench --seconds 0.01",
		"data pack --out x"} {
		for _, tc := range []struct{ id, rules, want string }{
			{"PommeFFA-v1", `{"num_rigid": 35}`, "num_rigid 35 and num_wood 36 must be even"},
			{"PommeFFA-v1", `{"bomb_life": 0}`, "bomb_life is 0, want 1 to 100"},
			{"PommeFFA-v1", `{"bomb_live": 5}`, `there is no field "bomb_live" (did you mean "bomb_life"?), want one of game_type, `},
			{"PommeFFA-v1", `{"step": "tomorrow"}`, `step is "tomorrow", want one of`},
			{"BaseWar-v0", `{"symmetry": "both"}`, `symmetry is "both", want one of mirror, rotation, none`},
			{"SuiteBot-v0", `{"players": 9}`, "players is 9, want 2 to 8"},
			{"SuiteBot-v0", `[1]`, "[1] is given, want an object"},
		} {
			r := pommego(t, append(strings.Fields(command), "--env", tc.id, "--rules", tc.rules)...)
			if r.code != exitUsage || !strings.Contains(r.errors, "--rules: ") || !strings.Contains(r.errors, tc.want) ||
				strings.Count(r.errors, "\n") != 1 {
				t.Errorf("%s with %s: %+v, want one line with %q", command, tc.rules, r, tc.want)
			}
		}
	}
	if r := pommego(t, "bench", "--rules", `{"rounds": 5}`); r.code != exitUsage ||
		!strings.Contains(r.errors, "--rules needs --env") {
		t.Errorf("bench without --env: %+v", r)
	}
}

// bench measures the one environment that it is given.
func TestBenchOfOne(t *testing.T) {
	var report struct {
		Env     string
		Rules   struct{ Rounds int }
		Results []struct{ Name string }
	}
	r := pommego(t, "bench", "--env", "SuiteBot-v0", "--rules", `{"rounds": 7}`, "--games", "4", "--seconds", "0.01",
		"--json", "--only", "rules/")
	r.want(t, exitOK)
	r.decodes(t, &report)
	if report.Env != "custom:SuiteBot-v0" || report.Rules.Rounds != 7 || len(report.Results) != 3 ||
		report.Results[0].Name != "rules/random" {
		t.Errorf("got %+v", report)
	}
}

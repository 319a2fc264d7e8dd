package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/arena/web"
	"pommego/env"
)

// recordedGame is a game that the drop-in has recorded as the original does: four steps in a
// hand-made room up to the limit and beyond it, in which an agent in fog takes up a range that
// is of no more use to it, another kicks a bomb, and one dies.
type recordedGame struct {
	Agents []string            `json:"agents"`
	Config string              `json:"config,omitempty"`
	Result map[string]any      `json:"result,omitempty"`
	State  []map[string]string `json:"state"`
}

func original(t *testing.T) (text string, game recordedGame) {
	t.Helper()
	all, err := os.ReadFile(filepath.Join("testdata", "original", "game_state.json"))
	if err == nil {
		err = json.Unmarshal(all, &game)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(all), game
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// folder writes the states as the original does, and returns their folder.
func (g *recordedGame) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, s := range g.State {
		if err := os.WriteFile(filepath.Join(dir, s["step_count"]+".json"), []byte(asJSON(t, s)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestOriginal reads the original's recordings in each form in which there are some, with every
// command that reads recorded games.
func TestOriginal(t *testing.T) {
	text, game := original(t)
	shuffled, unnamed := game, game
	shuffled.State = slices.Clone(game.State)
	slices.Reverse(shuffled.State)
	unnamed.Config = ""
	lists := strings.Replace(asJSON(t, game), `"[4, 0, 5, 3]"`, `"[[4, 1, 2], 0.0, 5, 3.0]"`, 1)
	plain := strings.NewReplacer(`:"[`, `:[`, `]"`, `]`, `\"`, `"`).Replace(asJSON(t, game))
	root := t.TempDir()
	for _, number := range []string{"1", "2"} {
		dir := filepath.Join(root, number)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, content := range map[string]string{"game_state.json": text, "797.json": asJSON(t, game.State[0])} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tc := range []struct {
		form, path string
		games      int
	}{
		{"game_state.json", writeFile(t, "game_state.json", text), 1},
		{"its folder", filepath.Join(root, "2"), 1},
		{"a script", writeFile(t, "game.js", "var game = "+text+";\n"), 1},
		{"on one line", writeFile(t, "game.js", "var game = "+asJSON(t, game)), 1},
		{"a list in a script", writeFile(t, "games.js",
			"window.agents= [[0],[0]];\nwindow.games = ["+text+", "+asJSON(t, game)+"];"), 2},
		{"in another object", writeFile(t, "blob.json", `{"blob": `+text+`}`), 1},
		{"in any order", writeFile(t, "shuffled.json", asJSON(t, shuffled)), 1},
		{"values, no texts", writeFile(t, "plain.json", plain), 1},
		{"floats, words of an agent without radio", writeFile(t, "lists.json", lists), 1},
		{"no id", writeFile(t, "unnamed.json", asJSON(t, unnamed)), 1},
		{"a folder of states", game.folder(t), 1},
	} {
		t.Run(tc.form, func(t *testing.T) {
			r := pommego(t, "verify", tc.path)
			if want := fmt.Sprintf("%d games, %d steps, 0 mismatches\n", tc.games, 4*tc.games); !strings.HasSuffix(r.out, want) {
				t.Errorf("verify says %s%s, want %s", r.out, r.errors, want)
			}
			r.want(t, exitOK)
			var shown struct {
				EnvID  string `json:"env_id"`
				Steps  int
				Result []env.SeatResult
			}
			pommego(t, "replay", tc.path, "--json", "--game", fmt.Sprint(tc.games)).decodes(t, &shown)
			if shown.EnvID != "PommeTeamCompetition-v0" || shown.Steps != 801 ||
				fmt.Sprint(shown.Result) != "[tied tied tied tied]" {
				t.Errorf("replay says %+v", shown)
			}
			r = pommego(t, "play", "--start", tc.path, "--agents", "random", "--quiet")
			if !strings.HasPrefix(r.out, "PommeTeamCompetition-v0, ") || !strings.Contains(r.out, "after 800 steps") {
				t.Errorf("play says %s", r.out)
			}
			r = pommego(t, "data", "states", tc.path, "--at", "0,2")
			if n := strings.Count(r.out, `"step":2,"state":"`); n != tc.games {
				t.Errorf("data states has %d positions after 2 steps, want %d: %.300s%s", n, tc.games, r.out, r.errors)
			}
		})
	}
	// Each game is counted once, with states of an unfinished one beside it.
	if r := pommego(t, "verify", root); !strings.HasSuffix(r.out, "\n2 games, 8 steps, 0 mismatches\n") {
		t.Errorf("of a folder of folders verify says %s%s", r.out, r.errors)
	}
	page := viewed(t, filepath.Join(root, "1"))
	var list web.Listing
	var shown scene.Timeline
	asked(t, page, "/api/listing", &list)
	asked(t, page, "/api/game/1", &shown)
	if list.Env != "PommeTeamCompetition-v0" || len(list.Games) != 1 ||
		fmt.Sprint(list.Games[0].Results) != "[tied tied tied tied]" ||
		list.Games[0].Steps != 4 || len(shown.Steps) != 5 || shown.Names[0] != "scripted" {
		t.Errorf("view lists %+v of %q, with %d steps in the first", list.Games, list.Env, len(shown.Steps))
	}
}

// TestOriginalWithoutActions shows recordings that are states alone, and does not call them verified.
func TestOriginalWithoutActions(t *testing.T) {
	_, game := original(t)
	game.State = game.State[:4] // up to step 800
	for _, state := range game.State {
		delete(state, "intended_actions")
	}
	path := writeFile(t, "game_state.json", asJSON(t, game))
	if r := pommego(t, "verify", path); r.code == exitOK || !strings.HasSuffix(r.out, "1 games, 0 steps, 0 mismatches\n") {
		t.Errorf("verify says %s%s, with code %d", r.out, r.errors, r.code)
	}
	var shown struct{ Steps int }
	pommego(t, "replay", path, "--json").decodes(t, &shown)
	if shown.Steps != 800 {
		t.Errorf("replay says %+v", shown)
	}
	var seen scene.Timeline
	asked(t, viewed(t, path), "/api/game/1", &seen)
	if len(seen.Steps) != 4 || seen.Steps[3].Agents[0].At == seen.Steps[0].Agents[0].At {
		t.Errorf("view shows %d positions, %v", len(seen.Steps), seen.Steps)
	}
}

// TestOriginalOfTraining takes a tie of a game that goes on: the agent in training, which no state names, has died.
func TestOriginalOfTraining(t *testing.T) {
	_, game := original(t)
	game.State = game.State[:2]
	if r := pommego(t, "verify", writeFile(t, "game_state.json", asJSON(t, game))); r.code != exitOK {
		t.Errorf("verify says %s%s", r.out, r.errors)
	}
	game.Result["name"] = "Win"
	r := pommego(t, "verify", writeFile(t, "game_state.json", asJSON(t, game)))
	if !strings.Contains(r.out, "result: expected Win, got Incomplete") {
		t.Errorf("of a game that nobody has won verify says %s%s", r.out, r.errors)
	}
}

// TestOriginalDiffers finds what is wrong in such recordings, or why they cannot be replayed.
func TestOriginalDiffers(t *testing.T) {
	for _, tc := range []struct {
		reason string
		change func(g *recordedGame)
		want   string
	}{
		{"another action", func(g *recordedGame) { g.State[1]["intended_actions"] = "[2, 0, 5, 3]" },
			"agents[0].row: expected 5, got 6"},
		{"a state is missing", func(g *recordedGame) { g.State = slices.Delete(g.State, 2, 3) },
			"step_count: expected 800, got 799"},
		{"another result", func(g *recordedGame) { g.Result["name"] = "Win" }, "result: expected Win, got Tie"},
		{"an unknown id", func(g *recordedGame) { g.Config = "PommeChess-v0" }, `unknown environment "PommeChess-v0"`},
		{"another game's id", func(g *recordedGame) { g.Config = "SuiteBot-v0" }, "SuiteBot-v0 is not Pommerman"},
		{"no number", func(g *recordedGame) { g.State[1]["step_count"] = "x" }, `"step_count"`},
	} {
		_, game := original(t)
		tc.change(&game)
		r := pommego(t, "verify", writeFile(t, "game_state.json", asJSON(t, game)))
		if r.code == exitOK || !strings.Contains(r.out, tc.want) {
			t.Errorf("%s: verify says %s%s, want %s", tc.reason, r.out, r.errors, tc.want)
		}
	}
	text, _ := original(t)
	for reason, path := range map[string]string{
		"a file cut short": writeFile(t, "game_state.json", text[:len(text)/2]),
		"an empty folder":  t.TempDir(),
	} {
		if r := pommego(t, "verify", path); r.code == exitOK || !strings.Contains(r.out+r.errors, path) {
			t.Errorf("%s: verify says %s%s", reason, r.out, r.errors)
		}
	}
}

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/arena/dataset"
)

// made makes a small data set.
func made(t *testing.T, args string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "set")
	command := "generate --games 6 --games-per-file 4 --agents simple,random --out " + folder + " " + args
	pommego(t, strings.Fields(command)...).want(t, exitOK)
	return folder
}

func TestDataUsage(t *testing.T) {
	set := made(t, "--rules {\"max_steps\":20}")
	for _, tc := range []struct{ args, want string }{
		{"filter", "pommego data filter: no data set is named"},
		{"filter --out x --agent nobody " + set, `--agent is "nobody", want one of random, simple`},
		{"polish", `there is no command "polish", want one of merge, pack, states, verify`},
		{"verify", "no data set is named"},
		{"merge", "no data set is named"},
		{"merge " + set, "want --out DIR"},
		{"merge --out x --result Victory " + set, `there is no result "Victory"`},
		{"merge --out x --first -1 " + set, "first is -1 and games is 0, want 0 (all) or more"},
		{"merge --out x --min-steps -1 " + set, "min-steps is -1 and max-steps is 0, want 0 (any) or more"},
		{"merge --out x --min-steps 9 --max-steps 3 " + set, "want a greatest length"},
		{"merge --out x --layout rows " + set, `layout is "rows", want one of games, steps`},
		{"merge --out " + set + " " + set, "name another folder"},
		{"merge --out x --layout steps --observation nope " + set, `has no observation "nope", want one of`},
		{"merge --out x --mask safe " + set, "layout games stores no masks"},
		{"states --at x " + set, `--at is "x", want whole numbers with commas between`},
		{"states", "is named"},
		{"states --at= " + set, "--at"},
		{"states --games -1 " + set, "--games is -1"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			r := pommego(t, with([]string{"data"}, strings.Fields(tc.args)...)...)
			r.want(t, exitUsage)
			if !strings.Contains(r.errors, tc.want) || strings.Count(r.errors, "\n") != 1 || r.out != "" {
				t.Errorf("stderr %q, stdout %.200q; want one line with %q on stderr", r.errors, r.out, tc.want)
			}
		})
	}
	r := pommego(t, "data")
	r.want(t, exitOK)
	if !strings.Contains(r.out, "verify") {
		t.Errorf("data alone says %q, want its help", r.out)
	}
	if r := pommego(t, "data", "verify", t.TempDir()); r.code != exitError ||
		!strings.Contains(r.out, "no finished data set") {
		t.Errorf("verify of nothing: exit code %d, %q", r.code, r.out)
	}
}

// TestDataMerge merges, filters and lays out otherwise, by the command.
func TestDataMerge(t *testing.T) {
	a, b := made(t, "--rules {\"max_steps\":40}"), made(t, "--seed 50 --rules {\"max_steps\":40}")
	out := filepath.Join(t.TempDir(), "out")
	pommego(t, "data", "merge", a, b, "--out", out, "--layout", "steps", "--observation", "raw").want(t, exitOK)
	r := pommego(t, "data", "verify", "--replay", out)
	r.want(t, exitOK)
	if !strings.Contains(r.out, "12 games") {
		t.Errorf("verify says %q, want 12 games", r.out)
	}
	r = pommego(t, "data", "filter", out, "--out", out+"-none", "--min-steps", "41")
	r.want(t, exitError)
	if want := "pommego data filter: dataset: no game is left: none has at least 41 steps\n"; r.errors != want {
		t.Errorf("nothing left: stderr %q, want %q", r.errors, want)
	}
	few := filepath.Join(t.TempDir(), "few")
	pommego(t, "data", "filter", out, "--out", few, "--result", "tied", "--agent", "random").want(t, exitOK)
	r = pommego(t, "data", "verify", "--json", few)
	r.want(t, exitOK)
	var report struct {
		Sets []dataset.Report `json:"sets"`
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil || report.Sets[0].Games == 0 ||
		report.Sets[0].Games > 12 {
		t.Errorf("%s (%v), want some of 12 games", r.out, err)
	}
}

// TestReplayPipe shows a game from a pipe, which can be read only once.
func TestReplayPipe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "game.jsonl")
	pommego(t, "play", "--env", "OneVsOne-v0", "--agents", "static,random", "--record", file, "--quiet").want(t, exitOK)
	want := pommego(t, "replay", file, "--json")
	want.want(t, exitOK)
	pipe := filepath.Join(t.TempDir(), "game.jsonl")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	writer := exec.Command("cp", file, pipe)
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	got := pommego(t, "replay", pipe, "--json")
	got.want(t, exitOK)
	if err := writer.Wait(); err != nil || got.out != strings.Replace(want.out, file, pipe, 1) {
		t.Errorf("from a pipe (%v) the game is %s, want %s", err, got.out, want.out)
	}
}

// TestReplayTournament shows a tournament's game that a program outside played.
func TestReplayTournament(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "out")
	bot := strings.Replace(lineAgent, `"action": 0`, `"action": 5`, 1)
	pommego(t, "tournament", "--env", "OneVsOne-v0", "--agents", bot, "--against", "static", "--games", "2",
		"--out", folder).want(t, exitOK)
	for _, path := range []string{folder, filepath.Join(folder, tournamentLog)} {
		r := pommego(t, "replay", path, "--game", "1", "--json")
		r.want(t, exitOK)
		var shown struct {
			Policies, Result []string
			Seed             uint64
		}
		if err := json.Unmarshal([]byte(r.out), &shown); err != nil || shown.Seed != 2 ||
			!slices.Equal(shown.Policies, []string{"static", strings.ReplaceAll(bot, `\,`, ",")}) || shown.Result[1] != "lost" {
			t.Errorf("%s: %s (%v), want the game in which the program blew itself up", path, r.out, err)
		}
	}
	if r := pommego(t, "replay", folder, "--game", "2"); r.code != exitUsage || !strings.Contains(r.errors, "game 2") {
		t.Errorf("a game that is not there: exit code %d, %q", r.code, r.errors)
	}
}

// TestUnfinishedData: commands that read a data set say that it is not finished.
func TestUnfinishedData(t *testing.T) {
	part := filepath.Join(t.TempDir(), "part")
	pommego(t, "generate", "--agents", "random", "--games", "2", "--part", "0-0", "--out", part).want(t, exitOK)
	for _, command := range []string{"replay", "view", "data states", "data merge --out x"} {
		r := pommego(t, append(strings.Fields(command), part)...)
		if r.code != exitError || !strings.Contains(r.errors, part+": there is no finished data set: repeat its command") {
			t.Errorf("%s: %+v", command, r)
		}
	}
}

// TestReplayData shows games of data sets of both layouts, in folders that are called as a file would be.
func TestReplayData(t *testing.T) {
	for _, layout := range []string{"games", "steps"} {
		plain := made(t, "--rules {\"max_steps\":30} "+stored(layout))
		set := plain + ".parquet"
		if err := os.Rename(plain, set); err != nil {
			t.Fatal(err)
		}
		s, err := dataset.Open(set)
		if err != nil {
			t.Fatal(err)
		}
		game, err := playedIn(s.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		replay, err := s.Replay(game, 5)
		if err != nil {
			t.Fatal(err)
		}
		want := replay.Info()
		for _, path := range []string{set, filepath.Join(set, "data", layout+"-00001.parquet")} {
			r := pommego(t, "replay", path, "--game", "5", "--json")
			r.want(t, exitOK)
			var shown struct {
				Steps    int      `json:"steps"`
				Policies []string `json:"policies"`
				Seed     uint64   `json:"seed"`
			}
			if err := json.Unmarshal([]byte(r.out), &shown); err != nil || shown.Steps != replay.Len() ||
				shown.Seed != want.Seed || strings.Join(shown.Policies, ",") != strings.Join(want.Policies, ",") {
				t.Errorf("%s: %s (%v), want %d steps of %q from seed %d", path, r.out, err, replay.Len(), want.Policies, want.Seed)
			}
		}
		r := pommego(t, "replay", set)
		r.want(t, exitOK)
		if strings.Count(r.out, "step") < 3 && len(r.out) < 1000 {
			t.Errorf("replay shows %q", r.out)
		}
		if r := pommego(t, "replay", set, "--game", "6"); r.code != exitUsage || !strings.Contains(r.errors, "want 0 to 5") {
			t.Errorf("a game that is not there: exit code %d, %q", r.code, r.errors)
		}
		video := filepath.Join(t.TempDir(), "game.html")
		pommego(t, "replay", set, "--game", "2", "--html", video).want(t, exitOK)
		if info, err := os.Stat(video); err != nil || info.Size() < 1000 {
			t.Errorf("no video (%v)", err)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pommego/env"
	"pommego/env/catalog"
)

// Whatever play records, of whatever environment, verify replays without a
// difference, and the same seed gives the same file.
func TestPlayRecordVerify(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, id := range catalog.IDs() {
		path := filepath.Join(dir, fmt.Sprintf("%s.jsonl", id))
		agents := "simple"
		if i%2 == 1 {
			agents = "random" // over sooner
		}
		if i%3 == 0 {
			path += ".gz"
		}
		r := pommego(t, "play", "--env", id, "--agents", agents, "--seed", "11", "--record", path, "--quiet")
		r.want(t, exitOK)
		if !strings.HasPrefix(r.out, id+", seed 11: ") || strings.Count(r.out, "\n") != 1 {
			t.Errorf("%s: printed %q, want one line", id, r.out)
		}
		files = append(files, path)
	}
	r := pommego(t, append([]string{"verify"}, files...)...)
	r.want(t, exitOK)
	if !strings.HasPrefix(lastLine(r.out), fmt.Sprintf("%d games, ", len(files))) {
		t.Errorf("verify printed\n%s\nwant %d games", r.out, len(files))
	}
	again := filepath.Join(dir, "again.jsonl.gz")
	pommego(t, "play", "--env", catalog.IDs()[0], "--agents", "simple", "--seed", "11", "--record", again,
		"--quiet").want(t, exitOK)
	one, _ := os.ReadFile(files[0])
	two, _ := os.ReadFile(again)
	if len(one) == 0 || !bytes.Equal(one, two) {
		t.Error("the same seed gave two different records")
	}
}

func TestPlayJSON(t *testing.T) {
	play := func(args ...string) (got struct {
		Env     string
		Seed    uint64
		Agents  []string
		Steps   int
		Over    bool
		Result  []env.SeatResult
		Outcome []float64
		Winners []int
		Rewards []float64
		Counts  map[string][]int
	}) {
		t.Helper()
		r := pommego(t, append([]string{"play", "--json", "--env", "PommeTeam-v0"}, args...)...)
		r.want(t, exitOK)
		r.decodes(t, &got)
		return got
	}
	got := play("--agents", "static,random,static,random", "--seed", "5")
	if got.Env != "PommeTeam-v0" || got.Seed != 5 || !got.Over || got.Steps == 0 || len(got.Rewards) != 4 ||
		len(got.Counts["kills"]) != 4 ||
		!reflect.DeepEqual(got.Agents, []string{"static", "random", "static", "random"}) {
		t.Errorf("got %+v", got)
	}
	if again := play("--agents", "static,random,static,random", "--seed", "5"); !reflect.DeepEqual(again, got) {
		t.Errorf("the same seed gave %+v, then %+v", got, again)
	}
	tie := play("--agents", "static", "--rules", `{"max_steps": 5}`)
	if fmt.Sprint(tie.Result, tie.Outcome) != "[tied tied tied tied] [-1 -1 -1 -1]" {
		t.Errorf("a tie at the step limit has results %v and outcomes %v, want tied and -1 for all", tie.Result, tie.Outcome)
	}
	if drawn := play("--agents",
		"random"); !reflect.DeepEqual(play("--agents", "random", "--seed", fmt.Sprint(drawn.Seed)), drawn) {
		t.Errorf("the seed it drew and reported, %d, gave another match", drawn.Seed)
	}
}

// The pictures of a match: all of them, or the last, or none.
func TestPlayPictures(t *testing.T) {
	args := []string{"play", "--agents", "random", "--seed", "2"}
	last := pommego(t, args...)
	all := pommego(t, append(args, "--show")...)
	none := pommego(t, append(args, "--quiet")...)
	for _, r := range []ran{last, all, none} {
		r.want(t, exitOK)
		if strings.Contains(r.out, "\x1b") {
			t.Error("escape sequences were written to what is no terminal")
		}
		if lastLine(r.out) != lastLine(none.out) {
			t.Errorf("it ended with %q, and with --quiet with %q", lastLine(r.out), none.out)
		}
	}
	var steps int
	if _, err := fmt.Sscanf(none.out[strings.Index(none.out, "after"):], "after %d steps", &steps); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		ran  ran
		want int
	}{{"--show", all, steps + 1}, {"no flag", last, 1}, {"--quiet", none, 0}} {
		if got := strings.Count(tc.ran.out, " of 800\n"); got != tc.want {
			t.Errorf("with %s there were %d pictures, want %d", tc.name, got, tc.want)
		}
	}
}

// A file that cannot be written, or that is there already, is an error before anything is played.
func TestFilesAreNotOverwritten(t *testing.T) {
	game := testdata("team.jsonl.gz")
	for _, command := range []string{
		"play --agents static --record",
		"replay " + game + " --gif", "replay " + game + " --html",
	} {
		folder := t.TempDir()
		kept := writeFile(t, "kept", "years of work")
		for path, want := range map[string]string{
			folder: "exists, and no file is overwritten", kept: "remove it, or name another", "-": "is no file here",
			filepath.Join(folder, "none", "x"): "there is no folder " + filepath.Join(folder, "none"),
			filepath.Join(kept, "x"):           "there is no folder " + kept,
		} {
			r := pommego(t, append(strings.Fields(command), path)...)
			r.want(t, exitUsage)
			if !strings.Contains(r.errors, path) || !strings.Contains(r.errors, want) || strings.Count(r.errors, "\n") != 1 {
				t.Errorf("%s %s: stderr %q, want one line with %q", command, path, r.errors, want)
			}
		}
		if text, err := os.ReadFile(kept); err != nil || string(text) != "years of work" {
			t.Errorf("%s: the file is now %q (%v)", command, text, err)
		}
	}
}

func TestReplay(t *testing.T) {
	file := testdata("crafted.jsonl.gz")
	r := pommego(t, "replay", file, "--game", "1")
	r.want(t, exitOK)
	if n := strings.Count(r.out, " of 800\n"); n != 14 {
		t.Errorf("a game of 13 steps was shown in %d pictures, want 14", n)
	}
	if !strings.Contains(r.out, "lay_bomb_and_stand_on_it") || lastLine(r.out) != "Incomplete after 13 steps" {
		t.Errorf("printed\n%s", r.out)
	}
	r = pommego(t, "replay", testdata("team.jsonl.gz"))
	r.want(t, exitOK)
	if want := "Win after 20 steps: agent 1 (uniform) and agent 3 (uniform)"; lastLine(r.out) != want {
		t.Errorf("it ended with %q, want %q", lastLine(r.out), want)
	}
}

// With --seat the pictures are what that seat sees.
func TestReplaySeat(t *testing.T) {
	r := pommego(t, "replay", testdata("team.jsonl.gz"), "--seat", "1")
	r.want(t, exitOK)
	if n := strings.Count(r.out, ", as seat 1 sees it\n"); n != 21 || !strings.Contains(r.out, "??") {
		t.Errorf("%d pictures show what seat 1 sees, want 21 with fog:\n%s", n, r.out)
	}
}

func TestReplayJSON(t *testing.T) {
	var got struct {
		Game     int
		EnvID    string `json:"env_id"`
		Policies []string
		Steps    int
		Over     bool
		Result   []env.SeatResult
		Winners  []int
		Events   []struct {
			Step  int
			Event env.EventKind
		}
	}
	r := pommego(t, "replay", "--json", testdata("team.jsonl.gz"))
	r.want(t, exitOK)
	r.decodes(t, &got)
	if got.Game != 1 || got.EnvID != "PommeTeamCompetition-v0" || len(got.Policies) != 4 || got.Steps != 20 ||
		!got.Over || fmt.Sprint(got.Result) != "[lost won lost won]" || !reflect.DeepEqual(got.Winners, []int{1, 3}) {
		t.Errorf("got %+v, want the win of agents 1 and 3 after 20 steps", got)
	}
	died := 0
	for _, e := range got.Events {
		if e.Event == env.Died && e.Step > 0 {
			died++
		}
	}
	if died < 2 {
		t.Errorf("%d deaths are among the events %+v, want those of both losers", died, got.Events)
	}
}

func TestReplayErrors(t *testing.T) {
	for _, tc := range []struct{ reason, path, want string }{
		{"missing file", "nowhere.jsonl", "nowhere.jsonl"},
		{"an unknown format", writeFile(t, "c.jsonl", "{\"format\":\"chess/1\"}\n"), `"chess/1", want one of `},
		{"not a record", writeFile(t, "a.jsonl", "{}\n"), "a.jsonl: line 1: no known format"},
		{"empty file", writeFile(t, "b.jsonl", ""), "b.jsonl: the file is empty"},
	} {
		if r := pommego(t, "replay", tc.path); r.code != exitError || !strings.Contains(r.errors, tc.want) ||
			strings.Count(r.errors, "\n") != 1 {
			t.Errorf("%s: %+v, want one line with %q", tc.reason, r, tc.want)
		}
	}
}

func TestAgentNames(t *testing.T) {
	for _, tc := range []struct {
		list string
		want []string
	}{
		{"simple", []string{"simple"}},
		{"simple, random,static", []string{"simple", "random", "static"}},
		{"mcts:ticks=20,depth=3,simple", []string{"mcts:ticks=20,depth=3", "simple"}},
		{"mcts:ticks=20,mcts:ticks=30", []string{"mcts:ticks=20", "mcts:ticks=30"}},
		{"http://127.0.0.1:10080,simple", []string{"http://127.0.0.1:10080", "simple"}},
		{`exec:agent -x 1\,2\,3 --y,simple`, []string{"exec:agent -x 1,2,3 --y", "simple"}},
		{`simple,exec:A=1 agent b,random`, []string{"simple", "exec:A=1 agent b", "random"}},
		{"", []string{""}},
	} {
		if got := agentNames(tc.list); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%q was read as %q, want %q", tc.list, got, tc.want)
		}
	}
}

// A wait for the next picture ends with the context.
func TestLiveScreen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := screen{live: true}
	if more := s.rest(ctx); !more {
		t.Error("the show ended by itself")
	}
	cancel()
	s.pause = time.Hour
	if more := s.rest(ctx); more {
		t.Error("a show that was cancelled went on")
	}
}

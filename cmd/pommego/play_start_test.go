package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A recorded game says by which rules it goes on, and what begins from it is
// recorded again.
func TestPlayStart(t *testing.T) {
	for _, tc := range otherRules {
		dir := t.TempDir()
		first, second := filepath.Join(dir, "first.jsonl.gz"), filepath.Join(dir, "second.jsonl")
		pommego(t, "play", "--env", tc.id, "--rules", tc.rules, "--agents", tc.agents, "--seed", "5", "--quiet", "--record",
			first).want(t, exitOK)
		r := pommego(t, "play", "--start", first, "--agents", "random", "--seed", "6", "--quiet", "--record", second)
		r.want(t, exitOK)
		if !strings.HasPrefix(r.out, "custom:"+tc.id+", seed 6: ") {
			t.Errorf("it printed %q", r.out)
		}
		pommego(t, "verify", second).want(t, exitOK)
		again := pommego(t, "play", "--env", tc.id, "--rules", tc.rules, "--start", first, "--agents", "random", "--seed",
			"6", "--quiet")
		if again.want(t, exitOK); again.out != r.out {
			t.Errorf("with its rules given it printed %q, without %q", again.out, r.out)
		}
		if r := pommego(t, "play", "--env", tc.id, "--start", first); r.code != exitError ||
			!strings.Contains(r.errors, "recorded in custom:"+tc.id+", where ") {
			t.Errorf("by other rules: %+v", r)
		}
	}
}

// Games of the references' files can be taken up, whichever they are.
func TestPlayStartRecorded(t *testing.T) {
	for _, file := range []string{"crafted.jsonl.gz", "team.jsonl.gz", "ffa-collapse.jsonl.gz", "radio.jsonl.gz"} {
		out := filepath.Join(t.TempDir(), "game.jsonl")
		pommego(t, "play", "--start", testdata(file), "--agents", "simple", "--seed", "1", "--quiet", "--record", out).want(t,
			exitOK)
		pommego(t, "verify", out).want(t, exitOK)
	}
}

// A pipe, which can be read once, holds recorded games or a state.
func TestPlayStartPipe(t *testing.T) {
	packed, err := os.ReadFile(testdata("team.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	play := []string{"play", "--start", "/dev/stdin", "--agents", "random", "--seed", "1", "--quiet"}
	pommegoReading(t, string(packed), play...).want(t, exitOK)
	if r := pommegoReading(t, "{}", play...); r.code != exitError || !strings.Contains(r.errors, "no saved game") {
		t.Errorf("no state: %+v", r)
	}
}

func TestPlayStartErrors(t *testing.T) {
	for _, tc := range []struct {
		args string
		code int
		want string
	}{
		{"--start " + testdata("team.jsonl.gz") + " --env SuiteBot-v0", exitError, "its game is pommerman, want suitebot"},
		{"--start " + made(t, ""), exitUsage, "a data set or a tournament: want recorded games or a saved game"},
		{"--start nowhere.json", exitError, "nowhere.json"},
	} {
		r := pommego(t, append([]string{"play"}, strings.Fields(tc.args)...)...)
		if r.code != tc.code || !strings.Contains(r.errors, tc.want) || strings.Count(r.errors, "\n") != 1 {
			t.Errorf("%s: %+v, want one line with %q", tc.args, r, tc.want)
		}
	}
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/env"
)

// lineAgent is an agent of the line protocol in one command: it repeats the
// number of each question and always plays the same.
const lineAgent = `exec:sed -nu 's/^{"type": *"[ab][a-z]*"\, *"id": *\([0-9]*\)\,.*/{"id": \1\, "action": 0}/p'`

// playReport is what play --json prints.
type playReport struct {
	Steps   int
	Result  []env.SeatResult
	Winners []int
	Outcome []float64
	Seats   []match.SeatReport
	Void    string
}

// actionServer is an HTTP agent that lays bombs and takes its time.
func actionServer(t *testing.T, takes time.Duration) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/action" {
			time.Sleep(takes)
		}
		io.WriteString(w, `{"action": 5}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// Remote agents of both kinds play against a built-in one.
func TestPlayRemote(t *testing.T) {
	agents := strings.Join([]string{actionServer(t, 0), lineAgent, "simple", lineAgent}, ",")
	path := filepath.Join(t.TempDir(), "match.jsonl")
	r := pommego(t, "play", "--agents", agents, "--seed", "3", "--limit", "1m", "--record", path, "--json")
	r.want(t, exitOK)
	var got playReport
	r.decodes(t, &got)
	if got.Steps == 0 || len(got.Seats) != 4 || len(got.Outcome) != 4 {
		t.Fatalf("got %+v", got)
	}
	for seat, s := range got.Seats {
		if s.Moves == 0 || s.Late+s.Failed != 0 || s.LastError != "" || s.Think <= 0 {
			t.Errorf("seat %d: %+v, want moves and no trouble", seat, s)
		}
	}
	if got.Seats[0].Moves > 14 {
		t.Errorf("the agent that only lays bombs made %d moves, want it to die of its first", got.Seats[0].Moves)
	}
	pommego(t, "verify", path).want(t, exitOK)
}

// An agent that is late is reported, on screen and in the record.
func TestPlayLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	slow := actionServer(t, 150*time.Millisecond)
	r := pommego(t, "play", "--env", "OneVsOne-v0", "--agents", "random,"+slow, "--seed", "2", "--limit", "10ms",
		"--record", path, "--quiet")
	r.want(t, exitOK)
	var steps, moves, late int
	lines := strings.Split(r.out, "\n")
	if _, err := fmt.Sscanf(lines[0], "agent 1 ("+slow+"): of %d moves %d late, 0 failed;", &moves, &late); err != nil ||
		moves == 0 || moves != late {
		t.Fatalf("printed\n%s\nwant a line about agent 1, always late: %v", r.out, err)
	}
	if _, err := fmt.Sscanf(lines[1], "OneVsOne-v0, seed 2: Win after %d steps", &steps); err != nil || steps != moves {
		t.Errorf("printed\n%s\nwant a game of %d steps: %v", r.out, moves, err)
	}
	replay := pommego(t, "replay", path)
	replay.want(t, exitOK)
	if want := fmt.Sprintf("(agent 1 late %d times, first at step 1)", steps); !strings.Contains(replay.out, want) {
		t.Errorf("the replay does not say %q:\n%.300s", want, replay.out)
	}
	pommego(t, "verify", path).want(t, exitOK)
}

// An agent that is not there ends the program with the reason; what it says on
// standard error is shown.
func TestPlayAbsent(t *testing.T) {
	for _, tc := range []struct{ reason, agent, wait, want string }{
		{"nobody listens", "http://127.0.0.1:1", "50ms",
			"pommego play: match: seat 1: http://127.0.0.1:1 is not there to play: "},
		{"a program that breaks, and its standard error", "exec:echo no model >&2; exit 7", "1m",
			"not ready: the program has ended: exit status 7; "},
	} {
		r := pommego(t, "play", "--env", "OneVsOne-v0", "--agents", "static,"+tc.agent, "--wait", tc.wait)
		if r.code != exitError || r.out != "" || !strings.Contains(r.errors, tc.want) ||
			strings.Contains(r.errors, "no model\n") != strings.HasPrefix(tc.agent, "exec:") {
			t.Errorf("%s: %+v, want exit code 1 and %q", tc.reason, r, tc.want)
		}
	}
}

//go:build unix

package match_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/env"
)

// A program plays, and so does one that starts by a shell and its quotes.
func TestProgramsPlay(t *testing.T) {
	game := duel(t, "9")
	p := play(t, game, seatsOf(t, game, program(t, "walk"), program(t, "say:[4, 1, 8]")), patient)
	for seat, want := range [][]uint8{{1, 2, 3, 4, 1, 2, 3, 4, 1}, {4, 4, 4, 4, 4, 4, 4, 4, 4}} {
		if got := p.moves(seat); !reflect.DeepEqual(got, want) {
			t.Errorf("seat %d played %v, want %v", seat, got, want)
		}
		if report := p.Seats[seat]; report.Moves != 9 || report.Late+report.Failed != 0 || report.LastError != "" {
			t.Errorf("seat %d: %+v, want 9 moves and no trouble", seat, report)
		}
	}
}

// What a program is sent, line by line, in two games and at the end of all.
func TestProgramsAreAsked(t *testing.T) {
	game := variant(t, "PommeTeamCompetition-v0", `{"max_steps": 9}`)
	rules, err := json.Marshal(game.Spec().Rules)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "diary")
	players := seatsOf(t, game, "static", "static", program(t, "diary:"+path), "static")
	const seed uint64 = 1234567890123456
	first := playSeed(t, game, players, env.Seed{Value: seed}, patient)
	playSeed(t, game, players, env.Seed{Value: seed + 1}, patient)
	if err := players[2].Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 2*11+2 || strings.Contains(string(text), fmt.Sprint(seed)) {
		t.Fatalf("it was sent %d lines, want 24 without the seed:\n%.3000s", len(lines), text)
	}
	for i, want := range map[int]string{
		0:  `{"type":"begin","id":1,"env":"custom:PommeTeamCompetition-v0","seat":2,"seats":4,"game_type":2,"action_space":6,"limit_ms":60000,"rules":` + string(rules) + `}`,
		10: `{"type":"end","result":"Tie","winners":[],"steps":9,"reward":-1,"counts":` + asJSON(t, nothing(game)) + `}`,
		11: `{"type":"begin","id":11,"env":"custom:PommeTeamCompetition-v0","seat":2,"seats":4,"game_type":2,"action_space":6,"limit_ms":60000,"rules":` + string(rules) + `}`,
		22: `{"type": "shutdown"}`,
		23: "the end",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %s, want %s", i+1, lines[i], want)
		}
	}
	m := game.New(1)[0]
	for step := range 9 {
		if err := m.Restore(first.moments[step].state); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`{"type": "act", "id": %d, "obs": %s}`, step+2, game.AppendObservation(nil, m, 2))
		if lines[1+step] != want || !json.Valid([]byte(want)) {
			t.Fatalf("step %d was asked\n%s\nwant\n%s", step, lines[1+step], want)
		}
	}
}

// What a program may do wrong, and that stop is played then.
func TestProgramsFail(t *testing.T) {
	const quick = 20 * time.Millisecond
	for _, tc := range []struct {
		behaviour    string
		limit        time.Duration
		played       []uint8
		late, failed int
		says         string
	}{
		{"crash", 0, []uint8{1, 1, 0, 0, 0, 0}, 0, 4,
			"the program has ended: exit status 3; the last it wrote to standard error: everything is broken"},
		{"closes", 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, "the program has ended: signal: killed"},
		{"long", 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, "the program wrote a line of more than 65536 bytes"},
		{"say:6", 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, "want a whole number of 0 to 5 for move"},
		{`say:{"move": 1}`, 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, "want a number or a name"},
		{`write:{"id": ID}`, 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, "the answer has no action"},
		{"write:go left", 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, `it wrote "go left", want a line {"id": 7, ...}`},
		{`write:{"action": 5}`, 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, "want a line"},
		{`write:{"id": 1000, "action": 5}`, 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, "want a line"},
		{`write:{"id": -1, "action": 5}`, 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, "want a line"},
		{"write:", 0, []uint8{0, 0, 0, 0, 0, 0}, 0, 6, `it wrote ""`},
		{"hang", quick, []uint8{0, 0, 0, 0, 0, 0}, 6, 0, "no answer within 20ms"},
		{"flood", quick, []uint8{0, 0, 0, 0, 0, 0}, 6, 0, "no answer within 20ms"},
		{"slow:150ms", 100 * time.Millisecond, []uint8{0, 0, 0, 0, 0, 0}, 6, 0, "no answer within 100ms"},
		{"hiccup:3s", 2 * time.Second, []uint8{0, 2, 2, 2, 2, 2}, 1, 0, "step 1: no answer within 2s"},
	} {
		t.Run(tc.behaviour, func(t *testing.T) {
			t.Parallel()
			game := duel(t, "6")
			rules := patient
			if tc.limit != 0 {
				rules.Limit = tc.limit
			}
			p := play(t, game, seatsOf(t, game, "static", program(t, tc.behaviour)), rules)
			seat := p.Seats[1]
			if seat.Moves != 6 || seat.Late != tc.late || seat.Failed != tc.failed ||
				!strings.Contains(seat.LastError, tc.says) {
				t.Errorf("%+v, want %d of 6 late and %d failed with %q", seat, tc.late, tc.failed, tc.says)
			}
			if got := p.moves(1); !reflect.DeepEqual(got, tc.played) {
				t.Errorf("played %v, want %v", got, tc.played)
			}
		})
	}
}

// A program that does not read what it is sent holds nobody up, even once its
// pipe is full.
func TestProgramsThatDoNotRead(t *testing.T) {
	t.Parallel()
	game := variant(t, "OneVsOne-v0", `{"max_steps": 80}`)
	p := play(t, game, seatsOf(t, game, "static", program(t, "deaf")), match.Rules{Limit: 5 * time.Millisecond})
	if seat := p.Seats[1]; seat.Moves != 80 || seat.Late != 80 {
		t.Errorf("%+v, want 80 of 80 late", seat)
	}
}

// A program that breaks in one game is there again in the next.
func TestProgramsStartAgain(t *testing.T) {
	game := duel(t, "5")
	players := seatsOf(t, game, "static", program(t, "crash"))
	for range 2 {
		p := play(t, game, players, patient)
		if got, want := p.moves(1), []uint8{1, 1, 0, 0, 0}; !reflect.DeepEqual(got, want) {
			t.Errorf("played %v, want %v", got, want)
		}
	}
}

// A program that does not get ready is an error that says why.
func TestProgramsAbsent(t *testing.T) {
	game := duel(t, "5")
	for _, tc := range []struct {
		name, want string
		wait       time.Duration
	}{
		{program(t, "early"), "the program has ended: exit status 4", time.Minute},
		{"exec:no-such-program 2>&-", "the program has ended: exit status 127", time.Minute},
		{"exec:yes | head -c 10000 >&2; echo no weights >&2; exit 5",
			"exit status 5; the last it wrote to standard error: y\ny", time.Minute},
		{"exec:yes | head -c 10000 >&2; echo no weights >&2; exit 5", "y\ny\nno weights", time.Minute},
		{program(t, "talks"), `it wrote "hello", want a line {"id": 1, ...} (and anything else on standard error)`,
			time.Minute},
		{program(t, "never"), "context deadline exceeded; the wait for a player is 20ms", 20 * time.Millisecond},
	} {
		_, err := match.Play(t.Context(), game, seatsOf(t, game, "static", tc.name), env.Seed{}, match.Rules{Wait: tc.wait},
			nil)
		if !errors.Is(err, match.ErrAbsent) || !strings.Contains(err.Error(), "seat 1: exec:") ||
			!strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want an error with %q", tc.name, err, tc.want)
		}
	}
}

// A program that has been ready once, and is not for a later game, is started again. If that fails, too, it plays stop.
func TestProgramsNotReadyAgain(t *testing.T) {
	game := duel(t, "4")
	crash, folder := strings.TrimPrefix(program(t, "crash"), "exec:"), t.TempDir()
	for _, tc := range []struct {
		reason, name string
		limit, wait  time.Duration // of the second game
		played       []uint8
		says         string
	}{
		{"it hangs", program(t, "deaf"), 5 * time.Millisecond, 100 * time.Millisecond, []uint8{0, 0, 0, 0}, ""},
		{"it answers the end", program(t, "chatty"), time.Minute, time.Minute, []uint8{1, 1, 1, 1}, ""},
		{"it ends at once", "exec:mkdir " + folder + "/a || exit 4; " + crash, time.Minute, time.Minute, []uint8{0, 0, 0, 0},
			"step 4: not ready: the program has ended: exit status 4"},
		{"it waits", "exec:mkdir " + folder + "/b || exec sleep 1000; " + crash, time.Minute, 100 * time.Millisecond,
			[]uint8{0, 0, 0, 0}, "step 4: not ready: context deadline exceeded"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			t.Parallel()
			players, rules := seatsOf(t, game, "static", tc.name), patient
			rules.Limit = tc.limit
			play(t, game, players, rules)
			rules.Wait = tc.wait
			p := play(t, game, players, rules)
			if got := p.moves(1); !reflect.DeepEqual(got, tc.played) || p.Seats[1].Moves != 4 ||
				!strings.Contains(p.Seats[1].LastError, tc.says) {
				t.Errorf("played %v, %+v, want %v and an error with %q", got, p.Seats[1], tc.played, tc.says)
			}
		})
	}
}

// An agent of an environment that hangs is started again in the next episode. One that is not there is asked once in an
// episode.
func TestAgentsNotReadyAgain(t *testing.T) {
	game := duel(t, "9")
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	for behaviour, late := range map[string]int{"deaf": 2, "early": 0} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			starts := filepath.Join(t.TempDir(), "starts")
			name := fmt.Sprintf("exec:echo >>'%s'; ", starts) + strings.TrimPrefix(program(t, behaviour), "exec:")
			a, err := match.NewAgent(game, name, match.Rules{Limit: 5 * time.Millisecond, Wait: 2 * time.Second}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer a.(env.Outside).Close()
			for range 2 {
				a.Reset(env.RNG{})
				a.Act(m, 0, make([]uint8, 1))
				a.Act(m, 0, make([]uint8, 1))
			}
			text, err := os.ReadFile(starts)
			if err != nil || len(text) != 2 {
				t.Errorf("it was started %d times (%v), want 2", len(text), err)
			}
			if got, failed, _ := a.(env.Outside).Missed(); got+failed != 2 || got > late {
				t.Errorf("%d late and %d failed, want %d of 2 late", got, failed, late)
			}
		})
	}
}

// A program that takes long to start is asked again, and plays once it is ready.
func TestAgentsThatStartSlowly(t *testing.T) {
	game, path := duel(t, "9"), filepath.Join(t.TempDir(), "ready")
	starts := filepath.Join(t.TempDir(), "starts")
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	rules := match.Rules{Limit: time.Minute, Wait: 2 * time.Second}
	name := fmt.Sprintf("exec:echo >>'%s'; ", starts) + strings.TrimPrefix(program(t, "starting:"+path), "exec:")
	a, err := match.NewAgent(game, name, rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.(env.Outside).Close()
	a.Act(m, 0, make([]uint8, 1))
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	action := []uint8{0}
	for range 6 { // however late it is now
		if a.Act(m, 0, action); action[0] == 1 {
			break
		}
	}
	if text, err := os.ReadFile(starts); action[0] != 1 || err != nil || len(text) != 1 {
		t.Errorf("action %d, started %d times (%v), want 1 and once", action[0], len(text), err)
	}
}

// An agent that is to stop does so while it waits for an answer, and its program ends at once.
func TestAgentsStop(t *testing.T) {
	t.Parallel()
	game, file := duel(t, "9"), filepath.Join(t.TempDir(), "pid")
	name := fmt.Sprintf("exec:echo $$ >'%s'; ", file) + strings.TrimPrefix(program(t, "hang"), "exec:")
	a, err := match.NewAgent(game, name, match.Rules{Limit: time.Minute}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.(env.Outside).Close()
	var stop atomic.Bool
	a.StopOn(&stop)
	if err := a.(env.Outside).Try(); err != nil {
		t.Fatal(err)
	}
	stop.Store(true)
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	a.Act(m, 0, make([]uint8, 1))
	text, err := os.ReadFile(file)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid == 0 || syscall.Kill(pid, 0) == nil {
		t.Errorf("its program %q goes on (%v)", text, err)
	}
}

// Close ends a program that does not end by itself, and what it has started.
func TestProgramsAreEnded(t *testing.T) {
	game := duel(t, "5")
	path := filepath.Join(t.TempDir(), "child")
	players := seatsOf(t, game, "static", program(t, "parent:"+path))
	play(t, game, players, patient)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if !running(child) {
		t.Fatal("the child was ended before its time")
	}
	if err := players[1].Close(); err != nil {
		t.Error(err)
	}
	ended(t, path)
}

// running reports whether a process is there and has not ended.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ") // ended, but not reaped
}

// The agent that the description of the protocol shows plays.
func TestProgramOfTheDescription(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	text, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```python\n")
	code, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("PROTOCOL.md shows no agent in Python")
	}
	path := filepath.Join(t.TempDir(), "agent.py")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	game := duel(t, "9")
	p := play(t, game, seatsOf(t, game, "static", fmt.Sprintf("exec:%s '%s'", python, path)), patient)
	if seat := p.Seats[1]; seat.Moves != 9 || seat.Late+seat.Failed != 0 || seat.LastError != "" {
		t.Errorf("%+v, want 9 moves and no trouble", seat)
	}
}

// A server shows a MiB of what the programs of an agent write to standard error, of players in matches all.
func TestTalkativePrograms(t *testing.T) {
	shown, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer shown.Close()
	was := os.Stderr
	os.Stderr = shown
	defer func() { os.Stderr = was }()
	const talks = "exec:head -c 1500000 /dev/zero >&2; echo the end >&2"
	game := duel(t, "6")
	a, err := match.NewAgent(game, talks, patient, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := a.(env.Outside).Try(); err == nil || !strings.HasSuffix(err.Error(), "the end") {
			t.Errorf("%v, want an error with the last that it wrote", err)
		}
	}
	if n, err := shown.Seek(0, io.SeekEnd); err != nil || n < 1<<20 || n > 1_300_000 {
		t.Errorf("%d bytes are shown (%v), want about a MiB", n, err)
	}
	if _, err := match.Play(t.Context(), game, seatsOf(t, game, talks, "static"), env.Seed{}, patient, nil); err == nil {
		t.Error("who ends at once plays")
	}
	if n, err := shown.Seek(0, io.SeekEnd); err != nil || n < 2_500_000 {
		t.Errorf("%d bytes are shown (%v), want all of a match's player, too", n, err)
	}
}

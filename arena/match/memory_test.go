//go:build unix

package match_test

import (
	"bytes"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/env"
)

// narrow is a limit of memory that this program keeps within, and its grown copies do not.
const narrow = 150 << 20

func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("memory is measured on Linux only")
	}
}

// A program with too much in memory, or with a child that has, is stopped with the child, and
// has lost a game that would be a tie.
func TestProgramsWithTooMuchMemory(t *testing.T) {
	linuxOnly(t)
	rules := patient
	rules.Memory = narrow
	for _, starter := range []string{"", "env", "setsid", "twice"} { // of a child; two leave the session
		t.Run(starter, func(t *testing.T) {
			t.Parallel()
			argument, path := starter, filepath.Join(t.TempDir(), "child")
			if starter != "" {
				argument += "," + path
			}
			game := duel(t, "6")
			players := seatsOf(t, game, "static", program(t, "grow:"+argument))
			for range 2 { // it is there again in the next match
				p := play(t, game, players, rules)
				seat := p.Seats[1]
				if got := p.moves(1); !reflect.DeepEqual(got, []uint8{1, 1, 0, 0, 0, 0}) || seat.Failed != 4 ||
					!strings.Contains(seat.LastError, "stopped for too much memory: ") ||
					!strings.Contains(seat.LastError, "where --program-memory allows 157286400") {
					t.Errorf("played %v, %+v", got, seat)
				}
				want := []env.SeatResult{env.Won, env.Lost}
				if p.End.Result != env.Win || p.End.Winners != 1 || !reflect.DeepEqual(p.Results, want) ||
					!reflect.DeepEqual(p.Outcome, []float64{1, -1}) {
					t.Errorf("%v, winners %b, %v, paid %v, want seat 0 to win", p.End.Result, p.End.Winners, p.Results, p.Outcome)
				}
			}
			if starter != "" {
				ended(t, path)
			}
		})
	}
}

// Its rival is told so, and the record says it.
func TestProgramsWithTooMuchMemoryAreReported(t *testing.T) {
	linuxOnly(t)
	rules, game, path := patient, duel(t, "6"), filepath.Join(t.TempDir(), "diary")
	rules.Memory = narrow
	players := seatsOf(t, game, program(t, "diary:"+path), program(t, "grow"))
	_, parsed := record(t, game, players, rules)
	if note := parsed.Info().Note; !strings.HasSuffix(note, "; agent 1 had too much memory and lost the match") {
		t.Errorf("the note is %q", note)
	}
	if err := players[0].Close(); err != nil { // then it has written all
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `{"type":"end","result":"Win","winners":[0],"steps":6,"reward":1,`) {
		t.Errorf("the rival was sent %s (%v)", text, err)
	}
}

// ended waits for the end of the process whose number a file has.
func ended(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); running(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the child %d lives on", child)
		}
	}
}

// Without the limit the same program plays on; with one that it keeps, too.
func TestProgramsWithinMemory(t *testing.T) {
	linuxOnly(t)
	rules := patient
	rules.Memory = 4 << 30
	game := duel(t, "6")
	p := play(t, game, seatsOf(t, game, "static", program(t, "walk")), rules)
	if seat := p.Seats[1]; seat.Failed+seat.Late != 0 {
		t.Errorf("%+v", seat)
	}
}

// A program is limited whatever it calls itself.
func TestProgramsUnderAnotherName(t *testing.T) {
	linuxOnly(t)
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	const hog = `exec:exec bash -c 'exec -a "pommego: a program with limited memory" tail -n 1 < <(
		head -c 300000000 /dev/zero; exec sleep 1000)'`
	rules := patient
	rules.Memory = narrow
	a, err := match.NewAgent(duel(t, "6"), hog, rules, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	o := a.(env.Outside)
	defer o.Close()
	if err := o.Try(); err == nil || !strings.Contains(err.Error(), "too much memory") {
		t.Errorf("%v, want an error that names its memory", err)
	}
}

// What has left a program's session does not outlive the program, also if that ends by itself.
func TestProgramsLeaveNothing(t *testing.T) {
	linuxOnly(t)
	rules := patient
	rules.Memory = 4 << 30
	game, path := duel(t, "6"), filepath.Join(t.TempDir(), "child")
	p := play(t, game, seatsOf(t, game, "static", program(t, "leaves:"+path)), rules)
	if seat := p.Seats[1]; seat.Failed != 4 || !strings.Contains(seat.LastError, "exit status 4") {
		t.Errorf("%+v", seat)
	}
	ended(t, path)
}

// A program that is stopped, or ends, between two games is there in the second.
func TestProgramsEndBetweenGames(t *testing.T) {
	linuxOnly(t)
	rules := patient
	rules.Memory = narrow
	game := duel(t, "3")
	players := seatsOf(t, game, "static", program(t, "grows-after"))
	for range 2 {
		if p := play(t, game, players, rules); p.Seats[1].Failed != 0 || p.End.Result != env.Tie {
			t.Errorf("%+v, %v", p.Seats[1], p.End.Result)
		}
		time.Sleep(400 * time.Millisecond)
	}
}

// An agent of an environment is stopped, too, and its moves count as failed.
func TestAgentsWithTooMuchMemory(t *testing.T) {
	linuxOnly(t)
	game := duel(t, "6")
	rules := patient
	rules.Memory = narrow
	var log bytes.Buffer
	a, err := match.NewAgent(game, program(t, "grow"), rules, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	o := a.(env.Outside)
	defer o.Close()
	a.Reset(env.RNG{})
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	for range 5 {
		a.Act(m, 0, make([]uint8, 1))
	}
	if late, failed, void := o.Missed(); late != 0 || failed != 3 || void {
		t.Errorf("%d late, %d failed, want 0 and 3", late, failed)
	}
	if strings.Count(log.String(), "plays stop") != 1 {
		t.Errorf("%s, want the first failure", &log)
	}
}

// One that has too much before it is ready cannot be an opponent, and loses a match.
func TestProgramsWithTooMuchMemoryAtFirst(t *testing.T) {
	linuxOnly(t)
	game := duel(t, "6")
	rules := patient
	rules.Memory = narrow
	a, err := match.NewAgent(game, program(t, "hog"), rules, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	o := a.(env.Outside)
	defer o.Close()
	if err := o.Try(); err == nil || !strings.Contains(err.Error(), "too much memory") {
		t.Errorf("%v, want an error that names its memory", err)
	}
	p := play(t, game, seatsOf(t, game, program(t, "hog"), "static"), rules)
	if seat := p.Seats[0]; seat.Failed != 6 || p.End.Winners != 2 || !strings.Contains(seat.LastError, "too much memory") {
		t.Errorf("%+v, winners %b", seat, p.End.Winners)
	}
}

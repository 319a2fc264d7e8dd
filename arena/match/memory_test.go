//go:build unix

package match_test

import (
	"log/slog"
	"os"
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
		t.Skip("memory is limited on Linux only")
	}
}

// A program that needs too much gets no more, ends of it, and is there again in the next match.
func TestProgramsWithTooMuchMemory(t *testing.T) {
	linuxOnly(t)
	rules := patient
	rules.Memory = narrow
	game := duel(t, "6")
	players := seatsOf(t, game, "static", program(t, "grow"))
	for range 2 {
		p := play(t, game, players, rules)
		seat := p.Seats[1]
		if got := p.moves(1); !reflect.DeepEqual(got, []uint8{1, 1, 0, 0, 0, 0}) || seat.Failed != 4 ||
			!strings.Contains(seat.LastError, "the program has ended: exit status 2") {
			t.Errorf("played %v, %+v", got, seat)
		}
	}
}

// A child of a program is limited, too; the program plays on without it.
func TestChildrenWithTooMuchMemory(t *testing.T) {
	linuxOnly(t)
	rules := patient
	rules.Memory = narrow
	game, path := duel(t, "6"), filepath.Join(t.TempDir(), "child")
	p := play(t, game, seatsOf(t, game, "static", program(t, "grow:"+path)), rules)
	if seat := p.Seats[1]; seat.Failed+seat.Late != 0 {
		t.Errorf("%+v", seat)
	}
	ended(t, path)
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
	for deadline := time.Now().Add(10 * time.Second); running(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the child %d lives on", child)
		}
	}
}

// Without the limit the same program plays on; with one that it keeps, too.
func TestProgramsWithinMemory(t *testing.T) {
	linuxOnly(t)
	game := duel(t, "6")
	for _, most := range []int64{0, 4 << 30} {
		rules := patient
		rules.Memory = most
		p := play(t, game, seatsOf(t, game, "static", program(t, "grow")), rules)
		if seat := p.Seats[1]; seat.Failed+seat.Late != 0 {
			t.Errorf("%d: %+v", most, seat)
		}
	}
}

// An agent of an environment is limited, too, and its moves count as failed.
func TestAgentsWithTooMuchMemory(t *testing.T) {
	linuxOnly(t)
	game := duel(t, "6")
	rules := patient
	rules.Memory = narrow
	a, err := match.NewAgent(game, program(t, "grow"), rules, slog.New(slog.DiscardHandler))
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
	if late, failed := o.Missed(); late != 0 || failed != 3 {
		t.Errorf("%d late, %d failed, want 0 and 3", late, failed)
	}
}

// One that needs too much before it is ready is not there.
func TestProgramsWithTooMuchMemoryAtFirst(t *testing.T) {
	linuxOnly(t)
	rules := patient
	rules.Memory = narrow
	a, err := match.NewAgent(duel(t, "6"), program(t, "hog"), rules, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	o := a.(env.Outside)
	defer o.Close()
	if err := o.Try(); err == nil || !strings.Contains(err.Error(), "the program has ended: ") {
		t.Errorf("%v, want an error that says so", err)
	}
}

package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/ledger"
	"pommego/internal/disk/disktest"
)

// more changes how many games a configuration asks for.
func more(c Config, games int) Config {
	c.Games = games
	return c
}

// TestExtended asks for more games than there are: only these are played, and the
// bytes are those of one run.
func TestExtended(t *testing.T) {
	stepwise := small()
	stepwise.Layout = Steps
	dialogues := tiny()
	dialogues.Layout, dialogues.Agents, dialogues.MaxSteps = Dialogues, []string{"champion:level=1", "random"}, 60
	searching := tiny()
	searching.Layout, searching.Agents = Steps, []string{"osla:ticks=30", "random"}
	for _, tc := range []struct {
		reason       string
		first, later Config
		played       int // games of the later run
	}{
		{"the last file is not full", more(small(), 7), more(small(), 11), 4},
		{"all files are full", more(small(), 6), more(small(), 7), 1},
		{"within the only file", more(small(), 1), more(small(), 3), 2},
		{"rows are steps", more(stepwise, 4), more(stepwise, 7), 3},
		{"rows are dialogues, after which those who are out have kills", more(dialogues, 1), more(dialogues, 3), 2},
		{"agents that search", more(searching, 1), more(searching, 3), 2},
	} {
		want := contents(t, generate(t, ffa, tc.later, testOptions(1)))
		folder := generate(t, ffa, tc.first, testOptions(1))
		first, err := Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		m, work, err := Generate(context.Background(), gameOf(t, ffa), tc.later, folder, testOptions(2))
		if err != nil {
			t.Fatalf("%s: %v", tc.reason, err)
		}
		if work.Games != tc.played || m.Games <= first.Manifest.Games {
			t.Errorf("%s: %d games were played and there are %d, want %d played", tc.reason, work.Games, m.Games, tc.played)
		}
		sameContents(t, tc.reason, contents(t, folder), want)
		verifyClean(t, folder)
	}
}

// TestExtendedAfterStop asks for more games than the run asked for that was
// stopped before.
func TestExtendedAfterStop(t *testing.T) {
	want := contents(t, generate(t, ffa, more(small(), 11), testOptions(1)))
	for stop := 1; stop < 7; stop++ {
		folder := filepath.Join(t.TempDir(), "set")
		ctx, cancel := context.WithCancel(context.Background())
		o := testOptions(1)
		o.Progress = func(p ledger.Progress) {
			if p.Done == stop {
				cancel()
			}
		}
		if _, _, err := Generate(ctx, gameOf(t, ffa), more(small(), 7), folder, o); !errors.Is(err, ledger.ErrStopped) {
			t.Fatalf("error %v, want %v", err, ledger.ErrStopped)
		}
		_, work, err := Generate(context.Background(), gameOf(t, ffa), more(small(), 11), folder, testOptions(1))
		if want := 11 - stop/3*3; err != nil || work.Games != want {
			t.Fatalf("error %v, %d games played, want %d: a stop costs the file under way", err, work.Games, want)
		}
		sameContents(t, fmt.Sprintf("stopped after %d games", stop), contents(t, folder), want)
	}
}

// TestExtendingCrashes stops everything at each operation on the disk that
// extending makes, and lets each one fail, and goes on from what is left.
func TestExtendingCrashes(t *testing.T) {
	larger := more(tiny(), 5)
	want := contents(t, generate(t, ffa, larger, testOptions(1)))
	stride := 1
	if testing.Short() {
		stride = 5
	}
	finished := os.DirFS(generate(t, ffa, tiny(), testOptions(1)))
	for _, fault := range []disktest.Fault{disktest.Crash, disktest.Fail} {
		for at := 1; ; at += stride * (1 + 2*int(fault)) {
			folder := filepath.Join(t.TempDir(), "set")
			if err := os.CopyFS(folder, finished); err != nil {
				t.Fatal(err)
			}
			faulty := &disktest.Disk{Fault: fault, At: at}
			o := testOptions(1)
			o.Disk = faulty
			_, _, err := Generate(context.Background(), gameOf(t, ffa), larger, folder, o)
			if !faulty.Hit() {
				if at < 30 {
					t.Errorf("extending makes %d operations on the disk, want more", at)
				}
				break
			}
			if !errors.Is(err, disktest.ErrFault) {
				t.Fatalf("operation %d failed, but the error is %v", at, err)
			}
			wholeFiles(t, folder)
			if _, _, err := Generate(context.Background(), gameOf(t, ffa), larger, folder, testOptions(2)); err != nil {
				t.Fatalf("going on after fault %d at operation %d: %v", fault, at, err)
			}
			sameContents(t, fmt.Sprintf("fault %d at operation %d", fault, at), contents(t, folder), want)
		}
	}
}

// TestExtendingRefused: what is there is left as it is.
func TestExtendingRefused(t *testing.T) {
	folder := generate(t, ffa, small(), testOptions(1))
	before := contents(t, folder)
	for _, tc := range []struct {
		config Config
		change func(*Options)
		want   error
		says   string
	}{
		{more(small(), 6), func(*Options) {}, ledger.ErrOther, "it has 7 games, and 6 are asked for"},
		{more(small(), 8), func(o *Options) { o.Version = "other" }, ledger.ErrProgram, `version "test", this one is "other"`},
	} {
		o := testOptions(1)
		tc.change(&o)
		_, _, err := Generate(context.Background(), gameOf(t, ffa), tc.config, folder, o)
		if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("error %v, want %v that says %q", err, tc.want, tc.says)
		}
		if _, _, err := Generate(context.Background(), gameOf(t, ffa), small(), folder, testOptions(1)); err != nil {
			t.Fatal(err)
		}
		sameContents(t, tc.says, contents(t, folder), before)
	}
}

// TestEditedCard: the card is for people. Whatever they make of it is no damage,
// and stays when there are more games.
func TestEditedCard(t *testing.T) {
	folder := generate(t, ffa, tiny(), testOptions(1))
	path := filepath.Join(folder, CardName)
	own := []byte("# My games\n")
	if err := os.WriteFile(path, own, 0o644); err != nil {
		t.Fatal(err)
	}
	verifyClean(t, folder)
	m, _, err := Generate(context.Background(), gameOf(t, ffa), more(tiny(), 5), folder, testOptions(1))
	if err != nil || m.Games != 5 {
		t.Fatalf("error %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != string(own) {
		t.Errorf("the card is now %q (error %v), want it as it was", text, err)
	}
	verifyClean(t, folder)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	verifyClean(t, folder)
}

package dataset

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
	"pommego/env/record"
	"pommego/internal/disk"
	"pommego/internal/disk/disktest"
)

// TestSameBytes makes the same data sets with different numbers of workers.
func TestSameBytes(t *testing.T) {
	for _, c := range []struct {
		reason string
		id     string
		change func(*Config)
	}{
		{"the plainest", ffa, func(c *Config) { c.Agents, c.Seating = []string{"simple"}, Fixed }},
		{"each seat has its agent", team,
			func(c *Config) { c.Agents, c.Seating = []string{"simple", "random", "static", "simple"}, Fixed }},
		{"agents are drawn", ffa, func(*Config) {}},
		{"actions have several components", radio, func(c *Config) { c.Layout = Steps }},
		{"rows of steps, planes", team, func(c *Config) { c.Layout, c.Observation = Steps, "planes" }},
		{"rows are dialogues, of agents that search and others", radio,
			func(c *Config) { c.Layout, c.Agents = Dialogues, []string{"champion:level=1", "random"} }},
		{"rows of steps, raw", ffa, func(c *Config) { c.Layout, c.Observation = Steps, "raw" }},
	} {
		config := small()
		c.change(&config)
		want := contents(t, generate(t, c.id, config, testOptions(1)))
		for _, workers := range []int{2, 5} {
			folder := generate(t, c.id, config, testOptions(workers))
			sameContents(t, fmt.Sprintf("%s, %d workers", c.reason, workers), contents(t, folder), want)
			r := verifyClean(t, folder)
			if r.Replayed != r.Steps || r.Steps == 0 {
				t.Errorf("%s: %d of %d steps played again, want all", c.reason, r.Replayed, r.Steps)
			}
		}
	}
}

func episodes(t testing.TB, folder string) []*Episode {
	t.Helper()
	set, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Episode
	err = set.Episodes(func(e *Episode) error {
		e.from = "" // data sets of the same games can be compared
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEpisodesComeBack compares what is read with what playing gives.
func TestEpisodesComeBack(t *testing.T) {
	config, err := small().Resolve(gameOf(t, team))
	if err != nil {
		t.Fatal(err)
	}
	players, replay := match.Players{Game: gameOf(t, team)}, ledger.NewReplay(gameOf(t, team), false)
	for i, got := range episodes(t, generate(t, team, small(), testOptions(2))) {
		want, err := config.play(context.Background(), &players, i, config.lineup(i, 4), nil)
		if err == nil {
			err = replay.Begin(&want.Played, &want.Ending)
		}
		if err == nil {
			err = replay.Follow(func(record.Moment) error { return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
		if got.Start == nil {
			t.Errorf("game %d has no start", i)
		}
		got.Start = nil
		if fmt.Sprint(*got) != fmt.Sprint(*want) {
			t.Errorf("game %d: read %v, played %v", i, *got, *want)
		}
	}
}

// crashing generates on a disk that stops working, again and again, each time
// a little later in the work, until it succeeds. It returns how often it did not.
func crashing(t *testing.T, id string, c Config, fault disktest.Fault, stride int) (folder string, crashes int) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "set")
	for {
		o := testOptions(2)
		o.Disk = &disktest.Disk{Fault: fault, At: 1 + crashes%stride}
		_, _, err := Generate(context.Background(), gameOf(t, id), c, folder, o)
		wholeFiles(t, folder)
		if err == nil {
			return folder, crashes
		}
		if !errors.Is(err, disktest.ErrFault) {
			t.Fatalf("after %d crashes: %v, want %v", crashes, err, disktest.ErrFault)
		}
		if crashes++; crashes > 10_000 {
			t.Fatal("it never gets done")
		}
	}
}

// wholeFiles fails the test if a file under its final name is not whole.
func wholeFiles(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, dataFolder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		r, err := openFile(filepath.Dir(path), filepath.Base(path), nil)
		if err != nil {
			t.Fatalf("a file under its final name is not whole: %v", err)
		}
		r.Close()
	}
	if _, err := ReadManifest(folder); err != nil && !errors.Is(err, errNone) {
		t.Fatalf("a manifest under its name is not whole: %v", err)
	}
}

var crashStride = flag.Int("crash-stride", 3,
	"in layouts other than games, TestCrashAtEveryOperation stops at one of so many operations")

// TestCrashAtEveryOperation stops everything at each operation on the disk there
// is, and goes on from what is left. The operations of all layouts are the same but for
// what is written: of others than games some suffice.
func TestCrashAtEveryOperation(t *testing.T) {
	for _, layout := range []Layout{Games, Steps, Dialogues} {
		config := tiny()
		config.Layout = layout
		intact := testOptions(1)
		counter := &disktest.Disk{}
		intact.Disk = counter
		want := contents(t, generate(t, ffa, config, intact))
		stride := 1
		if layout != Games {
			stride = *crashStride
		}
		for at := 1; at <= counter.Count(); at += stride {
			folder := filepath.Join(t.TempDir(), "set")
			o := testOptions(1)
			o.Disk = &disktest.Disk{At: at}
			_, _, err := Generate(context.Background(), gameOf(t, ffa), config, folder, o)
			if !errors.Is(err, disktest.ErrFault) {
				t.Fatalf("%v: operation %d of %d failed, but the error is %v", layout, at, counter.Count(), err)
			}
			wholeFiles(t, folder)
			if _, _, err := Generate(context.Background(), gameOf(t, ffa), config, folder, testOptions(2)); err != nil {
				t.Fatalf("%v: going on after a crash at operation %d: %v", layout, at, err)
			}
			sameContents(t, fmt.Sprintf("%v: crash at operation %d", layout, at), contents(t, folder), want)
		}
	}
}

// TestCrashAgainAndAgain crashes many times on the way, and lets single
// operations fail.
func TestCrashAgainAndAgain(t *testing.T) {
	config := small()
	config.Games = 15
	want := contents(t, generate(t, ffa, config, testOptions(1)))
	for _, c := range []struct {
		fault  disktest.Fault
		stride int
	}{{disktest.Crash, 40}, {disktest.Fail, 60}} {
		folder, crashes := crashing(t, ffa, config, c.fault, c.stride)
		if crashes < 10 {
			t.Errorf("fault %d: %d crashes, want more for a test", c.fault, crashes)
		}
		sameContents(t, fmt.Sprintf("fault %d, %d crashes", c.fault, crashes), contents(t, folder), want)
	}
}

// TestWriteErrors lets each kind of operation fail once: the error is reported,
// nothing half-written has a final name, and nothing is lost.
func TestWriteErrors(t *testing.T) {
	config := tiny()
	want := contents(t, generate(t, ffa, config, testOptions(1)))
	for _, operation := range []string{"open", "write", "sync", "close", "rename", "syncfolder", "truncate", "mkdir",
		"remove"} {
		for at := 1; ; at++ {
			folder := filepath.Join(t.TempDir(), "set")
			faulty := &disktest.Disk{Fault: disktest.Fail, At: at, Only: operation}
			o := testOptions(2)
			o.Disk = faulty
			_, _, err := Generate(context.Background(), gameOf(t, ffa), config, folder, o)
			if !faulty.Hit() {
				if at == 1 {
					t.Errorf("there is no %s to fail", operation)
				}
				break
			}
			if !errors.Is(err, disktest.ErrFault) || !strings.Contains(err.Error(), operation) {
				t.Fatalf("%s %d: error %v, want one that says so", operation, at, err)
			}
			wholeFiles(t, folder)
			if _, _, err := Generate(context.Background(), gameOf(t, ffa), config, folder, testOptions(1)); err != nil {
				t.Fatalf("%s %d: going on: %v", operation, at, err)
			}
			sameContents(t, fmt.Sprintf("%s %d", operation, at), contents(t, folder), want)
		}
	}
}

// TestStoppedByContext stops a run and goes on with it.
func TestStoppedByContext(t *testing.T) {
	config := small()
	want := contents(t, generate(t, ffa, config, testOptions(1)))
	folder := unfinished(t)
	if _, err := Open(folder); !errors.Is(err, errNone) ||
		!strings.Contains(err.Error(), "repeat its command (generate,") {
		t.Errorf("opening what is not finished: %v, want %v and what to do", err, errNone)
	}
	var first ledger.Progress
	o := testOptions(1)
	o.Progress = func(p ledger.Progress) {
		if first.Total == 0 {
			first = p
		}
	}
	_, work, err := Generate(context.Background(), gameOf(t, ffa), config, folder, o)
	if err != nil {
		t.Fatal(err)
	}
	if first.Resumed != 4 || work.Games != 3 {
		t.Errorf("%d games taken over and %d played, want 4 and 3", first.Resumed, work.Games)
	}
	sameContents(t, "after a stop", contents(t, folder), want)
}

// TestFinishedIsLeftAlone runs a finished command again.
func TestFinishedIsLeftAlone(t *testing.T) {
	folder := generate(t, ffa, small(), testOptions(1))
	o := testOptions(1)
	o.Disk = &disktest.Disk{At: 1, Only: "write"} // nothing may be written
	m, work, err := Generate(context.Background(), gameOf(t, ffa), small(), folder, o)
	if err != nil || work.Games != 0 || m.Games != small().Games {
		t.Errorf("error %v, %d games played, manifest of %d, want none, 0 and %d", err, work.Games, m.Games, small().Games)
	}
}

// TestRefusals checks what a folder is refused for.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		reason string
		folder func(*testing.T) string
		id     string
		change func(*Config, *Options)
		want   error
		says   string
	}{
		{"a finished one with another seed", func(t *testing.T) string { return generate(t, ffa, small(), testOptions(1)) },
			ffa,
			func(c *Config, _ *Options) { c.Seed++ }, ledger.ErrOther, "seed is 5, not 6"},
		{"an unfinished one with another seed", unfinished, ffa, func(c *Config, _ *Options) { c.Seed++ }, ledger.ErrOther,
			"seed is 5, not 6"},
		{"a finished one with another fourth agent", func(t *testing.T) string {
			c := small()
			c.Agents = []string{"static", "simple", "champion:level=1", "mcts:ticks=20"}
			return generate(t, ffa, c, testOptions(1))
		}, ffa, func(c *Config, _ *Options) {
			c.Agents = []string{"static", "simple", "champion:level=1", "mcts:ticks=50"}
		}, ledger.ErrOther, `mcts:ticks=20"], not ...`},
		{"a finished one of fewer games", func(t *testing.T) string { return generate(t, ffa, small(), testOptions(1)) },
			ffa,
			func(c *Config, _ *Options) { c.Games++ }, ledger.ErrOther, "it has 7 games, want 8"},
		{"an unfinished one of more games", unfinished, ffa, func(c *Config, _ *Options) { c.Games = 2 }, ledger.ErrOther,
			"it has game 2, and 2 games are asked for"},
		{"an unfinished one of another game", unfinished, team, func(*Config, *Options) {}, ledger.ErrOther, "env"},
		{"an unfinished one of another build", unfinished, ffa, func(_ *Config, o *Options) { o.Build = "other" },
			ledger.ErrProgram, `"test"`},
		{"somebody's own files", func(t *testing.T) string {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "thesis.tex"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			return folder
		}, ffa, func(*Config, *Options) {}, ErrNotEmpty, "not empty"},
		{"a folder at which another process works", func(t *testing.T) string {
			folder := unfinished(t)
			unlock, err := disk.Lock(disk.OS, filepath.Join(folder, WorkFolder, "lock"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { unlock() })
			return folder
		}, ffa, func(*Config, *Options) {}, disk.ErrInUse, "lock"},
	} {
		config, o := small(), testOptions(1)
		c.change(&config, &o)
		_, _, err := Generate(context.Background(), gameOf(t, c.id), config, c.folder(t), o)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %v that says %q", c.reason, err, c.want, c.says)
		}
	}
}

// TestPanic wants a panic in a game to come back as an error that names it.
func TestPanic(t *testing.T) {
	_, _, err := Generate(context.Background(), broken{gameOf(t, ffa)}, small(), filepath.Join(t.TempDir(), "set"),
		testOptions(2))
	if err == nil || !strings.Contains(err.Error(), "seed") || !strings.Contains(err.Error(), "too hot") {
		t.Errorf("error %v, want one that names the seed and the panic", err)
	}
}

// broken is a game whose agents panic.
type broken struct{ env.Game }

func (g broken) NewAgent(name string) (env.Agent, error) {
	agent, err := g.Game.NewAgent(name)
	return hot{agent}, err
}

type hot struct{ env.Agent }

func (hot) Act(env.Match, int, []uint8) { panic("too hot") }

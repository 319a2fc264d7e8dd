package dataset

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/arena/ledger"
	"pommego/internal/disk"
	"pommego/internal/disk/disktest"
)

// unfinished begins a small data set and stops once four games are played.
func unfinished(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "set")
	o := testOptions(1)
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(p ledger.Progress) {
		if p.Done == 4 {
			cancel()
		}
	}
	if _, _, err := Generate(ctx, gameOf(t, ffa), small(), folder, o); !errors.Is(err, ledger.ErrStopped) {
		t.Fatalf("error %v, want %v", err, ledger.ErrStopped)
	}
	return folder
}

// TestLogTorn cuts the log off at many bytes, and goes on with it: a game whose line is whole is not played again.
func TestLogTorn(t *testing.T) {
	from := unfinished(t)
	log := filepath.Join(from, WorkFolder, logName)
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	want := contents(t, generate(t, ffa, small(), testOptions(1)))
	for cut := 0; cut <= len(whole); cut += 1 + len(whole)/40 {
		folder := filepath.Join(t.TempDir(), "set")
		if err := os.MkdirAll(filepath.Join(folder, WorkFolder), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, WorkFolder, logName), whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		_, work, err := Generate(context.Background(), gameOf(t, ffa), small(), folder, testOptions(2))
		if held := max(0, bytes.Count(whole[:cut], []byte("\n"))-1); err != nil || work.Games != 7-held {
			t.Fatalf("cut off at byte %d: %d games are played (%v), want %d", cut, work.Games, err, 7-held)
		}
		sameContents(t, fmt.Sprintf("cut off at byte %d", cut), contents(t, folder), want)
	}
}

// TestChangedFile changes a file that the log lists: it is made again.
func TestChangedFile(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "set")
	o := testOptions(1)
	o.Disk = &disktest.Disk{Only: "rename", At: 3} // of the third file
	if _, _, err := Generate(context.Background(), gameOf(t, ffa), small(), folder, o); err == nil {
		t.Fatal("it was to fail")
	}
	changed := 0
	for _, path := range []string{dataName(Games, 0), dataName(Games, 1)} {
		path = filepath.Join(folder, path)
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		data[len(data)/2] ^= 4
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		changed++
	}
	_, work, err := Generate(context.Background(), gameOf(t, ffa), small(), folder, testOptions(1))
	if err != nil || work.Games != 0 || changed == 0 {
		t.Errorf("error %v, %d games played, %d files changed, want no games, and some files", err, work.Games, changed)
	}
	sameContents(t, "a changed file", contents(t, folder), contents(t, generate(t, ffa, small(), testOptions(1))))
}

// TestUnwrittenFile: the error of a file that cannot be written does not blame the log.
func TestUnwrittenFile(t *testing.T) {
	c, o := small(), testOptions(1)
	c.FileGames, o.Disk = 1, &disktest.Disk{Fault: disktest.Fail, Only: "rename", At: 1}
	_, _, err := Generate(context.Background(), gameOf(t, ffa), c, filepath.Join(t.TempDir(), "set"), o)
	if !errors.Is(err, disktest.ErrFault) || strings.Contains(err.Error(), logName) {
		t.Errorf("error %v, want %v and no %s", err, disktest.ErrFault, logName)
	}
}

// TestMoreGames fails after the last file and goes on with more games: that file is made again, with its new games.
func TestMoreGames(t *testing.T) {
	folder, o, more := filepath.Join(t.TempDir(), "set"), testOptions(1), small()
	o.Disk, more.Games = &disktest.Disk{Only: "rename", At: 4}, 9 // of the card, after three files
	_, _, err := Generate(context.Background(), gameOf(t, ffa), small(), folder, o)
	if !errors.Is(err, disktest.ErrFault) {
		t.Fatalf("error %v, want %v", err, disktest.ErrFault)
	}
	_, work, err := Generate(context.Background(), gameOf(t, ffa), more, folder, testOptions(1))
	if err != nil || work.Games != 2 {
		t.Errorf("error %v, %d games played, want 2", err, work.Games)
	}
	sameContents(t, "more games", contents(t, folder), contents(t, generate(t, ffa, more, testOptions(1))))
}

// TestStoppedAmongFiles stops a run whose games are all played: the next one makes the files.
func TestStoppedAmongFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "set")
	ctx, cancel := context.WithCancel(context.Background())
	o := testOptions(1)
	o.Progress = func(p ledger.Progress) {
		if p.Done == p.Total {
			cancel()
		}
	}
	if _, _, err := Generate(ctx, gameOf(t, ffa), small(), folder, o); !errors.Is(err, ledger.ErrStopped) {
		t.Fatalf("error %v, want %v", err, ledger.ErrStopped)
	}
	_, work, err := Generate(context.Background(), gameOf(t, ffa), small(), folder, testOptions(2))
	if err != nil || work.Games != 0 {
		t.Errorf("error %v, %d games played, want none", err, work.Games)
	}
	sameContents(t, "stopped among files", contents(t, folder), contents(t, generate(t, ffa, small(), testOptions(1))))
}

// TestGenerateAfterMerge: what an interrupted Merge has left is no part of the data set that Generate makes there.
func TestGenerateAfterMerge(t *testing.T) {
	from, folder := sets(t, generate(t, ffa, small(), testOptions(1))), filepath.Join(t.TempDir(), "set")
	o := testOptions(1)
	o.Disk = &disktest.Disk{Only: "rename", At: 6} // of the sixth file
	_, err := Merge(gameOf(t, ffa), from, Config{FileGames: 1}, Filter{}, folder, o)
	if !errors.Is(err, disktest.ErrFault) {
		t.Fatalf("error %v, want %v", err, disktest.ErrFault)
	}
	if _, _, err := Generate(context.Background(), gameOf(t, ffa), tiny(), folder, testOptions(1)); err != nil {
		t.Fatal(err)
	}
	sameContents(t, "after a merge", contents(t, folder), contents(t, generate(t, ffa, tiny(), testOptions(1))))
}

// meanwhile is a disk on which another process finishes a data set after the folder was seen to be vacant.
type meanwhile struct {
	disk.FS
	finish func()
}

func (m meanwhile) Within(folder string) disk.FS { return meanwhile{disk.OS.Within(folder), m.finish} }

func (m meanwhile) SyncFolder(path string) error {
	m.finish()
	return m.FS.SyncFolder(path)
}

// TestFinishedMeanwhile leaves a data set alone that another process finishes while this one waits for the lock.
func TestFinishedMeanwhile(t *testing.T) {
	finished := generate(t, ffa, tiny(), testOptions(1))
	folder := filepath.Join(t.TempDir(), "set")
	o := testOptions(1)
	o.Disk = meanwhile{disk.OS, func() {
		if err := cmp.Or(os.RemoveAll(folder), os.CopyFS(folder, os.DirFS(finished)),
			os.Mkdir(filepath.Join(folder, WorkFolder), 0o755)); err != nil {
			t.Error(err)
		}
	}}
	if _, _, err := Generate(context.Background(), gameOf(t, ffa), tiny(), folder, o); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("error %v, want %v", err, ErrNotEmpty)
	}
	verifyClean(t, folder)
}

// TestImpossibleParts: a game of a part that cannot be one of the data set is an error.
func TestImpossibleParts(t *testing.T) {
	from := unfinished(t)
	var first entry
	var header json.RawMessage
	if err := disk.ReadLog(filepath.Join(from, WorkFolder, logName),
		func(line []byte) error { header = bytes.Clone(line); return nil },
		func(line []byte) error { return json.Unmarshal(line, &first) }); err != nil {
		t.Fatal(err)
	}
	search := map[string][]byte{ledger.Visits: make([]byte, 4*6), ledger.Values: make([]byte, 8*6)}
	in := func(step, seat int) ledger.Decision { return ledger.Decision{Step: step, Seat: seat, Arrays: search} }
	for says, change := range map[string]func(e *Episode){
		"its game is -1":    func(e *Episode) { e.Game, e.Seed.Value = -1, small().Seed-1; e.Agents = nil },
		"has seed 9":        func(e *Episode) { e.Seed.Value = 9 },
		"3 seats":           func(e *Episode) { e.Missed = e.Missed[1:] },
		`agents ["other"`:   func(e *Episode) { e.Agents = []string{"other"} },
		"bytes of actions":  func(e *Episode) { e.Steps++ },
		"want 0 to 5":       func(e *Episode) { e.Actions = slices.Repeat([]byte{6}, len(e.Actions)) },
		"0 bytes of visits": func(e *Episode) { e.Decisions = []ledger.Decision{{}} },
		"1 bytes of visits": func(e *Episode) {
			e.Decisions = []ledger.Decision{{Arrays: map[string][]byte{ledger.Visits: {1}}}}
		},
		"in step 0, want decisions in the order": func(e *Episode) { e.Decisions = []ledger.Decision{in(0, 1), in(0, 0)} },
		"of seat 0 in step -1":                   func(e *Episode) { e.Decisions = []ledger.Decision{in(-1, 0)} },
		"of which it has":                        func(e *Episode) { e.Decisions = []ledger.Decision{in(e.Steps, 0)} },
		"repetition 1":                           func(e *Episode) { e.Repetition = 1 },
		"of seat 4":                              func(e *Episode) { e.Decisions = []ledger.Decision{{Seat: 4}} },
		"7 games are asked":                      func(e *Episode) { e.Game = 7 },
	} {
		part, played := t.TempDir(), *first.Played
		change(&played)
		if says == "its game is -1" {
			config, err := small().Resolve(gameOf(t, ffa))
			if err != nil {
				t.Fatal(err)
			}
			played.Agents = config.lineup(-1, 4)
		}
		if err := os.MkdirAll(filepath.Join(part, WorkFolder), 0o755); err != nil {
			t.Fatal(err)
		}
		log, err := disk.OpenLog(disk.OS, filepath.Join(part, WorkFolder, logName), disk.LogOptions{Header: header})
		if err == nil {
			err = errors.Join(log.Add(entry{Played: &played}), log.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		o := testOptions(1)
		o.Take = []string{part}
		_, _, err = Generate(context.Background(), gameOf(t, ffa), small(), filepath.Join(t.TempDir(), "set"), o)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

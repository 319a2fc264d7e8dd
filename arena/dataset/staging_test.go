package dataset

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/env"
	"pommego/internal/disk"
)

// sample is an episode like no other.
func sample(game int) *Episode {
	return &Episode{
		Game: game, Dealt: true, Agents: []uint16{1, 0}, Steps: 3, Result: env.Win, Winners: 2,
		Outcome: []float64{-1, 1}, Lived: []int32{2, 3}, Missed: []int32{0, int32(game)},
		Actions:   []byte{5, 1, 0, 2, byte(game), 3},
		Decisions: []Decision{{Step: 1, Visits: []byte("thought"[:game%7]), Values: []byte{255}}},
	}
}

// logOf keeps episodes in a new log and returns where it is, and where each record ends.
func logOf(t *testing.T, games ...int) (folder string, ends []int64) {
	t.Helper()
	folder = t.TempDir()
	w := open(t, folder)
	defer w.log.Close()
	for _, game := range games {
		if err := w.keep(sample(game)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, w.log.Size())
	}
	return folder, ends
}

func open(t *testing.T, folder string) *staging {
	t.Helper()
	w := stagingAt(folder)
	if err := w.openLog(); err != nil {
		t.Fatal(err)
	}
	return w
}

// stagingAt is a staging of games of two seats.
func stagingAt(folder string) *staging {
	about := About{Env: Env{Seats: 2, Actions: make([]env.Choice, 1), Rules: json.RawMessage("{}")}, Generated: &Config{}}
	return &staging{disk: disk.OS, scratch: folder, games: map[int]disk.Place{}, files: map[int]*summary{},
		plan: &plan{config: Config{Games: 100, FileGames: 100}, about: about}}
}

// holds fails the test unless the log holds exactly these games.
func holds(t *testing.T, what string, w *staging, games ...int) {
	t.Helper()
	if len(w.games) != len(games) {
		t.Fatalf("%s: it holds %d games, want %v", what, len(w.games), games)
	}
	for _, game := range games {
		e, err := w.episode(game, w.games[game])
		if err == nil {
			e.Seed = env.Seed{}
		}
		if err != nil || fmt.Sprint(*e) != fmt.Sprint(*sample(game)) {
			t.Fatalf("%s: game %d is %v (%v), want %v", what, game, e, err, sample(game))
		}
	}
}

// TestLogTorn cuts a log off at every byte, and goes on with it.
func TestLogTorn(t *testing.T) {
	folder, ends := logOf(t, 4, 2, 9)
	whole, err := os.ReadFile(filepath.Join(folder, logName))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(filepath.Join(folder, logName), whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		w := open(t, folder)
		var left []int
		for i, end := range ends {
			if int64(cut) >= end {
				left = append(left, []int{4, 2, 9}[i])
			}
		}
		what := fmt.Sprintf("cut off at byte %d", cut)
		holds(t, what, w, left...)
		if err := w.keep(sample(7)); err != nil {
			t.Fatal(err)
		}
		w.log.Close()
		again := open(t, folder)
		holds(t, what+", gone on with", again, append(left, 7)...)
		again.log.Close()
	}
}

// TestLogDamaged flips bits of a log: whatever is damaged, and all
// after it, is forgotten, and nothing else comes back changed.
func TestLogDamaged(t *testing.T) {
	folder, ends := logOf(t, 4, 2, 9)
	whole, err := os.ReadFile(filepath.Join(folder, logName))
	if err != nil {
		t.Fatal(err)
	}
	for bit := 0; bit < 8*len(whole); bit += 11 {
		whole[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(filepath.Join(folder, logName), whole, 0o644); err != nil {
			t.Fatal(err)
		}
		whole[bit/8] ^= 1 << (bit % 8)
		var left []int
		for i, end := range ends {
			if int64(bit/8) >= end {
				left = append(left, []int{4, 2, 9}[i])
			}
		}
		w := open(t, folder)
		holds(t, fmt.Sprintf("bit %d flipped", bit), w, left...)
		w.log.Close()
	}
}

// TestLogTwice keeps one of two records of one game.
func TestLogTwice(t *testing.T) {
	folder, _ := logOf(t, 4, 2, 4)
	w := open(t, folder)
	defer w.log.Close()
	holds(t, "one game twice", w, 4, 2)
}

// TestLogOfOthers wants episodes that cannot be of the data set refused,
// though their checksums are right.
func TestLogOfOthers(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func(*Episode)
	}{
		{"a negative number", func(e *Episode) { e.Game = -1 }},
		{"fewer seats", func(e *Episode) { e.Agents = e.Agents[:1] }},
		{"fewer outcomes", func(e *Episode) { e.Outcome = nil }},
		{"fewer lives", func(e *Episode) { e.Lived = e.Lived[:1] }},
		{"fewer missed moves", func(e *Episode) { e.Missed = nil }},
		{"fewer actions", func(e *Episode) { e.Actions = e.Actions[1:] }},
		{"fewer steps than none", func(e *Episode) { e.Steps, e.Actions = -1, nil }},
		{"a result that does not exist", func(e *Episode) { e.Result = 9 }},
	} {
		folder := t.TempDir()
		w := open(t, folder)
		e := sample(3)
		c.change(e)
		if err := w.keep(e); err != nil {
			t.Fatal(err)
		}
		w.log.Close()
		if err := stagingAt(folder).openLog(); err == nil || !strings.Contains(err.Error(), "line 2: it ") {
			t.Errorf("%s: error %v, want one that names the line", c.reason, err)
		}
	}
}

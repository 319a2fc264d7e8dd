package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/env"
	"pommego/internal/disk"
)

var twoSeats = shape{2, 1}

// sample is an episode like no other.
func sample(game int) *Episode {
	return &Episode{
		Game: game, Dealt: true, Agents: []uint16{1, 0}, Steps: 3, Result: env.Win, Winners: 2,
		Outcome: []float64{-1, 1}, Lived: []int32{2, 3}, Missed: []int32{0, int32(game)},
		Actions:   []byte{5, 1, 0, 2, byte(game), 3},
		Decisions: []Decision{{Step: 1, Visits: []byte("thought"[:game%7]), Values: []byte{255}}},
	}
}

// journalOf writes episodes to a new journal and returns where it is, and where
// each record ends.
func journalOf(t *testing.T, games ...int) (path string, ends []int64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "journal")
	j := open(t, path)
	defer j.Close()
	for _, game := range games {
		if err := j.add(sample(game)); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, j.Size())
	}
	return path, ends
}

func open(t *testing.T, path string) *journal {
	t.Helper()
	j, err := openJournal(disk.OS, path, twoSeats)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// holds fails the test unless the journal holds exactly these games.
func holds(t *testing.T, what string, j *journal, games ...int) {
	t.Helper()
	if len(j.at) != len(games) {
		t.Fatalf("%s: it holds %d games, want %v", what, len(j.at), games)
	}
	for _, game := range games {
		e, err := j.episode(game)
		if err != nil || fmt.Sprint(*e) != fmt.Sprint(*sample(game)) {
			t.Fatalf("%s: game %d is %v (%v), want %v", what, game, e, err, sample(game))
		}
	}
}

// TestJournalTorn cuts a journal off at every byte, and goes on with it.
func TestJournalTorn(t *testing.T) {
	path, ends := journalOf(t, 4, 2, 9)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		j := open(t, path)
		var left []int
		for i, end := range ends {
			if int64(cut) >= end {
				left = append(left, []int{4, 2, 9}[i])
			}
		}
		what := fmt.Sprintf("cut off at byte %d", cut)
		holds(t, what, j, left...)
		if err := j.add(sample(7)); err != nil {
			t.Fatal(err)
		}
		j.Close()
		again := open(t, path)
		holds(t, what+", gone on with", again, append(left, 7)...)
		again.Close()
	}
}

// TestJournalDamaged flips bits of a journal: whatever is damaged, and all
// after it, is forgotten, and nothing else comes back changed.
func TestJournalDamaged(t *testing.T) {
	path, ends := journalOf(t, 4, 2, 9)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for bit := 0; bit < 8*len(whole); bit += 3 {
		whole[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
		whole[bit/8] ^= 1 << (bit % 8)
		var left []int
		for i, end := range ends {
			if int64(bit/8) >= end {
				left = append(left, []int{4, 2, 9}[i])
			}
		}
		j := open(t, path)
		holds(t, fmt.Sprintf("bit %d flipped", bit), j, left...)
		j.Close()
	}
}

// TestJournalTwice keeps the first of two records of one game.
func TestJournalTwice(t *testing.T) {
	path, _ := journalOf(t, 4, 2, 4)
	j := open(t, path)
	defer j.Close()
	holds(t, "one game twice", j, 4, 2)
}

// TestJournalOfOthers wants episodes that cannot be of the data set refused,
// though their checksums are right.
func TestJournalOfOthers(t *testing.T) {
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
		path := filepath.Join(t.TempDir(), "journal")
		j := open(t, path)
		e := sample(3)
		c.change(e)
		if err := j.add(e); err != nil {
			t.Fatal(err)
		}
		j.Close()
		if _, err := openJournal(disk.OS, path, twoSeats); err == nil || !strings.Contains(err.Error(), "line 2: it ") {
			t.Errorf("%s: error %v, want one that names the line", c.reason, err)
		}
	}
}

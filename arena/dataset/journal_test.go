package dataset

import (
	"fmt"
	"os"
	"path/filepath"
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
		Actions: []byte{5, 1, 0, 2, byte(game), 3}, SearchStatistics: []byte("thought"[:game%7]),
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
		ends = append(ends, j.end)
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

// TestEpisodeDecode feeds what is no episode.
func TestEpisodeDecode(t *testing.T) {
	whole := sample(3).appendTo(nil)
	for _, c := range []struct {
		reason string
		data   []byte
	}{
		{"nothing at all", nil},
		{"less than its head", whole[:episodeFixed]},
		{"less than its seats", whole[:episodeFixed+episodeSeat]},
		{"less than its actions", whole[:episodeFixed+2*episodeSeat+5]},
		{"a result that does not exist", changed(whole, 8, 9)},
		{"a flag that is neither", changed(whole, 9, 2)},
		{"a negative number", changed(whole, 7, 0xff)},
	} {
		if err := new(Episode).decode(c.data, twoSeats); err == nil {
			t.Errorf("%s: no error", c.reason)
		}
	}
}

func changed(data []byte, at int, to byte) []byte {
	data = append([]byte(nil), data...)
	data[at] = to
	return data
}

package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pommego/arena/ledger"
	"pommego/internal/disk"
)

// unfinished begins a small data set and stops once the first file is written.
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

// TestLogTorn cuts the log off at every byte, and goes on with it: a file whose line is whole is not made again.
func TestLogTorn(t *testing.T) {
	from := unfinished(t)
	whole, err := os.ReadFile(filepath.Join(from, workFolder, logName))
	if err != nil {
		t.Fatal(err)
	}
	config, err := small().resolve(gameOf(t, ffa))
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(gameOf(t, ffa), config, testOptions(1))
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(whole); cut += 1 + cut%3 {
		if err := os.WriteFile(filepath.Join(from, workFolder, logName), whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		w := newStaging(from, Options{Disk: disk.OS})
		w.plan, w.files = p, map[int]*summary{}
		if err := w.openLog(); err != nil {
			t.Fatalf("cut off at byte %d: %v", cut, err)
		}
		if want := cut == len(whole); (w.files[0] != nil) != want || len(w.files) > 1 {
			t.Fatalf("cut off at byte %d: files %v, want the first: %v", cut, w.files, want)
		}
		w.log.Close()
	}
}

// TestChangedFile changes a file that the log lists: it is made again.
func TestChangedFile(t *testing.T) {
	folder := unfinished(t)
	path := filepath.Join(folder, dataName(Games, 0))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 4
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	_, work, err := Generate(context.Background(), gameOf(t, ffa), small(), folder, testOptions(1))
	if err != nil || work.Games != small().Games {
		t.Errorf("error %v, %d games played, want all %d", err, work.Games, small().Games)
	}
	sameContents(t, "a changed file", contents(t, folder), contents(t, generate(t, ffa, small(), testOptions(1))))
}

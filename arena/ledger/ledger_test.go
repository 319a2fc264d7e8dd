package ledger

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pommego/arena/match"
	"pommego/internal/disk"
	"pommego/internal/disk/disktest"
)

// TestWorkers: one per core, and only one where an agent is a server.
func TestWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, test := range []struct {
		agents []string
		want   int
		reason string
	}{
		{[]string{"simple"}, 3, "one per core"},
		{[]string{"simple", "http://127.0.0.1:1"}, 1, "a server plays one game at a time"},
		{[]string{"exec:x"}, 3, "programs are started as often as needed"},
	} {
		if got := Workers(test.agents); got != test.want {
			t.Errorf("%s: %d workers, want %d", test.reason, got, test.want)
		}
	}
}

type (
	config struct{}
	entry  struct{ Game int }
)

func (config) Base() config { return config{} }

// entries makes a ledger of two games.
func entries(kept func()) *Ledger[entry] {
	return &Ledger[entry]{Last: 1, Check: func(e *entry) (int, error) { return e.Game, nil },
		Kept: func(*entry) bool { kept(); return false }, Void: func(error) error { return nil }}
}

// TestSynced: a log is on the disk when it begins and ends, and each second in between.
func TestSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := &disktest.Disk{Only: "sync"}, entries(func() {})
		if err := Open(l, &Header[config]{}, d, filepath.Join(t.TempDir(), "log"), nil); err != nil {
			t.Fatal(err)
		}
		var syncs []int
		for game := range 4 {
			syncs = append(syncs, d.Count())
			if _, err := l.Keep(&entry{game}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(600 * time.Millisecond)
		}
		if l.Close(); !slices.Equal(append(syncs, d.Count()), []int{2, 3, 3, 4, 5}) {
			t.Errorf("%v, and %d in the end", syncs, d.Count())
		}
	})
}

// TestStoppedAtTheEnd: a context that ends after the last game stops nothing, if a game is left out, too.
func TestStoppedAtTheEnd(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	l := entries(stop)
	if err := Open(l, &Header[config]{}, disk.OS, "", nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Play(ctx, nil, 1, func(_ context.Context, _ *match.Players, game int) (*entry, error) {
		if game == 0 {
			return nil, match.ErrVoid
		}
		return &entry{game}, nil
	}); err != nil || l.LeftOut != 1 {
		t.Errorf("%v, %d left out", err, l.LeftOut)
	}
}

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// watched keeps what is written to it, and calls seen once when a text is in it.
type watched struct {
	mu   sync.Mutex
	text string
	want string
	seen func()
}

func (w *watched) Write(data []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := strings.Contains(w.text, w.want)
	if w.text += string(data); !before && strings.Contains(w.text, w.want) {
		w.seen()
	}
	return len(data), nil
}

// Where no terminal is, a long run says on standard error how far it is, also while
// no game ends.
func TestProgressWithoutTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for ten seconds")
	}
	t.Parallel()
	const slow = `exec:while read q; do sleep 0.2; echo "$q"; done` // leaves the cores to other tests
	cmd := exec.Command(program(), "generate", "--out", filepath.Join(t.TempDir(), "set"), "--games", "1000000",
		"--agents", slow)
	said := make(chan struct{})
	errs := &watched{want: " of 1000000 games, ", seen: func() { close(said) }}
	cmd.Stderr = errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-said:
	case <-time.After(2 * time.Minute):
		t.Error("it said nothing in two minutes")
	}
	cmd.Process.Kill()
	cmd.Wait()
	if !strings.HasPrefix(errs.text, "progress: ") || strings.Contains(errs.text, "\x1b") ||
		strings.Contains(errs.text, "\r") {
		t.Errorf("it said %q, want lines for people who read a log", errs.text)
	}
}

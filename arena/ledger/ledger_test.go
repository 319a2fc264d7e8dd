package ledger

import (
	"runtime"
	"testing"
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

package ledger

import (
	"runtime"
	"strings"
	"testing"
)

// TestWorkers: one per core, and only one where an agent is a server.
func TestWorkers(t *testing.T) {
	for _, test := range []struct {
		agents []string
		asked  int
		want   int
		reason string
	}{
		{[]string{"simple"}, 3, 3, "as asked"},
		{[]string{"simple"}, 0, runtime.GOMAXPROCS(0), "one per core"},
		{[]string{"simple", "http://127.0.0.1:1"}, 8, 1, "a server plays one game at a time"},
		{[]string{"exec:x"}, 8, 8, "programs are started as often as needed"},
	} {
		if got, err := Workers(test.asked, test.agents); err != nil || got != test.want {
			t.Errorf("%s: %d workers (%v), want %d", test.reason, got, err, test.want)
		}
	}
	if _, err := Workers(-1, nil); err == nil || !strings.Contains(err.Error(), "-1 workers") {
		t.Errorf("fewer than none: error %v", err)
	}
}

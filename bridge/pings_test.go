package bridge

import (
	"net"
	"path/filepath"
	"testing"
	"time"
)

// TestPingsAnsweredLate: a client that has not read for long, as while it posts steps in
// shared memory, answers many pings at once, and stays. There are no more than a Unix socket holds.
func TestPingsAnsweredLate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "socket")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, ln, func(c *Config) { c.pingInterval = 100 * time.Microsecond })
	s.address = "unix:" + path
	c := s.dial(t)
	pinged := func() (n int64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for one := range s.sessions {
			n = one.pinged.Load()
		}
		return n
	}
	for range 3 {
		// More pings than a peer may send unasked.
		eventually(t, "no ping is left to send", func() bool { return pinged() >= maxUnanswered })
		time.Sleep(200 * time.Millisecond) // in which a thousand more would be sent
		if n := pinged(); n > maxUnanswered {
			t.Errorf("%d pings are unanswered, want at most %d", n, maxUnanswered)
		}
		call(t, c, "envs")
	}
}

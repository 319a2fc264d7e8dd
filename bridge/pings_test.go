package bridge

import (
	"testing"
	"time"
)

// TestPingsAnsweredLate: a client that has not read for long, as while it posts steps in
// shared memory, answers many pings at once, and stays.
func TestPingsAnsweredLate(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(c *Config) { c.pingInterval = time.Millisecond })
	c := s.dial(t)
	for range 3 {
		time.Sleep(400 * time.Millisecond) // more pings than a peer may send unasked
		call(t, c, "envs")
	}
}

package vec

import (
	"runtime"
	"time"
)

// Spinner polls for a while before its goroutine parks, because waking up often takes
// longer than the event it waits for. Between polls it yields the core. If a yield
// takes long, another program has the core; if a wait spins to its end, it has spun in
// vain. After either, some next waits do not spin: twice as many after each failure in
// a row. Without that, spinning would halve the speed of a busy machine, and take a
// core from a client that computes for longer.
//
// The zero value is ready. A Spinner belongs to one goroutine.
type Spinner struct {
	skip    int // how many of the next waits do not spin
	backoff int // how many waits did not spin after the last failure; 0 after a success
}

const (
	longYield  = 200 * time.Microsecond
	maxBackoff = 63
)

// Spin calls done until that returns true or the time is over, and reports which.
func (s *Spinner) Spin(most time.Duration, done func() bool) bool {
	if s.skip > 0 {
		s.skip--
		return done()
	}
	begun := time.Now()
	for last := begun; !done(); {
		runtime.Gosched()
		yieldCore()
		now := time.Now()
		if now.Sub(last) > longYield || now.Sub(begun) > most {
			s.backoff = min(2*s.backoff+1, maxBackoff)
			s.skip = s.backoff
			return done()
		}
		last = now
	}
	s.backoff = 0
	return true
}

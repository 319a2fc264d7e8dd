package vec

import (
	"runtime"
	"time"
)

// Spinner polls for a while before its goroutine parks, because waking up often takes
// longer than the event it waits for. Between polls it yields the core. A yield that
// takes long means that another program has the core, and a wait that spins to its end
// has spun for nothing: then the next waits do not spin, twice as many each time in a
// row. On a busy machine the spinning would halve the speed, and beside a client that
// computes for longer it would take a core from it.
//
// The zero value is ready. A Spinner belongs to one goroutine.
type Spinner struct {
	skip    int // waits to come that do not spin
	backoff int // how many did not after the last that failed; 0 once spinning has paid
}

const (
	longYield  = 200 * time.Microsecond
	maxBackoff = 63
)

// Spin calls done until it returns true or the time is over, and reports whether it
// returned true.
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

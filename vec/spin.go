package vec

import "time"

// Spinner lets a goroutine spin for a while before it parks, because waking up often
// takes longer than the event it waits for. Between checks it yields the processor. A
// yield that takes long means that the machine is busy and spinning only wastes time:
// then the next few waits do not spin.
//
// The zero value is ready. A Spinner belongs to one goroutine.
type Spinner struct{ skip int }

const (
	crowded = 200 * time.Microsecond // if a yield takes longer, others want the processor
	rest    = 8                      // how many waits then do not spin
)

// Spin calls done until it returns true or the time is over, and reports whether it
// returned true.
func (s *Spinner) Spin(most time.Duration, done func() bool) bool {
	if s.skip > 0 {
		s.skip--
		return done()
	}
	start := time.Now()
	for last := start; ; {
		if done() {
			return true
		}
		yield()
		now := time.Now()
		if now.Sub(last) > crowded {
			s.skip = rest
			return done()
		}
		if now.Sub(start) > most {
			return false
		}
		last = now
	}
}

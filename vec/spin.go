package vec

import "time"

// Spinner lets a goroutine spin for a while before it parks, because waking up often
// takes longer than the event it waits for. Between checks it yields the processor. A
// yield that takes long means that the machine is busy and spinning only wastes time:
// then the next wait does not spin, and each time that happens again in a row, twice as
// many waits do not. So a single delay affects one wait, not several.
//
// The zero value is ready. A Spinner belongs to one goroutine.
type Spinner struct {
	skip int // waits to come that do not spin
	last int // how many did not, when the machine was found busy last; 0 once spinning has paid
}

const (
	crowded  = 200 * time.Microsecond // if a yield takes longer, others want the processor
	mostSkip = 63                     // the most waits in a row that do not spin
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
			s.last = 0
			return true
		}
		yield()
		now := time.Now()
		if now.Sub(last) > crowded {
			s.last = min(2*s.last+1, mostSkip)
			s.skip = s.last
			return done()
		}
		if now.Sub(start) > most {
			return false
		}
		last = now
	}
}

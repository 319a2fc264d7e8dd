package vec

import "time"

// Spinner is how a goroutine waits for something that is about to happen: it
// spins for a while before it parks, because waking takes longer than many
// things last that are waited for. Between looks it yields the processor. A
// yield that takes long means that the machine is busy and spinning only costs
// time: then the next waits do not spin.
//
// The zero value is ready. A Spinner belongs to one goroutine.
type Spinner struct{ skip int }

const (
	crowded = 200 * time.Microsecond // a yield that takes longer: others want the processor
	rest    = 8                      // waits that then do not spin
)

// Spin calls done until it returns true, for at most so long, and reports whether
// it has.
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

package vec

import "time"

// Patience is how a goroutine waits for something that is about to happen: by
// looking for a while before it sleeps, because waking takes longer than many
// things last that are waited for. Between looks it lets others have the
// processor. Where somebody takes it for long, the machine is busy, and looking
// only costs time: then it is left alone for a while.
//
// The zero value is ready. A Patience belongs to one goroutine.
type Patience struct{ tired int }

const (
	crowded = 200 * time.Microsecond // a yield that takes longer: somebody else wants the processor
	rest    = 8                      // waits in which it then does not look
)

// Look calls seen until it returns true, for at most so long, and reports whether
// it has.
func (p *Patience) Look(most time.Duration, seen func() bool) bool {
	if p.tired > 0 {
		p.tired--
		return seen()
	}
	start := time.Now()
	for last := start; ; {
		if seen() {
			return true
		}
		yield()
		now := time.Now()
		if now.Sub(last) > crowded {
			p.tired = rest
			return seen()
		}
		if now.Sub(start) > most {
			return false
		}
		last = now
	}
}

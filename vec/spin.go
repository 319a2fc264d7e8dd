package vec

import (
	"runtime"
	"time"
)

// Spin calls done until it returns true or the time is over, and reports whether it
// returned true. Waking a goroutine often takes longer than what it waits for. Between
// calls it gives the core to other goroutines and programs.
func Spin(most time.Duration, done func() bool) bool {
	for begun := time.Now(); !done(); {
		if time.Since(begun) > most {
			return false
		}
		runtime.Gosched()
		yieldCore()
	}
	return true
}

//go:build !linux

package vec

import "runtime"

// yield gives the processor to other goroutines that are ready to run. A Spinner calls
// it between checks.
func yield() { runtime.Gosched() }

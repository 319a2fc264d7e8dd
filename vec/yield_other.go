//go:build !linux

package vec

import "runtime"

// yield gives the processor to other goroutines that are ready to run. A Spinner
// calls it between checks.
func yield() { runtime.Gosched() }

// yieldCore would give the core to other threads.
func yieldCore() {}

// slice would be how long a worker's thread asks to run at a time.
type slice struct{}

func newSlice(bool) slice { return slice{} }

func (*slice) lengthen() {}
func (*slice) restore()  {}

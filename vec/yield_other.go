//go:build !linux

package vec

import "runtime"

// yield lets other goroutines have the processor, if they want it. Who waits
// for something that is about to happen calls it between looks.
func yield() { runtime.Gosched() }

//go:build !linux

package vec

import "runtime"

// Yield lets other goroutines have the processor, if they want it. Who waits
// for something that is about to happen calls it between looks.
func Yield() { runtime.Gosched() }

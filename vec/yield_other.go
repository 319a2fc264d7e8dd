//go:build !linux

package vec

import "runtime"

// yield lets other goroutines have the processor, if they want it. A Spinner
// calls it between looks.
func yield() { runtime.Gosched() }

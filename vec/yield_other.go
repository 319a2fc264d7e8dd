//go:build !linux

package vec

// yieldCore does nothing: only on Linux does it give the core to other threads.
func yieldCore() {}

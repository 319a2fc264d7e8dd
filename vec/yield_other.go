//go:build !linux

package vec

// yieldCore would give the core to other threads.
func yieldCore() {}

package vec

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// Yield lets other goroutines and other processes have the processor, if they
// want it. Who waits for something that is about to happen calls it between
// looks.
func Yield() {
	runtime.Gosched()
	unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

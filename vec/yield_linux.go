package vec

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// yield lets other goroutines and other processes have the processor, if they
// want it. Who waits for something that is about to happen calls it between
// looks.
func yield() {
	runtime.Gosched()
	unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

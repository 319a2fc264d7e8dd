package vec

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// yield lets other goroutines and other processes have the processor, if they
// want it. A Spinner calls it between looks.
func yield() {
	runtime.Gosched()
	unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

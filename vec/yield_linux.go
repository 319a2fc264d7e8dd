package vec

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// yield gives the processor to other goroutines and processes that are ready to run. A
// Spinner calls it between checks.
func yield() {
	runtime.Gosched()
	unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

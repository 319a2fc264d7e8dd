package vec

import "golang.org/x/sys/unix"

func yieldCore() { unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

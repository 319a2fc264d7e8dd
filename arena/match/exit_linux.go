package match

import (
	"time"

	"golang.org/x/sys/unix"
)

// awaitExit waits until a child has ended, for d at most. It does not reap the
// child.
func awaitExit(pid int, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
		if err == nil && info.Signo != 0 || err != nil && err != unix.EINTR {
			return
		}
	}
}

package vec

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// yield gives the processor to other goroutines and processes that are ready to run. A
// Spinner calls it between checks.
func yield() {
	runtime.Gosched()
	yieldCore()
}

// yieldCore gives the core to other threads.
func yieldCore() { unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// slice is how long a worker's thread asks to run at a time: its time slice in the
// system's scheduler, where that has one for each thread (since Linux 6.12).
type slice struct {
	attr  unix.SchedAttr
	usual uint64
	set   bool // it can be set
}

// newSlice reads the present one, if it is to be set; one that has been chosen for the
// whole program stays.
func newSlice(wanted bool) slice {
	if !wanted {
		return slice{}
	}
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL {
		return slice{}
	}
	return slice{*attr, attr.Runtime, true}
}

// lengthen begins a long call.
func (s *slice) lengthen() {
	if s.set {
		runtime.LockOSThread()
		s.ask(uint64(longSlice))
	}
}

// restore ends it.
func (s *slice) restore() {
	if s.set {
		s.ask(s.usual)
		runtime.UnlockOSThread()
	}
}

// ask sets it, without an allocation. Where that is refused, nothing changes.
func (s *slice) ask(runtime uint64) {
	s.attr.Runtime = runtime
	unix.RawSyscall(unix.SYS_SCHED_SETATTR, 0, uintptr(unsafe.Pointer(&s.attr)), 0)
}

package bridge

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// mapShared makes memory without a name in the file system, so that none can
// be left there whatever happens to the server.
func mapShared(size int) (*os.File, []byte, error) {
	fd, err := unix.MemfdCreate("pommego", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, nil, err
	}
	file := os.NewFile(uintptr(fd), "shared memory")
	if err := file.Truncate(int64(size)); err != nil {
		file.Close()
		return nil, nil, err
	}
	// A client that could make it shorter could make the server fault.
	const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		file.Close()
		return nil, nil, err
	}
	mem, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, mem, nil
}

func unmapShared(mem []byte) {
	if err := unix.Munmap(mem); err != nil {
		panic(err) // it was mapped here, and is unmapped once
	}
}

// yield lets other goroutines and other processes have the processor, if they
// want it.
func yield() {
	runtime.Gosched()
	unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
}

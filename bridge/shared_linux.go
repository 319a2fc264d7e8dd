package bridge

import (
	"math"
	"os"
	"sync/atomic"
	"unsafe"

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

// wake wakes whoever waits in a futex on a word: on its lower half, where the
// bits are that change. It returns at once if nobody does.
func wake(word *atomic.Uint64) {
	const futexWake = 1
	unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, math.MaxInt32, 0, 0, 0)
}

func unmapShared(mem []byte) {
	if err := unix.Munmap(mem); err != nil {
		panic(err) // it was mapped here, and is unmapped once
	}
}

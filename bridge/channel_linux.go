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
	// A client that could make it shorter could make the server fault.
	const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	var mem []byte
	if err = unix.Ftruncate(fd, int64(size)); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals)
	}
	if err == nil {
		mem, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	file := os.NewFile(uintptr(fd), "shared memory")
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

// The futex operations, on words that several processes map.
const (
	opWait = 0
	opWake = 1
)

// futexWait sleeps while the word has this value, until it is woken; it may
// return earlier.
func futexWait(word *atomic.Uint32, value uint32) {
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), opWait, uintptr(value), 0, 0, 0)
}

func futexWake(word *atomic.Uint32) {
	unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), opWake, math.MaxInt32, 0, 0, 0)
}

const cmdGlobalExpedited = 1 << 1 // membarrier: a barrier in every process that has registered for it

// fenceClients is a full memory barrier in all threads of all clients.
func fenceClients() {
	unix.RawSyscall(unix.SYS_MEMBARRIER, cmdGlobalExpedited, 0, 0)
}

// restingWaits is the server's word while it does not wait: 1, so that clients
// wake it after every step, where the system has no such barrier.
var restingWaits = func() uint32 {
	if _, _, failed := unix.RawSyscall(unix.SYS_MEMBARRIER, cmdGlobalExpedited, 0, 0); failed != 0 {
		return 1
	}
	return 0
}()

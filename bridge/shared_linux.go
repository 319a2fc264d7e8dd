package bridge

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapShared makes memory without a name in the file system, so that none can
// be left there whatever happens to the server.
func mapShared(size int) (*os.File, []byte, error) {
	fd, err := unix.MemfdCreate("pommego", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, nil, err
	}
	file := os.NewFile(uintptr(fd), "shared memory")
	if err := file.Truncate(int64(size)); err != nil {
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

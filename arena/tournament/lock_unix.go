//go:build unix && !solaris && !illumos && !aix

package tournament

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile keeps other processes from writing to the same log. The lock goes
// with the process, however that ends.
func lockFile(file *os.File) error {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
}

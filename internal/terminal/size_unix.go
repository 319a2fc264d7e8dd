//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Size is how many columns and rows a terminal has, 0 if that is not known.
func Size(f *os.File) (cols, rows int) {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

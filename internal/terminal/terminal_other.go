//go:build !linux && !darwin

package terminal

import (
	"errors"
	"os"
)

// Size is not to be had here: it is 0.
func Size(*os.File) (cols, rows int) { return 0, 0 }

// Keys is not to be had here: it returns an error.
func Keys(*os.File) (restore func(), err error) {
	return nil, errors.New("terminal: keys cannot be read one by one on this system")
}

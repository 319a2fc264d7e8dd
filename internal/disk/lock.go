package disk

import (
	"errors"
	"os"
)

// ErrInUse says that another process has the lock.
var ErrInUse = errors.New("another process is at work there: wait until it has ended")

// Lock takes a lock that goes with the process, however that ends. path names a
// file that is there for nothing else; it is made, and stays.
func Lock(d FS, path string) (unlock func() error, err error) {
	file, err := d.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := file.Lock(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file.Close, nil
}

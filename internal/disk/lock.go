package disk

import (
	"errors"
	"os"
)

// ErrInUse says that another process has the lock.
var ErrInUse = errors.New("another process is at work there: wait until it has ended")

// Lock takes a lock that ends with the process, however that ends. path names a file
// that serves only as the lock; Lock makes it, and it stays.
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

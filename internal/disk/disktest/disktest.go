// Package disktest is a disk with faults. It shows what becomes of files when something
// goes wrong.
//
//	faulty := &disktest.Disk{Fault: disktest.Crash, At: 17}
//	err := write(faulty) // the 17th operation and all after it fail
//
// To break some work at every place, run it again and again while At counts up.
package disktest

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"pommego/internal/disk"
)

// Fault is what goes wrong.
type Fault uint8

// The faults.
const (
	// Crash stops everything at operation At: it fails, and so do all after it, as if the
	// process had been killed. A write that it hits is done by half.
	Crash Fault = iota
	// Fail lets operation At fail, and none after it. A write that it hits is
	// half made, as on a disk that has just become full.
	Fail
)

// ErrFault is the error of an operation that was made to fail.
var ErrFault = errors.New("disktest: fault")

// Disk is the operating system's file system with one fault. It is safe for
// concurrent use.
type Disk struct {
	Fault Fault
	At    int    // the number of the operation that fails, from 1; 0: none
	Only  string // operations to count: "write", "sync", "rename", ...; "": all

	mu     sync.Mutex
	count  int
	hit    bool
	folder string // "": each file's own folder
}

// Within implements disk.FS: from now on the disk is that of the folder.
func (d *Disk) Within(folder string) disk.FS {
	d.folder = folder
	return d
}

// Count returns how many operations there were.
func (d *Disk) Count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

// Hit reports whether the fault has happened.
func (d *Disk) Hit() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hit
}

// fault counts an operation. It reports whether the operation is the one to fail, and
// returns its error.
func (d *Disk) fault(operation, path string) (now bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Only == "" || d.Only == operation {
		d.count++
		now = d.count == d.At
	}
	if now || d.hit && d.Fault == Crash {
		d.hit = true
		return now, &fs.PathError{Op: operation, Path: path, Err: ErrFault}
	}
	return false, nil
}

// OpenFile implements disk.FS.
func (d *Disk) OpenFile(path string, flag int, perm fs.FileMode) (disk.File, error) {
	if _, err := d.fault("open", path); err != nil {
		return nil, err
	}
	file, err := disk.OS.Within(d.folder).OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, d}, nil
}

// MkdirAll implements disk.FS.
func (d *Disk) MkdirAll(path string) error {
	if _, err := d.fault("mkdir", path); err != nil {
		return err
	}
	return disk.OS.Within(d.folder).MkdirAll(path)
}

// Rename implements disk.FS.
func (d *Disk) Rename(from, to string) error {
	if _, err := d.fault("rename", filepath.Base(to)); err != nil {
		return err
	}
	return disk.OS.Within(d.folder).Rename(from, to)
}

// Remove implements disk.FS.
func (d *Disk) Remove(path string) error {
	if _, err := d.fault("remove", path); err != nil {
		return err
	}
	return disk.OS.Within(d.folder).Remove(path)
}

// SyncFolder implements disk.FS.
func (d *Disk) SyncFolder(path string) error {
	if _, err := d.fault("syncfolder", path); err != nil {
		return err
	}
	return disk.OS.Within(d.folder).SyncFolder(path)
}

type faultyFile struct {
	disk.File
	disk *Disk
}

func (f *faultyFile) Write(data []byte) (int, error) {
	now, err := f.disk.fault("write", f.Name())
	if err == nil {
		return f.File.Write(data)
	}
	if !now {
		return 0, err
	}
	n, _ := f.File.Write(data[:len(data)/2])
	return n, err
}

func (f *faultyFile) Truncate(size int64) error {
	if _, err := f.disk.fault("truncate", f.Name()); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *faultyFile) Sync() error {
	if _, err := f.disk.fault("sync", f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}

// Close closes the file for good, even if it fails: a process that is gone leaves no
// file open.
func (f *faultyFile) Close() error {
	_, err := f.disk.fault("close", f.Name())
	return errors.Join(err, f.File.Close())
}

package disk

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// FS has the operations that change a file system.
type FS interface {
	// Within returns an FS that is limited to a folder.
	Within(folder string) FS
	// OpenFile opens a file as os.OpenFile does, but refuses links: see ErrLink.
	OpenFile(path string, flag int, perm fs.FileMode) (File, error)
	// MkdirAll makes a folder and those above it.
	MkdirAll(path string) error
	// Rename gives a file another name, and replaces a file that has that name. Unless the
	// FS is limited to a folder, both names must be in the same folder.
	Rename(from, to string) error
	// Remove removes a file or an empty folder.
	Remove(path string) error
	// SyncFolder makes sure that the names in a folder are on the disk.
	SyncFolder(path string) error
}

// File is an open file of an FS.
type File interface {
	io.ReadWriteSeeker
	io.ReaderAt
	Truncate(size int64) error
	Sync() error
	Close() error
	Name() string

	// Lock keeps other processes from locking the file until it is closed, or this process
	// ends. If another process has locked it, the error is ErrInUse.
	Lock() error
}

// OS is the operating system's file system.
var OS FS = osFS{}

// ErrLink says that a link or a device is where a file or folder should be. Somebody
// may have put it there so that a file elsewhere is read or overwritten.
var ErrLink = errors.New("it is a link or a device, which is not followed: remove it, or put a copy of the file there")

// osFS works in one folder or, if that is "", in each file's own folder. Nothing that it does leads out of that.
type osFS struct{ folder string }

func (osFS) Within(folder string) FS { return osFS{folder} }

// in calls do with the folder that path lies in, and with path's name in that folder.
func (d osFS) in(path string, do func(folder *os.Root, name string) error) error {
	folder := cmp.Or(d.folder, filepath.Dir(path))
	name, err := filepath.Rel(folder, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder + "/") // of a pipe, without the slash, this would wait for a writer
	if err != nil {
		return err
	}
	defer root.Close()
	err = do(root, name)
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Path = path
	}
	return err
}

// noLink returns an error if a name, or a folder in it, is a link.
func noLink(root *os.Root, name string) error {
	for ; name != "."; name = filepath.Dir(name) {
		info, err := root.Lstat(name)
		if err == nil && info.Mode()&(fs.ModeSymlink|fs.ModeNamedPipe|fs.ModeDevice) != 0 {
			return fmt.Errorf("%s: %w", filepath.Join(root.Name(), name), ErrLink)
		}
	}
	return nil
}

// OpenIn opens a file in a folder for reading. It refuses links that may lead out of the folder: see ErrLink.
func OpenIn(folder, name string) (File, error) {
	return OS.Within(folder).OpenFile(filepath.Join(folder, name), os.O_RDONLY, 0)
}

func (d osFS) OpenFile(path string, flag int, perm fs.FileMode) (file File, err error) {
	err = d.in(path, func(root *os.Root, name string) error {
		if err := noLink(root, name); err != nil {
			return err
		}
		opened, err := root.OpenFile(name, flag, perm)
		file = osFile{opened}
		return err
	})
	return file, err
}

func (d osFS) MkdirAll(path string) error {
	if err := os.MkdirAll(cmp.Or(d.folder, filepath.Dir(path)), 0o755); err != nil {
		return err
	}
	return d.in(path, func(root *os.Root, name string) error {
		if err := noLink(root, name); err != nil {
			return err
		}
		return root.MkdirAll(name, 0o755)
	})
}

func (d osFS) Rename(from, to string) error {
	return d.in(to, func(root *os.Root, name string) error {
		old, err := filepath.Rel(root.Name(), from)
		if err != nil {
			return err
		}
		return root.Rename(old, name)
	})
}

func (d osFS) Remove(path string) error { return d.in(path, (*os.Root).Remove) }

type osFile struct{ *os.File }

func (f osFile) Lock() error {
	if err := lockFile(f.File); err != nil {
		return fmt.Errorf("%s: %w: %w", f.Name(), ErrInUse, err)
	}
	return nil
}

// SyncFolder does nothing where folders cannot be synced: on Windows, and on file systems that refuse it.
func (osFS) SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	err = folder.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || runtime.GOOS == "windows" {
		return nil
	}
	return err
}

// WriteFile writes a whole file, with what write writes, or leaves it as it was.
func WriteFile(d FS, path string, write func(io.Writer) error) error {
	return WriteBy(d, path, filepath.Dir(path), write)
}

// WriteNew does the same, if no file has that name, which it takes first: who is killed meanwhile leaves an empty file.
func WriteNew(d FS, path string, write func(io.Writer) error) error {
	file, err := d.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = cmp.Or(file.Close(), WriteFile(d, path, write))
	if at, _ := os.Lstat(path); err != nil && at != nil && at.Size() == 0 { // else all but the folder's sync went well
		err = errors.Join(err, d.Remove(path))
	}
	return err
}

// WriteBy does the same as WriteFile by way of the folder scratch: see Begin.
func WriteBy(d FS, path, scratch string, write func(io.Writer) error) error {
	p, err := Begin(d, path, scratch)
	if err != nil {
		return err
	}
	defer p.Abort()
	if err := write(p); err != nil {
		return err
	}
	return p.Commit()
}

// Pending is a file that is being written and does not have its name yet. Writes are buffered.
type Pending struct {
	disk FS
	path string
	file File
	out  *bufio.Writer
	size int64
}

// Begin begins a file. Until Commit it lies in the folder scratch, which must be on the same file system, under its
// name and ".pommego-part". Begin removes what an earlier attempt left there.
func Begin(d FS, path, scratch string) (*Pending, error) {
	part := filepath.Join(scratch, filepath.Base(path)+".pommego-part")
	if err := Remove(d, part); err != nil {
		return nil, err
	}
	file, err := d.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &Pending{disk: d, path: path, file: file, out: bufio.NewWriterSize(file, 1<<18)}, nil
}

// Write adds to the file.
func (p *Pending) Write(data []byte) (int, error) {
	n, err := p.out.Write(data)
	p.size += int64(n)
	return n, err
}

// Size returns how many bytes have been written.
func (p *Pending) Size() int64 { return p.size }

// Commit syncs the file to the disk and gives it its name. After an error the file does
// not have its name, unless the disk failed in the very last step.
func (p *Pending) Commit() error {
	if p.file == nil {
		return fmt.Errorf("%s: it is already committed or aborted", p.path)
	}
	if err := errors.Join(p.out.Flush(), p.file.Sync()); err != nil {
		return err
	}
	file := p.file
	p.file = nil
	err := file.Close()
	if err == nil {
		err = p.disk.Rename(file.Name(), p.path)
	}
	if err != nil {
		return errors.Join(err, Remove(p.disk, file.Name()))
	}
	return p.disk.SyncFolder(filepath.Dir(p.path))
}

// Abort discards the file. After Commit it does nothing.
func (p *Pending) Abort() {
	if p.file == nil {
		return
	}
	_ = p.file.Close() // an earlier error has been returned already
	_ = Remove(p.disk, p.file.Name())
	p.file = nil
}

// Remove removes a file. It is no error if the file is gone already.
func Remove(d FS, path string) error {
	if err := d.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

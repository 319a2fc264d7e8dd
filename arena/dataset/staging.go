package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pommego/internal/disk"
)

// staging is the folder in which a data set is made.
type staging struct {
	disk    disk.FS
	folder  string
	scratch string // a folder in it for unfinished files
	given   bool   // the folder was there before
	unlock  func() error
}

// openStaging locks a folder for a data set that is generated. If the folder holds the finished data set, it
// returns the manifest and no staging.
func openStaging(p *plan, folder string, o Options) (*staging, *Manifest, error) {
	w := newStaging(folder, o)
	m, err := ReadManifest(folder)
	if err == nil {
		if err = p.accept(m); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", folder, err)
		}
		return nil, m, w.discard()
	}
	if errors.Is(err, errNone) {
		_, err = w.claim()
	}
	return w, nil, err
}

func newStaging(folder string, o Options) *staging {
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	_, err := os.Lstat(folder)
	return &staging{disk: o.Disk.Within(folder), folder: folder, scratch: filepath.Join(folder, WorkFolder),
		given: err == nil}
}

// claim occupies the folder if it is vacant, and reports whether Generate has left its log there. Without a log nobody
// goes on with the data files, and it removes them.
func (w *staging) claim() (logged bool, err error) {
	if err = w.vacant(); err == nil {
		err = w.occupy()
	}
	if err != nil {
		return false, err
	}
	if err = w.vacant(); err != nil { // who had the lock before has finished meanwhile
		return false, errors.Join(err, w.unlock())
	}
	if _, err := os.Stat(filepath.Join(w.scratch, logName)); !errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err = w.clear(dataFolder); err != nil {
		err = errors.Join(err, w.unlock())
	}
	return false, err
}

// vacant returns ErrNotEmpty unless the folder is empty, missing, or left by an interrupted run.
func (w *staging) vacant() error {
	there, err := os.ReadDir(w.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	ours := slices.ContainsFunc(there, func(e fs.DirEntry) bool { return e.Name() == WorkFolder })
	_, missing := os.Stat(filepath.Join(w.folder, ManifestName))
	if err == nil && len(there) > 0 && (!ours || missing == nil) {
		err = fmt.Errorf("%s: %w", w.folder, ErrNotEmpty)
	}
	return err
}

// occupy makes the folders and locks them against other processes.
func (w *staging) occupy() error {
	for _, path := range []string{w.scratch, filepath.Join(w.folder, dataFolder)} {
		if err := w.disk.MkdirAll(path); err != nil {
			return err
		}
	}
	err := w.disk.SyncFolder(w.folder)
	if err == nil {
		w.unlock, err = disk.Lock(disk.OS.Within(w.folder), filepath.Join(w.scratch, "lock"))
	}
	return err
}

func (w *staging) discard() error {
	if _, err := os.Stat(w.scratch); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := w.occupy(); err != nil {
		return err
	}
	return errors.Join(w.removeAll(), w.unlock())
}

// writeFile writes a file of the data set. The file appears whole or not at all.
func (w *staging) writeFile(name string, content []byte) error {
	return disk.WriteBy(w.disk, filepath.Join(w.folder, name), w.scratch, func(out io.Writer) error {
		_, err := out.Write(content)
		return err
	})
}

// clear removes the files in a folder of the data set. It begins with the last name: a log goes before the lock.
func (w *staging) clear(name string) error {
	there, err := os.ReadDir(filepath.Join(w.folder, name))
	for _, entry := range slices.Backward(there) {
		err = errors.Join(err, w.disk.Remove(filepath.Join(w.folder, name, entry.Name())))
	}
	return err
}

// removeAll removes the work folder.
func (w *staging) removeAll() error {
	if err := w.clear(WorkFolder); err != nil {
		return err
	}
	return w.disk.Remove(w.scratch)
}

// dataName is the name of a data file in the data set's folder.
func dataName(l Layout, k int) string {
	return fmt.Sprintf("%s/%s-%05d.parquet", dataFolder, l, k)
}

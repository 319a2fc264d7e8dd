package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pommego/arena/ledger"
	"pommego/internal/disk"
)

// staging is the folder in which a data set is made.
type staging struct {
	disk    disk.FS
	folder  string
	scratch string // for what is not finished: a folder in it
	unlock  func() error

	// Of a data set that is generated: its log, and what that says.
	plan  *plan
	log   *disk.Log
	files map[int]*summary // those that are written, by their numbers
}

// summary is what is to be known of a file that has its name: a line of the log, whose first line is
// the plan's header.
type summary struct {
	File       File        `json:"file"`
	Statistics *Statistics `json:"statistics"`
}

// logName is the name of the log, among what is not finished.
const logName = "log.jsonl"

func newStaging(folder string, o Options) *staging {
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	return &staging{disk: o.Disk.Within(folder), folder: folder, scratch: filepath.Join(folder, workFolder)}
}

// openStaging locks a folder and reads its log. If the folder holds the plan's data set, finished, it
// returns its manifest and no staging.
func openStaging(p *plan, folder string, o Options) (*staging, *Manifest, error) {
	w := newStaging(folder, o)
	w.plan, w.files = p, map[int]*summary{}
	m, err := ReadManifest(folder)
	if err == nil {
		if err = p.accept(m); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", folder, err)
		}
		return nil, m, w.discard()
	}
	if errors.Is(err, errNone) {
		err = w.vacant()
	}
	if err == nil {
		err = w.occupy()
	}
	if err != nil {
		return nil, nil, err
	}
	if err = w.openLog(); err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return w, nil, nil
}

// vacant returns ErrNotEmpty unless the folder is empty, missing, or of an interrupted run.
func (w *staging) vacant() error {
	there, err := os.ReadDir(w.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	ours := slices.ContainsFunc(there, func(e fs.DirEntry) bool { return e.Name() == workFolder })
	if err == nil && len(there) > 0 && !ours {
		err = fmt.Errorf("%s: %w", w.folder, ErrNotEmpty)
	}
	return err
}

// occupy makes the folders and keeps other processes out.
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
	return errors.Join(w.removeAll(), w.Close())
}

func (w *staging) openLog() (err error) {
	w.log, err = disk.OpenLog(w.disk, filepath.Join(w.scratch, logName), disk.LogOptions{
		Header: w.plan.header, Accept: w.plan.header.Accept, Take: w.takeEntry,
	})
	for k, s := range w.files {
		if there := s.File.Game + s.File.Games; there > w.plan.config.Games {
			return fmt.Errorf("%w: it has %d games, and %d are asked for", ledger.ErrOther, there, w.plan.config.Games)
		}
		if !w.plan.whole(k, s) || s.File.check(w.folder) != nil {
			delete(w.files, k) // it is written again
		}
	}
	return err
}

// takeEntry notes what a line of the log says.
func (w *staging) takeEntry(record []byte) error {
	s := new(summary)
	err := json.Unmarshal(record, s)
	if err == nil {
		w.files[s.File.Game/w.plan.config.FileGames] = s
	}
	return err
}

// whole reports whether a file is file k of the plan, with all its games.
func (p *plan) whole(k int, s *summary) bool {
	first, end := p.config.file(k)
	return s.File.Game == first && s.File.Games == end-first
}

// wrote lists a file that has its name.
func (w *staging) wrote(k int, s *summary) error {
	w.files[k] = s
	if err := w.log.Add(s); err != nil {
		return err
	}
	return w.log.Sync()
}

// take copies the files of a part, which another call made in another folder. It leaves out those
// that are damaged, incomplete, or here already.
func (w *staging) take(folder string) error {
	part := staging{plan: w.plan, files: map[int]*summary{}}
	err := w.plan.header.Take(filepath.Join(folder, workFolder, logName), part.takeEntry)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no part of a data set has been made there: %w", folder, err)
	}
	for k, s := range part.files {
		if err == nil && w.files[k] == nil && w.plan.whole(k, s) {
			err = w.copy(folder, k, s)
		}
	}
	return err
}

// copy copies file k of a data set in another folder, if it is whole.
func (w *staging) copy(folder string, k int, s *summary) error {
	name := filepath.FromSlash(dataName(w.plan.config.Layout, k))
	if s.File.check(folder) != nil {
		return nil
	}
	in, err := disk.OpenIn(folder, name)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := w.writeFile(name, in); err != nil {
		return err
	}
	return w.wrote(k, s)
}

// writeFile writes a file of the data set as a whole.
func (w *staging) writeFile(name string, content io.Reader) error {
	return disk.WriteBy(w.disk, filepath.Join(w.folder, name), w.scratch, func(out io.Writer) error {
		_, err := io.Copy(out, content)
		return err
	})
}

// clear removes the files in a folder of the data set.
func (w *staging) clear(name string) error {
	there, err := os.ReadDir(filepath.Join(w.folder, name))
	for _, entry := range there {
		err = errors.Join(err, w.disk.Remove(filepath.Join(w.folder, name, entry.Name())))
	}
	return err
}

// removeAll removes what only making the data set needed.
func (w *staging) removeAll() error {
	if err := w.clear(workFolder); err != nil {
		return err
	}
	return w.disk.Remove(w.scratch)
}

func (w *staging) Close() error {
	if w.log == nil {
		return w.unlock()
	}
	return errors.Join(w.log.Close(), w.unlock())
}

// dataName is the name of a data file in the data set's folder.
func dataName(l Layout, k int) string {
	return strings.Join([]string{dataFolder, fmt.Sprintf("%s-%05d.parquet", l, k)}, "/")
}

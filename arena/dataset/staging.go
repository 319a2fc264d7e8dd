package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pommego/internal/disk"
)

// staging is the folder in which a data set is made.
type staging struct {
	disk    disk.FS
	folder  string
	scratch string // for what is not finished: a folder in it
	unlock  func() error

	// Of a data set that is generated: its log, and what that says.
	plan     *plan
	log      *disk.Log
	files    map[int]*summary // by their numbers; the last may be one that is to have more games
	cardKept bool             // somebody has edited the card
}

// entry is a line of the log: one of these. The first line is the plan's header.
type entry struct {
	File *summary `json:"file,omitempty"` // it has its name; only then it counts
	Card bool     `json:"card,omitempty"` // the card has been edited, and stays
}

// summary is what is to be known of a written file.
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

// openStaging locks a folder and reads its log. If the folder holds a finished data set that the plan
// does not extend, it returns the data set's manifest and no staging.
func openStaging(p *plan, folder string, o Options) (*staging, *Manifest, error) {
	w := newStaging(folder, o)
	w.plan, w.files = p, map[int]*summary{}
	m, err := ReadManifest(folder)
	var more bool
	if err == nil {
		if more, err = p.extends(m, o); err != nil {
			err = fmt.Errorf("%s: %w", folder, err)
		} else if !more {
			return nil, m, w.discard()
		}
	} else if errors.Is(err, errNone) {
		err = w.vacant()
	}
	if err == nil {
		err = w.occupy()
	}
	if err != nil {
		return nil, nil, err
	}
	if more {
		err = w.reopen(m)
	} else {
		err = w.openLog()
	}
	if err != nil {
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

// reopen turns a finished data set back into one that is being generated: with a log
// that lists its files. Until the manifest is gone, it is finished.
func (w *staging) reopen(m *Manifest) error {
	err := disk.Remove(w.disk, filepath.Join(w.scratch, logName)) // of an earlier attempt
	if err == nil {
		err = w.openLog()
	}
	for k := range m.Files {
		if err == nil {
			err = w.relist(k, m)
		}
	}
	card := slices.IndexFunc(m.Others, func(f File) bool { return f.Path == CardName })
	_, sum, missing := sumFile(w.folder, CardName) // one that cannot be read is written anew
	if err == nil && missing == nil && (card < 0 || sum != m.Others[card].SHA256) {
		w.cardKept, err = true, w.log.Add(entry{Card: true})
	}
	if err != nil {
		return err
	}
	if err := w.log.Sync(); err != nil {
		return err
	}
	return disk.Remove(w.disk, filepath.Join(w.folder, ManifestName))
}

// relist lists file k of a data set in the log.
func (w *staging) relist(k int, m *Manifest) error {
	set, starts := &Set{w.folder, m}, newStarts(w.plan.game)
	s := &summary{m.Files[k], newStatistics(w.plan.spec, m.Agents)}
	err := set.fileEpisodes(&s.File, func(e *Episode) error {
		if err := cmp.Or(e.check(w.plan.spec), starts.complete(e)); err != nil {
			return err
		}
		s.Statistics.count(e, m.Agents, m.Env.shape())
		return nil
	})
	if err != nil {
		return err
	}
	w.files[k] = s
	return w.log.Add(entry{File: s})
}

func (w *staging) openLog() (err error) {
	w.log, err = disk.OpenLog(w.disk, filepath.Join(w.scratch, logName), disk.LogOptions{
		Header: w.plan.header, Accept: w.plan.header.Accept, Take: w.takeEntry,
	})
	for k, s := range w.files {
		if s.File.check(w.folder) != nil {
			delete(w.files, k) // it is written again
		}
	}
	return err
}

// takeEntry notes what a line of the log says.
func (w *staging) takeEntry(record []byte) error {
	var e entry
	if err := json.Unmarshal(record, &e); err != nil {
		return err
	}
	w.cardKept = w.cardKept || e.Card
	if e.File == nil {
		return nil
	}
	if there := e.File.File.Game + e.File.File.Games; there > w.plan.config.Games {
		return w.plan.fewer(there)
	}
	w.files[e.File.File.Game/w.plan.config.FileGames] = e.File
	return nil
}

// wrote lists a file that has its name.
func (w *staging) wrote(k int, s *summary) error {
	w.files[k] = s
	if err := w.log.Add(entry{File: s}); err != nil {
		return err
	}
	return w.log.Sync()
}

// take copies the files of a part, which another call made in another folder. It leaves out those
// that are damaged, incomplete, or here already.
func (w *staging) take(folder string) error {
	made := map[int]*summary{}
	err := w.plan.header.Take(filepath.Join(folder, workFolder, logName), func(line []byte) error {
		var e entry
		err := json.Unmarshal(line, &e)
		if e.File != nil {
			made[e.File.File.Game/w.plan.config.FileGames] = e.File
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no part of a data set has been made there: %w", folder, err)
	}
	for k, s := range made {
		first, end := w.plan.config.file(k)
		if err == nil && s.File.Games == end-first && (w.files[k] == nil || w.files[k].File.Games < end-first) {
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

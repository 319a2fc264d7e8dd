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
	"time"

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
	games    map[int]disk.Place // where those lie that are in no file yet
	files    map[int]*summary   // by their numbers, those that are whole
	cardKept bool               // somebody has edited the card
}

// entry is a line of the log: one of these. The first line is the plan's signature.
type entry struct {
	Game *Episode `json:"game,omitempty"` // it has been played
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

// syncEvery is how much time's work a power cut may cost.
const syncEvery = time.Second

func newStaging(folder string, o Options) *staging {
	return &staging{disk: o.Disk.Within(folder), folder: folder, scratch: filepath.Join(folder, workFolder)}
}

// openStaging takes possession of a folder, or returns the manifest of what the
// plan wants if it lies there already.
func openStaging(p *plan, folder string, o Options) (*staging, *Manifest, error) {
	w := newStaging(folder, o)
	w.plan, w.games, w.files = p, map[int]disk.Place{}, map[int]*summary{}
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
	}
	if err == nil {
		err = w.openLog()
	}
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return w, nil, nil
}

// vacant reports whether the folder is free, or an interrupted run's.
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
	set, starts := &Set{w.folder, m}, newStarts(w.plan.game)
	for k := range m.Files {
		s := &summary{m.Files[k], newStatistics(w.plan.spec, m.Agents)}
		err := set.fileEpisodes(&s.File, func(e *Episode) error {
			if err := starts.complete(e); err != nil {
				return err
			}
			s.Statistics.count(e, m.Agents, m.Env.shape())
			return nil
		})
		if err != nil {
			return err
		}
		w.files[k] = s
	}
	card := slices.IndexFunc(m.Others, func(f File) bool { return f.Path == CardName })
	_, sum, err := sumFile(w.folder, CardName)
	w.cardKept = err == nil && (card < 0 || sum != m.Others[card].SHA256) // one that cannot be read is written anew
	if err := w.rewriteLog(); err != nil {
		return err
	}
	return disk.Remove(w.disk, filepath.Join(w.folder, ManifestName))
}

// rewriteLog leaves nothing in the log but the files that are whole.
func (w *staging) rewriteLog() error {
	path := filepath.Join(w.scratch, logName)
	if err := disk.Remove(w.disk, path+".part"); err != nil {
		return err
	}
	log, err := disk.OpenLog(w.disk, path+".part", disk.LogOptions{Header: w.plan.signature()})
	if err != nil {
		return err
	}
	var lines []entry
	if w.cardKept {
		lines = append(lines, entry{Card: true})
	}
	for _, s := range w.files {
		lines = append(lines, entry{File: s})
	}
	for i := range lines {
		if err == nil {
			_, err = log.Add(&lines[i])
		}
	}
	if err = errors.Join(err, log.Sync(), log.Close()); err == nil {
		err = w.disk.Rename(path+".part", path)
	}
	if err == nil {
		err = w.disk.SyncFolder(w.scratch)
	}
	return err
}

func (w *staging) openLog() (err error) {
	w.log, err = disk.OpenLog(w.disk, filepath.Join(w.scratch, logName), disk.LogOptions{
		Header: w.plan.signature(), Accept: w.plan.continues, Take: w.takeEntry, SyncEvery: syncEvery,
	})
	for k, s := range w.files {
		if err == nil {
			err = w.takeFile(k, s)
		}
	}
	return err
}

// takeEntry notes what a line of the log says.
func (w *staging) takeEntry(record []byte, at disk.Place) error {
	var e entry
	if err := json.Unmarshal(record, &e); err != nil {
		return err
	}
	w.cardKept = w.cardKept || e.Card
	there := 0
	if e.Game != nil {
		if err := e.Game.fits(w.plan.about.Env.shape()); err != nil {
			return err
		}
		w.games[e.Game.Game], there = at, e.Game.Game+1
	}
	if e.File != nil {
		w.files[e.File.File.Game/w.plan.config.FileGames], there = e.File, e.File.File.Game+e.File.File.Games
	}
	if there > w.plan.config.Games {
		return w.plan.fewer(there)
	}
	return nil
}

// takeFile looks at a file that the log lists. One that is to have more games is taken apart;
// one that is not as the log says is written again.
func (w *staging) takeFile(k int, s *summary) error {
	first, end := w.plan.config.file(k)
	whole := s.File.check(w.folder) == nil
	if whole && s.File.Games == end-first {
		w.drop(k)
		return nil
	}
	delete(w.files, k)
	if !whole {
		return nil
	}
	set := &Set{w.folder, &Manifest{About: w.plan.about}}
	return set.fileEpisodes(&s.File, func(e *Episode) error {
		if _, there := w.games[e.Game]; there {
			return nil
		}
		return w.keep(e)
	})
}

func (w *staging) keep(e *Episode) error {
	at, err := w.log.Add(entry{Game: e})
	if err == nil {
		w.games[e.Game] = at
	}
	return err
}

func (w *staging) episode(number int, at disk.Place) (*Episode, error) {
	e := &Episode{Dealt: true}
	if err := w.log.Read(at, &entry{Game: e}); err != nil {
		return nil, err
	}
	if e.Game != number || e.fits(w.plan.about.Env.shape()) != nil {
		return nil, fmt.Errorf("game %d is damaged: it changed under the program that wrote it", number)
	}
	e.Seed = w.plan.config.seed(number)
	return e, nil
}

func (w *staging) wrote(k int, s *summary) error {
	_, err := w.log.Add(entry{File: s})
	w.files[k] = s
	w.drop(k)
	return err
}

// drop forgets where the games of a file lie in the log.
func (w *staging) drop(k int) {
	first, end := w.plan.config.file(k)
	for game := first; game < end; game++ {
		delete(w.games, game)
	}
}

// write writes a file of the games from first on that lie at these places.
func (w *staging) write(e *encoder, k, first int, games []disk.Place) (*summary, error) {
	name := dataName(w.plan.config.Layout, k)
	p, err := disk.Begin(w.disk, filepath.Join(w.folder, filepath.FromSlash(name)), w.scratch)
	if err != nil {
		return nil, err
	}
	defer p.Abort()
	if err := e.begin(p); err != nil {
		return nil, err
	}
	for i, at := range games {
		ep, err := w.episode(first+i, at)
		if err == nil {
			err = e.put(ep)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	made, err := e.end(first)
	if err != nil {
		return nil, err
	}
	made.File.Path = name
	return made, p.Commit()
}

// take copies the files of a part, which another call made in another folder, as far as
// they are whole and not here yet.
func (w *staging) take(folder string) error {
	made := map[int]*summary{}
	var header bool
	err := disk.ReadLog(filepath.Join(folder, workFolder, logName), func(line []byte) error {
		if !header {
			header = true
			return w.plan.continues(line)
		}
		var e entry
		err := json.Unmarshal(line, &e)
		if e.File != nil {
			made[e.File.File.Game/w.plan.config.FileGames] = e.File
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w: no part of a data set has been made there", folder, ErrOther)
	}
	for k, s := range made {
		first, end := w.plan.config.file(k)
		if err == nil && w.files[k] == nil && s.File.Games == end-first {
			err = w.copy(folder, k, s)
		}
	}
	return err
}

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
	out, err := disk.Begin(w.disk, filepath.Join(w.folder, name), w.scratch)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	if err := out.Commit(); err != nil {
		return err
	}
	return w.wrote(k, s)
}

func (w *staging) removeAll() error {
	there, err := os.ReadDir(w.scratch)
	for _, entry := range there {
		err = errors.Join(err, w.disk.Remove(filepath.Join(w.scratch, entry.Name())))
	}
	if err != nil {
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

package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"pommego/env"
	"pommego/internal/disk"
)

// Shape is the form of a data set that is put together from games there are.
type Shape struct {
	Layout      Layout
	Observation string // of layout Steps
	FileGames   int    // as Config.FileGames
	Filter      string // what was left out, for the manifest

	// Of the games, which Merge finds out by itself.
	Agents   []string // all that can occur
	Missed   bool     // moves that had to be replaced are counted
	Searched bool     // it is known what agents that search chose by
	Extra    []Extra  // what else they report
}

// Source tells where games of a data set are from.
type Source struct {
	What      string  `json:"what"`               // a description
	Checksum  string  `json:"checksum,omitempty"` // of the other data set's manifest
	Games     int     `json:"games"`              // it had
	Kept      int     `json:"kept"`               // of them
	Generated *Config `json:"generated,omitempty"`
}

// Assembly puts a data set together, game by game, in the order in which they
// are added. Unlike Generate it cannot go on where it was interrupted: what such
// a run leaves is no data set, and the next one begins anew.
type Assembly struct {
	options Options
	staging *staging
	enc     *encoder
	perFile int
	pending *disk.Pending // the file under way, nil if none is
	m       *Manifest
	closed  bool
}

// NewAssembly begins a data set in a new folder.
func NewAssembly(game env.Game, s Shape, folder string, o Options) (*Assembly, error) {
	c := Config{Layout: s.Layout, Observation: s.Observation, Extra: s.Extra, FileGames: s.FileGames, Games: 1,
		Agents: []string{game.Spec().Agents[0]}}
	c, err := c.resolve(game)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	about, columns, err := aboutOf(game.Spec(), &c, o, s.Missed, s.Searched)
	if err != nil {
		return nil, err
	}
	about.Agents, about.Filter = s.Agents, s.Filter
	return newAssembly(game, about, columns, c.FileGames, folder, o)
}

func newAssembly(game env.Game, about About, columns []column, perFile int, folder string, o Options) (*Assembly,
	error) {
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	m := &Manifest{About: about, Statistics: newStatistics(game.Spec(), about.Agents)}
	a := &Assembly{options: o, perFile: perFile, m: m, enc: newEncoder(game, &m.About, columns)}
	var err error
	a.staging, err = assemblyStaging(folder, o)
	return a, err
}

// assemblyStaging takes possession of a folder for an assembly.
func assemblyStaging(folder string, o Options) (*staging, error) {
	w := newStaging(folder, o)
	if err := w.vacant(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(w.scratch, logName)); err == nil {
		return nil, fmt.Errorf("%s: %w: one is being generated there", folder, ErrNotEmpty)
	}
	if err := w.occupy(); err != nil {
		return nil, err
	}
	data := filepath.Join(folder, dataFolder)
	there, err := os.ReadDir(data)
	for _, entry := range there {
		err = errors.Join(err, o.Disk.Remove(filepath.Join(data, entry.Name())))
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Add adds a game. names are its agents' by seat. It gets the next number.
func (a *Assembly) Add(e *Episode, names []string) error {
	own := *e
	own.Agents = make([]uint16, len(names))
	for seat, name := range names {
		index := slices.Index(a.m.Agents, name)
		if index < 0 {
			return fmt.Errorf("dataset: agent %q is none of those announced: %q", name, a.m.Agents)
		}
		own.Agents[seat] = uint16(index)
	}
	if err := own.check(a.enc.spec); err != nil {
		return err
	}
	return a.add(&own)
}

// add adds a game whose agents are those of the data set.
func (a *Assembly) add(e *Episode) error {
	if a.pending == nil {
		if err := a.beginFile(); err != nil {
			return err
		}
	}
	e.Game = a.m.Games + a.enc.stats.Games
	if err := a.enc.put(e); err != nil {
		return err
	}
	if a.enc.stats.Games < a.perFile {
		return nil
	}
	return a.endFile()
}

// fileName is the name of the file under way, or of the next.
func (a *Assembly) fileName() string { return dataName(a.m.Layout, len(a.m.Files)) }

func (a *Assembly) beginFile() (err error) {
	path := filepath.Join(a.staging.folder, filepath.FromSlash(a.fileName()))
	if a.pending, err = disk.Begin(a.options.Disk, path, a.staging.scratch); err != nil {
		return err
	}
	return a.enc.begin(a.pending)
}

// endFile ends the file under way, if there is one.
func (a *Assembly) endFile() error {
	if a.pending == nil {
		return nil
	}
	made, err := a.enc.end(a.m.Games)
	if err != nil {
		return err
	}
	made.File.Path = a.fileName()
	if err := a.pending.Commit(); err != nil {
		return err
	}
	a.m.add(made)
	a.pending = nil
	return nil
}

// Finish writes the manifest: from now on it is a data set.
func (a *Assembly) Finish(sources []Source) (*Manifest, error) {
	defer a.Close()
	if err := a.endFile(); err != nil {
		return nil, err
	}
	if a.m.Games == 0 {
		return nil, errNoGames
	}
	a.m.Sources = sources
	for _, s := range sources {
		if s.Generated != nil {
			a.m.Unrepeatable = append(a.m.Unrepeatable, s.Generated.reasons()...)
		}
	}
	slices.Sort(a.m.Unrepeatable)
	a.m.Unrepeatable = slices.Compact(a.m.Unrepeatable)
	if err := a.m.finish(a.staging); err != nil {
		return nil, err
	}
	return a.m, a.staging.removeAll()
}

// errNoGames says that nothing is left to be a data set.
var errNoGames = errors.New("dataset: no games are left")

// Close gives the data set up, unless it is finished.
func (a *Assembly) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	if a.pending != nil {
		a.pending.Abort()
	}
	return a.staging.Close()
}

// Merge puts games of data sets together: those for which keep, which may be
// nil, is true, in their order.
func Merge(game env.Game, sets []*Set, s Shape, keep func(e *Episode, names []string) bool, folder string,
	o Options) (*Manifest, error) {
	for _, set := range sets {
		if err := set.Agrees(game); err != nil {
			return nil, err
		}
		for _, name := range set.Manifest.Agents {
			if !slices.Contains(s.Agents, name) {
				s.Agents = append(s.Agents, name)
			}
		}
		s.Missed = s.Missed || slices.ContainsFunc(set.Manifest.Agents, outside)
		s.Searched = s.Searched || set.Manifest.has(visitsName)
		if s.Layout == Steps {
			var err error
			if s.Extra, err = union(s.Extra, set.Manifest.Extra); err != nil {
				return nil, fmt.Errorf("%s: %w", set.Folder, err)
			}
		}
	}
	a, err := NewAssembly(game, s, folder, o)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	var sources []Source
	for _, set := range sets {
		m := set.Manifest
		from := Source{What: "data set", Checksum: m.Checksum, Games: m.Games, Generated: m.Generated}
		err := set.Episodes(func(e *Episode) error {
			names := set.Names(e)
			if keep != nil && !keep(e, names) {
				return nil
			}
			from.Kept++
			return a.Add(e, names)
		})
		if err != nil {
			return nil, err
		}
		sources = append(sources, from)
	}
	return a.Finish(sources)
}

// Names lists who played, by seat.
func (s *Set) Names(e *Episode) []string {
	names := make([]string, len(e.Agents))
	for seat, index := range e.Agents {
		names[seat] = s.Manifest.Agents[index]
	}
	return names
}

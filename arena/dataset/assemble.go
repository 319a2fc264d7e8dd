package dataset

import (
	"encoding/json"
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
}

// Players are those who play in a data set.
type Players struct {
	Agents   []string // all that can occur
	Missed   bool     // moves that had to be replaced are counted
	Searched bool     // it is known what agents that search chose by
}

// Source tells where games of a data set are from.
type Source struct {
	What      string  `json:"what"`               // in words
	Checksum  string  `json:"checksum,omitempty"` // of the other data set's manifest
	Games     int     `json:"games"`              // it had
	Kept      int     `json:"kept"`               // of them
	Generated *Config `json:"generated,omitempty"`
}

// Assembly puts a data set together, game by game, in the order in which they
// are added. Unlike Generate it cannot go on where it was interrupted: what such
// a run leaves is not taken for a data set, and the next one begins anew.
type Assembly struct {
	game    env.Game
	about   About
	names   map[string]uint16
	options Options
	shop    *staging
	starts  *starts
	rows    *stepRows // nil for layout Games
	table   *table
	perFile int
	out     *writer
	pending *disk.Pending
	stats   *Statistics
	m       *Manifest
	missed  bool
}

// NewAssembly begins a data set in a new folder.
func NewAssembly(game env.Game, s Shape, p Players, folder string, o Options) (*Assembly, error) {
	c := Config{Layout: s.Layout, Observation: s.Observation, FileGames: s.FileGames, Games: 1, Agents: []string{game.Spec().Agents[0]}}
	c, err := c.resolve(game)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	about, err := aboutOf(game.Spec(), &c, o, p.Missed, p.Searched)
	if err != nil {
		return nil, err
	}
	about.Agents, about.Filter = p.Agents, s.Filter
	a := &Assembly{game: game, about: about, names: map[string]uint16{}, options: o, perFile: c.FileGames, missed: p.Missed, m: new(Manifest)}
	for i, name := range p.Agents {
		a.names[name] = uint16(i)
	}
	if a.shop, err = newStaging(folder, o); err != nil {
		return nil, err
	}
	if a.starts, err = newStarts(game); err != nil {
		return nil, errors.Join(err, a.shop.Close())
	}
	if s.Layout == Steps {
		a.rows = newStepRows(game.Spec(), game.Spec().Encoding(c.Observation), p.Agents, p.Searched)
	}
	a.table = newTable(about.Columns)
	a.m.Statistics = newStatistics(game.Spec(), p.Agents)
	return a, nil
}

// newStaging takes possession of a folder for an assembly.
func newStaging(folder string, o Options) (*staging, error) {
	w := &staging{disk: o.Disk, folder: folder, scratch: filepath.Join(folder, workFolder), data: filepath.Join(folder, dataFolder)}
	if err := w.vacant(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(w.scratch, planName)); err == nil {
		return nil, fmt.Errorf("%s: %w: one is being generated there", folder, ErrNotEmpty)
	}
	if err := w.occupy(); err != nil {
		return nil, err
	}
	there, err := os.ReadDir(w.data)
	for _, entry := range there {
		err = errors.Join(err, o.Disk.Remove(filepath.Join(w.data, entry.Name())))
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
		index, known := a.names[name]
		if !known {
			return fmt.Errorf("dataset: agent %q is none of those announced: %q", name, a.about.Agents)
		}
		own.Agents[seat] = index
	}
	if err := own.check(a.game.Spec()); err != nil {
		return err
	}
	if err := a.file(); err != nil {
		return err
	}
	own.Game = a.m.Games + a.stats.Games
	if err := a.add(&own); err != nil {
		return err
	}
	a.stats.count(&own, a.about.Agents, shapeOf(a.game.Spec()))
	if a.table.rows() >= someRows {
		if err := a.flush(); err != nil {
			return err
		}
	}
	if a.stats.Games < a.perFile {
		return nil
	}
	return a.endFile()
}

func (a *Assembly) add(e *Episode) error {
	if a.rows != nil {
		m, err := a.starts.begin(e)
		if err != nil {
			return err
		}
		return a.rows.add(a.table, e, m)
	}
	if e.Start == nil {
		start, err := a.starts.dealt(e.Seed)
		if err != nil {
			return err
		}
		e.Start = start
	}
	gameRow(a.table, e, a.about.Agents, a.missed)
	return nil
}

// file begins a file if none is open.
func (a *Assembly) file() error {
	if a.out != nil {
		return nil
	}
	text, err := json.Marshal(&a.about)
	if err != nil {
		return err
	}
	name := dataName(a.about.Layout, len(a.m.Files))
	if a.pending, err = disk.Begin(a.options.Disk, filepath.Join(a.shop.folder, filepath.FromSlash(name)), a.shop.scratch); err != nil {
		return err
	}
	a.out = newWriter(a.pending, a.about.Columns, a.about.Layout, string(text))
	a.stats = newStatistics(a.game.Spec(), a.about.Agents)
	return nil
}

func (a *Assembly) flush() error {
	err := a.out.write(a.table)
	a.table.reset()
	return err
}

// endFile ends the open file, if there is one.
func (a *Assembly) endFile() error {
	if a.out == nil {
		return nil
	}
	if err := a.flush(); err != nil {
		return err
	}
	file, err := a.out.finish()
	if err != nil {
		return err
	}
	file.Path = dataName(a.about.Layout, len(a.m.Files))
	file.Game, file.Games = a.m.Games, a.stats.Games
	if err := a.pending.Commit(); err != nil {
		return err
	}
	a.m.add(&summary{file, a.stats})
	a.out, a.pending = nil, nil
	return nil
}

// Finish writes the manifest: from now on it is a data set.
func (a *Assembly) Finish(sources []Source) (*Manifest, error) {
	defer a.Close()
	if err := a.endFile(); err != nil {
		return nil, err
	}
	if a.m.Games == 0 {
		return nil, ErrNoGames
	}
	a.m.About = a.about
	a.m.Sources = sources
	for _, s := range sources {
		if s.Generated != nil {
			a.m.Unrepeatable = append(a.m.Unrepeatable, s.Generated.reasons()...)
		}
	}
	slices.Sort(a.m.Unrepeatable)
	a.m.Unrepeatable = slices.Compact(a.m.Unrepeatable)
	if err := a.m.finish(a.options, a.shop); err != nil {
		return nil, err
	}
	return a.m, a.shop.removeAll()
}

// ErrNoGames says that nothing is left to be a data set.
var ErrNoGames = errors.New("dataset: no games are left")

// Close gives the data set up, unless it is finished.
func (a *Assembly) Close() error {
	if a.starts == nil {
		return nil
	}
	if a.pending != nil {
		a.pending.Abort()
	}
	a.starts.Close()
	a.starts = nil
	return a.shop.Close()
}

// finish writes the manifest and what goes beside it.
func (m *Manifest) finish(o Options, w *staging) error {
	var others map[string][]byte
	if o.Card != nil {
		var err error
		if others, err = o.Card(m); err != nil {
			return err
		}
	}
	return m.write(o.Disk, w.folder, w.scratch, others)
}

// Merge puts games of data sets together: those for which keep, which may be
// nil, is true, in their order.
func Merge(game env.Game, sets []*Set, s Shape, keep func(e *Episode, names []string) bool, folder string, o Options) (*Manifest, error) {
	var p Players
	for _, set := range sets {
		if err := set.Agrees(game); err != nil {
			return nil, err
		}
		for _, name := range set.Manifest.Agents {
			if !slices.Contains(p.Agents, name) {
				p.Agents = append(p.Agents, name)
			}
		}
		p.Missed = p.Missed || slices.ContainsFunc(set.Manifest.Agents, outside)
		p.Searched = p.Searched || slices.ContainsFunc(set.Manifest.Columns, func(c Column) bool { return c.Name == visitsName })
	}
	a, err := NewAssembly(game, s, p, folder, o)
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

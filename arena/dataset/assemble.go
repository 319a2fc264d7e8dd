package dataset

import (
	"cmp"
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
	Mask        string // the same
	FileGames   int    // as Config.FileGames
	Keep        Filter // which games it has
}

// Source tells where games of a data set are from.
type Source struct {
	What      string  `json:"what"`               // a description
	Checksum  string  `json:"checksum,omitempty"` // of the other data set's manifest
	Games     int     `json:"games"`              // it had
	Kept      int     `json:"kept"`               // of them
	Generated *Config `json:"generated,omitempty"`
}

// assembly puts a data set together, game by game, in the order in which they
// are added. Unlike Generate it cannot go on where it was interrupted: what such
// a run leaves is no data set, and the next one begins anew.
type assembly struct {
	*staging
	enc     *encoder
	perFile int
	begun   bool // a file is under way
	m       *Manifest
}

func newAssembly(game env.Game, p *plan, folder string, o Options) (*assembly, error) {
	w := newStaging(folder, o)
	err := w.vacant()
	if _, missing := os.Stat(filepath.Join(w.scratch, logName)); err == nil && missing == nil {
		err = fmt.Errorf("%s: %w: one is being generated there", folder, ErrNotEmpty)
	}
	if err == nil {
		err = w.occupy()
	}
	if err != nil {
		return nil, err
	}
	if err := w.clear(dataFolder); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	m := &Manifest{About: p.about, Statistics: newStatistics(p.about.Agents)}
	return &assembly{staging: w, enc: newEncoder(game, &m.About, p.columns), perFile: p.config.FileGames, m: m}, nil
}

// add adds a game, which gets the next number.
func (a *assembly) add(e *Episode) error {
	if !a.begun {
		if err := a.enc.begin(a.staging, len(a.m.Files)); err != nil {
			return err
		}
		a.begun = true
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

func (a *assembly) endFile() error {
	made, err := a.enc.end(a.m.Games)
	if err != nil {
		return err
	}
	a.m.add(made)
	a.begun = false
	return nil
}

// errNoGames says that nothing is left to be a data set.
var errNoGames = errors.New("dataset: no game is left")

// finish writes the manifest: from now on it is a data set.
func (a *assembly) finish() (*Manifest, error) {
	if a.begun {
		if err := a.endFile(); err != nil {
			return nil, err
		}
	}
	if a.m.Games == 0 {
		return nil, fmt.Errorf("%w: none has %s", errNoGames, cmp.Or(a.m.Filter, "been played"))
	}
	if err := a.m.finish(a.staging); err != nil {
		return nil, err
	}
	return a.m, a.removeAll()
}

// Close gives the data set up, unless it is finished: then nothing of it stays. What cannot be
// removed is no data set, and the next assembly removes it.
func (a *assembly) Close() error {
	a.enc.abort()
	if _, err := os.Stat(filepath.Join(a.folder, ManifestName)); err == nil {
		return a.staging.Close()
	}
	for _, f := range a.m.Others {
		_ = a.disk.Remove(filepath.Join(a.folder, f.Path))
	}
	_ = a.clear(dataFolder)
	_ = a.disk.Remove(filepath.Join(a.folder, dataFolder))
	err := errors.Join(a.removeAll(), a.staging.Close())
	_ = disk.OS.Remove(a.folder) // unless it has something else
	return err
}

// Merge puts games of data sets together, in their order.
func Merge(game env.Game, sets []*Set, s Shape, folder string, o Options) (*Manifest, error) {
	p, err := mergePlan(game, sets, s, o)
	if err != nil {
		return nil, err
	}
	a, err := newAssembly(game, p, folder, o)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	var sources []Source
	var unrepeatable []string
	for _, set := range sets {
		m := set.Manifest
		from := Source{What: "data set", Checksum: m.Checksum, Games: m.Games, Generated: m.Generated}
		err := set.Episodes(func(e *Episode) error {
			names := set.Names(e)
			if !s.Keep.Keep(e, names) {
				return nil
			}
			from.Kept++
			for seat, name := range names {
				e.Agents[seat] = uint16(slices.Index(a.m.Agents, name))
			}
			if err := e.check(p.spec); err != nil {
				return err
			}
			return a.add(e)
		})
		if err != nil {
			return nil, err
		}
		sources = append(sources, from)
		if m.Generated != nil {
			unrepeatable = append(unrepeatable, m.Generated.reasons()...)
		}
	}
	slices.Sort(unrepeatable)
	a.m.Sources, a.m.Unrepeatable = sources, slices.Compact(unrepeatable)
	return a.finish()
}

func mergePlan(game env.Game, sets []*Set, s Shape, o Options) (*plan, error) {
	spec := game.Spec()
	c := Config{Layout: s.Layout, Observation: s.Observation, Mask: s.Mask, FileGames: s.FileGames, Games: 1,
		Agents: spec.Agents[:1]}
	var agents []string
	var missed, searched bool
	for _, set := range sets {
		m := set.Manifest
		if err := set.Agrees(game); err != nil {
			return nil, err
		}
		for _, name := range m.Agents {
			if !slices.Contains(agents, name) {
				agents = append(agents, name)
			}
		}
		missed = missed || slices.ContainsFunc(m.Agents, outside)
		searched = searched || m.has(visitsName)
		if s.Layout == Steps {
			var err error
			if c.Extra, err = union(c.Extra, m.Extra); err != nil {
				return nil, fmt.Errorf("%s: %w", set.Folder, err)
			}
		}
	}
	c, err := c.resolve(game)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	p := &plan{config: c, spec: spec}
	p.about, p.columns, err = aboutOf(spec, &c, o, missed, searched)
	p.about.Agents, p.about.Filter = agents, s.Keep.String()
	return p, err
}

// Names lists who played, by seat.
func (s *Set) Names(e *Episode) []string {
	names := make([]string, len(e.Agents))
	for seat, index := range e.Agents {
		names[seat] = s.Manifest.Agents[index]
	}
	return names
}

package dataset

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"pommego/arena/ledger"
	"pommego/env"
	"pommego/internal/disk"
)

// Source says where games of a data set come from.
type Source struct {
	What      string   `json:"what"`               // a description
	Checksum  string   `json:"checksum,omitempty"` // of the other data set's manifest
	Games     int      `json:"games"`              // how many games the other data set has
	Kept      int      `json:"kept"`               // how many of them this one has
	Generated *Config  `json:"generated,omitempty"`
	Sources   []Source `json:"sources,omitempty"` // of the other data set, and its Filter
	Filter    string   `json:"filter,omitempty"`
}

// assembly makes a data set of games, which come in any order. They wait in memory for the others of their file.
type assembly struct {
	*staging
	plan    *plan
	m       *Manifest
	waiting map[int][]*Episode // by the numbers of their files
	free    chan struct{}      // limits the files that are written at the same time
	writers sync.WaitGroup

	mu    sync.Mutex // guards what follows
	made  map[int]*summary
	ended func(*summary) error // called with the summary of each file; nil: not called
	err   error                // the first error
}

// mostWaiting is how many games may be in files that are being written at the same time.
const mostWaiting = 20_000

func newAssembly(p *plan, w *staging) *assembly {
	return &assembly{staging: w, plan: p, waiting: map[int][]*Episode{}, made: map[int]*summary{},
		free: make(chan struct{}, max(1, min(runtime.GOMAXPROCS(0), mostWaiting/p.config.FileGames))),
		m:    &Manifest{About: p.about, Files: []File{}, Statistics: newStatistics(p.about.Agents)}}
}

// begin begins a data set that, unlike one of Generate's, cannot be continued after an interruption: what such
// a run leaves is no data set, and the next run starts again.
func begin(p *plan, folder string, o Options) (*assembly, error) {
	w := newStaging(folder, o)
	logged, err := w.claim()
	if logged {
		err = errors.Join(fmt.Errorf("%s: %w: a data set is being generated there", folder, ErrNotEmpty), w.unlock())
	}
	if err != nil {
		return nil, err
	}
	return newAssembly(p, w), nil
}

func (a *assembly) add(e *Episode) error {
	k := e.Game / a.plan.config.FileGames
	a.mu.Lock()
	err, made := a.err, a.made[k] != nil
	a.mu.Unlock()
	if err != nil || made {
		return err
	}
	a.waiting[k] = append(a.waiting[k], e)
	if len(a.waiting[k]) == a.plan.config.FileGames {
		a.write(k)
	}
	return nil
}

// write begins to write a file of the games that wait.
func (a *assembly) write(k int) {
	games := a.waiting[k]
	delete(a.waiting, k)
	slices.SortFunc(games, func(a, b *Episode) int { return a.Game - b.Game })
	a.free <- struct{}{}
	a.writers.Go(func() {
		s, err := newEncoder(a.plan.game, &a.plan.about, a.plan.columns).write(a.staging, k, games)
		a.mu.Lock()
		defer a.mu.Unlock()
		if err == nil && a.ended != nil {
			err = a.ended(s)
		}
		a.made[k], a.err = s, cmp.Or(a.err, err)
		<-a.free
	})
}

// wait writes the remaining files, unless something has gone wrong.
func (a *assembly) wait(err error) error {
	for k := range a.waiting {
		if err == nil {
			a.write(k)
		}
	}
	a.writers.Wait()
	return cmp.Or(a.err, err) // err may name the log whose game was to be added
}

var errNoGames = errors.New("dataset: no game is left")

// finish writes the card and then the manifest, which completes the data set.
func (a *assembly) finish() (*Manifest, error) {
	for k := range len(a.made) {
		a.m.add(a.made[k])
	}
	if a.m.Games == 0 {
		return nil, fmt.Errorf("%w: none has %s", errNoGames, cmp.Or(a.m.Filter, "been played"))
	}
	text, err := card(a.m)
	if err == nil {
		err = a.writeFile(CardName, text)
	}
	if err != nil {
		return nil, err
	}
	a.m.Others = []File{{Path: CardName, Bytes: int64(len(text)), SHA256: fmt.Sprintf("%x", sha256.Sum256(text))}}
	if text, err = a.m.encode(); err == nil {
		err = a.writeFile(ManifestName, text)
	}
	if err != nil {
		return nil, err
	}
	return a.m, a.removeAll()
}

// conclude finishes the data set or, after an error, removes all of it but a folder that was there. Files that
// cannot be removed are no data set, and the next run removes them.
func (a *assembly) conclude(err error) (m *Manifest, _ error) {
	if err = a.wait(err); err == nil {
		m, err = a.finish()
	}
	if _, missing := os.Stat(filepath.Join(a.folder, ManifestName)); missing == nil {
		return m, errors.Join(err, a.unlock())
	}
	_ = a.disk.Remove(filepath.Join(a.folder, CardName))
	_ = a.clear(dataFolder)
	_ = a.disk.Remove(filepath.Join(a.folder, dataFolder))
	err = errors.Join(err, a.removeAll(), a.unlock())
	if !a.given {
		_ = disk.OS.Remove(a.folder) // fails if the folder holds anything else
	}
	return nil, err
}

func (m *Manifest) add(s *summary) {
	m.Files = append(m.Files, s.File)
	m.Games += s.File.Games
	m.Rows += s.File.Rows
	m.Bytes += s.File.Bytes
	m.Steps += s.Statistics.Steps
	m.Statistics.add(s.Statistics)
}

// Merge makes one data set of the games that keep chooses from several, in their order. It uses Layout,
// Observation, Mask and FileGames of c, and nothing else.
func Merge(game env.Game, sets []*Set, c Config, keep Filter, folder string, o Options) (*Manifest, error) {
	p, err := mergePlan(game, sets, c, o)
	if err != nil {
		return nil, err
	}
	p.about.Filter = keep.String()
	a, err := begin(p, folder, o)
	if err != nil {
		return nil, err
	}
	number := 0
	for _, set := range sets {
		m := set.Manifest
		from := Source{What: "data set", Checksum: m.Checksum, Games: m.Games, Generated: m.Generated,
			Sources: m.Sources, Filter: m.Filter}
		if err == nil {
			err = set.Episodes(func(e *Episode) error {
				if !keep.Keep(e) {
					return nil
				}
				if p.unknown {
					clear(e.Missed)
				}
				e.Dealt = e.Dealt && m.Env.SeedVersion == env.SeedVersion // else it begins from its start alone
				e.Game = number
				number++
				from.Kept++
				return a.add(e)
			})
		}
		a.m.Sources = append(a.m.Sources, from)
		a.m.Unrepeatable = append(a.m.Unrepeatable, m.Unrepeatable...)
	}
	slices.Sort(a.m.Unrepeatable)
	a.m.Unrepeatable = slices.Compact(a.m.Unrepeatable)
	return a.conclude(err)
}

func mergePlan(game env.Game, sets []*Set, c Config, o Options) (*plan, error) {
	spec := game.Spec()
	c.Games, c.Agents = 1, spec.Agents[:1]
	var agents []string
	var missed, unknown, searched bool
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
		counted := m.index(missedName) >= 0
		missed = missed || counted
		unknown = unknown || !counted && slices.ContainsFunc(m.Agents, outside)
		searched = searched || m.index(ledger.Visits) >= 0
		if c.Layout == Steps {
			var err error
			if c.Extra, err = union(c.Extra, m.Extra); err != nil {
				return nil, fmt.Errorf("%s: %w", set.Folder, err)
			}
		}
	}
	c, err := c.Resolve(game)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	p := &plan{config: c, game: game, spec: spec, unknown: unknown}
	p.about, p.columns, err = aboutOf(spec, &c, o, missed && !unknown, searched)
	p.about.Agents = agents
	return p, err
}

// Filter selects games. A zero field excludes none.
type Filter struct {
	Agent    string         // an agent that plays in some seat
	Result   env.SeatResult // the result of some seat or, with Agent, of a seat of that agent
	MinSteps int
	MaxSteps int
	First    int // the lowest number that is kept
	Games    int // how many numbers from First on are kept; 0: all
}

// Validate says what is wrong with the filter.
func (f *Filter) Validate() error {
	switch {
	case f.Result != "" && !slices.Contains(env.SeatResults, f.Result):
		return fmt.Errorf("there is no result %q, want one of %q", f.Result, env.SeatResults)
	case f.MinSteps < 0 || f.MaxSteps < 0:
		return fmt.Errorf("min-steps is %d and max-steps is %d, want 0 (any) or more", f.MinSteps, f.MaxSteps)
	case f.First < 0 || f.Games < 0:
		return fmt.Errorf("first is %d and games is %d, want 0 (all) or more", f.First, f.Games)
	case f.MaxSteps > 0 && f.MaxSteps < f.MinSteps:
		return fmt.Errorf("lengths from %d to %d, want a greatest length that is not below the least", f.MinSteps, f.MaxSteps)
	}
	return nil
}

// Keep reports whether a game is chosen.
func (f *Filter) Keep(e *Episode) bool {
	switch {
	case e.Steps < f.MinSteps,
		f.MaxSteps > 0 && e.Steps > f.MaxSteps,
		e.Game < f.First,
		f.Games > 0 && e.Game-f.First >= f.Games:
		return false
	}
	for seat, name := range e.Agents {
		if (f.Agent == "" || name == f.Agent) && (f.Result == "" || e.Results[seat] == f.Result) {
			return true
		}
	}
	return false
}

// Apart reports whether the numbers alone exclude all games of a file.
func (f *Filter) Apart(file File) bool {
	return file.Game+file.Games <= f.First || f.Games > 0 && file.Game-f.First >= f.Games
}

// String says which games are kept; "" for all.
func (f *Filter) String() string {
	var parts []string
	add := func(given bool, format string, value any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	add(f.MinSteps > 0, "at least %d steps", f.MinSteps)
	add(f.MaxSteps > 0, "at most %d steps", f.MaxSteps)
	add(f.Agent != "", "%s plays", f.Agent)
	add(f.Result != "", "result %s", f.Result)
	add(f.First > 0, "from game %d", f.First)
	add(f.Games > 0, "%d numbers", f.Games)
	return strings.Join(parts, ", ")
}

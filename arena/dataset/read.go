package dataset

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pommego/env"
)

// Set is a data set that is being read.
type Set struct {
	Folder   string
	Manifest *Manifest
}

// Open opens a data set.
func Open(folder string) (*Set, error) {
	m, err := ReadManifest(folder)
	if err != nil {
		return nil, err
	}
	return &Set{folder, m}, nil
}

func (s *Set) path(name string) string { return filepath.Join(s.Folder, filepath.FromSlash(name)) }

// Agrees says why games of the data set cannot be played again in game.
func (s *Set) Agrees(game env.Game) error {
	here, err := envOf(game.Spec())
	if err != nil {
		return err
	}
	there := &s.Manifest.Env
	switch {
	case here.ID != there.ID:
		return fmt.Errorf("%s: it is of %s, not of %s", s.Folder, there.ID, here.ID)
	case here.Version != there.Version:
		return fmt.Errorf("%s: it is of version %d of %s, this program plays version %d", s.Folder, there.Version, there.Game, here.Version)
	case string(here.Rules) != string(compact(there.Rules)):
		return fmt.Errorf("%s: its rules are %s, want %s", s.Folder, short(there.Rules), short(here.Rules))
	}
	return nil
}

// Episodes hands out the games of a data set in their order, until yield returns
// an error, which it returns. Of layout Steps they can be had where they were
// dealt from seeds: only then is it known how they began.
func (s *Set) Episodes(yield func(*Episode) error) error {
	for i := range s.Manifest.Files {
		if err := s.fileEpisodes(&s.Manifest.Files[i], yield); err != nil {
			return err
		}
	}
	return nil
}

// errEnough ends the reading of a file.
var errEnough = errors.New("enough")

// Episode reads one game.
func (s *Set) Episode(number int) (*Episode, error) {
	for i := range s.Manifest.Files {
		f := &s.Manifest.Files[i]
		if number < f.Game || number >= f.Game+f.Games {
			continue
		}
		var found *Episode
		err := s.fileEpisodes(f, func(e *Episode) error {
			if e.Game != number {
				return nil
			}
			found = e
			return errEnough
		})
		if found != nil {
			return found, nil
		}
		if err == nil {
			err = fmt.Errorf("%s: %w: it has no game %d, though the manifest says so", s.path(f.Path), ErrDamaged, number)
		}
		return nil, err
	}
	return nil, fmt.Errorf("%s: there is no game %d, want 0 to %d", s.Folder, number, s.Manifest.Games-1)
}

func (s *Set) fileEpisodes(f *File, yield func(*Episode) error) error {
	m := s.Manifest
	r, err := openFile(s.path(f.Path), m.Columns)
	if err != nil {
		return err
	}
	defer r.Close()
	t := newTable(m.Columns)
	in, err := newGameReader(t, m)
	steps := m.Layout == Steps
	if steps {
		in, err = newStepReader(t, m)
	}
	if err != nil {
		return err
	}
	for g := range r.groups() {
		if err := r.read(g, t, in.wants); err != nil {
			return err
		}
		for row := 0; row < t.rows(); {
			e, n, err := in.episode(row)
			if err != nil {
				return fmt.Errorf("%s: row group %d, row %d: %w", r.path, g, row, err)
			}
			if err := yield(e); err != nil {
				return err
			}
			row += n
		}
	}
	return nil
}

// ErrNoStarts says that games of layout Steps cannot be played again.
var ErrNoStarts = errors.New("the game did not begin as a seed deals it, and layout steps does not say how")

// episodeReader turns rows back into episodes.
type episodeReader interface {
	// wants reports whether it looks at a column.
	wants(name string) bool
	// episode is the one whose first row is given, and how many rows it has.
	episode(row int) (*Episode, int, error)
}

// gameReader turns rows of gameColumns back into episodes.
type gameReader struct {
	table  *table
	shape  shape
	agents map[string]uint16

	// Where the columns are; those by seat have an entry for each.
	game, seed, episodeOf, steps, result, truncated, start, actions int
	agent, outcome, lived, missed                                   []int
}

func newGameReader(t *table, m *Manifest) (episodeReader, error) {
	r := &gameReader{table: t, shape: m.Env.shape(), agents: map[string]uint16{}}
	for i, name := range m.Agents {
		if _, twice := r.agents[name]; !twice {
			r.agents[name] = uint16(i)
		}
	}
	for _, c := range []struct {
		name string
		to   *int
	}{
		{"game", &r.game}, {"seed", &r.seed}, {"episode", &r.episodeOf}, {"steps", &r.steps},
		{"result", &r.result}, {"truncated", &r.truncated}, {"start", &r.start}, {"actions", &r.actions},
	} {
		var err error
		if *c.to, err = t.index(c.name); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	for _, c := range []struct {
		name   string
		to     *[]int
		always bool
	}{{"agent", &r.agent, true}, {"outcome", &r.outcome, true}, {"lived", &r.lived, true}, {"missed", &r.missed, false}} {
		for seat := range r.shape.seats {
			at, err := t.index(fmt.Sprintf("%s%d", c.name, seat))
			if err != nil && c.always {
				return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
			}
			if err == nil {
				*c.to = append(*c.to, at)
			}
		}
	}
	return r, nil
}

func (r *gameReader) wants(string) bool { return true }

func (r *gameReader) episode(row int) (*Episode, int, error) {
	value := func(column int) parquet.Value { return r.table.values[column][row] }
	e := &Episode{
		Game: int(value(r.game).Int64()), Dealt: !value(r.seed).IsNull(),
		Seed:  env.Seed{Value: value(r.seed).Uint64(), Episode: value(r.episodeOf).Uint64()},
		Start: value(r.start).ByteArray(), Actions: value(r.actions).ByteArray(),
		Steps: int(value(r.steps).Int32()), Truncated: value(r.truncated).Boolean(),
		Missed: make([]int32, r.shape.seats),
	}
	var err error
	if e.Result, err = parseResult(value(r.result)); err != nil {
		return nil, 0, err
	}
	for seat := range r.shape.seats {
		agent, known := r.agents[string(value(r.agent[seat]).ByteArray())]
		if !known {
			return nil, 0, fmt.Errorf("%w: agent %q is not in the manifest", ErrDamaged, value(r.agent[seat]).ByteArray())
		}
		e.Agents = append(e.Agents, agent)
		e.Lived = append(e.Lived, value(r.lived[seat]).Int32())
		e.Outcome = append(e.Outcome, value(r.outcome[seat]).Double())
		if len(r.missed) > 0 {
			e.Missed[seat] = value(r.missed[seat]).Int32()
		}
		if e.Result == env.Win && e.Outcome[seat] > 0 {
			e.Winners = e.Winners.With(seat)
		}
	}
	if e.Steps < 0 || len(e.Actions) != e.Steps*r.shape.step() {
		return nil, 0, fmt.Errorf("%w: it has %d bytes of actions for %d steps, want %d", ErrDamaged, len(e.Actions), e.Steps, e.Steps*r.shape.step())
	}
	return e, 1, nil
}

// stepReader turns rows of stepColumns back into episodes.
type stepReader struct {
	table    *table
	manifest *Manifest
	at       map[string]int
	actions  []string // names of the columns
	searched bool     // rows tell what agents that search chose by
}

func newStepReader(t *table, m *Manifest) (episodeReader, error) {
	r := &stepReader{table: t, manifest: m, at: map[string]int{}}
	for _, c := range m.Env.Actions {
		r.actions = append(r.actions, actionName(len(m.Env.Actions), c))
	}
	var statistics []string
	if _, err := t.index(visitsName); err == nil {
		r.searched, statistics = true, []string{visitsName, valuesName}
	}
	for _, name := range slices.Concat(stepWanted, r.actions, statistics) {
		var err error
		if r.at[name], err = t.index(name); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return r, nil
}

// stepWanted are the columns that make an episode, besides the actions.
var stepWanted = []string{"game", "seed", "episode", "step", "seat", "agent", "alive", "terminated", "outcome", "result", "length"}

func (r *stepReader) wants(name string) bool {
	_, wanted := r.at[name]
	return wanted
}

func (r *stepReader) value(name string, row int) parquet.Value {
	return r.table.values[r.at[name]][row]
}

func (r *stepReader) episode(row int) (*Episode, int, error) {
	sh := r.manifest.Env.shape()
	e := &Episode{
		Game: int(r.value("game", row).Int64()), Steps: int(r.value("length", row).Int32()),
		Lived: make([]int32, sh.seats), Missed: make([]int32, sh.seats),
	}
	rows := e.Steps * sh.seats
	if e.Steps < 1 || row+rows > len(r.table.values[r.at["game"]]) {
		return nil, 0, fmt.Errorf("%w: game %d is to have %d steps, which are not all there", ErrDamaged, e.Game, e.Steps)
	}
	for k := range rows {
		game, step, seat := int(r.value("game", row+k).Int64()), int(r.value("step", row+k).Int32()), int(r.value("seat", row+k).Int32())
		if game != e.Game || step != k/sh.seats || seat != k%sh.seats {
			return nil, 0, fmt.Errorf("%w: game %d, step %d, seat %d, want game %d, step %d, seat %d", ErrDamaged, game, step, seat, e.Game, k/sh.seats, k%sh.seats)
		}
		for _, name := range r.actions {
			e.Actions = append(e.Actions, byte(r.value(name, row+k).Int32()))
		}
		e.Lived[seat] += int32(toByte(r.value("alive", row+k).Boolean()))
		if r.searched && !r.value(visitsName, row+k).IsNull() {
			e.Decisions = append(e.Decisions, Decision{step, seat, r.value(visitsName, row+k).ByteArray(), r.value(valuesName, row+k).ByteArray()})
		}
	}
	if err := r.ending(e, row); err != nil {
		return nil, 0, err
	}
	e.Truncated = !r.value("terminated", row+rows-1).Boolean()
	if r.value("seed", row).IsNull() {
		return nil, 0, fmt.Errorf("game %d: %w", e.Game, ErrNoStarts)
	}
	e.Seed, e.Dealt = env.Seed{Value: r.value("seed", row).Uint64(), Episode: r.value("episode", row).Uint64()}, true
	return e, rows, nil
}

// ending reads who played and how it ended from a game's first rows.
func (r *stepReader) ending(e *Episode, row int) error {
	var err error
	if e.Result, err = parseResult(r.value("result", row)); err != nil {
		return err
	}
	for k := range e.Lived {
		agent := slices.Index(r.manifest.Agents, string(r.value("agent", row+k).ByteArray()))
		if agent < 0 {
			return fmt.Errorf("%w: agent %q is not in the manifest", ErrDamaged, r.value("agent", row+k).ByteArray())
		}
		e.Agents = append(e.Agents, uint16(agent))
		e.Outcome = append(e.Outcome, r.value("outcome", row+k).Double())
		if e.Result == env.Win && e.Outcome[k] > 0 {
			e.Winners = e.Winners.With(k)
		}
	}
	return nil
}

// parseResult reads a result's name.
func parseResult(v parquet.Value) (env.Result, error) {
	name := string(v.ByteArray())
	for r := env.Win; r <= env.Incomplete; r++ {
		if r.String() == name {
			return r, nil
		}
	}
	return 0, fmt.Errorf("%w: its result is %q", ErrDamaged, name)
}

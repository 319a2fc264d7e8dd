package dataset

import (
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

// Episodes hands out the games of a data set of layout Games in their order,
// until yield returns an error, which it returns.
func (s *Set) Episodes(yield func(*Episode) error) error {
	for i := range s.Manifest.Files {
		if err := s.fileEpisodes(&s.Manifest.Files[i], yield); err != nil {
			return err
		}
	}
	return nil
}

// Episode reads one game of a data set of layout Games.
func (s *Set) Episode(number int) (*Episode, error) {
	for i := range s.Manifest.Files {
		f := &s.Manifest.Files[i]
		if number < f.Game || number >= f.Game+f.Games {
			continue
		}
		var found *Episode
		err := s.fileEpisodes(f, func(e *Episode) error {
			if e.Game == number {
				found = e
			}
			return nil
		})
		if err == nil && found == nil {
			err = fmt.Errorf("%s: %w: it has no game %d, though the manifest says so", s.path(f.Path), ErrDamaged, number)
		}
		return found, err
	}
	return nil, fmt.Errorf("%s: there is no game %d, it has %d, from 0", s.Folder, number, s.Manifest.Games)
}

func (s *Set) fileEpisodes(f *File, yield func(*Episode) error) error {
	m := s.Manifest
	if m.Layout != Games {
		return fmt.Errorf("%s: its layout is %s, want %s", s.Folder, m.Layout, Games)
	}
	r, err := openFile(s.path(f.Path), m.Columns)
	if err != nil {
		return err
	}
	defer r.close()
	t := newTable(m.Columns)
	in, err := newGameReader(t, m)
	if err != nil {
		return err
	}
	for g := range r.groups() {
		if err := r.read(g, t, nil); err != nil {
			return err
		}
		for row := range t.rows() {
			e, err := in.episode(row)
			if err != nil {
				return fmt.Errorf("%s: row group %d, row %d: %w", r.path, g, row, err)
			}
			if err := yield(e); err != nil {
				return err
			}
		}
	}
	return nil
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

func newGameReader(t *table, m *Manifest) (*gameReader, error) {
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

// episode is the episode in a row.
func (r *gameReader) episode(row int) (*Episode, error) {
	value := func(column int) parquet.Value { return r.table.values[column][row] }
	e := &Episode{
		Game: int(value(r.game).Int64()), Dealt: !value(r.seed).IsNull(),
		Seed:  env.Seed{Value: value(r.seed).Uint64(), Episode: value(r.episodeOf).Uint64()},
		Start: value(r.start).ByteArray(), Actions: value(r.actions).ByteArray(),
		Steps: int(value(r.steps).Int32()), Truncated: value(r.truncated).Boolean(),
		Missed: make([]int32, r.shape.seats),
	}
	name := string(value(r.result).ByteArray())
	for e.Result = env.Win; e.Result.String() != name; e.Result++ {
		if e.Result == env.Incomplete {
			return nil, fmt.Errorf("%w: its result is %q", ErrDamaged, name)
		}
	}
	for seat := range r.shape.seats {
		agent, known := r.agents[string(value(r.agent[seat]).ByteArray())]
		if !known {
			return nil, fmt.Errorf("%w: agent %q is not in the manifest", ErrDamaged, value(r.agent[seat]).ByteArray())
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
		return nil, fmt.Errorf("%w: it has %d bytes of actions for %d steps, want %d", ErrDamaged, len(e.Actions), e.Steps, e.Steps*r.shape.step())
	}
	return e, nil
}

// stepReader turns rows of stepColumns back into episodes.
type stepReader struct {
	table   *table
	shape   shape
	agents  []string
	at      map[string]int
	actions []int
}

func newStepReader(t *table, m *Manifest) (*stepReader, error) {
	r := &stepReader{table: t, shape: m.Env.shape(), agents: m.Agents, at: map[string]int{}}
	for i := range t.columns {
		r.at[t.columns[i].Name] = i
	}
	want := []string{"game", "agent", "alive", "terminated", "outcome", "result", "length"}
	for _, c := range m.Env.Actions {
		name := "action"
		if len(m.Env.Actions) > 1 {
			name += "_" + c.Name
		}
		want = append(want, name)
		r.actions = append(r.actions, r.at[name])
	}
	for _, name := range want {
		if _, there := r.at[name]; !there {
			return nil, fmt.Errorf("%w: there is no column %q", ErrDamaged, name)
		}
	}
	return r, nil
}

func (r *stepReader) value(name string, row int) parquet.Value {
	return r.table.values[r.at[name]][row]
}

// episode is the episode whose first row is given. All of its rows are there, as
// counted.count has seen to.
func (r *stepReader) episode(row int) *Episode {
	e := &Episode{
		Game: int(r.value("game", row).Int64()), Steps: int(r.value("length", row).Int32()),
		Lived: make([]int32, r.shape.seats), Missed: make([]int32, r.shape.seats),
	}
	name := string(r.value("result", row).ByteArray())
	for e.Result = env.Win; e.Result.String() != name && e.Result < env.Incomplete; e.Result++ {
	}
	for seat := range r.shape.seats {
		agent := string(r.value("agent", row+seat).ByteArray())
		e.Agents = append(e.Agents, uint16(max(0, slices.Index(r.agents, agent))))
		e.Outcome = append(e.Outcome, r.value("outcome", row+seat).Double())
		if e.Result == env.Win && e.Outcome[seat] > 0 {
			e.Winners = e.Winners.With(seat)
		}
	}
	rows := e.Steps * r.shape.seats
	for k := range rows {
		for _, at := range r.actions {
			e.Actions = append(e.Actions, byte(r.table.values[at][row+k].Int32()))
		}
		e.Lived[k%r.shape.seats] += int32(toByte(r.value("alive", row+k).Boolean()))
	}
	e.Truncated = !r.value("terminated", row+rows-1).Boolean()
	return e
}

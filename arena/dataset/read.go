package dataset

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"pommego/arena/ledger"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/ruleset"
)

// Episode is one game of a data set. Lists are by seat.
type Episode struct {
	ledger.Played
	ledger.Ending // nil lists before a replay

	Dealt  bool              `json:"-"`      // the seed dealt the start; else the seed has no meaning
	Missed []int32           `json:"missed"` // how many moves stop replaced, because they were late, invalid or not asked for
	errors map[string]string // the last errors of agents, if it has just been played
	from   string            // the data set and the number of the game there, if it was read
}

// fits says why the episode cannot belong to a game with this many bytes of actions per step.
func (e *Episode) fits(step int) error {
	if slices.ContainsFunc(e.Lived, func(n int32) bool { return n < 0 || int(n) > e.Steps }) {
		return fmt.Errorf("its seats were in for %[2]d steps, want 0 to %[1]d, its number of steps", e.Steps, e.Lived)
	}
	return e.Fits(step)
}

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
	here, there := envOf(game.Spec()), &s.Manifest.Env
	counted, other := there.counted(), ""
	switch {
	case here.ID != there.ID:
		return fmt.Errorf("%s: its games are of %s, want %s", s.Folder, there.ID, here.ID)
	case !slices.Equal(here.counted(), counted):
		other = fmt.Sprintf("count %v, this program counts %v", counted, here.counted())
	case here.Seats != there.Seats || len(here.Actions) != len(there.Actions) || here.choices() != there.choices():
		other = fmt.Sprintf("have %d seats and %d choices, this program has %d and %d", there.Seats, there.choices(),
			here.Seats, here.choices())
	case here.Version != there.Version:
		other = fmt.Sprintf("are of version %d of %s, this program plays version %d", there.Version, there.Game, here.Version)
	case s.Manifest.Layout != Games && here.SeedVersion != there.SeedVersion: // starts are not stored
		other = fmt.Sprintf("are dealt from seeds of version %d, this program deals those of version %d", there.SeedVersion,
			here.SeedVersion)
	}
	if other != "" {
		return fmt.Errorf("%s: its games %s: use pommego %s", s.Folder, other, s.Manifest.Program)
	}
	if d := ruleset.Difference(there.Rules, here.Rules); d != "" {
		return fmt.Errorf("%s: in its rules %s", s.Folder, d)
	}
	return nil
}

// Episodes passes the games of a data set to yield in their order. It stops at an error
// of yield and returns it. In layout Steps it returns an error for a game that was not
// dealt from a seed: that layout does not store how games begin.
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

// Replay reads the game with a number and returns a replay of it in game, with events and thoughts. The error is
// trace.ErrNoGame if the data set has no game of that number.
func (s *Set) Replay(game env.Game, number int) (*ledger.Replay, error) {
	files := s.Manifest.Files
	at := slices.IndexFunc(files, func(f File) bool { return f.Game <= number && number < f.Game+f.Games })
	if at < 0 {
		return nil, fmt.Errorf("%s: %w: %d, want 0 to %d", s.Folder, trace.ErrNoGame, number, s.Manifest.Games-1)
	}
	r := ledger.NewReplay(game, true)
	err := s.fileEpisodes(&files[at], func(e *Episode) error {
		if e.Game != number {
			return nil
		}
		if err := r.Begin(&e.Played, &e.Ending); err != nil {
			return fmt.Errorf("%s: %w", e.from, err)
		}
		return errEnough
	})
	switch err {
	case errEnough:
		return r, nil
	case nil:
		err = fmt.Errorf("%s: %w: it has no game %d, though the manifest says so", s.path(files[at].Path), errDamaged, number)
	}
	return nil, err
}

func (s *Set) fileEpisodes(f *File, yield func(*Episode) error) error {
	return s.walk(f, false, func(e *Episode, _ *table, _, _ int) error {
		if !e.Dealt && e.Start == nil {
			return fmt.Errorf("%s: game %d: the game was not dealt from a seed, and layout steps does not store how it began",
				s.path(f.Path), e.Game)
		}
		e.from = fmt.Sprintf("%s: game %d", s.Folder, e.Game)
		return yield(e)
	})
}

// walk passes the games of a file to yield, each with the table that holds its rows, rows of them
// from first on. Unless all is set, the table lacks the columns that episodes do not need.
func (s *Set) walk(f *File, all bool, yield func(e *Episode, t *table, first, rows int) error) error {
	r, err := openFile(s.Folder, f.Path, s.Manifest.Columns)
	if err != nil {
		return err
	}
	defer r.Close()
	in, err := newRowReader(s.Manifest)
	if err != nil {
		return err
	}
	wanted := func(name string) bool {
		return all || slices.ContainsFunc(in.columns, func(c column) bool { return c.Name == name })
	}
	for g := range r.groups() {
		if err := r.read(g, in.table, wanted); err != nil {
			return err
		}
		for row := 0; row < in.rows(); {
			e, n, err := in.episode(row)
			if err != nil {
				return fmt.Errorf("%s: row group %d, row %d: %w", r.path, g, row, err)
			}
			if err := yield(e, in.table, row, n); err != nil {
				return err
			}
			row += n
		}
	}
	return nil
}

// rowReader turns rows back into episodes.
type rowReader struct {
	table    *table
	manifest *Manifest
	columns  []column // the columns that episodes need
	at       []int    // the place of each in the table
}

func newRowReader(m *Manifest) (*rowReader, error) {
	r := &rowReader{table: newTable(m.Columns), manifest: m}
	for _, c := range m.columns(m.index(missedName) >= 0, m.index(ledger.Visits) >= 0, m.Extra) {
		if c.read == nil {
			continue
		}
		at := m.index(c.Name)
		switch {
		case at < 0:
			return nil, fmt.Errorf("%w: there is no column %q", errDamaged, c.Name)
		case !alike(m.Columns[at], c.Column):
			return nil, fmt.Errorf("%w: the manifest lists the column %+v, want %+v", errDamaged, m.Columns[at], c.Column)
		}
		r.columns, r.at = append(r.columns, c), append(r.at, at)
	}
	return r, nil
}

func (r *rowReader) rows() int { return len(r.table.values[r.at[0]]) }

// episode reads the episode that begins in row first, and returns how many rows it has.
func (r *rowReader) episode(first int) (*Episode, int, error) {
	m := r.manifest
	seats := m.Env.Seats
	step := seats * len(m.Env.Actions) // bytes of actions
	e := &Episode{
		Played: ledger.Played{Agents: make([]string, seats)}, Missed: make([]int32, seats),
		Ending: ledger.Ending{Results: make([]env.SeatResult, seats), Outcome: make([]float64, seats),
			Lived: make([]int32, seats), Counts: make([]int32, seats*len(m.Env.Counts))},
	}
	rows := 1
	if m.Layout != Games {
		e.Steps = int(r.table.values[m.index(lengthName)][first].Int32())
		if rows = e.Steps * seats; m.Layout == Dialogues {
			games := r.table.values[r.at[0]] // the number of the game is the first column
			for rows = 0; first+rows < len(games) && games[first+rows].Int64() == games[first].Int64(); rows++ {
			}
		}
		if e.Steps < 1 || e.Steps > rows || rows > r.rows()-first {
			return nil, 0, fmt.Errorf("%w: a game should have %d steps, and some are missing", errDamaged, e.Steps)
		}
		e.Actions = make([]byte, e.Steps*step)
	}
	next := 0 // the least place that the next row may have, among all steps and seats
	for k := range rows {
		at := row{e: e, agents: m.Agents, step: k / seats, seat: k % seats}
		for i := range r.columns {
			if err := r.columns[i].read(&at, r.table.values[r.at[i]][first+k]); err != nil {
				return nil, 0, err
			}
		}
		place := at.step*seats + at.seat
		if place < next || m.Layout == Steps && place > k {
			return nil, 0, fmt.Errorf("%w: step %d, seat %d of game %d is not where it belongs", errDamaged, at.step, at.seat,
				e.Game)
		}
		next = place + 1
	}
	if m.Layout == Dialogues {
		e.Counts = nil // seats that are out have no more rows, but their counts may still rise
	}
	if err := e.fits(step); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return e, rows, nil
}

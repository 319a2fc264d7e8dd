package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pommego/arena/ledger"
	"pommego/env"
)

// Report is the result of checking a data set.
type Report struct {
	Folder   string   `json:"folder"`
	Files    int      `json:"files"` // the number of data files
	Games    int      `json:"games"`
	Steps    int      `json:"steps"`
	Rows     int      `json:"rows"`
	Replayed int      `json:"steps_replayed"`
	Problems []string `json:"problems"` // empty: none were found
}

// VerifyOptions say how thorough a check is.
type VerifyOptions struct {
	// Game, if not nil, returns the game in which the games are played again: their rows must be
	// the same, byte for byte. In the layouts Steps and Dialogues only games that were dealt
	// from seeds are played again.
	Game func(*Manifest) (env.Game, error)
	// Progress is called after each file.
	Progress func(Report)
}

// Verify checks a data set: all files but the card against the manifest's checksums, the
// structure of the files, their rows and games against the manifest, and
// that no data file is missing or unknown. It returns an error if there
// is no data set to check.
func Verify(folder string, o VerifyOptions) (*Report, error) {
	v := &verification{Report: Report{Folder: folder, Problems: []string{}}}
	set, err := Open(folder)
	if errors.Is(err, errNone) {
		return nil, err
	}
	if err != nil {
		v.problem(err)
		return &v.Report, nil
	}
	v.set = set
	if o.Game != nil {
		game, err := o.Game(set.Manifest)
		if err == nil {
			err = set.Agrees(game)
		}
		if err == nil {
			v.replay, err = newReplayCheck(game, set.Manifest)
		}
		if err != nil {
			return nil, err
		}
	}
	m := set.Manifest
	for i := range m.Files {
		if err := v.file(&m.Files[i]); err != nil {
			v.problem(err)
		}
		v.Files++
		if o.Progress != nil {
			o.Progress(v.Report)
		}
	}
	if len(v.Problems) == 0 && (v.Games != m.Games || v.Steps != m.Steps || v.Rows != m.Rows) {
		v.problem(fmt.Errorf("%s: the files hold %d games, %d steps and %d rows, the manifest says %d, %d and %d",
			folder, v.Games, v.Steps, v.Rows, m.Games, m.Steps, m.Rows))
	}
	v.strangers()
	return &v.Report, nil
}

// verification is one run of Verify.
type verification struct {
	Report
	set    *Set
	replay *replayCheck // nil: games are not played again
}

func (v *verification) problem(err error) { v.Problems = append(v.Problems, err.Error()) }

func (v *verification) file(f *File) error {
	if err := f.check(v.set.Folder); err != nil {
		return err
	}
	games, rows := 0, 0
	err := v.set.walk(f, true, func(e *Episode, t *table, first, n int) (err error) {
		if want := f.Game + games; e.Game != want {
			err = fmt.Errorf("its number is %d, want %d", e.Game, want)
		} else if v.Steps += e.Steps; v.replay != nil && (e.Dealt || e.Start != nil) {
			v.Replayed += e.Steps
			err = v.replay.check(e, t, first, n)
		}
		if err != nil {
			err = fmt.Errorf("%s: game %d: %w", v.set.path(f.Path), e.Game, err)
		}
		games++
		rows += n
		return err
	})
	if err != nil {
		return err
	}
	if games != f.Games || rows != f.Rows {
		return fmt.Errorf("%s: it holds %d games in %d rows, the manifest says %d in %d", v.set.path(f.Path), games, rows,
			f.Games, f.Rows)
	}
	v.Games += games
	v.Rows += rows
	return nil
}

// strangers looks for data files that the manifest does not list.
func (v *verification) strangers() {
	there, err := os.ReadDir(filepath.Join(v.set.Folder, dataFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		v.problem(err)
	}
	for _, entry := range there {
		name := dataFolder + "/" + entry.Name()
		if !slices.ContainsFunc(v.set.Manifest.Files, func(f File) bool { return f.Path == name }) {
			v.problem(fmt.Errorf("%s: the manifest does not list this file", v.set.path(name)))
		}
	}
}

// replayCheck plays recorded games again.
type replayCheck struct {
	manifest *Manifest
	again    *encoder
}

func newReplayCheck(game env.Game, m *Manifest) (*replayCheck, error) {
	c := Config{Layout: m.Layout, Observation: m.Observation, Mask: m.Mask}
	if err := c.resolveSteps(game); err != nil {
		return nil, err
	}
	searched := m.Layout == Dialogues && m.index(ledger.Visits) >= 0 // of layout Steps these columns are not compared
	about, columns, err := aboutOf(game.Spec(), &c, Options{}, m.index(missedName) >= 0, searched)
	first := m.Columns[:min(len(columns), len(m.Columns))]
	if err == nil && !slices.EqualFunc(first, about.Columns, alike) {
		err = fmt.Errorf("the manifest does not list the columns that layout %s has for %s", m.Layout, about.Env.ID)
	}
	return &replayCheck{m, newEncoder(game, &about, columns)}, err
}

// wider reports whether a column has masks and got has more moves than want. Earlier versions wrote such masks: they
// also had moves against bombs that the seat cannot kick.
func (c *replayCheck) wider(column int, got, want parquet.Value) bool {
	if c.manifest.Mask != "" || c.again.columns[min(column, len(c.again.columns)-1)].Name != "legal" {
		return false
	}
	had, has := got.ByteArray(), want.ByteArray()
	if len(had) != len(has) {
		return false
	}
	for i := range has {
		if had[i] < has[i] {
			return false
		}
	}
	return true
}

// check plays an episode again and compares every value except those that agents report about
// their decisions. row is the first of the episode's rows in t.
func (c *replayCheck) check(e *Episode, t *table, row, rows int) error {
	if g := c.manifest.Generated; g != nil && e.Seed != g.seed(e.Game) {
		return fmt.Errorf("it has seed %d, want %d", e.Seed.Value, g.seed(e.Game).Value)
	}
	again := c.again.table
	again.reset()
	e.Ending = ledger.Ending{} // gameRow then plays the episode again; the columns are compared
	if err := c.again.rows(e); err != nil {
		return err
	}
	if again.rows() != rows {
		return fmt.Errorf("it has %d rows, want %d, as it has when it is played again", rows, again.rows())
	}
	for i := range again.values {
		per := again.per(i)
		for k, want := range again.values[i] { // the columns that are not compared come after these
			if got := t.values[i][row*per+k]; !parquet.Equal(got, want) && !c.wider(i, got, want) {
				return fmt.Errorf("row %d, column %q differs from the value when the game is played again", row+k/per,
					again.columns[min(i, len(again.columns)-1)].Name)
			}
		}
	}
	return nil
}

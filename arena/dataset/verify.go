package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pommego/env"
)

// Report is what checking a data set found.
type Report struct {
	Folder   string   `json:"folder"`
	Files    int      `json:"files"` // of data
	Games    int      `json:"games"`
	Steps    int      `json:"steps"`
	Rows     int      `json:"rows"`
	Replayed int      `json:"steps_replayed"`
	Problems []string `json:"problems"` // empty: all is well
}

// VerifyOptions say how thorough a check is.
type VerifyOptions struct {
	// Game, if not nil, is what the games are played again in: layout Games must
	// end as recorded, and rows of layout Steps show the same, byte for byte,
	// where their games were dealt from seeds.
	Game func(*Manifest) (env.Game, error)
	// Progress is called after each file.
	Progress func(Report)
}

// Verify checks a data set: every byte against the manifest's checksums, the
// files' structure, their rows and games against what the manifest says, and
// that nothing is missing or there that does not belong. An error means that
// there is no data set that could be checked.
func Verify(folder string, o VerifyOptions) (*Report, error) {
	v := &verification{report: Report{Folder: folder, Problems: []string{}}, options: o}
	set, err := Open(folder)
	if errors.Is(err, ErrNone) {
		return nil, err
	}
	if err != nil {
		v.problem(err)
		return &v.report, nil
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
		defer v.replay.Close()
	}
	v.all()
	return &v.report, nil
}

// verification is one run of Verify.
type verification struct {
	set     *Set
	options VerifyOptions
	report  Report
	replay  *replayCheck // nil: not asked for
}

func (v *verification) problem(err error) {
	v.report.Problems = append(v.report.Problems, err.Error())
}

func (v *verification) all() {
	m := v.set.Manifest
	for i := range m.Others {
		if err := v.sum(&m.Others[i]); err != nil {
			v.problem(err)
		}
	}
	for i := range m.Files {
		if err := v.file(&m.Files[i]); err != nil {
			v.problem(err)
		}
		v.report.Files++
		if v.options.Progress != nil {
			v.options.Progress(v.report)
		}
	}
	r := &v.report
	if len(r.Problems) == 0 && (r.Games != m.Games || r.Steps != m.Steps || r.Rows != m.Rows) {
		v.problem(fmt.Errorf("%s: the files hold %d games, %d steps and %d rows, the manifest says %d, %d and %d",
			v.set.Folder, r.Games, r.Steps, r.Rows, m.Games, m.Steps, m.Rows))
	}
	v.strangers()
}

// sum holds a file against its checksum.
func (v *verification) sum(f *File) error {
	if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
		return fmt.Errorf("%s: the manifest names a file outside the folder: %q", v.set.Folder, f.Path)
	}
	path := v.set.path(f.Path)
	size, sum, err := sumFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: the file is missing", path)
	case err != nil:
		return err
	case size != f.Bytes:
		return fmt.Errorf("%s: %w: it has %d bytes, want %d", path, ErrDamaged, size, f.Bytes)
	case sum != f.SHA256:
		return fmt.Errorf("%s: %w: its SHA-256 is %s, want %s", path, ErrDamaged, sum, f.SHA256)
	}
	return nil
}

// file checks a data file.
func (v *verification) file(f *File) error {
	if err := v.sum(f); err != nil {
		return err
	}
	r, err := openFile(v.set.path(f.Path), v.set.Manifest.Columns)
	if err != nil {
		return err
	}
	defer r.Close()
	c := &counted{next: f.Game, layout: v.set.Manifest.Layout, seats: v.set.Manifest.Env.Seats}
	t := newTable(v.set.Manifest.Columns)
	for g := range r.groups() {
		if err := r.read(g, t, nil); err != nil {
			return err
		}
		err := c.count(t)
		if err == nil && v.replay != nil {
			err = v.replay.group(t)
		}
		if err != nil {
			return fmt.Errorf("%s: row group %d: %w", r.path, g, err)
		}
	}
	if c.games != f.Games || c.rows != f.Rows {
		return fmt.Errorf("%s: it holds %d games in %d rows, the manifest says %d in %d", r.path, c.games, c.rows, f.Games, f.Rows)
	}
	v.report.Games += c.games
	v.report.Rows += c.rows
	v.report.Steps += c.steps
	if v.replay != nil {
		v.report.Replayed = v.replay.steps
	}
	return nil
}

// counted follows the numbers of games and steps through a file: none may be
// missing, doubled or out of order.
type counted struct {
	layout Layout
	seats  int
	next   int // the game that comes next
	games  int
	steps  int
	rows   int
}

func (c *counted) count(t *table) error {
	games, err := t.index("game")
	if err != nil {
		return err
	}
	c.rows += t.rows()
	if c.layout == Games {
		steps, err := t.index("steps")
		if err != nil {
			return err
		}
		for row, v := range t.values[games] {
			if int(v.Int64()) != c.next {
				return fmt.Errorf("row %d is game %d, want %d", row, v.Int64(), c.next)
			}
			c.next++
			c.games++
			c.steps += int(t.values[steps][row].Int32())
		}
		return nil
	}
	return c.countSteps(t, t.values[games])
}

// countSteps checks that each game has a row for each of its steps and seats.
func (c *counted) countSteps(t *table, games []parquet.Value) error {
	var at [3]int
	for i, name := range []string{"step", "seat", "length"} {
		var err error
		if at[i], err = t.index(name); err != nil {
			return err
		}
	}
	for row := 0; row < len(games); {
		length := int(t.values[at[2]][row].Int32())
		for k := range length * c.seats {
			if row+k >= len(games) {
				return fmt.Errorf("game %d ends after %d of its %d rows", c.next, k, length*c.seats)
			}
			game, step, seat := int(games[row+k].Int64()), int(t.values[at[0]][row+k].Int32()), int(t.values[at[1]][row+k].Int32())
			if game != c.next || step != k/c.seats || seat != k%c.seats {
				return fmt.Errorf("row %d is game %d, step %d, seat %d, want game %d, step %d, seat %d", row+k, game, step, seat, c.next, k/c.seats, k%c.seats)
			}
		}
		if length <= 0 {
			return fmt.Errorf("game %d has %d steps", c.next, length)
		}
		row += length * c.seats
		c.next++
		c.games++
		c.steps += length
	}
	return nil
}

// strangers looks for data files that the manifest does not know.
func (v *verification) strangers() {
	there, err := os.ReadDir(filepath.Join(v.set.Folder, dataFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		v.problem(err)
	}
	for _, entry := range there {
		name := dataFolder + "/" + entry.Name()
		if !slices.ContainsFunc(v.set.Manifest.Files, func(f File) bool { return f.Path == name }) {
			v.problem(fmt.Errorf("%s: the manifest does not know this file", v.set.path(name)))
		}
	}
}

// replayCheck plays recorded games again.
type replayCheck struct {
	manifest *Manifest
	starts   *starts
	rows     *stepRows // of layout Steps
	again    *table
	steps    int
}

func newReplayCheck(game env.Game, m *Manifest) (*replayCheck, error) {
	s, err := newStarts(game)
	if err != nil {
		return nil, err
	}
	c := &replayCheck{manifest: m, starts: s}
	if m.Layout == Steps {
		spec := game.Spec()
		encoding := spec.Encoding(m.Observation)
		if encoding < 0 {
			return nil, fmt.Errorf("%s has no observation %q", spec.ID, m.Observation)
		}
		c.rows = newStepRows(spec, encoding, m.Agents, false)
		c.again = newTable(stepColumns(spec, encoding, false))
	}
	return c, nil
}

func (c *replayCheck) Close() { c.starts.Close() }

// group checks the games of a row group.
func (c *replayCheck) group(t *table) error {
	if c.manifest.Layout == Steps {
		return c.stepGroup(t)
	}
	in, err := newGameReader(t, c.manifest)
	if err != nil {
		return err
	}
	for row := 0; row < t.rows(); {
		e, n, err := in.episode(row)
		if err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		row += n
		what, err := e.differs(c.starts)
		if err == nil && what != "" {
			err = errors.New(what)
		}
		if err != nil {
			return fmt.Errorf("game %d: %w", e.Game, err)
		}
		c.steps += e.Steps
	}
	return nil
}

// stepGroup plays the games of rows of layout Steps again from their seeds, and
// compares every value, but for agents' search statistics.
func (c *replayCheck) stepGroup(t *table) error {
	in, err := newStepReader(t, c.manifest)
	if err != nil {
		return err
	}
	for row := 0; row < t.rows(); {
		e, n, err := in.episode(row)
		if errors.Is(err, ErrNoStarts) {
			row += int(in.(*stepReader).value("length", row).Int32()) * c.manifest.Env.Seats
			continue
		}
		if err != nil {
			return err
		}
		if g := c.manifest.Generated; g != nil && e.Seed != g.seed(e.Game) {
			return fmt.Errorf("game %d has seed %d, want %d", e.Game, e.Seed.Value, g.seed(e.Game).Value)
		}
		m, err := c.starts.begin(e)
		if err != nil {
			return err
		}
		c.again.reset()
		if err := e.check(c.rows.spec); err != nil {
			return fmt.Errorf("game %d: %w", e.Game, err)
		}
		if err := c.rows.add(c.again, e, m); err != nil {
			return fmt.Errorf("game %d: %w", e.Game, err)
		}
		if err := c.compare(t, row); err != nil {
			return fmt.Errorf("game %d: %w", e.Game, err)
		}
		c.steps += e.Steps
		row += n
	}
	return nil
}

// compare holds the rows of a game, from row on, against those made again.
func (c *replayCheck) compare(t *table, row int) error {
	for i := range c.again.columns {
		for k, want := range c.again.values[i] { // agents' search statistics comes after these columns
			if got := t.values[i][row+k]; !parquet.Equal(got, want) {
				return fmt.Errorf("row %d, column %q is not what comes out when the game is played again", row+k, c.again.columns[i].Name)
			}
		}
	}
	return nil
}

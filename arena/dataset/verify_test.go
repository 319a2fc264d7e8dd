package dataset

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pommego/env"
	"pommego/env/catalog"
)

var damages = flag.Int("damages", 100, "flipped bits and cut files that TestDamageIsFound makes, for each layout")

// TestDamageIsFound flips bits and cuts files off, anywhere in a data set but in its
// card.
func TestDamageIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, layout := range []Layout{Games, Steps} {
		config := small()
		config.Layout = layout
		folder := generate(t, ffa, config, testOptions(1))
		verifyClean(t, folder)
		whole := contents(t, folder)
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(whole)), func(name string) bool { return name == CardName })
		for round := range *damages {
			name := names[rng.IntN(len(names))]
			damaged := bytes.Clone(whole[name])
			at := rng.IntN(len(damaged))
			what := fmt.Sprintf("%v, round %d: %s cut off at byte %d", layout, round, name, at)
			if round%2 == 0 {
				damaged[at] ^= 1 << rng.IntN(8)
				what = fmt.Sprintf("%v, round %d: %s with a bit flipped in byte %d", layout, round, name, at)
			} else {
				damaged = damaged[:at]
			}
			path := filepath.Join(folder, filepath.FromSlash(name))
			if err := os.WriteFile(path, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			r, err := Verify(folder, VerifyOptions{})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if len(r.Problems) == 0 || !strings.Contains(strings.Join(r.Problems, "\n"), filepath.Base(name)) {
				t.Errorf("%s: problems %q, want one that names the file", what, r.Problems)
			}
			if err := os.WriteFile(path, whole[name], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%v: %d damages, all found unless it says otherwise", layout, *damages)
	}
}

// TestDamageDoesNotPanic reads damaged files without looking at checksums first,
// as whoever has lost the manifest would.
func TestDamageDoesNotPanic(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	folder := generate(t, ffa, tiny(), testOptions(1))
	path := filepath.Join(folder, dataFolder, "games-00000.parquet")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for range 300 {
		damaged := bytes.Clone(whole)
		damaged[rng.IntN(len(damaged))] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		set, err := Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Episodes(func(*Episode) error { return nil }); err != nil {
			failed++
		}
	}
	if failed == 0 {
		t.Error("no damage was noticed at all")
	}
}

// TestVerifyFinds changes data sets in ways that checksums alone do not show,
// because they are made anew.
func TestVerifyFinds(t *testing.T) {
	for _, c := range []struct {
		reason string
		layout Layout
		change func(t *testing.T, folder string, m *Manifest)
		says   string
	}{
		{"a file that is missing", Games, func(t *testing.T, folder string, m *Manifest) {
			os.Remove(filepath.Join(folder, filepath.FromSlash(m.Files[1].Path)))
		}, "missing"},
		{"a file too many", Games, func(t *testing.T, folder string, _ *Manifest) {
			os.WriteFile(filepath.Join(folder, dataFolder, "games-00009.parquet"), nil, 0o644)
		}, "does not list"},
		{"two files that have changed places", Games, func(t *testing.T, folder string, m *Manifest) {
			m.Files[0], m.Files[1] = m.Files[1], m.Files[0]
			m.Files[0].Game, m.Files[1].Game = 0, 3
		}, "want 0"},
		{"a file that is left out", Steps, func(t *testing.T, folder string, m *Manifest) {
			os.Remove(filepath.Join(folder, filepath.FromSlash(m.Files[2].Path)))
			m.Files = m.Files[:2]
		}, "the manifest says"},
		{"another number of games", Steps, func(t *testing.T, folder string, m *Manifest) { m.Files[0].Games++ },
			"the manifest says 4"},
		{"games that other agents played", Games,
			func(t *testing.T, folder string, m *Manifest) { m.Agents[0] = "heuristic" }, "not in the manifest"},
		{"games from other seeds", Steps, func(t *testing.T, folder string, m *Manifest) { m.Generated.Seed++ },
			"has seed 5, want 6"},
	} {
		config := small()
		config.Layout = c.layout
		folder := generate(t, ffa, config, testOptions(1))
		m, err := ReadManifest(folder)
		if err != nil {
			t.Fatal(err)
		}
		c.change(t, folder, m)
		rewrite(t, folder, m)
		r, err := Verify(folder, VerifyOptions{Game: func(m *Manifest) (env.Game, error) { return catalog.Game(m.Env.ID) }})
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		if !slices.ContainsFunc(r.Problems, func(p string) bool { return strings.Contains(p, c.says) }) {
			t.Errorf("%s: problems %q, want one that says %q", c.reason, r.Problems, c.says)
		}
	}
}

// TestManifestStaysInside refuses, whoever reads it, a manifest that lists a file
// outside its folder, with a checksum that holds.
func TestManifestStaysInside(t *testing.T) {
	folder := generate(t, ffa, small(), testOptions(1))
	m, err := ReadManifest(folder)
	if err != nil {
		t.Fatal(err)
	}
	inside := m.Files[0].Path
	for _, path := range []string{"../../etc/passwd", "/etc/passwd", "data/../../x", "..", `data\..\..\x`, ""} {
		m.Files[0].Path = path
		rewrite(t, folder, m)
		if _, err := Open(folder); !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), strconv.Quote(path)) {
			t.Errorf("a manifest that lists %q is read with error %v, want one that names it", path, err)
		}
		m.Files[0].Path = inside
		m.Others = []File{{Path: path}}
		rewrite(t, folder, m)
		if _, err := Open(folder); !errors.Is(err, errDamaged) {
			t.Errorf("a manifest that lists %q beside the data is read with error %v", path, err)
		}
		m.Others = []File{}
	}
}

// rewrite gives a folder another manifest, with a checksum that holds.
func rewrite(t *testing.T, folder string, m *Manifest) {
	t.Helper()
	text, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, ManifestName), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestReplayFinds changes what rows and episodes say of their games.
func TestReplayFinds(t *testing.T) {
	set := sets(t, generate(t, ffa, small(), testOptions(1)))[0]
	check, err := newReplayCheck(gameOf(t, ffa), set.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, set, 2)
	for _, c := range []struct {
		column string
		value  parquet.Value
	}{
		{"seed", parquet.Int64Value(1)}, {"result1", text("undecided")}, {"outcome1", parquet.DoubleValue(3)},
		{"lived2", parquet.Int32Value(1)}, {"kills3", parquet.Int32Value(9)},
		{"truncated", parquet.BooleanValue(!rows.values[rows.at["truncated"]][0].Boolean())},
	} {
		at := &rows.values[rows.at[c.column]][0]
		was := *at
		*at = c.value
		err := check.check(episodes(t, set.Folder)[2], rows.table, 0, 1)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("column %q differs from the value", c.column)) {
			t.Errorf("column %s is %v, it was %v: error %v, want one that names it", c.column, c.value, was, err)
		}
		*at = was
	}
	for _, c := range []struct {
		reason string
		change func(*Episode)
		says   string
	}{
		{"nothing", func(*Episode) {}, "<nil>"},
		{"a move that does not exist", func(e *Episode) { e.Actions[6] = 6 }, "want 0 to 5"},
		{"steps without actions", func(e *Episode) { e.Steps++ }, "bytes of actions"},
		{"a start that is none", func(e *Episode) { e.Start = []byte("nothing") }, "not what Save wrote"},
	} {
		e := episodes(t, set.Folder)[2]
		c.change(e)
		if err := check.check(e, rows.table, 0, 1); !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: error %v, want %q", c.reason, err, c.says)
		}
	}
}

// TestReplayFindsEnds changes how a game of layout steps ended, the same in all of its rows.
func TestReplayFindsEnds(t *testing.T) {
	c := tiny()
	c.Layout = Steps
	set := sets(t, generate(t, ffa, c, testOptions(1)))[0]
	check, err := newReplayCheck(gameOf(t, ffa), set.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	for column, value := range map[string]parquet.Value{resultName: text("won"), "outcome": parquet.DoubleValue(3)} {
		rows, e := rowsOf(t, set, 1), episodes(t, set.Folder)[1]
		for i := range rows.values[rows.at[column]] {
			rows.values[rows.at[column]][i] = value
		}
		for seat := range e.Results {
			e.Results[seat], e.Outcome[seat] = env.Won, 3 // as it is read
		}
		err := check.check(e, rows.table, 0, rows.rows())
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("column %q differs from the value", column)) {
			t.Errorf("column %s is %v: error %v, want one that names it", column, value, err)
		}
	}
}

// TestHostileRows: what would be counted beyond a game's steps, or beyond its choices, is an error.
func TestHostileRows(t *testing.T) {
	set := sets(t, generate(t, ffa, small(), testOptions(1)))[0]
	for column, value := range map[string]parquet.Value{
		"lived1": parquet.Int32Value(1 << 20), "lived2": parquet.Int32Value(-1), "steps": parquet.Int32Value(-1),
	} {
		in, err := newRowReader(set.Manifest)
		if err != nil {
			t.Fatal(err)
		}
		rows := rowsOf(t, set, 2)
		rows.values[rows.at[column]][0] = value
		in.table = rows.table
		if e, _, err := in.episode(0); !errors.Is(err, errDamaged) {
			t.Errorf("%s is %v: read as %+v (%v), want %v", column, value, e, err, errDamaged)
		}
	}
}

// TestHostileColumns: rows are not read, and games not played again, by other columns than the game has.
func TestHostileColumns(t *testing.T) {
	c := tiny()
	c.Layout, c.Observation, c.MaxSteps = Steps, "near", 3
	m := sets(t, generate(t, ffa, c, testOptions(1)))[0].Manifest
	at := slices.IndexFunc(m.Columns, func(c Column) bool { return c.Name == "obs_numbers" })
	field := slices.IndexFunc(m.Fields, func(f env.Field) bool { return f.Name == "numbers" })
	m.Columns[at].Shape, m.Fields[field].Shape = []int{1}, []int{1}
	_, err := newReplayCheck(gameOf(t, ffa), m)
	if err == nil || !strings.Contains(err.Error(), "does not list the columns") {
		t.Errorf("a field of one number: error %v", err)
	}
	m.Columns[0].Type = Bytes
	if _, err := newRowReader(m); !errors.Is(err, errDamaged) {
		t.Errorf("a number of bytes: error %v, want %v", err, errDamaged)
	}
}

func TestVerifyNothing(t *testing.T) {
	if _, err := Verify(t.TempDir(), VerifyOptions{}); !errors.Is(err, errNone) {
		t.Errorf("an empty folder: error %v, want %v", err, errNone)
	}
}

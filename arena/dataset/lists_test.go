package dataset

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// listed is a data set of steps with arrays of all kinds, some of them missing.
func listed(arrays Arrays) Config {
	c := tiny()
	c.Layout, c.Arrays, c.Agents, c.Observation = Steps, arrays, []string{"osla:ticks=30", "random"}, "planes"
	return c
}

// rowsOf is all values of a data set's columns.
func rowsOf(t *testing.T, folder string) (columns []Column, values [][]parquet.Value) {
	t.Helper()
	set, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	columns = set.Manifest.Columns
	values = make([][]parquet.Value, len(columns))
	for i := range set.Manifest.Files {
		r, err := openFile(set.path(set.Manifest.Files[i].Path), columns)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for g := range r.groups() {
			table := newTable(columns)
			if err := r.read(g, table, nil); err != nil {
				t.Fatal(err)
			}
			for c := range values {
				values[c] = append(values[c], table.values[c]...)
			}
		}
	}
	return columns, values
}

// TestListsHoldTheSame compares arrays stored as lists with those stored as bytes,
// and changes one into the other.
func TestListsHoldTheSame(t *testing.T) {
	for _, arrays := range []Arrays{Lists, Tensors} {
		t.Run(arrays.String(), func(t *testing.T) { listsHoldTheSame(t, arrays) })
	}
}

func listsHoldTheSame(t *testing.T, arrays Arrays) {
	asBytes, asLists := generate(t, ffa, listed(Binary), testOptions(1)), generate(t, ffa, listed(arrays), testOptions(2))
	verifyClean(t, asLists)
	columns, want := rowsOf(t, asBytes)
	lists, got := rowsOf(t, asLists)
	found, null := 0, 0
	for c := range columns {
		if columns[c].Type == FixedBytes {
			found++
			if lists[c].Type != arrayTypes[arrays] {
				t.Errorf("column %s is of type %s", lists[c].Name, lists[c].Type)
			}
		}
		if len(got[c]) != len(want[c]) {
			t.Fatalf("column %s has %d rows, want %d", columns[c].Name, len(got[c]), len(want[c]))
		}
		for row := range want[c] {
			if want[c][row].IsNull() {
				null++
			}
			if !parquet.Equal(got[c][row], want[c][row]) {
				t.Fatalf("column %s, row %d: %v, want %v", columns[c].Name, row, got[c][row], want[c][row])
			}
		}
	}
	if found < 5 || null == 0 {
		t.Errorf("%d columns of arrays with %d nulls, want more for a test", found, null)
	}
	set, err := Open(asLists)
	if err != nil {
		t.Fatal(err)
	}
	back := filepath.Join(t.TempDir(), "back")
	shape := Shape{Layout: Steps, Observation: "planes", FileGames: 2}
	if _, err := Merge(gameOf(t, ffa), []*Set{set}, shape, nil, back, testOptions(1)); err != nil {
		t.Fatal(err)
	}
	_, again := rowsOf(t, back)
	for c := range want {
		for row := range want[c] {
			if !parquet.Equal(again[c][row], want[c][row]) {
				t.Fatalf("back as bytes: column %s, row %d: %v, want %v", columns[c].Name, row, again[c][row], want[c][row])
			}
		}
	}
}

// TestListsAreExtended: the last file is taken apart and written anew.
func TestListsAreExtended(t *testing.T) {
	for _, arrays := range []Arrays{Lists, Tensors} {
		larger := more(listed(arrays), 5, 0)
		want := contents(t, generate(t, ffa, larger, testOptions(1)))
		folder := generate(t, ffa, listed(arrays), testOptions(1))
		if _, _, err := Generate(context.Background(), gameOf(t, ffa), larger, folder, testOptions(1)); err != nil {
			t.Fatal(err)
		}
		sameContents(t, "extended", contents(t, folder), want)
	}
}

// TestDamagedLists: whatever stands in a file, reading it ends with an error or
// with values.
func TestDamagedLists(t *testing.T) {
	folder := generate(t, ffa, listed(Tensors), testOptions(1))
	set, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	path := set.path(set.Manifest.Files[0].Path)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for range *damages {
		damaged := append([]byte{}, whole...)
		damaged[rng.IntN(len(damaged))] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		_ = set.Episodes(func(*Episode) error { return nil })
	}
	var values []parquet.Value
	take := (&Column{DType: "int16", Shape: []int{2}}).gather(&values)
	for i, tc := range []struct {
		level int
		want  string
	}{{1, "has not the 4 bytes"}, {0, ""}, {0, "has not"}, {1, ""}, {1, "has not"}} {
		err := take(parquet.Int32Value(-3).Level(tc.level, 1, 0))
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("element %d: error %v, want %q", i, err, tc.want)
		}
	}
	if err := take(parquet.NullValue().Level(0, 1, 0)); err == nil || !strings.Contains(err.Error(), "lacks numbers") {
		t.Errorf("a list of nothing: error %v", err)
	}
	if len(values) != 1 || string(values[0].ByteArray()) != "\xfd\xff\xfd\xff" {
		t.Errorf("the lists are %v", values)
	}
}

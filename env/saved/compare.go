package saved

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Differs is told of a value that differs: its path, such as "bombs[2].life",
// and what it should have been and is.
type Differs func(path string, want, got any)

// Compare compares two values of an entry, of which a missing one is an empty
// one. Rows are compared number by number, maps up to the first cell that
// differs; anything else as a whole.
func (e *Entry) Compare(want, got any, differs Differs) {
	switch e.Shape {
	case Rows:
		w, _ := want.([][]int)
		g, _ := got.([][]int)
		e.compareRows(w, g, differs)
	case Row:
		compareLists[int](e.Name, want, got, differs)
	case Reals:
		compareLists[float64](e.Name, want, got, differs)
	case Map:
		w, _ := want.(string)
		g, _ := got.(string)
		e.compareMaps(w, g, differs)
	case JSON:
		w, _ := want.(json.RawMessage)
		g, _ := got.(json.RawMessage)
		if !bytes.Equal(w, g) {
			differs(e.Name, string(w), string(g))
		}
	default:
		if want != got {
			differs(e.Name, want, got)
		}
	}
}

func compareLists[T comparable](path string, want, got any, differs Differs) {
	w, _ := want.([]T)
	g, _ := got.([]T)
	if !slices.Equal(w, g) {
		differs(path, w, g)
	}
}

func (e *Entry) compareRows(want, got [][]int, differs Differs) {
	switch {
	case e.Unordered && sameButForOrder(want, got):
		return
	case e.Least != e.Most && sameButForOrder(want, got):
		differs(e.Name+" (order)", want, got)
		return
	case len(want) != len(got):
		differs(e.Name, want, got)
		return
	}
	for i := range want {
		path := fmt.Sprintf("%s[%d]", e.Name, i)
		if len(want[i]) != len(got[i]) || len(want[i]) > len(e.Columns) {
			compareLists[int](path, want[i], got[i], differs)
			continue
		}
		for k := range want[i] {
			if want[i][k] != got[i][k] {
				differs(path+"."+e.Columns[k].Name, want[i][k], got[i][k])
			}
		}
	}
}

// sameButForOrder reports whether lists have the same rows, but not in the same
// order.
func sameButForOrder(a, b [][]int) bool {
	if len(a) != len(b) || slices.EqualFunc(a, b, slices.Equal[[]int]) {
		return false
	}
	sorted := func(rows [][]int) [][]int {
		return slices.SortedFunc(slices.Values(rows), slices.Compare[[]int])
	}
	return slices.EqualFunc(sorted(a), sorted(b), slices.Equal[[]int])
}

// compareMaps names the first cell that differs.
func (e *Entry) compareMaps(want, got string, differs Differs) {
	if len(want) != len(got) {
		differs(e.Name, fmt.Sprintf("%d cells", len(want)), fmt.Sprintf("%d cells", len(got)))
		return
	}
	first, others := -1, 0
	for i := range len(want) {
		switch {
		case want[i] == got[i]:
		case first < 0:
			first = i
		default:
			others++
		}
	}
	if first < 0 {
		return
	}
	rest := ""
	if others > 0 {
		rest = fmt.Sprintf(" (and %d more cells differ)", others)
	}
	differs(e.cell(first), string(want[first]), string(got[first])+rest)
}

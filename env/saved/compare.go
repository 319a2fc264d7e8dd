package saved

import (
	"fmt"
	"reflect"
	"slices"
)

// Differs is called with each value that differs: its path, such as "bombs[2].life",
// and what it should have been and is.
type Differs func(path string, want, got any)

// Compare compares two snapshots of the same type field by field: rows number by number,
// maps up to the first cell that differs, anything else as a whole.
func (s *Shape) Compare(want, got any, differs Differs) {
	g := reflect.ValueOf(got).Elem()
	for f, w := range values(want) {
		g := g.FieldByIndex(f.index)
		switch w := w.(type) {
		case *Rows:
			s.compareRows(f.name, *w, g.Interface().(Rows), differs)
		case *Map:
			s.compareMaps(f.name, *w, g.Interface().(Map), differs)
		default:
			compareValues(f.name, reflect.ValueOf(w).Elem(), g, differs)
		}
	}
}

// compareValues compares two values as a whole. Lists without entries are equal.
func compareValues(path string, want, got reflect.Value, differs Differs) {
	for want.Kind() == reflect.Pointer && !want.IsNil() && !got.IsNil() {
		want, got = want.Elem(), got.Elem()
	}
	switch {
	case reflect.DeepEqual(want.Interface(), got.Interface()):
	case want.Kind() == reflect.Slice && want.Len()+got.Len() == 0:
	default:
		differs(path, want.Interface(), got.Interface())
	}
}

func (s *Shape) compareRows(name string, want, got Rows, differs Differs) {
	switch {
	case slices.EqualFunc(want, got, slices.Equal[[]int]):
		return
	case slices.EqualFunc(sorted(want), sorted(got), slices.Equal[[]int]):
		differs(name+" (order)", want, got)
		return
	case len(want) != len(got):
		differs(name, want, got)
		return
	}
	for i := range want {
		columns, path := s.Columns[name], fmt.Sprintf("%s[%d]", name, i)
		if len(want[i]) != len(columns) || len(got[i]) != len(columns) {
			compareValues(path, reflect.ValueOf(want[i]), reflect.ValueOf(got[i]), differs)
			continue
		}
		for k, c := range columns {
			if want[i][k] != got[i][k] {
				differs(path+"."+c.Name, want[i][k], got[i][k])
			}
		}
	}
}

func sorted(rows Rows) [][]int { return slices.SortedFunc(slices.Values(rows), slices.Compare[[]int]) }

// compareMaps names the first cell that differs.
func (s *Shape) compareMaps(name string, want, got Map, differs Differs) {
	if len(want) != len(got) {
		differs(name, fmt.Sprintf("%d cells", len(want)), fmt.Sprintf("%d cells", len(got)))
		return
	}
	for i := range want {
		if want[i] != got[i] {
			row, col := s.Cell(i)
			differs(fmt.Sprintf("%s[%d,%d]", name, row, col), string(want[i]), string(got[i]))
			return
		}
	}
}

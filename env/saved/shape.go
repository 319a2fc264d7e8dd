package saved

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pommego/env"
)

// A snapshot is a struct with JSON tags that holds a readable form. Its fields are int,
// Flag, string, []int, []float64, Rows, Map, RNG or pointers to them; embedded structs count
// as their fields. Fields with omitempty or omitzero may be missing, pointers may be null.

// Rows are lists of numbers, such as the agents or the bombs of a state.
type Rows [][]int

// Add adds a row. It uses the memory of rows that were there before.
func (r *Rows) Add(numbers ...int) {
	n := len(*r)
	if n == cap(*r) {
		*r = append(*r, slices.Clone(numbers))
		return
	}
	*r = (*r)[:n+1]
	(*r)[n] = append((*r)[n][:0], numbers...)
}

// MarshalJSON writes a list, an empty one for nil too.
func (r Rows) MarshalJSON() ([]byte, error) { return json.Marshal(append([][]int{}, r...)) }

// Map holds a character for each cell of a board.
type Map []byte

// MarshalText writes the characters.
func (m Map) MarshalText() ([]byte, error) { return m, nil }

// UnmarshalText reads them.
func (m *Map) UnmarshalText(text []byte) error {
	*m = slices.Clone(text)
	return nil
}

// noLetter stands for a number without a letter of its own.
const noLetter = '!'

// Draw makes the map of n cells: for each cell the letter of its number, noLetter for
// numbers without one.
func (m *Map) Draw(n int, letters string, value func(i int) int) {
	*m = slices.Grow((*m)[:0], n)
	for i := range n {
		letter := byte(noLetter)
		if v := value(i); v >= 0 && v < len(letters) {
			letter = letters[v]
		}
		*m = append(*m, letter)
	}
}

// Flag is a boolean. It is written as 0 or 1, and read from false or true too.
type Flag bool

func (f Flag) String() string {
	if f {
		return "1"
	}
	return "0"
}

// MarshalJSON writes 0 or 1.
func (f Flag) MarshalJSON() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalJSON reads a boolean or one of these numbers.
func (f *Flag) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "0", "false", "1", "true":
		*f = text[0] == '1' || text[0] == 't'
		return nil
	}
	return fmt.Errorf("%s is not a boolean, want 0 or 1", text)
}

// Ints returns numbers as ints.
func Ints[T ~uint8 | ~uint16 | ~int32](numbers []T) []int {
	list := make([]int, len(numbers))
	for i, v := range numbers {
		list[i] = int(v)
	}
	return list
}

// SetInts sets the first numbers of a list to those of to.
func SetInts[T ~uint8 | ~uint16 | ~int32](list []T, to []int) {
	for i, v := range to[:min(len(to), len(list))] {
		list[i] = T(v)
	}
}

// RNG is an RNG whose text is its state, as [Hex] writes it.
type RNG env.RNG

func (r RNG) String() string { return Hex(r.State) }

// MarshalText writes the state.
func (r RNG) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads it.
func (r *RNG) UnmarshalText(text []byte) error {
	state, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil {
		return fmt.Errorf("dice are %.40q, want a hexadecimal number of 64 bits", text)
	}
	r.State = state
	return nil
}

type field struct {
	name     string
	index    []int
	optional bool
}

var fieldsByType sync.Map // by type of struct: its []field

func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldsByType.Load(t); ok {
		return known.([]field)
	}
	var list []field
	for _, f := range reflect.VisibleFields(t) {
		if name, options, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			list = append(list, field{name, f.Index, options != ""})
		}
	}
	fieldsByType.Store(t, list)
	return list
}

// values yields the fields of a snapshot, and a pointer to each one's value.
func values(snapshot any) iter.Seq2[*field, any] {
	v := reflect.ValueOf(snapshot).Elem()
	return func(yield func(*field, any) bool) {
		list := fieldsOf(v.Type())
		for i := range list {
			if !yield(&list[i], v.FieldByIndex(list[i].index).Addr().Interface()) {
				return
			}
		}
	}
}

// Column describes a number of a row: its name, and the values that it may have.
type Column struct {
	Name     string
	Min, Max int
}

// Col makes a column.
func Col(name string, least, most int) Column { return Column{name, least, most} }

// Shape says what the values of a snapshot may be.
type Shape struct {
	// Columns has, by the names of fields: for Rows the columns of each row; for a list of numbers those of its entries,
	// the last of which holds for all further ones; for a number one column. A field without columns may hold anything.
	Columns map[string][]Column
	// Cell returns what errors call a cell of a Map: row and column, or x and y.
	Cell func(i int) (int, int)
}

// Check returns an error that names the first value of a snapshot that is out of its range, nil if there is none.
func (s *Shape) Check(snapshot any) error {
	for f, v := range values(snapshot) {
		columns := s.Columns[f.name]
		if columns == nil {
			continue
		}
		var err error
		switch v := v.(type) {
		case *int:
			err = columns[0].check(*v, "%s", f.name)
		case **int:
			if *v != nil {
				err = columns[0].check(**v, "%s", f.name)
			}
		case *[]int:
			for i := 0; i < len(*v) && err == nil; i++ {
				err = columns[min(i, len(columns)-1)].check((*v)[i], "%s[%d]", f.name, i)
			}
		case *Rows:
			err = checkRows(f.name, *v, columns)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Drawn reports whether each cell of a snapshot's maps has a letter.
func (s *Shape) Drawn(snapshot any) bool {
	for _, v := range values(snapshot) {
		if m, ok := v.(*Map); ok && bytes.IndexByte(*m, noLetter) >= 0 {
			return false
		}
	}
	return true
}

func (c *Column) check(v int, name string, parts ...any) error {
	if v >= c.Min && v <= c.Max {
		return nil
	}
	return fmt.Errorf(name+" is %d, want %d to %d", append(parts, v, c.Min, c.Max)...)
}

func checkRows(name string, rows Rows, columns []Column) error {
	for i, row := range rows {
		if len(row) != len(columns) {
			return fmt.Errorf("%s[%d] has %d numbers, want %d", name, i, len(row), len(columns))
		}
		for k := range columns {
			if c := &columns[k]; row[k] < c.Min || row[k] > c.Max {
				return c.check(row[k], "%s[%d].%s", name, i, c.Name)
			}
		}
	}
	return nil
}

// Decode reads the fields of snapshots from one JSON object. A key that is missing or
// that no field has is an error.
func Decode(object []byte, snapshots ...any) error {
	more, err := DecodeSome(object, snapshots...)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(more)) {
		return fmt.Errorf("there is a key %.40q, which does not belong here", key)
	}
	return nil
}

// DecodeSome is Decode of an object that may have more keys, which it returns.
func DecodeSome(object []byte, snapshots ...any) (raw map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(object, &raw); err != nil {
		return nil, err
	}
	for _, snapshot := range snapshots {
		for f, v := range values(snapshot) {
			text, there := raw[f.name]
			delete(raw, f.name)
			if err := f.decode(text, there, v); err != nil {
				return nil, err
			}
		}
	}
	return raw, nil
}

func (f *field) decode(text []byte, there bool, v any) error {
	null := string(text) == "null"
	switch {
	case f.optional && (null || !there):
		return nil
	case !there:
		return fmt.Errorf("%s is missing", f.name)
	case null && reflect.TypeOf(v).Elem().Kind() != reflect.Pointer:
		return fmt.Errorf("%s is null, want a value", f.name)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

// Encode writes the fields of snapshots as one JSON object.
func Encode(snapshots ...any) ([]byte, error) {
	var all []byte
	for _, snapshot := range snapshots {
		text, err := json.Marshal(snapshot)
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = text
		case len(text) > len("{}"):
			all = append(append(all[:len(all)-1], ','), text[1:]...)
		}
	}
	return all, nil
}

// Differs is called with each value that differs: its path, such as "bombs[2].life",
// the value it should have, and the value it has.
type Differs func(path string, want, got any)

// Compare compares two snapshots of the same type field by field: rows number by
// number, maps up to the first cell that differs, everything else as a whole.
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

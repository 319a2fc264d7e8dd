package saved

import (
	"fmt"
	"strings"
	"sync"

	"pommego/env"
)

// Field is an entry of a table: how its value is got from an S and set in one.
type Field[S any] struct {
	Entry
	Value func(s *S) any
	// Set sets a value that Entry.Check has passed. It is nil in tables of what
	// is only shown, such as an observation.
	Set func(s *S, v any) error

	// Copy sets in to what from has, and reports the first value that is out of its
	// range: what Value, Check and Set do together, quicker. nil: they do.
	Copy func(from, to *S) error
}

// copyValue is Copy for a field that has none of its own.
func (f *Field[S]) copyValue(from, to *S) error {
	v := f.Value(from)
	if v == nil && f.Optional {
		return nil
	}
	if err := f.Check(v); err != nil {
		return err
	}
	return f.Set(to, v)
}

// copyAll sets in to all that from holds, and reports the first value that is out
// of its range.
func (t Table[S]) copyAll(from, to *S) error {
	for i := range t {
		copyField := t[i].Copy
		if copyField == nil {
			copyField = t[i].copyValue
		}
		if err := copyField(from, to); err != nil {
			return err
		}
	}
	return nil
}

// Table lists what an S holds, in the order in which JSON shows it.
type Table[S any] []Field[S]

// Entries is the entries of the table that recorded games show.
func (t Table[S]) Entries() []Entry {
	var list []Entry
	for i := range t {
		if !t[i].Hidden {
			list = append(list, t[i].Entry)
		}
	}
	return list
}

// Values is what s holds, without optional entries in which there is nothing.
func (t Table[S]) Values(s *S) Values {
	values := make(Values, len(t))
	for i := range t {
		v := t[i].Value(s)
		if rows, isRows := v.([][]int); v != nil && !(isRows && len(rows) == 0 && t[i].Optional) {
			values[t[i].Name] = v
		}
	}
	return values
}

// Fill sets in s what values hold; what is Optional or Hidden and missing stays
// as it is.
func (t Table[S]) Fill(s *S, values Values) error {
	for i := range t {
		f := &t[i]
		v, there := values[f.Name]
		if !there {
			if f.Optional || f.Hidden {
				continue
			}
			return fmt.Errorf("%s is missing", f.Name)
		}
		if err := f.Check(v); err != nil {
			return err
		}
		if err := f.Set(s, v); err != nil {
			return err
		}
	}
	return nil
}

// NumberField is a number of a state from lo to hi.
func NumberField[S any, T ~uint8 | ~uint16](name string, lo, hi int, at func(s *S) *T) Field[S] {
	e := Entry{Name: name, Shape: Number, Columns: []Column{{name, lo, hi}}}
	return Field[S]{
		Entry: e,
		Value: func(s *S) any { return int(*at(s)) },
		Set:   func(s *S, v any) error { *at(s) = T(v.(int)); return nil },
		Copy: func(from, to *S) error {
			v := *at(from)
			*at(to) = v
			return e.checkNumber(int(v))
		},
	}
}

// RNGField is an RNG, in hexadecimal. Recorded games do not show it.
func RNGField[S any](name string, at func(s *S) *env.RNG) Field[S] {
	return Field[S]{
		Entry: Entry{Name: name, Shape: Text, Hidden: true},
		Value: func(s *S) any { return Hex(at(s).State) },
		Set:   func(s *S, v any) (err error) { *at(s), err = ParseRNG(v.(string)); return err },
		Copy:  func(from, to *S) error { *at(to) = *at(from); return nil },
	}
}

// Listing is rows being listed: their numbers, one row after another.
type Listing struct {
	numbers []int
	count   int
}

// Add adds a row.
func (l *Listing) Add(row ...int) {
	l.numbers = append(l.numbers, row...)
	l.count++
}

// row is one of the rows, of width numbers each.
func (l *Listing) row(i, width int) []int { return l.numbers[i*width : (i+1)*width : (i+1)*width] }

// RowsField is the rows of an entry. Set is called for each in order.
func RowsField[S any](e Entry, list func(s *S, rows *Listing), set func(s *S, i int, row []int) error) Field[S] {
	e.Shape = Rows
	f := Field[S]{Entry: e}
	f.Value = func(s *S) any {
		listing := Listing{numbers: make([]int, 0, 48)}
		list(s, &listing)
		rows := make([][]int, listing.count)
		for i := range rows {
			rows[i] = listing.row(i, len(e.Columns))
		}
		return rows
	}
	put := func(s *S, i int, row []int) error {
		if err := set(s, i, row); err != nil {
			return fmt.Errorf("%s[%d] %w", e.Name, i, err)
		}
		return nil
	}
	f.Set = func(s *S, v any) error {
		for i, row := range v.([][]int) {
			if err := put(s, i, row); err != nil {
				return err
			}
		}
		return nil
	}
	f.Copy = func(from, to *S) error {
		rows := listings.Get().(*Listing)
		defer listings.Put(rows)
		rows.numbers, rows.count = rows.numbers[:0], 0
		list(from, rows)
		err := e.checkCount("entries", rows.count)
		for i := 0; i < rows.count && err == nil; i++ {
			row := rows.row(i, len(e.Columns))
			if err = e.checkRow(i, row); err == nil {
				err = put(to, i, row)
			}
		}
		return err
	}
	return f
}

// listings are lent while rows are copied.
var listings = sync.Pool{New: func() any { return new(Listing) }}

// MapField is a map: the number of each cell of the board.
func MapField[S any](e Entry, value func(s *S, i int) int, set func(s *S, i, v int) error) Field[S] {
	put := func(s *S, i, v int) error {
		if err := set(s, i, v); err != nil {
			return fmt.Errorf("%s %w", e.cell(i), err)
		}
		return nil
	}
	return Field[S]{
		Entry: e,
		Value: func(s *S) any { return e.Draw(func(i int) int { return value(s, i) }) },
		Set: func(s *S, v any) error {
			text := v.(string)
			for i := range len(text) {
				if err := put(s, i, strings.IndexByte(e.Letters, text[i])); err != nil {
					return err
				}
			}
			return nil
		},
		Copy: func(from, to *S) error {
			for i := range e.Most {
				v := value(from, i)
				if v < 0 || v >= len(e.Letters) {
					return fmt.Errorf("%s is %d, want 0 to %d", e.cell(i), v, len(e.Letters)-1)
				}
				if err := put(to, i, v); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// RowField is a row of numbers of fixed length. An optional one is left out
// where all are zero.
func RowField[S any, T ~uint8 | ~uint16](e Entry, at func(s *S) []T) Field[S] {
	e.Shape = Row
	return Field[S]{Entry: e, Value: func(s *S) any {
		row, zero := make([]int, e.Most), true
		for i, n := range at(s) {
			row[i], zero = int(n), zero && n == 0
		}
		if zero && e.Optional {
			return nil
		}
		return row
	}, Set: func(s *S, v any) error {
		SetInts(at(s), v.([]int))
		return nil
	}}
}

// Ints is numbers as ints.
func Ints[T ~uint8 | ~uint16 | ~int32](numbers []T) []int {
	list := make([]int, len(numbers))
	for i, v := range numbers {
		list[i] = int(v)
	}
	return list
}

// SetInts sets the first numbers of a list.
func SetInts[T ~uint8 | ~uint16 | ~int32](list []T, to []int) {
	for i, v := range to {
		list[i] = T(v)
	}
}

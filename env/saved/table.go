package saved

import (
	"fmt"
	"strings"

	"pommego/env"
)

// Field is an entry of a table: how its value is got from an S and set in one.
type Field[S any] struct {
	Entry
	Value func(s *S) any
	// Set sets a value that Entry.Check has passed. It is nil in tables of what
	// is only shown, such as an observation.
	Set func(s *S, v any) error
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
	return Field[S]{
		Entry{Name: name, Shape: Number, Columns: []Column{{name, lo, hi}}},
		func(s *S) any { return int(*at(s)) },
		func(s *S, v any) error { *at(s) = T(v.(int)); return nil },
	}
}

// RNGField is an RNG, in hexadecimal. Recorded games do not show it.
func RNGField[S any](name string, at func(s *S) *env.RNG) Field[S] {
	return Field[S]{
		Entry{Name: name, Shape: Text, Hidden: true},
		func(s *S) any { return Hex(at(s).State) },
		func(s *S, v any) (err error) { *at(s), err = ParseRNG(v.(string)); return err },
	}
}

// Listing is rows being listed.
type Listing struct {
	rows    [][]int
	numbers []int // what the rows are cut from
}

// Add adds a row.
func (l *Listing) Add(row ...int) {
	at := len(l.numbers)
	l.numbers = append(l.numbers, row...)
	l.rows = append(l.rows, l.numbers[at:len(l.numbers):len(l.numbers)])
}

// RowsField is the rows of an entry. Set is called for each in order.
func RowsField[S any](e Entry, list func(s *S, rows *Listing), set func(s *S, i int, row []int) error) Field[S] {
	e.Shape = Rows
	return Field[S]{e, func(s *S) any {
		rows := Listing{make([][]int, 0, 8), make([]int, 0, 48)}
		list(s, &rows)
		return rows.rows
	}, func(s *S, v any) error {
		for i, row := range v.([][]int) {
			if err := set(s, i, row); err != nil {
				return fmt.Errorf("%s[%d] %w", e.Name, i, err)
			}
		}
		return nil
	}}
}

// MapField is a map: the number of each cell of the board.
func MapField[S any](e Entry, value func(s *S, i int) int, set func(s *S, i, v int) error) Field[S] {
	return Field[S]{e, func(s *S) any {
		return e.Draw(func(i int) int { return value(s, i) })
	}, func(s *S, v any) error {
		text := v.(string)
		for i := range len(text) {
			if err := set(s, i, strings.IndexByte(e.Letters, text[i])); err != nil {
				return fmt.Errorf("%s %w", e.cell(i), err)
			}
		}
		return nil
	}}
}

// RowField is a row of numbers of fixed length. An optional one is left out
// where all are zero.
func RowField[S any, T ~uint8 | ~uint16](e Entry, at func(s *S) []T) Field[S] {
	e.Shape = Row
	return Field[S]{e, func(s *S) any {
		row, zero := make([]int, e.Most), true
		for i, n := range at(s) {
			row[i], zero = int(n), zero && n == 0
		}
		if zero && e.Optional {
			return nil
		}
		return row
	}, func(s *S, v any) error {
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

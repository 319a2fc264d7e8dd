package saved

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Shape is how JSON shows an entry, and the type of its value in Go.
type Shape uint8

// The shapes.
const (
	Number Shape = iota // 3; int
	Flag                // 0 or 1, read as false or true too; int
	Row                 // [1, 2]; []int
	Rows                // [[1, 2], [3, 4]]; [][]int
	Reals               // [0.5, 1]; []float64
	Text                // "any"; string
	Map                 // "01.": a character for each cell of a board; string
	JSON                // whatever it is; json.RawMessage, written from any value
)

// Column is a number of a row: its name, and the values it may have.
type Column struct {
	Name     string
	Min, Max int
}

// Col is a column.
func Col(name string, least, most int) Column { return Column{name, least, most} }

// Entry describes one value in JSON.
type Entry struct {
	Name    string
	Shape   Shape
	Columns []Column // of each of the Rows; of a Row, where the last holds for the rest too; of a Number
	// Least and Most are how many Rows there may be, or numbers in a Row, or
	// cells in a Map. Rows whose number is not fixed are a list: the same rows
	// in another order are one difference.
	Least, Most int
	Unordered   bool // the same rows in another order are no difference
	// Of a Map: the characters that stand for 0, 1 and so on, and how many
	// cells make a row of the board. Transposed numbers a cell by column and row.
	Letters    string
	Width      int
	Transposed bool

	Optional bool // left out where there is nothing in it
	Null     bool // null where there is nothing in it
	Once     bool // recorded games show it in their initial state alone
	Hidden   bool // recorded games do not show it
}

// Fixed is an entry of n rows, or of a row of n numbers.
func Fixed(name string, n int, columns ...Column) Entry {
	return Entry{Name: name, Least: n, Most: n, Columns: columns}
}

// UpTo is an entry of at most most rows, whose order matters.
func UpTo(name string, most int, columns ...Column) Entry {
	return Entry{Name: name, Most: most, Columns: columns}
}

// Board is an entry of a map whose cells hold the numbers of the letters.
func Board(name string, width, height int, letters string) Entry {
	return Entry{Name: name, Shape: Map, Least: width * height, Most: width * height, Width: width, Letters: letters}
}

// Values are values by the names of their entries, in the types of their
// shapes.
type Values map[string]any

// Decode takes the values of entries out of a JSON object. A key that is missing
// or that no entry has is an error.
func Decode(object json.RawMessage, entries []Entry) (Values, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(object, &raw); err != nil {
		return nil, err
	}
	values := make(Values, len(entries))
	for i := range entries {
		e := &entries[i]
		text, there := raw[e.Name]
		delete(raw, e.Name)
		null := string(text) == "null"
		switch {
		case there && !null:
		case e.Optional || e.Null && null:
			continue
		case null:
			return nil, fmt.Errorf("%s is null, want a value", e.Name)
		default:
			return nil, fmt.Errorf("%s is missing", e.Name)
		}
		v, err := e.decode(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		values[e.Name] = v
	}
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		return nil, fmt.Errorf("there is a key %.40q, which does not belong here", key)
	}
	return values, nil
}

// CheckAll reports the first number of any value that is out of its range.
func CheckAll(entries []Entry, values Values) error {
	for i := range entries {
		if v, there := values[entries[i].Name]; there {
			if err := entries[i].Check(v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Entry) decode(text json.RawMessage) (any, error) {
	switch e.Shape {
	case Number:
		return decodeAs[int](text)
	case Flag:
		return decodeFlag(text)
	case Row:
		return decodeAs[[]int](text)
	case Rows:
		return decodeAs[[][]int](text)
	case Reals:
		return decodeAs[[]float64](text)
	case JSON:
		return text, nil
	}
	return decodeAs[string](text)
}

func decodeAs[T any](text json.RawMessage) (any, error) {
	var v T
	err := json.Unmarshal(text, &v)
	return v, err
}

func decodeFlag(text json.RawMessage) (any, error) {
	switch string(text) {
	case "0", "false":
		return 0, nil
	case "1", "true":
		return 1, nil
	}
	return nil, fmt.Errorf("%s is not a boolean, want 0 or 1", text)
}

// Object is an object in JSON: the values of entries in their order.
type Object struct {
	Entries []Entry
	Values  Values
}

// MarshalJSON writes the object. An optional entry without a value is left out.
func (o Object) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i := range o.Entries {
		e := &o.Entries[i]
		v, there := o.Values[e.Name]
		if !there && e.Optional {
			continue
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = strconv.AppendQuote(text, e.Name)
		text = append(append(text, ':'), value...)
	}
	return append(text, '}'), nil
}

// Check reports the first number of a value that is out of its range. Entries
// without columns have no ranges.
func (e *Entry) Check(v any) error {
	if e.Columns == nil && e.Shape != Map {
		return nil
	}
	switch v := v.(type) {
	case int:
		return e.checkNumber(v)
	case []int:
		if err := e.checkCount("numbers", len(v)); err != nil {
			return err
		}
		for k, n := range v {
			if c := e.Columns[min(k, len(e.Columns)-1)]; n < c.Min || n > c.Max {
				return fmt.Errorf("%s[%d] is %d, want %d to %d", e.Name, k, n, c.Min, c.Max)
			}
		}
	case [][]int:
		if err := e.checkCount("entries", len(v)); err != nil {
			return err
		}
		for i, row := range v {
			if err := e.checkRow(i, row); err != nil {
				return err
			}
		}
	case string:
		if e.Shape == Map {
			return e.checkMap(v)
		}
	}
	return nil
}

func (e *Entry) checkNumber(v int) error {
	if c := &e.Columns[0]; v < c.Min || v > c.Max {
		return fmt.Errorf("%s is %d, want %d to %d", e.Name, v, c.Min, c.Max)
	}
	return nil
}

func (e *Entry) checkRow(i int, row []int) error {
	if len(row) != len(e.Columns) {
		return fmt.Errorf("%s[%d] has %d numbers, want %d", e.Name, i, len(row), len(e.Columns))
	}
	for k := range e.Columns {
		if c := &e.Columns[k]; row[k] < c.Min || row[k] > c.Max {
			return fmt.Errorf("%s[%d].%s is %d, want %d to %d", e.Name, i, c.Name, row[k], c.Min, c.Max)
		}
	}
	return nil
}

func (e *Entry) checkCount(of string, n int) error {
	switch {
	case n >= e.Least && n <= e.Most:
		return nil
	case e.Least == e.Most:
		return fmt.Errorf("%s has %d %s, want %d", e.Name, n, of, e.Most)
	}
	return fmt.Errorf("%s has %d %s, want %d to %d", e.Name, n, of, e.Least, e.Most)
}

func (e *Entry) checkMap(text string) error {
	if err := e.checkCount("cells", len(text)); err != nil {
		return err
	}
	rest := strings.TrimLeft(text, e.Letters)
	if rest == "" {
		return nil
	}
	return fmt.Errorf("%s is %q, want one of %q", e.cell(len(text)-len(rest)), rest[0], e.Letters)
}

// cell names a cell of a map.
func (e *Entry) cell(i int) string {
	row, col := i/e.Width, i%e.Width
	if e.Transposed {
		row, col = col, row
	}
	return fmt.Sprintf("%s[%d,%d]", e.Name, row, col)
}

// Draw is a Map with the letter of a number for each cell, '?' for numbers that
// have none.
func (e *Entry) Draw(value func(i int) int) string {
	text := make([]byte, e.Most)
	for i := range text {
		if v := value(i); v >= 0 && v < len(e.Letters) {
			text[i] = e.Letters[v]
		} else {
			text[i] = '?'
		}
	}
	return string(text)
}

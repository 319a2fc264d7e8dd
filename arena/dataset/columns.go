package dataset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pommego/arena/ledger"
	"pommego/env"
)

// Column describes one column of the files.
type Column struct {
	Name    string `json:"name"`
	Type    Type   `json:"type"`
	Null    bool   `json:"nullable,omitempty"`
	Meaning string `json:"meaning"`

	// What the bytes of a FixedBytes column are: an array of this type and
	// shape, row-major, little-endian.
	DType env.DType `json:"dtype,omitempty"`
	Shape []int     `json:"shape,omitempty"`
}

// alike reports whether two columns are the same but for what they say of their meaning.
func alike(a, b Column) bool {
	return a.Name == b.Name && a.Type == b.Type && a.Null == b.Null && a.DType == b.DType && slices.Equal(a.Shape, b.Shape)
}

// Type is the type of a column's values.
type Type string

// The types.
const (
	Bool       Type = "bool"
	Uint8      Type = "uint8"
	Int16      Type = "int16"
	Int32      Type = "int32"
	Int64      Type = "int64"
	Uint64     Type = "uint64"
	Float32    Type = "float32"
	Float64    Type = "float64"
	String     Type = "string" // one of a few texts
	Bytes      Type = "bytes"  // of any length
	FixedBytes Type = "fixed_bytes"
	Messages   Type = "messages" // the messages of a turn
)

// UnmarshalText reads a type's name.
func (t *Type) UnmarshalText(text []byte) error {
	if *t = Type(text); nodes[*t] == nil {
		return fmt.Errorf("there is no column type %q, want one of %v", text, slices.Sorted(maps.Keys(nodes)))
	}
	return nil
}

// Width is how many bytes an array of the column has.
func (c *Column) Width() int { return (&env.Field{DType: c.DType, Shape: c.Shape}).Size() }

// nodes are the columns of a file's schema; one of FixedBytes gets its width there. Most columns of
// numbers have few different values, so numbers are encoded by a dictionary.
var nodes = map[Type]parquet.Node{
	Bool:       parquet.Leaf(parquet.BooleanType),
	Uint8:      parquet.Encoded(parquet.Uint(8), &parquet.RLEDictionary),
	Int16:      parquet.Encoded(parquet.Int(16), &parquet.RLEDictionary),
	Int32:      parquet.Encoded(parquet.Int(32), &parquet.RLEDictionary),
	Int64:      parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked),
	Uint64:     parquet.Encoded(parquet.Uint(64), &parquet.DeltaBinaryPacked),
	Float32:    parquet.Encoded(parquet.Leaf(parquet.FloatType), &parquet.RLEDictionary),
	Float64:    parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.RLEDictionary),
	String:     parquet.Encoded(parquet.String(), &parquet.RLEDictionary),
	Bytes:      parquet.Leaf(parquet.ByteArrayType),
	FixedBytes: parquet.Leaf(parquet.FixedLenByteArrayType(1)),
	Messages:   parquet.List(ordered{message, []Column{{Name: "role"}, {Name: "content"}}}),
}

// message is one message of a turn: two columns of a file.
var message = parquet.Group{"content": parquet.String(),
	"role": parquet.Encoded(parquet.String(), &parquet.RLEDictionary)}

// turn has the messages of system, user and assistant in a turn.
type turn [3]string

// ordered is a group whose fields keep their order; parquet.Group sorts them.
type ordered struct {
	parquet.Group
	columns []Column
}

func (o ordered) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range o.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(o.columns))
	for i := range o.columns {
		fields[i] = byName[o.columns[i].Name]
	}
	return fields
}

func schema(columns []Column) *parquet.Schema {
	g := parquet.Group{}
	for i := range columns {
		c := &columns[i]
		n := nodes[c.Type]
		if c.Type == FixedBytes {
			n = parquet.Leaf(parquet.FixedLenByteArrayType(c.Width()))
		}
		if c.Null {
			n = parquet.Optional(n)
		}
		g[c.Name] = n
	}
	return parquet.NewSchema("pommego", ordered{g, columns})
}

// table is rows that are about to be written, or have been read.
//
// Invariant: all columns have the same number of values. Only a column of Messages has two lists of
// them, and it is the last. Without one, the last list is empty.
type table struct {
	columns []Column
	values  [][]parquet.Value
	at      int // the next column of the row that is being added
	memory  []byte
}

func newTable(columns []Column) *table {
	return &table{columns: columns, values: make([][]parquet.Value, len(columns)+1)}
}

// per is how many values a row has in list i of values.
func (t *table) per(i int) int {
	if last := len(t.columns) - 1; i >= last && t.columns[last].Type == Messages {
		return len(turn{})
	}
	return 1
}

func (t *table) rows() int { return len(t.values[0]) }

func (t *table) reset() {
	for i := range t.values {
		t.values[i] = t.values[i][:0]
	}
	t.memory = t.memory[:0]
}

// add adds the next value of the current row, in the order of the columns.
func (t *table) add(v parquet.Value) {
	defined := 0
	if t.columns[t.at].Null && !v.IsNull() {
		defined = 1
	}
	t.values[t.at] = append(t.values[t.at], v.Level(0, defined, t.at))
	if t.at++; t.at == len(t.columns) {
		t.at = 0
	}
}

// addTurn adds a turn, the last column, which completes the current row.
func (t *table) addTurn(contents turn) {
	for i, role := range [...]string{"system", "user", "assistant"} {
		t.values[t.at] = append(t.values[t.at], text(role).Level(min(i, 1), 1, t.at))
		t.values[t.at+1] = append(t.values[t.at+1], text(contents[i]).Level(min(i, 1), 1, t.at+1))
	}
	t.at = 0
}

// alloc returns n bytes for a value, which are valid until the table is cleared.
func (t *table) alloc(n int) []byte {
	if len(t.memory)+n > cap(t.memory) {
		t.memory = make([]byte, 0, max(2*cap(t.memory), n, 1<<16)) // earlier values keep the old block
	}
	from := len(t.memory)
	t.memory = t.memory[:from+n]
	return t.memory[from : from+n : from+n]
}

// Extra is an array that a client's agents report with each action, such as the
// probabilities from which they drew it: one more column of layout Steps, null for the
// other seats and for those that are out. Arrays named visits and values are the
// statistics of a search, as built-in agents report them.
type Extra struct {
	Name  string    `json:"name"`
	DType env.DType `json:"dtype"`
	Shape []int     `json:"shape"` // empty: a single number
}

// The bounds of an extra array.
const (
	maxExtraDims  = 4
	maxExtraBytes = 1 << 20
)

var extraName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// column is the array's column, without its functions for writing and reading.
func (x *Extra) column() Column {
	c := Column{Name: x.Name, Type: FixedBytes, Null: true,
		Meaning: cmp.Or(meanings[x.Name], "reported by the agent; null: it reports nothing"), DType: x.DType, Shape: x.Shape}
	if len(x.Shape) == 0 {
		c.Type, c.DType, c.Shape = Type(x.DType), "", nil
	}
	return c
}

func (x *Extra) size() int { return (&Column{DType: x.DType, Shape: x.Shape}).Width() }

func (x *Extra) fits() bool {
	size := x.DType.Bytes()
	for _, n := range x.Shape {
		if n < 1 || n > maxExtraBytes/size {
			return false
		}
		size *= n
	}
	return len(x.Shape) <= maxExtraDims
}

func (x *Extra) check(choices int) error {
	want := map[string]env.DType{ledger.Visits: env.Int32, ledger.Values: env.Float64}[x.Name]
	switch {
	case !extraName.MatchString(x.Name):
		return fmt.Errorf("extra array %q: want 64 or fewer small letters, digits and underscores, "+
			"the first a letter", x.Name)
	case numbers[x.DType] == nil:
		return fmt.Errorf("extra array %q: there is no type %q, want uint8, int16, int32, uint64, float32 or float64", x.Name,
			x.DType)
	case !x.fits():
		return fmt.Errorf("extra array %q: shape %v, want at most %d dimensions of 1 or more, and %d bytes", x.Name, x.Shape,
			maxExtraDims, maxExtraBytes)
	case want != "" && (x.DType != want || !slices.Equal(x.Shape, []int{choices})):
		return fmt.Errorf("extra array %q: %s %v, want %s [%d], as agents that search report it; rename it if it is "+
			"something else", x.Name, x.DType, x.Shape, want, choices)
	}
	return nil
}

func (c *Config) checkExtra(spec *env.Spec) error {
	for i := range c.Extra {
		x := &c.Extra[i]
		if err := x.check(spec.MaskSize()); err != nil {
			return err
		}
		if hasExtra(c.Extra[:i], x.Name) {
			return fmt.Errorf("extra array %q is named twice", x.Name)
		}
	}
	if hasExtra(c.Extra, ledger.Visits) != hasExtra(c.Extra, ledger.Values) {
		return fmt.Errorf("extra arrays %q and %q go together: want both or neither", ledger.Visits, ledger.Values)
	}
	return nil
}

func hasExtra(all []Extra, name string) bool {
	return slices.ContainsFunc(all, func(x Extra) bool { return x.Name == name })
}

// apart are the arrays that are not the statistics of a search.
func apart(all []Extra) []Extra {
	return slices.DeleteFunc(slices.Clone(all), func(x Extra) bool {
		return x.Name == ledger.Visits || x.Name == ledger.Values
	})
}

// extraColumns are the columns of arrays that agents report.
func extraColumns(all []Extra) (columns []column) {
	for _, x := range all {
		load := parquet.FixedLenByteArrayValue
		if len(x.Shape) == 0 {
			load = numbers[x.DType]
		}
		columns = append(columns, column{x.column(),
			func(r *row) parquet.Value {
				if r.decision == nil || r.decision.Arrays[x.Name] == nil {
					return parquet.NullValue()
				}
				return load(r.decision.Arrays[x.Name])
			},
			func(r *row, v parquet.Value) error {
				if !v.IsNull() {
					data := v.Bytes() // little-endian; of small integers more than the array's own
					r.reported().Arrays[x.Name] = data[:min(len(data), x.size())]
				}
				return nil
			}})
	}
	return columns
}

// numbers makes a column's value from little-endian bytes.
var numbers = map[env.DType]func(data []byte) parquet.Value{
	env.Uint8:   func(b []byte) parquet.Value { return parquet.Int32Value(int32(b[0])) },
	env.Int16:   func(b []byte) parquet.Value { return parquet.Int32Value(int32(int16(le.Uint16(b)))) },
	env.Int32:   func(b []byte) parquet.Value { return parquet.Int32Value(int32(le.Uint32(b))) },
	env.Uint64:  func(b []byte) parquet.Value { return parquet.Int64Value(int64(le.Uint64(b))) },
	env.Float32: func(b []byte) parquet.Value { return parquet.FloatValue(math.Float32frombits(le.Uint32(b))) },
	env.Float64: func(b []byte) parquet.Value { return parquet.DoubleValue(math.Float64frombits(le.Uint64(b))) },
}

var le = binary.LittleEndian

// union joins two lists of arrays. Arrays with the same name must be the same.
func union(all, more []Extra) ([]Extra, error) {
	for _, x := range more {
		i := slices.IndexFunc(all, func(other Extra) bool { return other.Name == x.Name })
		switch {
		case i < 0:
			all = append(all, x)
		case all[i].DType != x.DType || !slices.Equal(all[i].Shape, x.Shape):
			return nil, fmt.Errorf("extra array %q is %s %v in one data set and %s %v in another", x.Name, all[i].DType,
				all[i].Shape, x.DType, x.Shape)
		}
	}
	return all, nil
}

package dataset

import (
	"fmt"

	"github.com/parquet-go/parquet-go"

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

// Type is the type of a column's values.
type Type uint8

// The types.
const (
	Bool Type = iota
	Uint8
	Int32
	Int64
	Uint64
	Float64
	String     // one of few texts
	Bytes      // of any length
	FixedBytes // an array of one shape
)

var typeNames = []string{"bool", "uint8", "int32", "int64", "uint64", "float64", "string", "bytes", "fixed_bytes"}

func (t Type) String() string { return nameOf(typeNames, int(t)) }

// MarshalText writes the type's name.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a type's name.
func (t *Type) UnmarshalText(text []byte) error {
	return parse(t, "column type", typeNames, string(text))
}

// width is how many bytes a value of a FixedBytes column has.
func (c *Column) width() int {
	n := c.DType.Bytes()
	for _, d := range c.Shape {
		n *= d
	}
	return n
}

// node is the column in a file's schema. Numbers have few different values in
// most columns, so they go by a dictionary.
func (c *Column) node() parquet.Node {
	var n parquet.Node
	switch c.Type {
	case Bool:
		n = parquet.Leaf(parquet.BooleanType)
	case Uint8:
		n = parquet.Encoded(parquet.Uint(8), &parquet.RLEDictionary)
	case Int32:
		n = parquet.Encoded(parquet.Int(32), &parquet.RLEDictionary)
	case Int64:
		n = parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked)
	case Uint64:
		n = parquet.Encoded(parquet.Uint(64), &parquet.DeltaBinaryPacked)
	case Float64:
		n = parquet.Encoded(parquet.Leaf(parquet.DoubleType), &parquet.RLEDictionary)
	case String:
		n = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	case Bytes:
		n = parquet.Leaf(parquet.ByteArrayType)
	case FixedBytes:
		n = parquet.Leaf(parquet.FixedLenByteArrayType(c.width()))
	default:
		panic("dataset: column of unknown type " + c.Name)
	}
	if c.Null {
		n = parquet.Optional(n)
	}
	return n
}

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

// schema is the schema of files with these columns.
func schema(columns []Column) *parquet.Schema {
	g := parquet.Group{}
	for i := range columns {
		g[columns[i].Name] = columns[i].node()
	}
	return parquet.NewSchema("pommego", ordered{g, columns})
}

// table is rows that are about to be written, or have been read.
//
// Invariant: all columns have as many values.
type table struct {
	columns []Column
	values  [][]parquet.Value
	at      int // the column that the row being added gets next
	memory  []byte
}

func newTable(columns []Column) *table {
	return &table{columns: columns, values: make([][]parquet.Value, len(columns))}
}

// rows is how many rows there are.
func (t *table) rows() int { return len(t.values[0]) }

// reset takes all rows out.
func (t *table) reset() {
	for i := range t.values {
		t.values[i] = t.values[i][:0]
	}
	t.memory = t.memory[:0]
}

// add adds the next value of the row under way, in the order of the columns.
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

// alloc lends n bytes for a value, until the table is cleared.
func (t *table) alloc(n int) []byte {
	if len(t.memory)+n > cap(t.memory) {
		t.memory = make([]byte, 0, max(2*cap(t.memory), n, 1<<16)) // values keep what they have
	}
	from := len(t.memory)
	t.memory = t.memory[:from+n]
	return t.memory[from : from+n : from+n]
}

// index finds a column by name.
func (t *table) index(name string) (int, error) {
	for i := range t.columns {
		if t.columns[i].Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no column %q", name)
}

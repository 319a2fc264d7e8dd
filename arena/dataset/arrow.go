package dataset

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// arrowKey is where readers by Apache Arrow look for the schema that a file's
// columns had in Arrow. Parquet knows no arrays of one shape; by this schema
// columns of type Tensor become such again (arrow.fixed_shape_tensor).
const arrowKey = "ARROW:schema"

// The numbers of Arrow's format: Message.fbs and Schema.fbs.
const (
	arrowV5         = 4
	arrowSchema     = 1 // of the messages' headers
	arrowInt        = 2
	arrowFloat      = 3
	arrowBinary     = 4
	arrowText       = 5
	arrowBool       = 6
	arrowFixedBytes = 15
	arrowFixedList  = 16
)

// arrowColumns is the value of arrowKey for files with these columns.
func arrowColumns(columns []Column) string {
	fields := make([]flat, len(columns))
	for i := range columns {
		fields[i] = columns[i].arrow()
	}
	message := flat{arrowV5, arrowSchema, flat{nil, fields}}.encode()
	head := le.AppendUint32(le.AppendUint32(nil, 0xFFFFFFFF), uint32(len(message)))
	return base64.StdEncoding.EncodeToString(append(head, message...))
}

// arrow is the column as a Field.
func (c *Column) arrow() flat {
	null := 0
	if c.Null {
		null = 1
	}
	switch c.Type {
	case Bool:
		return flat{c.Name, null, arrowBool, flat{}, nil, []flat{}}
	case String:
		return flat{c.Name, null, arrowText, flat{}, nil, []flat{}}
	case Bytes:
		return flat{c.Name, null, arrowBinary, flat{}, nil, []flat{}}
	case FixedBytes:
		return flat{c.Name, null, arrowFixedBytes, flat{c.Width()}, nil, []flat{}}
	case List, Tensor:
		return c.arrowTensor(null)
	}
	number := arrowNumbers[string(c.Type)]
	return flat{c.Name, null, number.kind, number.form, nil, []flat{}}
}

// arrowTensor is the Field of a column of arrays.
func (c *Column) arrowTensor(null int) flat {
	number := arrowNumbers[string(c.DType)]
	shape := strings.ReplaceAll(fmt.Sprint(c.Shape), " ", ",")
	return flat{
		c.Name, null, arrowFixedList, flat{c.Width() / c.DType.Bytes()}, nil,
		[]flat{{"element", 1, number.kind, number.form, nil, []flat{}}},
		[]flat{
			{"ARROW:extension:name", "arrow.fixed_shape_tensor"},
			{"ARROW:extension:metadata", `{"shape":` + shape + `}`},
		},
	}
}

// arrowNumbers are the types of numbers: bits and whether they are signed, or the
// precision.
var arrowNumbers = map[string]struct {
	kind int
	form flat
}{
	"uint8": {arrowInt, flat{8, 0}}, "uint64": {arrowInt, flat{64, 0}},
	"int16": {arrowInt, flat{16, 1}}, "int32": {arrowInt, flat{32, 1}}, "int64": {arrowInt, flat{64, 1}},
	"float32": {arrowFloat, flat{1}}, "float64": {arrowFloat, flat{2}},
}

// flat is a table in the form of FlatBuffers: each slot is a number of up to 32
// bits, a text, a table, some tables, or nil for what is left out.
type flat []any

// encode is a message whose root is the table, a multiple of 8 bytes.
func (f flat) encode() []byte {
	b, at := f.put(make([]byte, 4))
	le.PutUint32(b, uint32(at))
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// put appends the table, which begins at the returned index, and what it refers
// to, which comes after it.
func (f flat) put(b []byte) ([]byte, int) {
	b = aligned(b)
	form := len(b) // where in the table each slot is: 4 bytes for any
	b = le.AppendUint16(b, uint16(4+2*len(f)))
	b = le.AppendUint16(b, uint16(4+4*len(f)))
	for i, slot := range f {
		where := 4 + 4*i
		if slot == nil {
			where = 0
		}
		b = le.AppendUint16(b, uint16(where))
	}
	b = aligned(b)
	at := len(b)
	b = le.AppendUint32(b, uint32(at-form))
	b = append(b, make([]byte, 4*len(f))...)
	for i, slot := range f {
		b = fill(b, at+4+4*i, slot)
	}
	return b, at
}

// fill puts a slot's value into the 4 bytes at an index, or appends it and puts
// there how far away it is.
func fill(b []byte, at int, slot any) []byte {
	where := 0
	switch v := slot.(type) {
	case int:
		le.PutUint32(b[at:], uint32(v))
		return b
	case string:
		b = aligned(b)
		where = len(b)
		b = append(le.AppendUint32(b, uint32(len(v))), v...)
		b = append(b, 0)
	case flat:
		b, where = v.put(b)
	case []flat:
		b = aligned(b)
		where = len(b)
		b = le.AppendUint32(b, uint32(len(v)))
		b = append(b, make([]byte, 4*len(v))...)
		for i := range v {
			b = fill(b, where+4+4*i, v[i])
		}
	default:
		return b
	}
	le.PutUint32(b[at:], uint32(where-at))
	return b
}

// aligned appends zeros up to a multiple of 4.
func aligned(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

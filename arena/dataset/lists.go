package dataset

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/parquet-go/parquet-go"

	"pommego/env"
	"pommego/internal/enum"
)

// Arrays says how columns of arrays are stored.
type Arrays uint8

// The ways.
const (
	Binary  Arrays = iota // the array's bytes: FixedBytes, quick to read
	Lists                 // a flat list of its numbers: List, which any reader of Parquet understands
	Tensors               // the same with its shape: Tensor, which readers by Apache Arrow understand
)

var arraysNames = []string{Binary: "bytes", Lists: "lists", Tensors: "tensors"}

// arrayTypes are the types of the columns.
var arrayTypes = []Type{Binary: FixedBytes, Lists: List, Tensors: Tensor}

// ArraysNames lists the ways' names.
func ArraysNames() []string { return append([]string{}, arraysNames...) }

func (a Arrays) String() string { return enum.Name(arraysNames, a) }

// MarshalText writes the way's name.
func (a Arrays) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads a way's name.
func (a *Arrays) UnmarshalText(text []byte) error { return enum.Read("arrays", arraysNames, text, a) }

// listed reports whether the column's arrays are lists in the files.
func (c *Column) listed() bool { return c.Type == List || c.Type == Tensor }

// element is how the numbers of a listed column are stored: as which leaf of the
// schema, and made from and into little-endian bytes.
type element struct {
	leaf parquet.Node
	load func(data []byte) parquet.Value
	put  func(dst []byte, v parquet.Value) []byte
}

var le = binary.LittleEndian

var elements = map[env.DType]element{
	env.Uint8: {parquet.Uint(8), func(b []byte) parquet.Value { return parquet.Int32Value(int32(b[0])) },
		func(dst []byte, v parquet.Value) []byte { return append(dst, byte(v.Int32())) }},
	env.Int16: {parquet.Int(16), func(b []byte) parquet.Value { return parquet.Int32Value(int32(int16(le.Uint16(b)))) },
		func(dst []byte, v parquet.Value) []byte { return le.AppendUint16(dst, uint16(v.Int32())) }},
	env.Int32: {parquet.Int(32), func(b []byte) parquet.Value { return parquet.Int32Value(int32(le.Uint32(b))) },
		func(dst []byte, v parquet.Value) []byte { return le.AppendUint32(dst, uint32(v.Int32())) }},
	env.Uint64: {parquet.Uint(64), func(b []byte) parquet.Value { return parquet.Int64Value(int64(le.Uint64(b))) },
		func(dst []byte, v parquet.Value) []byte { return le.AppendUint64(dst, uint64(v.Int64())) }},
	env.Float32: {parquet.Leaf(parquet.FloatType), func(b []byte) parquet.Value { return parquet.FloatValue(math.Float32frombits(le.Uint32(b))) },
		func(dst []byte, v parquet.Value) []byte { return le.AppendUint32(dst, math.Float32bits(v.Float())) }},
	env.Float64: {parquet.Leaf(parquet.DoubleType), func(b []byte) parquet.Value { return parquet.DoubleValue(math.Float64frombits(le.Uint64(b))) },
		func(dst []byte, v parquet.Value) []byte { return le.AppendUint64(dst, math.Float64bits(v.Double())) }},
}

// someElements is how many elements are handed to the Parquet writer together.
const someElements = 1 << 15

// writeLists writes arrays, which come as bytes, as lists. column is its number
// among the columns.
func writeLists(w *parquet.ColumnWriter, c *Column, column int, arrays []parquet.Value) error {
	size, e := c.DType.Bytes(), elements[c.DType]
	defined := 1
	if c.Null {
		defined++
	}
	if c.Type == Tensor {
		defined++
	}
	var some []parquet.Value
	for i, array := range arrays {
		if array.IsNull() {
			some = append(some, array.Level(0, 0, column))
		}
		data := array.ByteArray()
		for at := 0; at < len(data); at += size {
			some = append(some, e.load(data[at:at+size]).Level(min(at, 1), defined, column))
		}
		if len(some) < someElements && i < len(arrays)-1 {
			continue
		}
		if _, err := w.WriteRowValues(some); err != nil {
			return err
		}
		some = some[:0]
	}
	return nil
}

// gather returns what takes the elements of a listed column, one by one, and adds
// an array of bytes to values for each list that is complete.
func (c *Column) gather(values *[]parquet.Value) func(parquet.Value) error {
	var under []byte
	width, put := c.Width(), elements[c.DType].put
	return func(v parquet.Value) error {
		if first := v.RepetitionLevel() == 0; first != (len(under) == 0) {
			return fmt.Errorf("a list has not the %d bytes of %s %v", width, c.DType, c.Shape)
		}
		if v.IsNull() {
			if v.DefinitionLevel() > 0 {
				return fmt.Errorf("a list of %s %v lacks numbers", c.DType, c.Shape)
			}
			*values = append(*values, parquet.NullValue())
			return nil
		}
		if under = put(under, v); len(under) == width {
			*values = append(*values, parquet.FixedLenByteArrayValue(under))
			under = nil
		}
		return nil
	}
}

package saved

import (
	"encoding/binary"
	"fmt"
	"unsafe"
)

// Codec goes over the parts of a state in the order of its bytes and either
// appends them or sets them from bytes. After a failure it sets zeros.
type Codec struct {
	Bytes   []byte // written, or left to read
	reading bool
	err     error // the first failure of reading
}

// Writer is a Codec that appends to dst.
func Writer(dst []byte) Codec { return Codec{Bytes: dst} }

// Reader is a Codec that reads state.
func Reader(state []byte) Codec { return Codec{Bytes: state, reading: true} }

// Fail notes what is wrong with the bytes read, as the rest of a sentence about
// the saved state. The first failure is the one reported.
func (c *Codec) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// Err is the first failure.
func (c *Codec) Err() error { return c.err }

// End is the first failure; bytes that are left are one.
func (c *Codec) End() error {
	if c.reading && len(c.Bytes) > 0 {
		c.Fail("has %d bytes too many", len(c.Bytes))
	}
	return c.err
}

// Len goes over the length of a list of at most most entries. Read, it is 0 if
// there are more.
func (c *Codec) Len(list string, n *uint8, most int) {
	Numbers(c, n)
	if int(*n) > most {
		c.Fail("has %d %s, want at most %d", *n, list, most)
		*n = 0
	}
}

type number interface {
	~int8 | ~uint8 | ~uint16 | ~int32 | ~uint32 | ~uint64
}

// Numbers goes over numbers, each in as many bytes as its type has, the low one
// first.
func Numbers[T number](c *Codec, values ...*T) {
	for _, v := range values {
		List(c, unsafe.Slice(v, 1))
	}
}

// List goes over the numbers of a list of fixed length.
func List[T number](c *Codec, values []T) {
	var one T
	size := int(unsafe.Sizeof(one))
	if !c.reading {
		c.Bytes = appendList(c.Bytes, values, size)
		return
	}
	if len(c.Bytes) < size*len(values) {
		c.Fail("is cut short")
	}
	if c.err != nil {
		clear(values)
		c.Bytes = nil
		return
	}
	readList(values, c.Bytes, size)
	c.Bytes = c.Bytes[size*len(values):]
}

func appendList[T number](dst []byte, values []T, size int) []byte {
	switch size {
	case 1:
		return append(dst, asBytes(values)...)
	case 2:
		for _, v := range values {
			dst = binary.LittleEndian.AppendUint16(dst, uint16(v))
		}
	case 4:
		for _, v := range values {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
		}
	default:
		for _, v := range values {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
		}
	}
	return dst
}

func readList[T number](values []T, from []byte, size int) {
	switch size {
	case 1:
		copy(asBytes(values), from)
	case 2:
		for i := range values {
			values[i] = T(binary.LittleEndian.Uint16(from[2*i:]))
		}
	case 4:
		for i := range values {
			values[i] = T(binary.LittleEndian.Uint32(from[4*i:]))
		}
	default:
		for i := range values {
			values[i] = T(binary.LittleEndian.Uint64(from[8*i:]))
		}
	}
}

// asBytes is numbers of one byte as bytes.
func asBytes[T number](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
}

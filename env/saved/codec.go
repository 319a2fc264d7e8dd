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
		for _, v := range values {
			switch size {
			case 1:
				c.Bytes = append(c.Bytes, byte(v))
			case 2:
				c.Bytes = binary.LittleEndian.AppendUint16(c.Bytes, uint16(v))
			case 4:
				c.Bytes = binary.LittleEndian.AppendUint32(c.Bytes, uint32(v))
			default:
				c.Bytes = binary.LittleEndian.AppendUint64(c.Bytes, uint64(v))
			}
		}
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
	for i := range values {
		switch at := c.Bytes[i*size:]; size {
		case 1:
			values[i] = T(at[0])
		case 2:
			values[i] = T(binary.LittleEndian.Uint16(at))
		case 4:
			values[i] = T(binary.LittleEndian.Uint32(at))
		default:
			values[i] = T(binary.LittleEndian.Uint64(at))
		}
	}
	c.Bytes = c.Bytes[size*len(values):]
}

package saved

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"unsafe"
)

// Codec writes the parts of a state in the order of its bytes, or sets the parts from
// bytes. After a failure it sets zeros.
type Codec struct {
	Bytes   []byte // the bytes written, or those left to read
	reading bool
	err     error // the first failure of reading
}

// Writer is a Codec that appends to dst.
func Writer(dst []byte) Codec { return Codec{Bytes: dst} }

// Reader is a Codec that reads state.
func Reader(state []byte) Codec { return Codec{Bytes: state, reading: true} }

// Reading reports whether c sets the parts from bytes.
func (c *Codec) Reading() bool { return c.reading }

// Coder writes or reads with a Codec all that is saved of it.
type Coder interface{ Code(c *Codec) }

// codecs lends codecs, since a new one for each Append would be garbage.
var codecs = sync.Pool{New: func() any { return new(Codec) }}

// Append appends the bytes of v to dst.
func Append(dst []byte, v Coder) []byte { return withCodec(Writer(dst), v.Code) }

func withCodec(as Codec, code func(c *Codec)) []byte {
	c := codecs.Get().(*Codec)
	*c = as
	code(c)
	written := c.Bytes
	c.Bytes = nil
	codecs.Put(c)
	return written
}

// Restore sets v to what Append wrote, after reset has emptied it. On an error, which
// begins with what, such as "state of an agent", v is as it was.
func Restore(what string, state []byte, v Coder, reset func()) error {
	read := func(state []byte) error {
		reset()
		c := Reader(state)
		v.Code(&c)
		return c.End()
	}
	before := Append(nil, v)
	err := read(state)
	if err != nil {
		_ = read(before) // never fails: it has just been written
		return fmt.Errorf("%s %w", what, err)
	}
	return nil
}

// Fail notes a failure. Its text is the rest of a sentence that begins with "saved
// state" or the like. Only the first failure counts.
func (c *Codec) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// Err returns the first failure, nil if there is none.
func (c *Codec) Err() error { return c.err }

// End returns the first failure, nil if there is none. Bytes that are left over are a failure.
func (c *Codec) End() error {
	if c.reading && len(c.Bytes) > 0 {
		c.Fail("has %d bytes too many", len(c.Bytes))
	}
	return c.err
}

// Len writes or reads the length of a list of at most most entries. If more are read,
// that is a failure and n is 0.
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

// Numbers writes or reads numbers, each in as many bytes as its type has, the low byte
// first.
func Numbers[T number](c *Codec, values ...*T) {
	for _, v := range values {
		if c.reading || !littleEndian {
			List(c, unsafe.Slice(v, 1))
		} else { // does what List does, without a call for each
			c.Bytes = append(c.Bytes, unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))...)
		}
	}
}

// littleEndian says whether this machine holds numbers in memory as they are saved.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// List writes or reads the numbers of a list of fixed length.
func List[T number](c *Codec, values []T) {
	if littleEndian {
		Blocks(c, values)
		return
	}
	var eight [8]byte
	for i := range values {
		binary.LittleEndian.PutUint64(eight[:], uint64(values[i]))
		Blocks(c, eight[:unsafe.Sizeof(values[i])])
		values[i] = T(binary.LittleEndian.Uint64(eight[:]))
	}
	if c.reading && c.err != nil {
		clear(values)
	}
}

// Blocks writes or reads values that consist of bytes alone, such as structs of numbers
// of one byte, as they lie in memory.
func Blocks[T any](c *Codec, values []T) {
	block := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
	switch {
	case !c.reading:
		c.Bytes = append(c.Bytes, block...)
	case copy(block, c.take(len(block))) < len(block):
		clear(block)
	}
}

// Bytes writes or reads the length of v and its bytes. A slice that was read shares the state's memory.
func Bytes[T string | []byte](c *Codec, v *T) {
	n := uint32(len(*v))
	Numbers(c, &n)
	if c.reading {
		*v = T(c.take(int(min(n, math.MaxInt32))))
	} else {
		c.Bytes = append(c.Bytes, *v...)
	}
}

// take returns the next n bytes to read, nil after a failure.
func (c *Codec) take(n int) []byte {
	if len(c.Bytes) < n {
		c.Fail("is cut short")
	}
	if c.err != nil {
		c.Bytes = nil
		return nil
	}
	from := c.Bytes[:n]
	c.Bytes = c.Bytes[n:]
	return from
}

package bridge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"pommego/env"
)

// Bounds of single fields.
const (
	maxDims      = 4
	maxNameBytes = 256 // ids, agents with their options, the client's name
)

// decoder takes values out of a message that checker has passed. Texts and
// binaries are parts of the message, not copies. Each method names the field
// in its errors.
type decoder struct {
	msg []byte
	src bytes.Reader
	in  *msgpack.Decoder
}

// tensor is a tensor of a request.
type tensor struct {
	dtype env.DType
	shape []int // in dims
	dims  [maxDims]int
	data  []byte
}

func newDecoder() *decoder {
	d := &decoder{}
	d.in = msgpack.NewDecoder(&d.src)
	return d
}

// seek goes to the value that begins at byte from of msg.
func (d *decoder) seek(msg []byte, from uint32) {
	d.msg = msg
	d.src.Reset(msg)
	d.src.Seek(int64(from), io.SeekStart)
	d.in.ResetReader(&d.src)
}

func (d *decoder) pos() int { return len(d.msg) - d.src.Len() }

// code is the first byte of the next value.
func (d *decoder) code() byte {
	c, err := d.in.PeekCode()
	if err != nil {
		return msgpcode.Nil // after the end; checker has seen to it that we never are
	}
	return c
}

func (d *decoder) isNil() bool { return d.code() == msgpcode.Nil }

// kind names the next value's type for an error message.
func (d *decoder) kind() string {
	switch c := d.code(); {
	case c == msgpcode.Nil:
		return "nil"
	case c == msgpcode.False, c == msgpcode.True:
		return "a bool"
	case c == msgpcode.Float, c == msgpcode.Double:
		return "a float"
	case msgpcode.IsString(c):
		return "a text"
	case msgpcode.IsBin(c):
		return "a binary"
	case isArray(c):
		return "an array"
	case isMap(c):
		return "a map"
	default:
		return "an integer"
	}
}

func (d *decoder) wrongType(field, want string) error {
	return fail(CodeWrongType, field, "", "%s is %s, want %s", field, d.kind(), want)
}

func isInt(c byte) bool {
	return msgpcode.IsFixedNum(c) || c >= msgpcode.Uint8 && c <= msgpcode.Int64
}

// uint reads an integer from least to most. The library's own conversions wrap,
// so the number is read as what it was sent as and only then compared.
func (d *decoder) uint(field string, least, most uint64) (uint64, error) {
	c := d.code()
	if !isInt(c) {
		return 0, d.wrongType(field, "an integer")
	}
	if signed := c >= msgpcode.NegFixedNumLow || c >= msgpcode.Int8 && c <= msgpcode.Int64; signed {
		n, err := d.in.DecodeInt64()
		if err != nil {
			return 0, err
		}
		if n < 0 || uint64(n) < least || uint64(n) > most {
			return 0, outOfRange(field, n, least, most)
		}
		return uint64(n), nil
	}
	n, err := d.in.DecodeUint64()
	if err != nil {
		return 0, err
	}
	if n < least || n > most {
		return 0, outOfRange(field, n, least, most)
	}
	return n, nil
}

func outOfRange(field string, got any, least, most uint64) error {
	return fail(CodeOutOfRange, field, "", "%s is %v, want %d to %d", field, got, least, most)
}

func (d *decoder) bool(field string) (bool, error) {
	if c := d.code(); c != msgpcode.False && c != msgpcode.True {
		return false, d.wrongType(field, "a bool")
	}
	return d.in.DecodeBool()
}

// bytes passes a text or binary and returns its content.
func (d *decoder) bytes() ([]byte, error) {
	n, err := d.in.DecodeBytesLen()
	if err != nil {
		return nil, err
	}
	from := d.pos()
	if n < 0 || n > d.src.Len() {
		return nil, io.ErrUnexpectedEOF
	}
	d.src.Seek(int64(n), io.SeekCurrent)
	return d.msg[from : from+n : from+n], nil
}

func (d *decoder) text(field string, most int) ([]byte, error) {
	if !msgpcode.IsString(d.code()) {
		return nil, d.wrongType(field, "a text")
	}
	b, err := d.bytes()
	if err == nil && len(b) > most {
		return nil, fail(CodeOutOfRange, field, "", "%s has %d bytes, want at most %d", field, len(b), most)
	}
	return b, err
}

func (d *decoder) binary(field string) ([]byte, error) {
	if !msgpcode.IsBin(d.code()) {
		return nil, d.wrongType(field, "a binary")
	}
	return d.bytes()
}

// array reads the header of an array of least to most elements.
func (d *decoder) array(field, of string, least, most int) (int, error) {
	if !isArray(d.code()) {
		return 0, d.wrongType(field, "an array of "+of)
	}
	n, err := d.in.DecodeArrayLen()
	if err != nil {
		return 0, err
	}
	if n < least || n > most {
		return 0, fail(CodeWrongShape, field, "", "%s has %d entries, want %d to %d", field, n, least, most)
	}
	return n, nil
}

// texts reads an array of short texts.
func (d *decoder) texts(field string, most int) ([]string, error) {
	n, err := d.array(field, "texts", 0, most)
	if err != nil {
		return nil, err
	}
	list := make([]string, n)
	for i := range list {
		b, err := d.text(element(field, i), maxNameBytes)
		if err != nil {
			return nil, inField(err, field)
		}
		list[i] = string(b)
	}
	return list, nil
}

// element names one entry of a field.
func element(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// inField sets an error's field to the one the request has, where its message
// names an entry of it.
func inField(err error, field string) error {
	e := asError(err)
	e.Field = field
	return e
}

// tensor reads a tensor of the wanted type. Its shape is the caller's to check.
func (d *decoder) tensor(field string, want env.DType, t *tensor) error {
	if !isArray(d.code()) {
		return d.wrongType(field, "a tensor: [dtype, shape, pad, data]")
	}
	n, err := d.in.DecodeArrayLen()
	if err != nil {
		return err
	}
	if n != 4 {
		return fail(CodeWrongType, field, "", "%s is an array of %d, want a tensor: [dtype, shape, pad, data]", field, n)
	}
	if err := d.tensorType(field, want, t); err != nil {
		return err
	}
	if err := d.tensorShape(field, t); err != nil {
		return err
	}
	pad, err := d.binary(field)
	if err != nil {
		return err
	}
	if len(pad) > 1<<16-1 {
		return fail(CodeOutOfRange, field, "leave it empty", "the pad of %s has %d bytes, want at most 65535", field, len(pad))
	}
	if t.data, err = d.binary(field); err != nil {
		return err
	}
	return t.checkSize(field)
}

func (d *decoder) tensorType(field string, want env.DType, t *tensor) error {
	dtype, err := d.text(field, maxNameBytes)
	if err != nil {
		return err
	}
	if string(dtype) != string(want) {
		return fail(CodeWrongType, field, "convert it before sending", "%s is a tensor of %q, want %q", field, dtype, want)
	}
	t.dtype = want
	return nil
}

func (d *decoder) tensorShape(field string, t *tensor) error {
	dims, err := d.array(field, "dimensions", 0, maxDims)
	if err != nil {
		return err
	}
	for i := range dims {
		size, err := d.uint(field, 0, maxMessageBytes)
		if err != nil {
			return err
		}
		t.dims[i] = int(size)
	}
	t.shape = t.dims[:dims]
	return nil
}

// checkSize compares the data with the shape.
func (t *tensor) checkSize(field string) error {
	size := uint64(t.dtype.Bytes())
	for _, n := range t.shape {
		if size *= uint64(n); size > maxMessageBytes {
			break // no message holds so much, and more dimensions could wrap round
		}
	}
	if size != uint64(len(t.data)) {
		return fail(CodeWrongShape, field, "", "%s has %d bytes of data, want %d for shape %v of %s", field, len(t.data), size, slices.Clone(t.shape), t.dtype)
	}
	return nil
}

// indices reads an array of different numbers.
func (d *decoder) indices(field string) ([]int, error) {
	n, err := d.array(field, "integers", 0, maxElements)
	if err != nil {
		return nil, err
	}
	list := make([]int, n)
	for i := range list {
		v, err := d.uint(field, 0, 1<<31-1)
		if err != nil {
			return nil, err
		}
		list[i] = int(v)
	}
	return list, nil
}

// want compares a tensor's shape.
func (t *tensor) want(field string, shape ...int) error {
	if slices.Equal(t.shape, shape) {
		return nil
	}
	return fail(CodeWrongShape, field, "", "%s has shape %v, want %v", field, slices.Clone(t.shape), slices.Clone(shape))
}

// uint64s is the data of a tensor of uint64.
func (t *tensor) uint64s() []uint64 {
	list := make([]uint64, len(t.data)/8)
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(t.data[8*i:])
	}
	return list
}

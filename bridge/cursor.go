package bridge

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// The bounds of one message's structure, as PROTOCOL.md gives them.
const (
	maxDepth    = 8
	maxElements = 1 << 16
	maxKeys     = 128
	maxKeyBytes = 64
	maxStrBytes = 1 << 20
)

// cursor reads msgpack that nobody has checked. It compares every item with the bytes that are
// there before it uses the item. A decoder that trusts lengths and does not limit nesting can be
// made to allocate gigabytes, or to overflow its stack, by a message of a few bytes.
//
// check goes through a message once and notes where its fields lie. It keeps a
// small stack of its own, so it neither recurses nor allocates.
type cursor struct {
	msg      []byte
	pos      int
	elements int
	n        int // how many fields there are so far
	fields   [maxKeys]span
}

// span is where a field's key lies. The value follows it.
type span struct{ from, to uint32 }

// form is the kind of an item.
type form uint8

const (
	formNone form = iota
	formNil
	formBool
	formInt
	formFloat
	formText
	formBinary
	formArray
	formMap
)

func (f form) String() string {
	return [...]string{"nothing", "nil", "a bool", "an integer", "a float", "a string", "a binary", "an array", "a map"}[f]
}

// item is one value, or the head of an array or map.
type item struct {
	form     form
	negative bool   // for an integer: bits are those of an int64
	bits     uint64 // the bits of a bool, an integer or a float64
	n        int    // elements of an array, entries of a map
	data     []byte // the content of a text or binary: a part of the message
}

// heads says what the first bytes from 0xc0 on stand for, and how many bytes of a
// number or a length follow. Bytes without a form are not allowed.
var heads = [32]struct {
	form   form
	follow int
}{
	0x00: {formNil, 0}, 0x02: {formBool, 0}, 0x03: {formBool, 0},
	0x04: {formBinary, 1}, 0x05: {formBinary, 2}, 0x06: {formBinary, 4},
	0x0a: {formFloat, 4}, 0x0b: {formFloat, 8},
	0x0c: {formInt, 1}, 0x0d: {formInt, 2}, 0x0e: {formInt, 4}, 0x0f: {formInt, 8}, // unsigned
	0x10: {formInt, 1}, 0x11: {formInt, 2}, 0x12: {formInt, 4}, 0x13: {formInt, 8}, // signed
	0x19: {formText, 1}, 0x1a: {formText, 2}, 0x1b: {formText, 4},
	0x1c: {formArray, 2}, 0x1d: {formArray, 4}, 0x1e: {formMap, 2}, 0x1f: {formMap, 4},
}

// next reads one item and moves behind it; for an array or map behind its head.
func (c *cursor) next() (it item, err error) {
	if c.pos >= len(c.msg) {
		return it, c.wrong(c.pos, "the message ends inside a container")
	}
	at := c.pos + 1
	switch code := c.msg[c.pos]; {
	case code <= msgpcode.PosFixedNumHigh:
		it.form, it.bits = formInt, uint64(code)
	case code >= msgpcode.NegFixedNumLow:
		it.form, it.bits, it.negative = formInt, uint64(int8(code)), true
	case msgpcode.IsFixedMap(code):
		it.form, it.bits = formMap, uint64(code&msgpcode.FixedMapMask)
	case msgpcode.IsFixedArray(code):
		it.form, it.bits = formArray, uint64(code&msgpcode.FixedArrayMask)
	case msgpcode.IsFixedString(code):
		it.form, it.bits = formText, uint64(code&msgpcode.FixedStrMask)
	default:
		head := heads[code-0xc0]
		if head.form == formNone {
			return it, c.notAllowed(code)
		}
		if left := len(c.msg) - at; head.follow > left {
			return it, c.wrong(c.pos, "%v whose head has %d more bytes, but only %d are left", head.form, head.follow, left)
		}
		it.form = head.form
		it.setBits(code, c.msg[at:at+head.follow])
		at += head.follow
	}
	return it, c.body(&it, at)
}

func (it *item) setBits(code byte, follow []byte) {
	for _, b := range follow {
		it.bits = it.bits<<8 | uint64(b)
	}
	switch {
	case code == msgpcode.True:
		it.bits = 1
	case code == msgpcode.Float:
		it.bits = math.Float64bits(float64(math.Float32frombits(uint32(it.bits))))
	case code >= msgpcode.Int8 && code <= msgpcode.Int64:
		unused := 64 - 8*len(follow)
		it.bits = uint64(int64(it.bits<<unused) >> unused)
		it.negative = it.bits>>63 != 0
	}
}

// body moves past the content of a text or binary, which begins at byte at. The elements of
// an array or map are read later. But each of them takes at least a byte, so body refuses a
// head that promises more elements than bytes are left, before it costs anything.
func (c *cursor) body(it *item, at int) error {
	left := uint64(len(c.msg) - at)
	switch it.form {
	case formText, formBinary:
		if it.bits > left {
			return c.wrong(c.pos, "%v of %d bytes, but only %d are left", it.form, it.bits, left)
		}
		end := at + int(it.bits)
		it.data = c.msg[at:end:end]
		at = end
		if it.form == formText && len(it.data) > maxStrBytes {
			return c.wrong(c.pos, "a string of %d bytes, want at most %d", len(it.data), maxStrBytes)
		}
		if it.form == formText && !utf8.Valid(it.data) {
			return c.wrong(c.pos, "a string that is not UTF-8, want UTF-8")
		}
	case formArray, formMap:
		if it.bits > left || it.form == formMap && it.bits > left/2 {
			return c.wrong(c.pos, "%v of %d elements, but only %d bytes are left", it.form, it.bits, left)
		}
		it.n = int(it.bits)
	}
	c.pos = at
	return nil
}

func (c *cursor) notAllowed(code byte) error {
	if msgpcode.IsExt(code) {
		return c.wrong(c.pos, "an extension type, which this protocol does not use")
	}
	return c.wrong(c.pos, "byte 0x%02x, which is not msgpack", code)
}

// check returns an error unless the message is one map by the rules.
func (c *cursor) check(msg []byte) error {
	c.msg, c.pos, c.elements, c.n = msg, 0, 0, 0
	if len(msg) == 0 {
		return c.wrong(0, "the message is empty, want a map")
	}
	if !isMap(msg[0]) {
		return c.wrong(0, "the message begins with byte 0x%02x, want a map", msg[0])
	}
	it, err := c.next()
	if err == nil && it.n > maxKeys {
		err = c.wrong(0, "a map of %d keys, want at most %d", it.n, maxKeys)
	}
	for c.elements = it.n; err == nil && c.n < it.n; {
		if err = c.key(); err == nil {
			err = c.value()
		}
	}
	if err == nil && c.pos != len(msg) {
		err = c.wrong(c.pos, "%d bytes follow the message's map, want none", len(msg)-c.pos)
	}
	return err
}

// value moves past one item and everything in it.
func (c *cursor) value() error {
	var left [maxDepth - 1]int // by depth: elements still to come in the array around pos
	for depth := 0; ; left[depth-1]-- {
		at := c.pos
		it, err := c.next()
		switch {
		case err != nil:
			return err
		case it.form == formMap:
			return c.wrong(at, "a map inside the message's own, want none")
		case it.form == formArray && depth == len(left):
			return c.wrong(at, "nesting deeper than %d", maxDepth)
		case it.form == formArray:
			if c.elements += it.n; c.elements > maxElements {
				return c.wrong(at, "more than %d elements in one message", maxElements)
			}
			left[depth] = it.n
			depth++
		}
		for depth > 0 && left[depth-1] == 0 {
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// key moves past a field's key and compares it with the keys before.
func (c *cursor) key() error {
	at := c.pos
	if at >= len(c.msg) {
		return c.wrong(at, "the message ends inside a map")
	}
	it, err := c.next()
	switch {
	case err != nil:
		return err
	case it.form != formText:
		return c.wrong(at, "a map's key is %v, want a string", it.form)
	case len(it.data) > maxKeyBytes:
		return c.wrong(at, "a map's key of %d bytes, want at most %d", len(it.data), maxKeyBytes)
	}
	for _, k := range c.keys() {
		if bytes.Equal(c.msg[k.from:k.to], it.data) {
			return c.wrong(at, "the key %q occurs twice in one map", it.data)
		}
	}
	c.fields[c.n] = span{uint32(c.pos - len(it.data)), uint32(c.pos)}
	c.n++
	return nil
}

// keys are the keys of the message, once check has found nothing wrong.
func (c *cursor) keys() []span { return c.fields[:c.n] }

func isMap(code byte) bool {
	return msgpcode.IsFixedMap(code) || code == msgpcode.Map16 || code == msgpcode.Map32
}

func (c *cursor) wrong(at int, format string, args ...any) error {
	return fail(codeMalformed, "", "send one msgpack map by the rules of PROTOCOL.md", "at byte %d: %s", at,
		fmt.Sprintf(format, args...))
}

package bridge

import (
	"bytes"
	"encoding/binary"
	"fmt"
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

// checker walks a message once, from front to back, before anything decodes
// it: the msgpack library takes lengths at their word and nesting without
// limit, which a message of a few bytes turns into gigabytes or an overflowing
// stack. It keeps its own small stack, so it neither recurses nor allocates.
//
// After a check that found nothing, fields tells where the message's fields lie.
type checker struct {
	msg      []byte
	pos      int
	elements int
	depth    int
	open     [maxDepth]container // the containers around pos, outermost first
	fields   []span              // the message's keys; each value follows its key
}

// container is an array or map whose end has not been reached.
type container struct {
	left  int // elements or entries still to come
	isMap bool
	value bool // in a map: the next thing is a value, not a key
	n     int  // keys so far
	keys  [maxKeys]span
}

// span is a part of the message.
type span struct{ from, to uint32 }

// check tells what is wrong with a message, nil if it is one map by the rules.
func (c *checker) check(msg []byte) error {
	c.msg, c.pos, c.elements, c.depth, c.fields = msg, 0, 0, 0, nil
	if len(msg) == 0 {
		return c.wrong("the message is empty, want a map")
	}
	if !isMap(msg[0]) {
		return c.wrong("the message begins with byte 0x%02x, want a map", msg[0])
	}
	for begun := false; !begun || c.depth > 0; begun = true {
		var err error
		if c.wantsKey() {
			err = c.key(&c.open[c.depth-1])
		} else {
			err = c.value()
		}
		if err != nil {
			return err
		}
		c.closeFull()
	}
	if c.pos != len(msg) {
		return c.wrong("%d bytes follow the message's map, want none", len(msg)-c.pos)
	}
	c.fields = c.open[0].keys[:c.open[0].n]
	return nil
}

func (c *checker) wantsKey() bool {
	if c.depth == 0 {
		return false
	}
	top := &c.open[c.depth-1]
	return top.isMap && !top.value
}

// value passes a scalar, text or binary, or opens a container.
func (c *checker) value() error {
	if c.pos >= len(c.msg) {
		return c.wrong("the message ends inside a container")
	}
	code := c.msg[c.pos]
	switch {
	case msgpcode.IsFixedNum(code), code == msgpcode.Nil, code == msgpcode.False, code == msgpcode.True:
		return c.scalar(1)
	case isMap(code), isArray(code):
		return c.container(code)
	case msgpcode.IsString(code), msgpcode.IsBin(code):
		_, err := c.text(code)
		c.valueDone()
		return err
	}
	switch code {
	case msgpcode.Uint8, msgpcode.Int8:
		return c.scalar(2)
	case msgpcode.Uint16, msgpcode.Int16:
		return c.scalar(3)
	case msgpcode.Uint32, msgpcode.Int32, msgpcode.Float:
		return c.scalar(5)
	case msgpcode.Uint64, msgpcode.Int64, msgpcode.Double:
		return c.scalar(9)
	}
	if msgpcode.IsExt(code) {
		return c.wrong("an extension type, which this protocol does not use")
	}
	return c.wrong("byte 0x%02x, which is not msgpack", code)
}

func (c *checker) scalar(size int) error {
	if size > len(c.msg)-c.pos {
		return c.wrong("a number of %d bytes, %d are left", size, len(c.msg)-c.pos)
	}
	c.pos += size
	c.valueDone()
	return nil
}

// text passes a text or binary and returns where its content lies.
func (c *checker) text(code byte) (span, error) {
	n, head, err := c.length(code)
	if err != nil {
		return span{}, err
	}
	if n > len(c.msg)-c.pos-head {
		return span{}, c.wrong("a text or binary of %d bytes, %d are left", n, len(c.msg)-c.pos-head)
	}
	from := c.pos + head
	if msgpcode.IsString(code) {
		if n > maxStrBytes {
			return span{}, c.wrong("a text of %d bytes, want at most %d", n, maxStrBytes)
		}
		if !utf8.Valid(c.msg[from : from+n]) {
			return span{}, c.wrong("a text that is not UTF-8")
		}
	}
	c.pos = from + n
	return span{uint32(from), uint32(c.pos)}, nil
}

// key passes a map's key and compares it with those before.
func (c *checker) key(in *container) error {
	if c.pos >= len(c.msg) {
		return c.wrong("the message ends inside a map")
	}
	code, start := c.msg[c.pos], c.pos
	if !msgpcode.IsString(code) {
		return c.wrong("a map's key begins with byte 0x%02x, want a text", code)
	}
	key, err := c.text(code)
	if err != nil {
		return err
	}
	name := c.msg[key.from:key.to]
	if len(name) > maxKeyBytes {
		c.pos = start
		return c.wrong("a map's key of %d bytes, want at most %d", len(name), maxKeyBytes)
	}
	for _, k := range in.keys[:in.n] {
		if bytes.Equal(c.msg[k.from:k.to], name) {
			c.pos = start
			return c.wrong("the key %q occurs twice in one map", name)
		}
	}
	in.keys[in.n] = key
	in.n++
	in.value = true
	return nil
}

// container opens an array or map. Every element takes a byte at least, so
// one that promises more than is left is refused before it costs anything.
func (c *checker) container(code byte) error {
	n, head, err := c.length(code)
	if err != nil {
		return err
	}
	left := len(c.msg) - c.pos - head
	if isMap(code) && n > left/2 || n > left {
		return c.wrong("a container of %d elements, %d bytes are left", n, left)
	}
	if c.elements += n; c.elements > maxElements {
		return c.wrong("more than %d elements in one message", maxElements)
	}
	if isMap(code) && n > maxKeys {
		return c.wrong("a map of %d keys, want at most %d", n, maxKeys)
	}
	if c.depth == maxDepth {
		return c.wrong("nesting deeper than %d", maxDepth)
	}
	c.pos += head
	top := &c.open[c.depth]
	top.left, top.isMap, top.value, top.n = n, isMap(code), false, 0
	c.depth++
	return nil
}

// closeFull leaves all containers that have come to their end.
func (c *checker) closeFull() {
	for c.depth > 0 {
		if c.open[c.depth-1].left > 0 {
			return
		}
		c.depth--
		c.valueDone()
	}
}

// valueDone counts one element of the innermost container.
func (c *checker) valueDone() {
	if c.depth > 0 {
		c.open[c.depth-1].left--
		c.open[c.depth-1].value = false
	}
}

// length reads how long the text, binary or container at pos is and how many
// bytes its header has.
func (c *checker) length(code byte) (n, head int, err error) {
	switch {
	case msgpcode.IsFixedString(code):
		return int(code & msgpcode.FixedStrMask), 1, nil
	case msgpcode.IsFixedArray(code), msgpcode.IsFixedMap(code):
		return int(code & msgpcode.FixedArrayMask), 1, nil
	}
	rest := c.msg[c.pos+1:]
	switch code {
	case msgpcode.Str8, msgpcode.Bin8:
		if len(rest) >= 1 {
			return int(rest[0]), 2, nil
		}
	case msgpcode.Str16, msgpcode.Bin16, msgpcode.Array16, msgpcode.Map16:
		if len(rest) >= 2 {
			return int(binary.BigEndian.Uint16(rest)), 3, nil
		}
	default:
		if len(rest) >= 4 {
			// No message is longer than maxMessageBytes, and an int may have
			// 32 bits.
			return int(min(binary.BigEndian.Uint32(rest), maxMessageBytes)), 5, nil
		}
	}
	return 0, 0, c.wrong("the message ends inside a header")
}

func isMap(code byte) bool {
	return msgpcode.IsFixedMap(code) || code == msgpcode.Map16 || code == msgpcode.Map32
}

func isArray(code byte) bool {
	return msgpcode.IsFixedArray(code) || code == msgpcode.Array16 || code == msgpcode.Array32
}

func (c *checker) wrong(format string, args ...any) error {
	return fail(CodeMalformed, "", "send one msgpack map by the rules of PROTOCOL.md", "at byte %d: %s", c.pos, fmt.Sprintf(format, args...))
}

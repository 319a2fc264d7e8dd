package bridge

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// appendJSON turns the next value into JSON, for what the games take as JSON
// (rules). It recurses no deeper than checker allows.
func (d *decoder) appendJSON(dst []byte, field string) ([]byte, error) {
	switch c := d.code(); {
	case c == msgpcode.Nil:
		return append(dst, "null"...), d.in.DecodeNil()
	case c == msgpcode.False, c == msgpcode.True:
		b, err := d.in.DecodeBool()
		return strconv.AppendBool(dst, b), err
	case c == msgpcode.Float, c == msgpcode.Double:
		f, err := d.in.DecodeFloat64()
		if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
			err = fail(CodeOutOfRange, field, "", "%s has the number %v, want a finite one", field, f)
		}
		return strconv.AppendFloat(dst, f, 'g', -1, 64), err
	case c == msgpcode.Uint64:
		n, err := d.in.DecodeUint64()
		return strconv.AppendUint(dst, n, 10), err
	case isInt(c):
		n, err := d.in.DecodeInt64()
		return strconv.AppendInt(dst, n, 10), err
	case msgpcode.IsString(c):
		b, err := d.bytes()
		return appendJSONText(dst, b), err
	case isArray(c):
		n, err := d.in.DecodeArrayLen()
		if err != nil {
			return dst, err
		}
		return d.appendJSONList(dst, field, n, '[', ']', false)
	case isMap(c):
		n, err := d.in.DecodeMapLen()
		if err != nil {
			return dst, err
		}
		return d.appendJSONList(dst, field, n, '{', '}', true)
	}
	return dst, d.wrongType(field, "a map of numbers, texts, bools, arrays and maps")
}

func (d *decoder) appendJSONList(dst []byte, field string, n int, open, end byte, keys bool) ([]byte, error) {
	dst = append(dst, open)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if keys {
			key, err := d.bytes()
			if err != nil {
				return dst, err
			}
			dst = append(appendJSONText(dst, key), ':')
		}
		var err error
		if dst, err = d.appendJSON(dst, field); err != nil {
			return dst, err
		}
	}
	return append(dst, end), nil
}

func appendJSONText(dst, text []byte) []byte {
	quoted, err := json.Marshal(string(text))
	if err != nil {
		panic(err) // a text always marshals
	}
	return append(dst, quoted...)
}

// encodeJSON writes anything that marshals to JSON as the msgpack of the same
// structure, its keys sorted.
func encodeJSON(out *msgpack.Encoder, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var tree any
	if err := in.Decode(&tree); err != nil {
		return err
	}
	return encodeValue(out, tree)
}

func encodeNumber(out *msgpack.Encoder, n json.Number) error {
	if i, err := n.Int64(); err == nil {
		return out.EncodeInt(i)
	}
	if u, err := strconv.ParseUint(n.String(), 10, 64); err == nil {
		return out.EncodeUint(u)
	}
	f, err := n.Float64()
	if err != nil {
		return err
	}
	return out.EncodeFloat64(f)
}

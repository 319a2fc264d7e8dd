package bridge

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/vmihailenco/msgpack/v5"
)

// appendJSON turns an item that has just been read into JSON, for what the games
// take as JSON (rules). It recurses no deeper than check allows.
func (f *fields) appendJSON(dst []byte, field string, it item) []byte {
	switch it.form {
	case formNil:
		return append(dst, "null"...)
	case formBool:
		return strconv.AppendBool(dst, it.bits != 0)
	case formInt:
		if it.negative {
			return strconv.AppendInt(dst, int64(it.bits), 10)
		}
		return strconv.AppendUint(dst, it.bits, 10)
	case formFloat:
		x := math.Float64frombits(it.bits)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			f.wrong(codeOutOfRange, field, "", "%s has the number %v, want a finite one", field, x)
		}
		return strconv.AppendFloat(dst, x, 'g', -1, 64)
	case formText:
		return appendJSONText(dst, it.data)
	case formArray:
		return append(f.appendJSONList(append(dst, '['), field, it), ']')
	case formMap:
		return append(f.appendJSONList(append(dst, '{'), field, it), '}')
	}
	f.wrong(codeWrongType, field, "", "%s is %v, want a map of numbers, texts, bools, arrays and maps", field, it.form)
	return dst
}

// appendJSONList turns the elements of an array or the entries of a map.
func (f *fields) appendJSONList(dst []byte, field string, of item) []byte {
	for i := 0; i < of.n && f.err == nil; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		if of.form == formMap {
			dst = append(appendJSONText(dst, f.item().data), ':')
		}
		dst = f.appendJSON(dst, field, f.item())
	}
	return dst
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

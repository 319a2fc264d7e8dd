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

// asJSON is a value to be sent as the msgpack of its JSON.
type asJSON struct{ value any }

// EncodeMsgpack writes the same structure, its keys sorted.
func (a asJSON) EncodeMsgpack(out *msgpack.Encoder) error {
	text, err := json.Marshal(a.value)
	if err != nil {
		return err
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var tree any
	if err := in.Decode(&tree); err != nil {
		return err
	}
	return out.Encode(withNumbers(tree))
}

// withNumbers replaces the numbers in a tree of JSON by integers, where they are, and floats.
func withNumbers(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = withNumbers(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = withNumbers(inner)
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u
		}
		f, _ := v.Float64() // what has been marshalled has a float
		return f
	}
	return tree
}

package bridge

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/vmihailenco/msgpack/v5"
)

// tree is an item that has just been read, with all that it holds, as package json takes it: for what the games
// take as JSON (rules). It recurses no deeper than check allows.
func (f *fields) tree(field string, it item) any {
	switch it.form {
	case formNone, formNil:
	case formBool:
		return it.bits != 0
	case formInt:
		if it.negative {
			return int64(it.bits)
		}
		return it.bits
	case formFloat:
		x := math.Float64frombits(it.bits)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			f.wrong(codeOutOfRange, field, "", "%s has the number %v, want a finite one", field, x)
		}
		return x
	case formText:
		return string(it.data)
	case formArray:
		all := make([]any, it.n)
		for i := range all {
			all[i] = f.tree(field, f.item())
		}
		return all
	case formMap:
		all := make(map[string]any, it.n)
		for range it.n {
			key := string(f.item().data)
			all[key] = f.tree(field, f.item())
		}
		return all
	default:
		f.wrong(codeWrongType, field, "", "%s is %v, want a map of numbers, texts, bools, arrays and maps", field, it.form)
	}
	return nil
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

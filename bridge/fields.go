package bridge

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"pommego/env"
)

// Bounds of single fields.
const (
	maxDims       = 4
	maxNameBytes  = 256       // ids, agents with their options, the client's name
	maxRulesBytes = 32 << 10  // one set of rules
	maxInt        = 1<<31 - 1 // numbers of games, steps and the like
	maxTexts      = 256       // in one list
)

// field is one field of a request: a field of its struct whose tag has this name. See tableOf.
type field struct {
	name        string
	at          []int // the index of the field in the struct
	needed      bool
	least, most uint64    // the range of a number, or of the number of entries of a list
	dtype       env.DType // the type of a tensor
}

// tableOf lists the fields of a request's struct, including those of structs in it. A tag
// holds the field's name, "needed" if it must be given, its range if that is not up to
// maxInt (or maxElements in a list), and a tensor's type: `wire:"games,needed,1..16"`.
func tableOf(t reflect.Type, at ...int) (table []field) {
	for i := range t.NumField() {
		f, index := t.Field(i), append(slices.Clone(at), i)
		tag, is := f.Tag.Lookup("wire")
		if !is {
			if f.Type.Kind() == reflect.Struct && (f.IsExported() || f.Anonymous) {
				table = append(table, tableOf(f.Type, index...)...)
			}
			continue
		}
		options := strings.Split(tag, ",")
		d := field{name: options[0], at: index, most: maxInt}
		if f.Type.Kind() == reflect.Slice {
			d.most = maxElements
		}
		for _, option := range options[1:] {
			if n, _ := fmt.Sscanf(option, "%d..%d", &d.least, &d.most); n == 0 && option == "needed" {
				d.needed = true
			} else if n == 0 {
				d.dtype = env.DType(option)
			}
		}
		table = append(table, d)
	}
	return table
}

// fields reads the fields of one request. Binaries and tensors are parts of the message, not copies. A field
// that is absent or nil reads as zero. fields keeps the first error; everything read after it is zero.
type fields struct {
	cursor
	request string // the request's name
	err     error
}

// start checks a message before anything is read from it.
func (f *fields) start(msg []byte) error {
	f.request, f.err = "", nil
	return f.check(msg)
}

// seek moves to the value of a name, and reports whether the message has it.
func (f *fields) seek(name string) bool {
	for _, k := range f.keys() {
		if string(f.msg[k.from:k.to]) == name {
			f.pos = int(k.to)
			return true
		}
	}
	return false
}

// read fills in a request's struct, and returns an error if the request is wrong.
func (f *fields) read(request any, table []field) error {
	to, found, missing := reflect.ValueOf(request).Elem(), 2, "" // found: type and id
	for i := range table {
		d := &table[i]
		is := f.seek(d.name)
		if is {
			found++
		}
		if is && f.msg[f.pos] != msgpcode.Nil {
			f.value(d, to.FieldByIndex(d.at).Addr().Interface())
		} else if d.needed && missing == "" {
			missing = d.name
		}
	}
	switch {
	case f.err != nil:
		return f.err
	case found < len(f.keys()):
		return f.unknown(table)
	case missing != "":
		return fail(codeMissingField, missing, "", "%s needs the field %s", f.request, missing)
	}
	return nil
}

func (f *fields) unknown(table []field) error {
	known := []string{"type", "id"}
	for i := range table {
		known = append(known, table[i].name)
	}
	for _, k := range f.keys() {
		if name := string(f.msg[k.from:k.to]); !slices.Contains(known, name) {
			return fail(codeUnknownField, name, "", "%s has no field %q, it has %s", f.request, name, strings.Join(known, ", "))
		}
	}
	return nil
}

// value reads a field of any type that requests have.
func (f *fields) value(d *field, to any) {
	name := d.name
	switch to := to.(type) {
	case *bool:
		*to = f.take(name, formBool, "a bool").bits != 0
	case *int:
		*to = int(f.number(name, d.least, d.most))
	case **int:
		*to = new(int(f.number(name, d.least, d.most)))
	case *uint64:
		*to = f.number(name, d.least, d.most)
	case **uint64:
		*to = new(f.number(name, d.least, d.most))
	case *float64:
		*to = f.decimal(name)
	case *string:
		*to = string(f.name(name))
	case *[]string:
		*to = list(f, d, "an array of texts", func(i int) string { return string(f.name(element(name, i))) })
	case *[][]string:
		*to = list(f, d, "an array of arrays of texts", func(i int) []string { return f.texts(name, i) })
	case *[]float64:
		*to = list(f, d, "an array of numbers", func(int) float64 { return f.decimal(name) })
	case *[]int:
		*to = list(f, d, "an array of integers", func(int) int { return int(f.number(name, 0, maxInt)) })
	case *[]uint64:
		*to = list(f, d, "an array of integers", func(int) uint64 { return f.number(name, 0, math.MaxUint64) })
	case *[][]byte:
		*to = list(f, d, "an array of binaries, or texts of JSON", func(int) []byte { return f.content(name) })
	case *[]int32:
		*to = f.numbers(name)
	case *tensor:
		*to = f.tensor(name, d.dtype)
	case encoding.TextUnmarshaler:
		text := f.name(name) // "": as if it were absent
		if err := to.UnmarshalText(text); err != nil && len(text) > 0 {
			f.wrong(codeBadOption, name, "", "%v", err)
		}
	default:
		panic(fmt.Sprintf("bridge: the field %s has the type %T, which no request has", name, to))
	}
}

// wrong keeps an error if it is the first. field may be an element of the field.
func (f *fields) wrong(code errorCode, field, hint, format string, args ...any) {
	if f.err == nil {
		f.err = inField(fail(code, "", hint, format, args...), field)
	}
}

func (f *fields) item() (it item) {
	if f.err == nil {
		it, f.err = f.next()
	}
	return it
}

// take reads the next item, which must have the form want.
func (f *fields) take(field string, want form, called string) item {
	it := f.item()
	if f.err == nil && it.form != want {
		f.wrong(codeWrongType, field, "", "%s is %v, want %s", field, it.form, called)
	}
	if f.err != nil {
		return item{}
	}
	return it
}

func (f *fields) number(field string, least, most uint64) uint64 {
	it := f.take(field, formInt, "an integer")
	switch {
	case f.err != nil:
		return 0
	case it.negative:
		f.err = outOfRange(field, int64(it.bits), least, most)
		return 0
	case it.bits < least || it.bits > most:
		f.err = outOfRange(field, it.bits, least, most)
		return 0
	}
	return it.bits
}

func outOfRange(field string, got any, least, most uint64) error {
	return inField(fail(codeOutOfRange, "", "", "%s is %v, want %d to %d", field, got, least, most), field)
}

func (f *fields) name(field string) []byte {
	it := f.take(field, formText, "a string")
	if len(it.data) > maxNameBytes {
		f.wrong(codeOutOfRange, field, "", "%s has %d bytes, want at most %d", field, len(it.data), maxNameBytes)
	}
	return it.data
}

// array reads the head of an array of least to most elements.
func (f *fields) array(field, called string, least, most int) int {
	it := f.take(field, formArray, called)
	if f.err == nil && (it.n < least || it.n > most) {
		f.wrong(codeWrongShape, field, "", "%s has %d entries, want %d to %d", field, it.n, least, most)
		return 0
	}
	return it.n
}

// list reads a field that is an array.
func list[E any](f *fields, d *field, called string, read func(i int) E) []E {
	all := make([]E, f.array(d.name, called, int(d.least), int(d.most)))
	for i := range all {
		all[i] = read(i)
		if f.err != nil {
			break
		}
	}
	return all
}

// texts reads entry i of an array of arrays of texts.
func (f *fields) texts(name string, i int) []string {
	texts := make([]string, f.array(name, "an array of arrays of texts", 0, maxTexts))
	for k := range texts {
		texts[k] = string(f.name(element(element(name, i), k)))
	}
	return texts
}

// decimal reads the next item, a number of either kind.
func (f *fields) decimal(field string) float64 {
	it := f.item()
	switch {
	case f.err != nil:
		return 0
	case it.form == formFloat:
		return math.Float64frombits(it.bits)
	case it.form == formInt && it.negative:
		return float64(int64(it.bits))
	case it.form == formInt:
		return float64(it.bits)
	}
	f.wrong(codeWrongType, field, "", "%s is %v, want a number", field, it.form)
	return 0
}

// content reads an opaque state, or a text of JSON.
func (f *fields) content(name string) []byte {
	it := f.item()
	if it.form != formBinary && it.form != formText {
		f.wrong(codeWrongType, name, "", "%s is %v, want binaries, or texts of JSON", name, it.form)
	}
	return it.data
}

// numbers reads a tensor of one dimension.
func (f *fields) numbers(name string) []int32 {
	t := f.tensor(name, env.Int32)
	if f.err == nil && t.rank != 1 {
		f.wrong(codeWrongShape, name, "", "%s has %d dimensions, want 1", name, t.rank)
	}
	return dataAs[int32](&t)
}

func element(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// inField says in an error which field is wrong, or an element of which.
func inField(err error, field string) error {
	e := asError(err)
	e.Field, _, _ = strings.Cut(field, "[")
	return e
}

type tensor struct {
	dtype env.DType // empty: the request lacks the field
	dims  [maxDims]int
	rank  int
	data  []byte
}

// tensor reads a tensor of the wanted type. Its shape is the handler's to check.
func (f *fields) tensor(name string, want env.DType) (t tensor) {
	if it := f.take(name, formArray, "a tensor: [dtype, shape, pad, data]"); f.err == nil && it.n != 4 {
		f.wrong(codeWrongType, name, "", "%s is an array of %d, want a tensor: [dtype, shape, pad, data]", name, it.n)
	}
	if dtype := f.name(name); string(dtype) != string(want) {
		f.wrong(codeWrongType, name, "convert it before sending", "%s is a tensor of %q, want %q", name, dtype, want)
	}
	t.dtype = want
	t.rank = f.array(name, "an array of dimensions", 0, maxDims)
	for i := range t.rank {
		t.dims[i] = int(f.number(name, 0, maxMessageBytes))
	}
	if pad := f.take(name, formBinary, "a binary").data; len(pad) > 1<<16-1 {
		f.wrong(codeOutOfRange, name, "leave it empty", "the pad of %s has %d bytes, want at most 65535", name, len(pad))
	}
	t.data = f.take(name, formBinary, "a binary").data
	if size := t.size(); size != uint64(len(t.data)) {
		f.wrong(codeWrongShape, name, "", "%s has %d bytes of data, want %d for shape %v of %s", name, len(t.data), size,
			slices.Clone(t.shape()), want)
	}
	return t
}

func (t *tensor) given() bool { return t.dtype != "" }

func (t *tensor) shape() []int { return t.dims[:t.rank] }

// size is how many bytes of data the shape stands for.
func (t *tensor) size() uint64 {
	size := uint64(t.dtype.Bytes())
	for _, n := range t.shape() {
		if size *= uint64(n); size > maxMessageBytes {
			break // no message holds so much, and more dimensions could wrap round
		}
	}
	return size
}

// want returns an error if the tensor is given and has another shape, else nil.
func (t *tensor) want(field string, shape ...int) error {
	if !t.given() || slices.Equal(t.shape(), shape) {
		return nil
	}
	return fail(codeWrongShape, field, "", "%s has shape %v, want %v", field, slices.Clone(t.shape()), slices.Clone(shape))
}

// dataAs returns the data of a tensor, nil if it is absent. N must be the type of its
// dtype.
func dataAs[N int32 | uint64 | float32](t *tensor) []N {
	if !t.given() {
		return nil
	}
	list := make([]N, len(t.data)/t.dtype.Bytes())
	_, _ = binary.Decode(t.data, binary.LittleEndian, list) // never fails: list has as many bytes as the data
	return list
}

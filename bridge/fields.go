package bridge

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"pommego/env"
)

// Bounds of single fields.
const (
	maxDims      = 4
	maxNameBytes = 256       // ids, agents with their options, the client's name
	maxInt       = 1<<31 - 1 // numbers of games, steps and the like
	maxTexts     = 256       // in one list
)

// fields are those of one request, which its handler reads by name. Texts,
// binaries and tensors are parts of the message, not copies. What is absent, or
// nil, is read as zero.
//
// The first error is kept, and all that is read after it is zero; a handler
// asks for it once, by end, before it uses anything.
type fields struct {
	cursor
	request string   // the request's name
	known   []string // type, id and the names read so far
	found   int      // how many of them the message has
	missing string   // the first that is needed and absent
	err     error

	posted *environment // whose step this is, if it comes from shared memory, which has all of its fields
}

// start checks a message, before anything is read.
func (f *fields) start(msg []byte) error {
	f.request, f.known, f.found, f.missing, f.err = "", append(f.known[:0], "type", "id"), 0, "", nil
	f.posted = nil
	return f.check(msg)
}

// find is where the value of a name begins, 0 if there is none.
func (f *fields) find(name string) int {
	for _, k := range f.keys() {
		if string(f.msg[k.from:k.to]) == name {
			return int(k.to)
		}
	}
	return 0
}

func (f *fields) seek(name string) bool {
	at := f.find(name)
	if at == 0 {
		return false
	}
	f.found++
	f.pos = at
	return true
}

// at is seek for the fields of one request, where nil counts as absent.
func (f *fields) at(name string) bool {
	f.known = append(f.known, name)
	return f.seek(name) && f.msg[f.pos] != msgpcode.Nil
}

// need says which names must be there.
func (f *fields) need(names ...string) {
	for _, name := range names {
		if at := f.find(name); f.missing == "" && (at == 0 || f.msg[at] == msgpcode.Nil) {
			f.missing = name
		}
	}
}

// end says what is wrong with the request, once all of it has been read.
func (f *fields) end() error {
	switch {
	case f.posted != nil:
		return nil
	case f.err != nil:
		return f.err
	case f.found < len(f.keys()):
		return f.unknown()
	case f.missing != "":
		return fail(codeMissingField, f.missing, "", "%s needs the field %s", f.request, f.missing)
	}
	return nil
}

func (f *fields) unknown() error {
	for _, k := range f.keys() {
		if name := string(f.msg[k.from:k.to]); !slices.Contains(f.known, name) {
			return fail(codeUnknownField, name, "", "%s has no field %q, it has %s", f.request, name,
				strings.Join(f.known, ", "))
		}
	}
	return nil
}

// wrong keeps an error, if it is the first.
func (f *fields) wrong(code errorCode, field, hint, format string, args ...any) {
	if f.err == nil {
		f.err = fail(code, field, hint, format, args...)
	}
}

func (f *fields) item() (it item) {
	if f.err == nil {
		it, f.err = f.next()
	}
	return it
}

// take reads the next item, which must have a form.
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
	return fail(codeOutOfRange, field, "", "%s is %v, want %d to %d", field, got, least, most)
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

// list reads the field of a name that is an array; nil if it is absent.
func list[E any](f *fields, name, called string, least, most int, read func(i int) E) []E {
	if !f.at(name) {
		return nil
	}
	all := make([]E, f.array(name, called, least, most))
	for i := range all {
		all[i] = read(i)
		if f.err != nil {
			break
		}
	}
	return all
}

// The fields of a request, by their names.

func (f *fields) unsigned(name string, least, most uint64) uint64 {
	if !f.at(name) {
		return 0
	}
	return f.number(name, least, most)
}

func (f *fields) integer(name string, least, most int) int {
	return int(f.unsigned(name, uint64(least), uint64(most)))
}

func (f *fields) flag(name string) bool {
	return f.at(name) && f.take(name, formBool, "a bool").bits != 0
}

func (f *fields) text(name string) string {
	if !f.at(name) {
		return ""
	}
	return string(f.name(name))
}

func (f *fields) texts(name string) []string {
	return list(f, name, "an array of texts", 0, maxTexts, func(i int) string { return f.entry(name, i) })
}

func (f *fields) entry(name string, i int) string {
	text := string(f.name(element(name, i)))
	if f.err != nil {
		f.err = inField(f.err, name)
	}
	return text
}

// lists reads an array of arrays of texts; nil if it is absent.
func (f *fields) lists(name string) [][]string {
	return list(f, name, "an array of arrays of texts", 1, maxElements, func(i int) []string {
		texts := make([]string, f.array(name, "an array of arrays of texts", 0, maxTexts))
		for k := range texts {
			texts[k] = f.entry(element(name, i), k)
		}
		if f.err != nil {
			f.err = inField(f.err, name)
		}
		return texts
	})
}

// floats reads an array of numbers; nil if it is absent.
func (f *fields) floats(name string) []float64 {
	return list(f, name, "an array of numbers", 0, maxElements, func(int) float64 { return f.decimal(name) })
}

// float reads a number; 0 if it is absent.
func (f *fields) float(name string) float64 {
	if !f.at(name) {
		return 0
	}
	return f.decimal(name)
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

// games reads a list of games; nil if it is absent.
func (f *fields) games() []int {
	return list(f, "games", "an array of integers", 0, maxElements,
		func(int) int { return int(f.number("games", 0, maxInt)) })
}

// seed is nil if the request has none.
func (f *fields) seed() *uint64 {
	if !f.at("seed") {
		return nil
	}
	seed := f.number("seed", 0, 1<<64-1)
	return &seed
}

// rules reads a map, or each of an array of maps, as JSON; nil if it is absent.
func (f *fields) rules() [][]byte {
	read := func(int) []byte {
		return f.appendJSON(nil, "rules", f.take("rules", formMap, "a map, or an array of maps"))
	}
	if at := f.find("rules"); at > 0 && (msgpcode.IsFixedArray(f.msg[at]) || f.msg[at]|1 == msgpcode.Array32) {
		return list(f, "rules", "an array of maps", 1, maxTexts, read)
	}
	if !f.at("rules") {
		return nil
	}
	return [][]byte{read(0)}
}

func element(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

func inField(err error, field string) error {
	e := asError(err)
	e.Field = field
	return e
}

type tensor struct {
	dtype env.DType // empty: the request has no such field
	dims  [maxDims]int
	rank  int
	data  []byte
}

// tensor reads a tensor of the wanted type. Its shape is the handler's to check.
func (f *fields) tensor(name string, want env.DType) (t tensor) {
	if f.posted != nil {
		return f.posted.channel.tensor(name, f.posted.pool)
	}
	if !f.at(name) {
		return t
	}
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

func (t *tensor) want(field string, shape ...int) error {
	if slices.Equal(t.shape(), shape) {
		return nil
	}
	return fail(codeWrongShape, field, "", "%s has shape %v, want %v", field, slices.Clone(t.shape()), slices.Clone(shape))
}

// dataAs is the data of a tensor; nil if it is absent. N is the type for its dtype.
func dataAs[N int32 | uint64 | float32](t *tensor) []N {
	if !t.given() {
		return nil
	}
	list := make([]N, len(t.data)/t.dtype.Bytes())
	_, _ = binary.Decode(t.data, binary.LittleEndian, list) // as many bytes as there are
	return list
}

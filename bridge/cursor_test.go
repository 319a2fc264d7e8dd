package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

// hostile are messages that must be refused before anything decodes them. The
// reason says what the msgpack library does with them, or why they are wrong.
var hostile = []struct {
	reason string
	msg    string
	says   string // in the error
}{
	{"nothing", "", "empty"},
	{"no map", "\x93\x01\x02\x03", "want a map"},
	{"a number", "\x05", "want a map"},
	{"nil", "\xc0", "want a map"},
	{"an array of 2^32-1 would be allocated", "\xdd\xff\xff\xff\xff", "want a map"},
	{"a map of 2^32-1 would be allocated", "\xdf\xff\xff\xff\xff", "bytes are left"},
	{"the same within a field: 19 GB", "\x81\xa4acts\xdd\xff\xff\xff\xff", "bytes are left"},
	{"the same as a map within a field", "\x81\xa4acts\xdf\xff\xff\xff\xff", "bytes are left"},
	{"each of many small arrays promises a million", "\x81\xa1a\xdc\x00\x64" + strings.Repeat("\xdd\x00\x0f\x42\x40", 100),
		"bytes are left"},
	{"an array one longer than the message", "\x81\xa1a\x93\x01\x02", "bytes are left"},
	{"a map of as many entries as there are bytes left", "\x81\xa1a\x82\xa1b", "bytes are left"},
	{"three million arrays in each other overflow the stack", "\x81\xa1a" + strings.Repeat("\x91", 3_000_000), "nesting"},
	{"a map in another", "\x81\xa1a\x81\xa1a\x01", "a map inside"},
	{"a map in an array", "\x81\xa1a\x92\x01\x80", "a map inside"},
	{"one array too deep", "\x81\xa1a" + strings.Repeat("\x91", 8) + "\x01", "nesting"},
	{"a text longer than the message", "\x81\xa1a\xdb\xff\xff\xff\xff", "bytes, but only 0 are left"},
	{"a binary longer than the message", "\x81\xa1a\xc6\xff\xff\xff\xff12", "bytes, but only 2 are left"},
	{"a short binary longer than the message", "\x81\xa1a\xc4\x03ab", "are left"},
	{"the end inside a number", "\x81\xa1a\xcd\x01", "are left"},
	{"the end inside a double", "\x81\xa1a\xcb\x01\x02\x03\x04\x05\x06\x07", "are left"},
	{"the end inside a header", "\x81\xa1a\xdc\x00", "whose head has"},
	{"the end inside a long header", "\x81\xa1a\xdb\x00\x00\x00", "whose head has"},
	{"the end after a key", "\x82\xa1a\x01\xa1b", "inside a container"},
	{"the end before a key", "\x82\xa1a\x92\x01\x02", "inside a map"},
	{"the end inside a key", "\x81\xa5ab", "are left"},
	{"an extension", "\x81\xa1a\xd4\x01\x01", "extension"},
	{"an extension that promises 2^32-1", "\x81\xa1a\xc9\xff\xff\xff\xff\x01", "extension"},
	{"a time, which is an extension", "\x81\xa1a\xd6\xff\x00\x00\x00\x00", "extension"},
	{"the byte that is never used", "\x81\xa1a\xc1", "not msgpack"},
	{"trailing bytes pass Unmarshal", "\x80\x00", "follow"},
	{"two messages in one", "\x81\xa1a\x01\x81\xa1a\x01", "follow"},
	{"a key twice: which holds?", "\x82\xa1a\x01\xa1a\x02", "twice"},
	{"a key twice, written differently", "\x82\xa1a\x01\xd9\x01a\x02", "twice"},
	{"a key that is a number", "\x81\x01\x01", "want a string"},
	{"a key that is a binary", "\x81\xc4\x01a\x01", "want a string"},
	{"a key that is an array", "\x81\x91\x01\x01", "want a string"},
	{"a key too long", "\x81\xd9\x41" + strings.Repeat("k", 65) + "\x01", "want at most 64"},
	{"a text that is not UTF-8", "\x81\xa1a\xa2\xc3\x28", "UTF-8"},
	{"a key that is not UTF-8", "\x81\xa1\xff\x01", "UTF-8"},
	{"a surrogate", "\x81\xa1a\xa3\xed\xa0\x80", "UTF-8"},
	{"a text over its limit", "\x81\xa1a\xdb\x00\x10\x00\x01" + strings.Repeat("x", 1<<20+1), "want at most 1048576"},
	{"more elements than one message may have", "\x81\xa1a\xdd\x00\x01\x00\x00" + strings.Repeat("\x00", 1<<16),
		"more than 65536"},
	{"more elements in several arrays", "\x82\xa1a\xdc\x80\x00" + strings.Repeat("\x00", 1<<15) + "\xa1b\xdc\x80\x00" +
		strings.Repeat("\x00", 1<<15), "more than 65536"},
	{"a map of too many keys", "\xde\x00\x81" + manyKeys(129), "want at most 128"},
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\xa3%03d\x01", i)
	}
	return b.String()
}

func TestCheckRefuses(t *testing.T) {
	c := new(cursor)
	for _, h := range hostile {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := c.check([]byte(h.msg))
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: %.40q was accepted", h.reason, h.msg)
			continue
		}
		if e := asError(err); e.Code != codeMalformed || !strings.Contains(e.Message, h.says) {
			t.Errorf("%s: got %v, want malformed with %q", h.reason, err, h.says)
		}
		// What is allocated is the test's copy of the message and the error.
		if grown := after.TotalAlloc - before.TotalAlloc; grown > uint64(len(h.msg))+64<<10 {
			t.Errorf("%s: checking %d bytes allocated %d", h.reason, len(h.msg), grown)
		}
	}
}

func TestCheckAccepts(t *testing.T) {
	for _, test := range []struct{ reason, msg string }{
		{"the smallest", "\x80"},
		{"an empty map with a long header", "\xdf\x00\x00\x00\x00"},
		{"eight levels", "\x81\xa1a" + strings.Repeat("\x91", 7) + "\x01"},
		{"eight levels, the last empty", "\x81\xa1a" + strings.Repeat("\x91", 6) + "\x90"},
		{"as many keys as there may be", "\xde\x00\x80" + manyKeys(128)},
		{"as many elements as there may be", "\x81\xa1a\xdc\xff\xff" + strings.Repeat("\x00", 1<<16-1)},
		{"a key and one that begins with it", "\x82\xa1a\x01\xa2aa\x01"},
		{"every scalar", "\x8d\xa1a\xc0\xa1b\xc2\xa1c\xc3\xa1d\xe0\xa1e\xcc\xff\xa1f\xcd\xff\xff\xa1g\xce\xff\xff\xff\xff" +
			"\xa1h\xd0\x80" +
			"\xa1i\xd1\x80\x00\xa1j\xd2\x80\x00\x00\x00\xa1k\xca\x00\x00\x00\x00\xa1l\xcf" +
			"\xff\xff\xff\xff\xff\xff\xff\xff\xa1m\xcb\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"texts and binaries with each header",
			"\x86\xa1a\xd9\x01x\xa1b\xda\x00\x01x\xa1c\xdb\x00\x00\x00\x01x\xa1d\xc4\x01\xff\xa1e\xc5\x00\x01\xff" +
				"\xa1f\xc6\x00\x00\x00\x01\xff"},
	} {
		if err := new(cursor).check([]byte(test.msg)); err != nil {
			t.Errorf("%s: %v", test.reason, err)
		}
	}
}

func TestCheckDoesNotAllocate(t *testing.T) {
	msg, err := encodeRequest(entries{"type", "step", "id", 1, "env", 1, "actions", uint8s(make([]byte, 1000)...)})
	if err != nil {
		t.Fatal(err)
	}
	c := new(cursor)
	if n := testing.AllocsPerRun(100, func() { _ = c.check(msg) }); n != 0 {
		t.Errorf("checking allocates %v times, want 0", n)
	}
}

// BenchmarkCheck checks the message that takes longest for its size: many keys, each
// compared with those before.
func BenchmarkCheck(b *testing.B) {
	msg := []byte("\xde\x00\x80" + manyKeys(128))
	c := new(cursor)
	b.SetBytes(int64(len(msg)))
	for b.Loop() {
		if err := c.check(msg); err != nil {
			b.Fatal(err)
		}
	}
}

// anything generates values that a message may hold, within the limits.
func anything(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Uint64().AsAny(), rapid.Int8().AsAny(),
		rapid.Float32().AsAny(), rapid.Float64().AsAny(), rapid.String().AsAny(),
		rapid.SliceOfN(rapid.Byte(), 0, 300).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return anything(depth - 1) })
	return rapid.OneOf(append(scalars, rapid.SliceOfN(inner, 0, 20).AsAny())...)
}

func TestCheckAcceptsWhatMsgpackEncodes(t *testing.T) {
	c := new(cursor)
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.MapOfN(rapid.StringN(0, -1, maxKeyBytes), anything(maxDepth-2), 0, 10).Draw(t, "message")
		var buf bytes.Buffer
		out := msgpack.NewEncoder(&buf)
		out.UseCompactInts(rapid.Bool().Draw(t, "compact"))
		if err := out.Encode(value); err != nil {
			t.Fatal(err)
		}
		msg := buf.Bytes()
		if err := c.check(msg); err != nil {
			t.Fatalf("%x: %v", msg, err)
		}
		if len(c.keys()) != len(value) {
			t.Fatalf("%d fields, want %d", len(c.keys()), len(value))
		}
		for _, f := range c.keys() {
			if _, ok := value[string(msg[f.from:f.to])]; !ok {
				t.Fatalf("field %q is none of the message's", msg[f.from:f.to])
			}
		}
		// Nor can a part of it, or one with more behind it, be right.
		if cut := rapid.IntRange(0, len(msg)-1).Draw(t, "cut"); c.check(msg[:cut]) == nil {
			t.Fatalf("the first %d of %d bytes were accepted", cut, len(msg))
		}
		if c.check(append(msg, 0xc0)) == nil {
			t.Fatal("a trailing byte was accepted")
		}
	})
}

func seeds(f *testing.F) {
	for _, h := range hostile {
		if len(h.msg) < 1<<10 {
			f.Add([]byte(h.msg))
		}
	}
	for _, message := range requestExamples() {
		f.Add(mustEncode(f, message))
	}
	for _, g := range readGolden(f) {
		f.Add([]byte(g.Request))
	}
}

// FuzzCheck holds check to its word: what it accepts, the library decodes
// whole, without a panic and with memory in proportion.
func FuzzCheck(f *testing.F) {
	seeds(f)
	c := new(cursor)
	f.Fuzz(func(t *testing.T, msg []byte) {
		if c.check(msg) != nil {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in := bytes.NewReader(msg)
		v, err := msgpack.NewDecoder(in).DecodeMap()
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatalf("the library says %v", err)
		}
		if in.Len() != 0 {
			t.Fatalf("the library leaves %d bytes", in.Len())
		}
		if len(v) != len(c.keys()) {
			t.Fatalf("%d fields, the library has %d", len(c.keys()), len(v))
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64*uint64(len(msg))+1<<20 {
			t.Fatalf("%d bytes took %d of memory", len(msg), grown)
		}
	})
}

// FuzzRequest has a session without a connection answer whatever comes: always
// by one reply, which is a message, and never by a fault of its own.
func FuzzRequest(f *testing.F) {
	seeds(f)
	server, err := New(Config{IDs: toyIDs, Game: toyGame, MaxGames: 4, maxEnvs: 2, MaxWorkers: 1})
	if err != nil {
		f.Fatal(err)
	}
	made := mustEncode(f, entries{"type", "make", "id", 1, "env_id", "ToySolo-v0", "games", 2})
	reset := mustEncode(f, entries{"type", "reset", "id", 2, "env", 1, "seed", 1})
	f.Fuzz(func(t *testing.T, msg []byte) {
		s := newTestSession(server)
		defer s.freeAll()
		for _, before := range [][]byte{made, reset} {
			ask(t, s, new(request), before)
		}
		r := &request{buf: msg, length: int64(len(msg))}
		rep := s.answer(r)
		if rep.batch != nil {
			rep.batch.home <- rep.batch
		}
		if rep.msg == nil {
			return // ring, which is answered elsewhere
		}
		reply, err := decodeReply(rep.msg)
		if e := (*wireError)(nil); errors.As(err, &e) {
			if e.Code == codeInternal {
				t.Fatalf("a fault of ours: %v", err)
			}
		} else if err != nil {
			t.Fatal(err)
		}
		if r.hasID && number(reply["id"]) != r.id || r.id > maxID {
			t.Fatalf("request %d got the reply %v", r.id, reply["id"])
		}
	})
}

package saved

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pommego/env"
)

var header = Header{Game: "toy", ID: "Toy-v0", Format: 3, Rules: 0xabc}

// wants reports whether an error holds a text; "" wants none.
func wants(t *testing.T, reason string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: %v, want %q", reason, err, want)
	}
}

// toy is a state with a part of every kind.
type toy struct {
	Steps uint16
	Kind  [2]uint8
	Due   int8
	Score int32
	N     uint8
	Row   [3]uint8 // N of them
	RNG   env.RNG
}

func (s *toy) code(c *Codec) {
	Numbers(c, &s.Steps)
	List(c, s.Kind[:])
	Numbers(c, &s.Due)
	Numbers(c, &s.Score)
	c.Len("rows", &s.N, len(s.Row))
	List(c, s.Row[:s.N])
	Numbers(c, &s.RNG.State)
}

func toyForm() Form[toy] {
	kind := Fixed("kind", 2, Col("kind", 0, 9))
	kind.Optional = true
	return Form[toy]{
		Header: header,
		Blank:  toy{Due: 1},
		Table: Table[toy]{
			RNGField("dice", func(s *toy) *env.RNG { return &s.RNG }),
			NumberField("steps", 0, 500, func(s *toy) *uint16 { return &s.Steps }),
			RowField(kind, func(s *toy) []uint8 { return s.Kind[:] }),
			RowsField(UpTo("rows", 3, Col("row", 0, 4)), func(s *toy, rows *Listing) {
				for _, v := range s.Row[:s.N] {
					rows.Add(int(v))
				}
			}, func(s *toy, i int, v []int) error {
				if i > 0 && int(s.Row[i-1]) == v[0] {
					return errors.New("is the one before it again")
				}
				s.Row[i], s.N = uint8(v[0]), uint8(i+1)
				return nil
			}),
		},
		Invariants: func(s *toy) error {
			if s.Steps == 13 {
				return errors.New("nobody takes 13 steps")
			}
			return nil
		},
	}
}

var toyState = toy{Steps: 500, Kind: [2]uint8{3, 9}, Due: 1, N: 2, Row: [3]uint8{4, 1}, RNG: env.RNG{State: 1<<63 | 5}}

func (f *Form[S]) bytes(code func(c *Codec)) []byte {
	c := f.Writer([]byte("x"))
	code(&c)
	return c.Bytes[1:]
}

// TestBytes writes a state, reads it back, and cuts it anywhere.
func TestBytes(t *testing.T) {
	f := toyForm()
	odd := toy{Steps: 0x102, Due: -1, Score: -2, RNG: env.RNG{State: 3}}
	if got, want := f.bytes(odd.code), "\x03\xbc\x0a\x00\x00\x00\x00\x00\x00\x02\x01\x00\x00\xff\xfe\xff\xff\xff\x00\x03\x00\x00\x00\x00\x00\x00\x00"; string(got) != want {
		t.Errorf("the bytes are %q, want %q", got, want)
	}
	read := func(bytes []byte) (to toy, err error) {
		c, s := f.Reader(bytes), toy{}
		s.code(&c)
		return to, f.Restore(&c, &s, &to)
	}
	s := toyState
	whole := f.bytes(s.code)
	if got, err := read(whole); err != nil || got != toyState {
		t.Errorf("%+v is read as %+v, %v", toyState, got, err)
	}
	for cut := range whole {
		got, err := read(whole[:cut])
		wants(t, "bytes that end early", err, "toy: saved state is cut short")
		if got != (toy{}) {
			t.Fatalf("a state cut short was restored as %+v", got)
		}
	}
	_, err := read(append(whole, 7, 8))
	wants(t, "bytes left", err, "toy: saved state has 2 bytes too many")
	for _, tc := range []struct {
		reason string
		at     int
		to     byte
		want   string
	}{
		{"another form", 0, 4, "toy: saved state has format 4, want 3"},
		{"other rules", 1, 0xef, "toy: saved state belongs to other rules than Toy-v0 (fingerprint 0000000000000aef"},
		{"too many rows", 18, 4, "toy: saved state has 4 rows, want at most 3"},
		{"a value out of range", 20, 5, "toy: state: rows[1].row is 5, want 0 to 4"},
		{"a row that cannot follow", 20, 4, "toy: state: rows[1] is the one before it again"},
		{"what no text shows", 14, 1, "it holds something beside"},
		{"what breaks an invariant", 9, 13, ""},
	} {
		b := append([]byte(nil), whole...)
		b[tc.at] = tc.to
		if tc.want == "" {
			b[tc.at+1], tc.want = 0, "toy: state: nobody takes 13 steps"
		}
		_, err := read(b)
		wants(t, tc.reason, err, tc.want)
	}
}

// TestByteOrder writes and reads numbers on a machine that has them the other way
// round.
func TestByteOrder(t *testing.T) {
	f := toyForm()
	numbers := []uint32{1, 1 << 31, 0x01020304}
	code := func(c *Codec) {
		toyState.code(c)
		List(c, numbers)
	}
	want := f.bytes(code)
	littleEndian = !littleEndian
	defer func() { littleEndian = !littleEndian }()
	if got := f.bytes(code); string(got) != string(want) {
		t.Errorf("the bytes are %x, want %x", got, want)
	}
	c, s, list := f.Reader(want), toy{}, make([]uint32, 3)
	s.code(&c)
	if List(&c, list); s != toyState || !slices.Equal(list, numbers) || c.End() != nil {
		t.Errorf("read %+v and %v, %v; want %+v and %v", s, list, c.End(), toyState, numbers)
	}
	c = f.Reader(want[:len(want)-1])
	s.code(&c)
	if List(&c, list); c.End() == nil || list[0] != 0 {
		t.Errorf("of bytes cut short %v was read, %v; want zeros and an error", list, c.End())
	}
}

// TestAppendAllocates holds writing to the caller's slice.
func TestAppendAllocates(t *testing.T) {
	f, s, dst := toyForm(), toyState, make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		c := f.Writer(dst)
		s.code(&c)
	}); n != 0 {
		t.Errorf("writing a state allocates %v times, want 0", n)
	}
}

// TestJSON writes the readable form and reads it back.
func TestJSON(t *testing.T) {
	f := toyForm()
	const want = `{"format":3,"rules":"0000000000000abc","dice":"8000000000000005","steps":500,"kind":[3,9],"rows":[[4],[1]]}`
	text, err := f.AppendJSON(nil, &toyState)
	if err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	var got toy
	if err := f.RestoreJSON(text, &got); err != nil || got != toyState {
		t.Errorf("%s is read as %+v, %v", text, got, err)
	}
	for _, tc := range []struct{ reason, from, to, want string }{
		{"nothing there", `,"kind":[3,9]`, ``, ""},
		{"another form", `"format":3`, `"format":259`, "toy: state has format 259"},
		{"other rules", `abc"`, `def"`, "0000000000000def"},
		{"a value out of range", `500`, `501`, "toy: state: steps is 501, want 0 to 500"},
		{"a number that is none", `"8000`, `"g000`, "toy: state: dice are"},
		{"an unknown key", `"kind"`, `"kinds"`, `"kinds"`},
		{"no steps", `"steps":500,`, ``, "toy: state: steps is missing"},
	} {
		wants(t, tc.reason, f.RestoreJSON([]byte(strings.Replace(string(text), tc.from, tc.to, 1)), &got), tc.want)
	}
}

// TestDifference names the first difference of two states.
func TestDifference(t *testing.T) {
	f := toyForm()
	for want, alter := range map[string]func(s *toy){
		"":                             func(*toy) {},
		"steps: 500 and 499":           func(s *toy) { s.Steps-- },
		"rows[1].row: 1 and 2":         func(s *toy) { s.Row[1]++ },
		"kind: [3 9] and []":           func(s *toy) { s.Kind = [2]uint8{} },
		"dice: 8000000000000005 and 0": func(s *toy) { s.RNG.State = 0 },
		"it holds something beside":    func(s *toy) { s.Row[2] = 1 },
	} {
		s := toyState
		alter(&s)
		if got := f.Difference(&toyState, &s); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("the difference is %q, want %q", got, want)
		}
	}
}

func TestParseRNG(t *testing.T) {
	rng := env.RNG{State: 1<<63 | 5}
	if got, err := ParseRNG(Hex(rng.State)); err != nil || got != rng {
		t.Errorf("RNG %+v is read as %+v, %v", rng, got, err)
	}
	for _, bad := range []string{"", "g", "-1", "10000000000000000"} {
		_, err := ParseRNG(bad)
		wants(t, bad, err, "want a hexadecimal number")
	}
}

func TestDecodeJSON(t *testing.T) {
	for _, tc := range []struct{ reason, text, want string }{
		{"an object", ` {"a": 1} `, ""},
		{"an unknown key", `{"b": 1}`, `unknown field "b"`},
		{"two objects", `{"a": 1}{}`, "more follows"},
		{"something behind it", `{"a": 1} x`, "more follows"},
		{"no end", `{"a": 1`, "EOF"},
	} {
		var v struct{ A int }
		wants(t, tc.reason, DecodeJSON([]byte(tc.text), &v), tc.want)
		if tc.want == "" && v.A != 1 {
			t.Errorf("%s: read %+v", tc.reason, v)
		}
	}
}

package saved

import (
	"errors"
	"fmt"
	"reflect"
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

// toySnapshot is its readable form.
type toySnapshot struct {
	RNG   RNG   `json:"dice,omitzero"`
	Steps int   `json:"steps"`
	Kind  []int `json:"kind,omitempty"`
	Rows  Rows  `json:"rows"`
	Due   int   `json:"due,omitzero"`
}

func toyForm() *Form[toy, toySnapshot] {
	return &Form[toy, toySnapshot]{
		Header:   header,
		Readable: 4,
		Shape: Shape{Columns: map[string][]Column{
			"steps": {Col("", 0, 500)}, "kind": {Col("", 0, 9)}, "rows": {Col("row", 0, 4)}, "due": {Col("", 0, 1)},
		}},
		Code: (*toy).code,
		Show: func(s *toy, t *toySnapshot) {
			*t = toySnapshot{RNG: RNG(s.RNG), Steps: int(s.Steps), Rows: t.Rows[:0], Due: int(s.Due)}
			if s.Kind != [2]uint8{} {
				t.Kind = Ints(s.Kind[:])
			}
			for _, v := range s.Row[:s.N] {
				t.Rows.Add(int(v))
			}
		},
		Take: func(t *toySnapshot) toy {
			s := toy{RNG: env.RNG(t.RNG), Steps: uint16(t.Steps), Due: int8(t.Due)}
			SetInts(s.Kind[:], t.Kind)
			for _, row := range t.Rows[:min(len(t.Rows), len(s.Row))] {
				s.Row[s.N] = uint8(row[0])
				s.N++
			}
			return s
		},
		Invariants: func(s *toy) error {
			if s.Steps == 13 {
				return errors.New("nobody takes 13 steps")
			}
			return nil
		},
	}
}

var toyState = toy{Steps: 500, Kind: [2]uint8{3, 9}, N: 2, Row: [3]uint8{4, 1}, RNG: env.RNG{State: 1<<63 | 5}}

// TestBytes writes a state, reads it back, and cuts it anywhere.
func TestBytes(t *testing.T) {
	f := toyForm()
	odd := toy{Steps: 0x102, Due: -1, Score: -2, RNG: env.RNG{State: 3}}
	if got, want := f.Append([]byte("x"), &odd),
		"x\x03\xbc\x0a\x00\x00\x00\x00\x00\x00\x02\x01\x00\x00"+
			"\xff\xfe\xff\xff\xff\x00\x03\x00\x00\x00\x00\x00\x00\x00"; string(got) != want {
		t.Errorf("the bytes are %q, want %q", got, want)
	}
	read := func(bytes []byte) (to toy, err error) {
		return to, f.Restore(bytes, &to)
	}
	s := toyState
	whole := f.Append(nil, &s)
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
		{"other rules", 1, 0xef, "toy: saved state belongs to other rules than Toy-v0 (fingerprint \"0000000000000aef\""},
		{"too many rows", 18, 4, "toy: saved state has 4 rows, want at most 3"},
		{"a value out of range", 20, 5, "toy: state: rows[1].row is 5, want 0 to 4"},
		{"a value out of range that JSON may leave out", 13, 2, "toy: state: due is 2, want 0 to 1"},
		{"what no text shows", 14, 1, "it holds something that its readable"},
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
	numbers := []uint32{1, 1 << 31, 0x01020304}
	write := func() []byte {
		c := Writer(nil)
		toyState.code(&c)
		List(&c, numbers)
		return c.Bytes
	}
	want := write()
	littleEndian = !littleEndian
	defer func() { littleEndian = !littleEndian }()
	if got := write(); string(got) != string(want) {
		t.Errorf("the bytes are %x, want %x", got, want)
	}
	c, s, list := Reader(want), toy{}, make([]uint32, 3)
	s.code(&c)
	if List(&c, list); s != toyState || !slices.Equal(list, numbers) || c.End() != nil {
		t.Errorf("read %+v and %v, %v; want %+v and %v", s, list, c.End(), toyState, numbers)
	}
	c = Reader(want[:len(want)-1])
	s.code(&c)
	if List(&c, list); c.End() == nil || list[0] != 0 {
		t.Errorf("of bytes cut short %v was read, %v; want zeros and an error", list, c.End())
	}
}

// TestAppendAllocates holds writing to the caller's slice.
func TestAppendAllocates(t *testing.T) {
	f, s, dst := toyForm(), toyState, make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		f.Append(dst, &s)
	}); n != 0 {
		t.Errorf("writing a state allocates %v times, want 0", n)
	}
}

// TestJSON writes the readable form and reads it back.
func TestJSON(t *testing.T) {
	f := toyForm()
	const want = `{"format":4,"rules":"0000000000000abc","dice":"8000000000000005","steps":500,"kind":[3,9],"rows":[[4],[1]]}`
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
		{"another form", `"format":4`, `"format":3`, "toy: state has format 3, want 4"},
		{"other rules", `abc"`, `def"`, "toy: state belongs to other rules than Toy-v0 (fingerprint \"0000000000000def\""},
		{"no rules", `"0000000000000abc"`, `""`,
			"toy: state belongs to other rules than Toy-v0 (fingerprint \"\""},
		{"a value out of range", `500`, `501`, "toy: state: steps is 501, want 0 to 500"},
		{"a number that is none", `"8000`, `"g000`, "toy: state: dice: dice are"},
		{"more rows than there is room for", `[1]`, `[1],[2],[3]`,
			"toy: state: rows is [[4] [1] [2] [3]], but a state could only hold [[4] [1] [2]]"},
		{"a row of two", `[1]`, `[1,2]`, "toy: state: rows[1] has 2 numbers, want 1"},
		{"null", `500`, `null`, "toy: state: steps is null, want a value"},
		{"no object", `"rows":[`, `"rows":[[[`, "toy: state: invalid character"},
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
	} {
		s := toyState
		alter(&s)
		got := ""
		f.Compare(f.Snapshot(&toyState), f.Snapshot(&s), func(path string, is, not any) {
			if got == "" {
				got = fmt.Sprintf("%s: %v and %v", path, is, not)
			}
		})
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("the difference is %q, want %q", got, want)
		}
	}
}

func TestParseRNG(t *testing.T) {
	rng := env.RNG{State: 1<<63 | 5}
	var got RNG
	if err := got.UnmarshalText([]byte(Hex(rng.State))); err != nil || got != RNG(rng) {
		t.Errorf("RNG %+v is read as %+v, %v", rng, got, err)
	}
	for _, bad := range []string{"", "g", "-1", "10000000000000000"} {
		wants(t, bad, got.UnmarshalText([]byte(bad)), "want a hexadecimal number")
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

// picture is a snapshot with a field of every kind.
type picture struct {
	inner
	Flag  Flag      `json:"flag"`
	Maybe *int      `json:"maybe"`
	Real  []float64 `json:"real"`
	Board Map       `json:"board"`
	Text  string    `json:"text,omitempty"`
}

type inner struct {
	N     int  `json:"n"`
	Bombs Rows `json:"bombs"`
}

var pictured = Shape{
	Columns: map[string][]Column{"bombs": {Col("row", 0, 4), Col("life", 1, 9)}, "n": {Col("", 0, 7)},
		"maybe": {Col("", 0, 3)}},
	Cell: func(i int) (int, int) { return i / 2, i % 2 },
}

// TestSnapshot writes a snapshot in two parts and reads it back.
func TestSnapshot(t *testing.T) {
	one := 1
	p := picture{inner{3, Rows{{0, 1}}}, true, &one, []float64{0.5}, Map("01.1"), `a"b`}
	text, err := Encode(&p, &struct {
		More int `json:"more"`
	}{4})
	const want = `{"n":3,"bombs":[[0,1]],"flag":1,"maybe":1,"real":[0.5],"board":"01.1","text":"a\"b","more":4}`
	if err != nil || string(text) != want {
		t.Fatalf("%s, %v, want %s", text, err, want)
	}
	var got picture
	var more struct {
		More int `json:"more"`
	}
	if err := Decode(text, &got, &more); err != nil || !reflect.DeepEqual(got, p) || more.More != 4 {
		t.Errorf("read back as %+v, %v", got, err)
	}
	if text, err = Encode(&inner{}); err != nil || string(text) != `{"n":0,"bombs":[]}` {
		t.Errorf("an empty one is written as %s, %v", text, err)
	}
	for _, tc := range []struct{ reason, from, to, want string }{
		{"a flag in words", `"flag":1`, `"flag":false`, ""},
		{"nothing", `"maybe":1`, `"maybe":null`, ""},
		{"what may be missing", `,"text":"a\"b"`, ``, ""},
		{"a key is missing", `"n":3,`, ``, "n is missing"},
		{"a key is null", `"n":3`, `"n":null`, "n is null, want a value"},
		{"a key too many", `"n":3`, `"n":3,"b":0,"a":0`, `there is a key "a", which does not belong here`},
		{"another kind", `"n":3`, `"n":"3"`, "n: json: cannot unmarshal string"},
		{"a flag that is neither", `"flag":1`, `"flag":2`, "flag: 2 is not a boolean, want 0 or 1"},
	} {
		wants(t, tc.reason, Decode([]byte(strings.Replace(want, tc.from, tc.to, 1)), &got, &more), tc.want)
	}
}

// TestShape names the place, the value and the range of what is out of range, and every
// kind of difference.
func TestShape(t *testing.T) {
	one, two, five := 1, 2, 5
	plain := func() *picture {
		return &picture{inner{3, Rows{{0, 1}, {4, 9}}}, true, &one, []float64{0.5}, Map("0123"), ""}
	}
	for _, tc := range []struct {
		reason string
		alter  func(p *picture)
		check  string
		differ string
	}{
		{"as it was", func(*picture) {}, "", ""},
		{"a number", func(p *picture) { p.N = 8 }, "n is 8, want 0 to 7", "n: 3, 8"},
		{"one that may be missing", func(p *picture) { p.Maybe = &five }, "maybe is 5, want 0 to 3", "maybe: 1, 5"},
		{"the same elsewhere", func(p *picture) { p.Maybe = new(1) }, "", ""},
		{"another", func(p *picture) { p.Maybe = &two }, "", "maybe: 1, 2"},
		{"a flag", func(p *picture) { p.Flag = false }, "", "flag: 1, 0"},
		{"a real number", func(p *picture) { p.Real[0] = 1 }, "", "real: [0.5], [1]"},
		{"numbers in rows", func(p *picture) { p.Bombs[1][1], p.Bombs[0][0] = 8, 5 }, "bombs[0].row is 5, want 0 to 4",
			"bombs[0].row: 0, 5; bombs[1].life: 9, 8"},
		{"a number too few", func(p *picture) { p.Bombs[1] = []int{4} }, "bombs[1] has 1 numbers, want 2",
			"bombs[1]: [4 9], [4]"},
		{"a row less", func(p *picture) { p.Bombs = p.Bombs[:1] }, "", "bombs: [[0 1] [4 9]], [[0 1]]"},
		{"another order", func(p *picture) { p.Bombs = Rows{{4, 9}, {0, 1}} }, "",
			"bombs (order): [[0 1] [4 9]], [[4 9] [0 1]]"},
		{"a cell", func(p *picture) { p.Board = Map("0120") }, "", "board[1,1]: 3, 0"},
		{"several cells", func(p *picture) { p.Board = Map("0210") }, "", "board[0,1]: 1, 2"},
		{"a shorter map", func(p *picture) { p.Board = Map("01") }, "", "board: 4 cells, 2 cells"},
		{"text", func(p *picture) { p.Text = "x" }, "", "text: , x"},
	} {
		got := plain()
		tc.alter(got)
		wants(t, tc.reason, pictured.Check(got), tc.check)
		var told []string
		pictured.Compare(plain(), got, func(path string, want, got any) {
			told = append(told, fmt.Sprintf("%s: %v, %v", path, want, got))
		})
		if all := strings.Join(told, "; "); all != tc.differ {
			t.Errorf("%s: differs in %q, want %q", tc.reason, all, tc.differ)
		}
	}
	var m Map
	m.Draw(3, "ab", func(i int) int { return i })
	if pictured.Drawn(&picture{Board: m}) || !pictured.Drawn(plain()) {
		t.Errorf("a number without a letter is drawn: %v, letters alone: %v", pictured.Drawn(&picture{Board: m}),
			pictured.Drawn(plain()))
	}
}

package saved

import (
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

func TestReader(t *testing.T) {
	whole := header.Append([]byte("x"))[1:]
	whole = append(whole, 1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 9)
	for cut := range whole {
		in := Reader{Left: whole[:cut]}
		if err := header.Read(&in); (err != nil) != (cut < 9) {
			t.Errorf("the header of %d bytes: %v", cut, err)
		}
		in.Uint8()
		in.Uint16()
		in.Uint32()
		in.Uint64()
		in.Bytes(1)
		wants(t, "bytes that end early", in.End("toy"), "toy: saved state is cut short")
	}
	in := Reader{Left: append(whole, 7)}
	wants(t, "the same header", header.Read(&in), "")
	if a, b, c, d, e := in.Uint8(), in.Uint16(), in.Uint32(), in.Uint64(), in.Bytes(1)[0]; a != 1 || b != 2 || c != 3 || d != 1<<56|4 || e != 9 {
		t.Errorf("read %d, %d, %d, %#x and %d, want 1, 2, 3, 0x100000000000004 and 9", a, b, c, d, e)
	}
	wants(t, "a byte left", in.End("toy"), "toy: saved state has 1 bytes too many")
	if in.Uint8() != 7 || in.End("toy") != nil {
		t.Errorf("left are %v, want nothing", in.Left)
	}
}

func TestHeader(t *testing.T) {
	for _, tc := range []struct {
		reason  string
		written Header
		want    string
	}{
		{"the same", header, ""},
		{"another form", Header{Format: 4, Rules: header.Rules}, "format 4"},
		{"other rules", Header{Format: header.Format, Rules: 0xdef}, "0000000000000def"},
	} {
		in := Reader{Left: tc.written.Append(nil)}
		wants(t, tc.reason, header.Read(&in), tc.want)
		wants(t, tc.reason+" in words", header.Check(int(tc.written.Format), Hex(tc.written.Rules)), tc.want)
	}
	wants(t, "a format beyond a byte", header.Check(259, Hex(header.Rules)), "format 259")
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

func TestCheckRow(t *testing.T) {
	for _, tc := range []struct {
		reason string
		row    []int
		want   string
	}{
		{"a cell and a value", []int{4, 0, 255}, ""},
		{"a number too few", []int{4, 0}, "bombs[2] has 2 numbers, want 3"},
		{"beyond the last row", []int{5, 0, 1}, "bombs[2] is at row 5, column 0, want 0 to 4"},
		{"before the first column", []int{0, -1, 1}, "column -1"},
		{"more than a byte", []int{0, 0, 256}, "bombs[2] has the value 256"},
		{"less than nothing", []int{0, 0, -1}, "value -1"},
	} {
		wants(t, tc.reason, CheckRow("bombs", 2, tc.row, 3, 5), tc.want)
	}
}

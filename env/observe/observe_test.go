package observe

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"pommego/env"
)

// put is a vector with every kind of entry.
func put[M Mode](v Vector[M], values [5]int) {
	v = v.Int16("first", "the first", values[0])
	for k := range 2 {
		v = v.Nth(k).Int16("nth%d", "number %d", values[1+k])
	}
	for i := range whos {
		v = v.Of(&whos[i]).Int16("%s_size", "size of %s", values[3+i])
	}
}

var whos = [2]env.Name{{Name: "me", Meaning: "the seat"}, {Name: "you", Meaning: "the other"}}

// TestVectorIsWhatItIsListedAs writes a vector, reads it back by the names it
// was listed with, and looks whether anything beside it was written.
func TestVectorIsWhatItIsListedAs(t *testing.T) {
	values := [5]int{-3, 4, math.MaxInt16, math.MinInt16, 0}
	f := VectorField(env.Int16, -1, 1, func(v Vector[List]) { put(v, values) })
	want := []env.Name{
		{Name: "first", Meaning: "the first"}, {Name: "nth0", Meaning: "number 0"}, {Name: "nth1", Meaning: "number 1"},
		{Name: "me_size", Meaning: "size of the seat"}, {Name: "you_size", Meaning: "size of the other"},
	}
	data := bytes.Repeat([]byte{0xaa}, f.Size()+2)
	put(Into(data[1:]), values)
	if data[0] != 0xaa || data[len(data)-1] != 0xaa {
		t.Errorf("a vector of %d bytes wrote beyond its %d entries", f.Size(), len(f.Names))
	}
	for i, name := range want {
		if f.Names[i] != name {
			t.Errorf("entry %d is listed as %v, want %v", i, f.Names[i], name)
		}
		if got := int(int16(binary.LittleEndian.Uint16(data[1+2*i:]))); got != values[i] {
			t.Errorf("%s is %d, want %d", name.Name, got, values[i])
		}
	}
	if len(f.Names) != len(want) || f.Shape[0] != len(want) || f.DType != env.Int16 || f.Low != -1 || f.High != 1 {
		t.Errorf("the field is %+v, want %d entries of int16 from -1 to 1", f, len(want))
	}
}

// TestWiderEntries writes one number of each of the types of four bytes.
func TestWiderEntries(t *testing.T) {
	data := make([]byte, 8)
	Into(data).Int32("a", "", -7).Float("b", "", 0.25)
	if got := int32(binary.LittleEndian.Uint32(data)); got != -7 {
		t.Errorf("the int32 is %d, want -7", got)
	}
	if got := math.Float32frombits(binary.LittleEndian.Uint32(data[4:])); got != 0.25 {
		t.Errorf("the float32 is %g, want 0.25", got)
	}
}

// paint is two maps of one value each, and two more in one.
func paint[M Mode](m Maps[M]) {
	for i, name := range []string{"one", "two"} {
		var one []byte
		one, m = m.Next(name, "all "+name)
		for c := range one {
			one[c] = byte(1 + i)
		}
	}
	both, m := m.Named(whos[:])
	clear(both)
	clear(m.Rest())
}

// TestMapsAreWhatTheyAreListedAs paints maps and reads them back.
func TestMapsAreWhatTheyAreListedAs(t *testing.T) {
	f := MapsField("maps", 2, 3, 9, func(m Maps[List]) { paint(m) })
	data := bytes.Repeat([]byte{0xaa}, f.Size())
	paint(MapsInto(data, 6))
	for i, name := range []string{"one", "two", "me", "you"} {
		want := bytes.Repeat([]byte{[]byte{1, 2, 0, 0}[i]}, 6)
		if got := data[6*i:][:6]; f.Names[i].Name != name || !bytes.Equal(got, want) {
			t.Errorf("map %d is listed as %s and holds %v, want %s and %v", i, f.Names[i].Name, got, name, want)
		}
	}
	if len(f.Names) != 4 || f.Names[1].Meaning != "all two" || f.High != 9 || f.Size() != 24 {
		t.Errorf("the field is %+v, want four maps of 2 times 3 bytes up to 9", f)
	}
}

// TestShares compares the table with the quotient, which stops at 1.
func TestShares(t *testing.T) {
	table := Shares(10)
	for n, want := range map[int]float32{0: 0, 1: 0.1, 10: 1, 255: 1} {
		if table[n] != want || Share(n, 10) != want {
			t.Errorf("%d of 10 is %g in the table and %g divided, want %g", n, table[n], Share(n, 10), want)
		}
	}
	if One(true) != 1 || One(false) != 0 {
		t.Errorf("true is %g and false %g, want 1 and 0", One(true), One(false))
	}
}

// TestSpread looks at every bit.
func TestSpread(t *testing.T) {
	for n, spread := range Spread {
		for bit := range 8 {
			if got, want := spread>>(8*bit)&0xff, uint64(n>>bit&1); got != want {
				t.Fatalf("byte %d of %d is %d, want %d", bit, n, got, want)
			}
		}
	}
}

// TestWritingAllocatesNothing writes a vector and maps.
func TestWritingAllocatesNothing(t *testing.T) {
	data := make([]byte, 24)
	if n := testing.AllocsPerRun(100, func() {
		put(Into(data), [5]int{})
		m := MapsInto(data, 6)
		_, m = m.Next("one", "")
		clear(m.Rest())
	}); n != 0 {
		t.Errorf("writing allocates %g times, want 0", n)
	}
}

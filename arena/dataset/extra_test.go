package dataset

import (
	"bytes"
	"encoding/binary"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/arena/ledger"
	"pommego/env"
)

// reporting is served with agents that report all kinds of arrays.
func reporting(choices int) Config {
	c := served()
	c.Layout, c.Observation = Steps, "raw"
	for _, d := range []env.DType{env.Uint8, env.Int16, env.Int32, env.Uint64, env.Float32, env.Float64} {
		c.Extra = append(c.Extra, Extra{"one_" + string(d), d, []int{}}, Extra{"grid_" + string(d), d, []int{2, 3}})
	}
	c.Extra = slices.Insert(c.Extra, 3, Extra{ledger.Visits, env.Int32, []int{choices}})
	c.Extra = append(c.Extra, Extra{ledger.Values, env.Float64, []int{choices}})
	return c
}

// reported is what the client's agent reports in a step, in a form that no two share.
func reported(x *Extra, game, step, seat int) (array []byte) {
	n := x.size() / x.DType.Bytes()
	for k := range n {
		v := (game*51+step)*4 + seat + 1000*k
		switch x.DType {
		case env.Uint8:
			array = append(array, uint8(v))
		case env.Int16:
			array = binary.LittleEndian.AppendUint16(array, uint16(-v))
		case env.Int32:
			array = binary.LittleEndian.AppendUint32(array, uint32(-v))
		case env.Uint64:
			array = binary.LittleEndian.AppendUint64(array, uint64(v)<<40)
		case env.Float32:
			array = binary.LittleEndian.AppendUint32(array, math.Float32bits(float32(v)/7))
		case env.Float64:
			array = binary.LittleEndian.AppendUint64(array, math.Float64bits(-float64(v)/7))
		}
	}
	return array
}

// reportAll adds what the client's agents report to a game.
func reportAll(c *Config, parts int) func(int, *Recorded) {
	return func(game int, r *Recorded) {
		for i := range c.Extra {
			x := &c.Extra[i]
			for k := range len(r.Actions) / parts {
				r.Extra[x.Name] = append(r.Extra[x.Name], reported(x, game, k/2, k%2*2)...)
			}
		}
	}
}

// checkReported compares what episodes hold with what was reported. Those from from
// on hold nothing.
func checkReported(t *testing.T, folder string, c *Config, from int) {
	t.Helper()
	for _, e := range episodes(t, folder) {
		told := 0
		for _, d := range e.Decisions {
			if e.Agents[d.Seat] != "client:net" || e.Game >= from {
				t.Fatalf("game %d, step %d: seat %d reports something", e.Game, d.Step, d.Seat)
			}
			for i := range c.Extra {
				x := &c.Extra[i]
				got := d.Arrays[x.Name]
				if want := reported(x, e.Game, d.Step, d.Seat); !bytes.Equal(got, want) {
					t.Fatalf("game %d, step %d, seat %d: %s is %v, want %v", e.Game, d.Step, d.Seat, x.Name, got, want)
				}
			}
			told++
		}
		if want := int(e.Lived[0] + e.Lived[2]); e.Game < from && told != want {
			t.Fatalf("game %d: %d reports, want %d, one for each step of the client's living", e.Game, told, want)
		}
	}
}

// TestExtra keeps what a client's agents report, in merged data sets too.
func TestExtra(t *testing.T) {
	for _, id := range []string{ffa, radio} {
		game := gameOf(t, id)
		parts := len(game.Spec().Actions)
		c := reporting(game.Spec().MaskSize())
		folder := filepath.Join(t.TempDir(), "set")
		m, err := recordServed(t, id, c, folder, reportAll(&c, parts))
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		verifyClean(t, folder)
		checkReported(t, folder, &c, c.Games)
		plain := served()
		plain.Layout, plain.Seed = Steps, 900
		other := filepath.Join(t.TempDir(), "other")
		if _, err := recordServed(t, id, plain, other, asPlayed); err != nil {
			t.Fatal(err)
		}
		both := filepath.Join(t.TempDir(), "both")
		merged, err := Merge(game, sets(t, folder, other), Config{Layout: Steps, Observation: "raw"}, Filter{}, both,
			testOptions(1))
		if err != nil {
			t.Fatal(err)
		}
		verifyClean(t, both)
		checkReported(t, both, &c, c.Games)
		if len(merged.Extra) != len(m.Extra) {
			t.Errorf("merged: %d arrays, want %d", len(merged.Extra), len(m.Extra))
		}
		if _, err := Merge(game, sets(t, both), Config{Layout: Games}, Filter{}, filepath.Join(t.TempDir(), "games"),
			testOptions(1)); err != nil {
			t.Error(err)
		}
		c.Extra = c.Extra[:1] // no search
		told, chat := filepath.Join(t.TempDir(), "told"), filepath.Join(t.TempDir(), "chat")
		if _, err := recordServed(t, id, c, told, reportAll(&c, parts)); err != nil {
			t.Fatal(err)
		}
		if _, err := Merge(game, sets(t, told), Config{Layout: Dialogues}, Filter{}, chat, testOptions(1)); err != nil {
			t.Fatal(err)
		}
		verifyClean(t, chat) // with a reason, it differs
	}
}

func TestExtraRefused(t *testing.T) {
	x := func(name string, d env.DType, shape ...int) []Extra { return []Extra{{name, d, shape}} }
	for _, test := range []struct {
		reason string
		extra  []Extra
		says   string
	}{
		{"a name with a space", x("a b", env.Uint8), "small letters"},
		{"no name", x("", env.Uint8), "small letters"},
		{"an unknown type", x("a", "int64", 3), `no type "int64"`},
		{"an empty shape", x("a", env.Uint8, 3, 0), "1 or more"},
		{"too many dimensions", x("a", env.Uint8, 1, 1, 1, 1, 1), "at most 4"},
		{"too large", x("a", env.Uint8, math.MaxInt, math.MaxInt, math.MaxInt), "1048576 bytes"},
		{"twice", append(x("a", env.Uint8), x("a", env.Uint8)...), "twice"},
		{"visits of another shape", x(ledger.Visits, env.Int32, 5), "want int32 [6]"},
		{"visits alone", x(ledger.Visits, env.Int32, 6), "go together"},
	} {
		c := served()
		c.Layout, c.Extra = Steps, test.extra
		if _, err := c.Resolve(gameOf(t, ffa)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want one that says %q", test.reason, err, test.says)
		}
	}
	c := served()
	c.Extra = x("a", env.Uint8)
	if _, err := c.Resolve(gameOf(t, ffa)); err == nil || !strings.Contains(err.Error(), "layout steps") {
		t.Errorf("layout games: error %v", err)
	}
	c.Layout, c.Extra[0].Name = Steps, "legal"
	if _, err := recordServed(t, ffa, c, filepath.Join(t.TempDir(), "set"), asPlayed); err == nil ||
		!strings.Contains(err.Error(), "rename the array") {
		t.Errorf("a name that is taken: error %v", err)
	}
	c.Extra[0].Name = "a"
	if _, err := recordServed(t, ffa, c, filepath.Join(t.TempDir(), "set"),
		func(_ int, r *Recorded) { r.Extra["a"] = []byte{1} }); err == nil ||
		!strings.Contains(err.Error(), `1 bytes of array "a"`) {
		t.Errorf("too few bytes: error %v", err)
	}
	other := []Extra{{"a", env.Int16, []int{}}}
	if _, err := union(c.Extra, other); err == nil || !strings.Contains(err.Error(), "in another") {
		t.Errorf("two arrays of one name: error %v", err)
	}
}

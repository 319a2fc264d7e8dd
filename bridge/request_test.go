package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"pommego/env"
	"pommego/vec"
)

// requestExamples are good requests, with all their fields. Those of a type
// with fewer are among the golden messages.
func requestExamples() []entries {
	seeds := Tensor{DType: env.Uint64, Shape: []int{2}, Data: make([]byte, 16)}
	return []entries{
		{"type", "hello", "id", 1, "versions", []int{1, Version}, "client", "example/1"},
		{"type", "envs", "id", 2},
		{"type", "spaces", "id", 4, "env_id", "ToySolo-v0", "rules",
			[]string{`{"rows": 3, "cols": 1.5}`}},
		{"type", "make", "id", 5, "env_id", "ToySolo-v0", "rules", nil, "games", 2, "observation", "maps", "reward",
			"outcome",
			"autoreset_mode", "SameStep", "opponents", []string{"still", "wander"}, "line_ups", nil, "weights", nil, "by_game",
			nil, "seats", nil, "seat", 1, "agent_seconds", 0.5, "on_death", "wait", "counts", true, "max_episode_steps", 9,
			"batch_size", 1, "workers", 1, "noop", true, "shared_memory", 3, "places", 4},
		{"type", "attach", "id", 15, "env", 1},
		{"type", "reset", "id", 6, "env", 1, "seed", uint64(math.MaxUint64), "seeds", seeds, "mask", uint8s(0, 1), "states",
			[]any{[]byte("state")}, "starts", int32s(0, -1)},
		{"type", "step", "id", 7, "env", 1, "actions", toyActions(6, 1, 2)},
		{"type", "send", "id", 16, "env", 1, "games", int32s(0, 1), "actions", toyActions(6, 1, 2)},
		{"type", "recv", "id", 17, "env", 1},
		{"type", "observe", "id", 8, "env", 1},
		{"type", "set_opponents", "id", 9, "env", 1, "opponents", []string{"still"}, "line_ups",
			[]any{[]string{"still", "wander"}}, "weights", []any{1, 0.5}, "by_game", int32s(0, 0)},
		{"type", "set_starts", "id", 18, "env", 1, "states", []any{[]byte("state"), "{}"}, "weights", []any{1, 0.5},
			"ordinary", 0.25, "add", true},
		{"type", "get_state", "id", 10, "env", 1, "games", []int{0, 1}, "json", true},
		{"type", "set_state", "id", 11, "env", 1, "games", []int{0, 1}, "states", []any{[]byte("state"), "{}"}},
		{"type", "simulate", "id", 12, "env", 1, "states", [][]byte{[]byte("state")}, "actions", toyActions(3, 1, 2), "seed",
			1, "steps", 3, "policy", "still"},
		{"type", "render", "id", 13, "env", 1, "game", 1, "colour", true, "tile", nil},
		{"type", "close", "id", 14, "env", 1},
	}
}

// parsed is a request that has been parsed, ready for its fields to be read.
func parsed(t *testing.T, message entries) *fields {
	t.Helper()
	in := new(fields)
	r := &request{buf: mustEncode(t, message)}
	if _, err := r.parse(in); err != nil {
		t.Fatalf("%v: %v", message, err)
	}
	return in
}

// readExample reads the fields of the good request of a type.
func readExample[Q any](t *testing.T, name string) (q Q) {
	t.Helper()
	for _, message := range requestExamples() {
		if message[1] == name {
			if err := parsed(t, message).read(&q, tableOf(reflect.TypeFor[Q]())); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return q
		}
	}
	t.Fatalf("no example of %s", name)
	return q
}

// refusal is the error that a request is answered with by a session that has
// no environments; nil if it gets as far as looking for one.
func refusal(t *testing.T, message entries) *wireError {
	t.Helper()
	r := &request{buf: mustEncode(t, message)}
	r.length = int64(len(r.buf))
	s := handSession(t)
	s.greeted = !slices.Contains(message, any("hello"))
	defer s.freeAll()
	rep := s.answer(r)
	_, err := decodeReply(rep.msg)
	if e := (*wireError)(nil); errors.As(err, &e) && e.Code != codeUnknownEnv {
		return e
	}
	return nil
}

// TestRead reads all fields of the good requests.
func TestRead(t *testing.T) {
	want := makeRequest{gameRequest: gameRequest{ID: "ToySolo-v0"}, Noop: true, Slots: 3, Places: 4,
		Limit: 0.5, Pool: vec.Config{
			Games: 2, Observation: "maps", Autoreset: vec.SameStep, Opponents: []string{"still", "wander"}, Seat: new(1),
			OnDeath: vec.Wait, Counts: true, MaxEpisodeSteps: 9, BatchSize: 1, Workers: 1,
		}}
	if q := readExample[makeRequest](t, "make"); !reflect.DeepEqual(q, want) {
		t.Errorf("make: %+v, want %+v", q, want)
	}
	if q := readExample[ofEnv[resetRequest]](t, "reset").Rest; *q.Seed != math.MaxUint64 ||
		len(dataAs[uint64](&q.Seeds)) != 2 || !slices.Equal(q.Mask.data, []byte{0, 1}) {
		t.Errorf("reset: %+v", q)
	}
	if q := readExample[ofEnv[stepRequest]](t, "step"); q.Env != 1 || !slices.Equal(q.Rest.Actions.shape(), []int{6, 2}) {
		t.Errorf("step: %+v", q)
	}
	if q := readExample[ofEnv[setStateRequest]](t, "set_state").Rest; string(q.States[0]) != "state" ||
		string(q.States[1]) != "{}" || !slices.Equal(q.Games, []int{0, 1}) {
		t.Errorf("set_state: %+v", q)
	}
	if q := readExample[gameRequest](t, "spaces"); string(q.Rules[0]) !=
		`{"rows": 3, "cols": 1.5}` {
		t.Errorf("rules: %s", q.Rules)
	}
	if q := readExample[ofEnv[simulateRequest]](t, "simulate").Rest; *q.Seed != 1 || len(q.States) != 1 || q.Steps != 3 ||
		q.Policy != "still" {
		t.Errorf("simulate: %+v", q)
	}
	if q := readExample[ofEnv[renderRequest]](t, "render").Rest; q != (renderRequest{Game: 1, Colour: true}) {
		t.Errorf("render: %+v", q)
	}
}

// TestExamples has requests answered whose fields come in their usual order, and
// in the opposite one; with the golden messages there is one of each type. Each
// type has its section in PROTOCOL.md.
func TestExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range readGolden(t) {
		if _, err := decodeReply(g.Reply); err == nil {
			seen[g.Message[0][1].(string)] = true
		}
	}
	for _, message := range requestExamples() {
		seen[message[1].(string)] = true
		if e := refusal(t, message); e != nil && e.Code != codeBadOption {
			t.Errorf("%v: %v", message, e)
		}
		backward := entries{}
		for i := len(message) - 2; i >= 0; i -= 2 {
			backward = append(backward, message[i], message[i+1])
		}
		if got, want := refusal(t, backward), refusal(t, message); (got == nil) != (want == nil) || got != nil &&
			got.Error() != want.Error() {
			t.Errorf("%v backward: %v, want %v", message, got, want)
		}
	}
	protocol, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range requests {
		if !seen[name] {
			t.Errorf("%s is not among the golden messages", name)
		}
		if !bytes.Contains(protocol, []byte("\n### "+name+"\n")) {
			t.Errorf("PROTOCOL.md has no section on %s", name)
		}
	}
}

// raw is a tensor of any parts.
func raw(dtype any, shape any, pad any, data any) []any { return []any{dtype, shape, pad, data} }

func TestParseRefuses(t *testing.T) {
	step := func(actions any) entries { return entries{"type", "step", "id", 1, "env", 1, "actions", actions} }
	long := strings.Repeat("n", 257)
	none := []byte{}
	for _, test := range []struct {
		reason  string
		message entries
		code    errorCode
		field   string
		says    string
	}{
		{"no type", entries{"id", 1}, codeMissingField, "type", "no type"},
		{"no id", entries{"type", "envs"}, codeMissingField, "id", "no id"},
		{"nothing at all", entries{}, codeMissingField, "id", "no id"},
		{"type is a number", entries{"type", 5, "id", 1}, codeWrongType, "type", "an integer, want a string"},
		{"type is a binary", entries{"type", []byte("ping"), "id", 1}, codeWrongType, "type", "a binary, want a string"},
		{"unknown type", entries{"type", "stop", "id", 1}, codeUnknownType, "type", `"stop"`},
		{"a reply's type", entries{"type", "batch", "id", 1}, codeUnknownType, "type", "want one of attach, close"},
		{"id is a text", entries{"type", "envs", "id", "1"}, codeWrongType, "id", "a string, want an integer"},
		{"id is a float", entries{"type", "envs", "id", 1.0}, codeWrongType, "id", "a float"},
		{"id is negative: the library would wrap it", entries{"type", "envs", "id", -1}, codeOutOfRange, "id", "id is -1"},
		{"id is more than a double holds", entries{"type", "envs", "id", uint64(1 << 53)}, codeOutOfRange, "id",
			"9007199254740992"},
		{"id is nil", entries{"type", "envs", "id", nil}, codeWrongType, "id", "nil"},
		{"a field too many", entries{"type", "envs", "id", 1, "env", 1}, codeUnknownField, "env", "it has type, id"},
		{"a typing error", entries{"type", "step", "id", 1, "env", 1, "action", 1}, codeUnknownField, "action", "actions"},
		{"a required field missing", entries{"type", "step", "id", 1, "env", 1}, codeMissingField, "actions",
			"needs the field actions"},
		{"a required field nil", step(nil), codeMissingField, "actions", ""},
		{"env is 0", entries{"type", "observe", "id", 1, "env", 0}, codeOutOfRange, "env", "env is 0"},
		{"env is -2^63", entries{"type", "observe", "id", 1, "env", int64(math.MinInt64)}, codeOutOfRange, "env",
			"-9223372036854775808"},
		{"seed is negative", entries{"type", "reset", "id", 1, "env", 1, "seed", -1}, codeOutOfRange, "seed",
			"want 0 to 18446744073709551615"},
		{"seed is a bool", entries{"type", "reset", "id", 1, "env", 1, "seed", true}, codeWrongType, "seed", "a bool"},
		{"games is 0", entries{"type", "make", "id", 1, "env_id", "x", "games", 0}, codeOutOfRange, "games",
			"games is 0, want 1 to 1048576"},
		{"games is huge", entries{"type", "make", "id", 1, "env_id", "x", "games", int64(1 << 40)}, codeOutOfRange, "games",
			"1099511627776"},
		{"an id too long", entries{"type", "spaces", "id", 1, "env_id", long}, codeOutOfRange, "env_id", "257 bytes"},
		{"opponents is a text", entries{"type", "set_opponents", "id", 1, "env", 1, "opponents", "still"}, codeWrongType,
			"opponents", "a string, want an array"},
		{"an opponent is a number", entries{"type", "set_opponents", "id", 1, "env", 1, "opponents", []any{"still", 1}},
			codeWrongType, "opponents", "opponents[1] is an integer"},
		{"an opponent is nil", entries{"type", "set_opponents", "id", 1, "env", 1, "opponents", []any{nil}}, codeWrongType,
			"opponents", "nil"},
		{"an opponent too long", entries{"type", "set_opponents", "id", 1, "env", 1, "opponents", []string{long}},
			codeOutOfRange, "opponents", "opponents[0] has 257"},
		{"too many opponents", entries{"type", "set_opponents", "id", 1, "env", 1, "opponents", make([]string, 257)},
			codeWrongShape, "opponents", "257 entries"},
		{"rules are a text", entries{"type", "spaces", "id", 1, "env_id", "x", "rules", "{}"}, codeWrongType, "rules",
			"want an array of binaries, or texts of JSON"},
		{"a flag is a number", entries{"type", "render", "id", 1, "env", 1, "game", 0, "colour", 1}, codeWrongType, "colour",
			"want a bool"},
		{"games list is a tensor", entries{"type", "get_state", "id", 1, "env", 1, "games", uint8s(1)}, codeWrongType,
			"games", "a string, want an integer"},
		{"a game is negative", entries{"type", "get_state", "id", 1, "env", 1, "games", []int{-1}}, codeOutOfRange, "games",
			"-1"},
		{"states are missing", entries{"type", "set_state", "id", 1, "env", 1, "games", []int{}, "states", []any{}},
			codeWrongShape, "states", "0 entries"},
		{"a state is a number", entries{"type", "set_state", "id", 1, "env", 1, "games", []int{0}, "states", []any{7}},
			codeWrongType, "states", "an integer"},
		{"no versions", entries{"type", "hello", "id", 1, "versions", []int{}, "client", "x"}, codeWrongShape, "versions",
			"0 entries"},
		{"too many versions", entries{"type", "hello", "id", 1, "versions", make([]int, 17), "client", "x"}, codeWrongShape,
			"versions", "17 entries"},

		{"actions are a list of numbers", step([]int{1, 2, 3}), codeWrongType, "actions", "an array of 3, want a tensor"},
		{"actions are four numbers", step([]int{1, 2, 3, 4}), codeWrongType, "actions", "an integer, want a string"},
		{"actions are a binary", step([]byte{1, 2}), codeWrongType, "actions", "want a tensor"},
		{"actions of another type: 261 would become 5", step(raw("int64", []int{1}, none, []byte{5, 1, 0, 0, 0, 0, 0, 0})),
			codeWrongType, "actions", `tensor of "int64", want "uint8"`},
		{"an unknown type", step(raw("complex", []int{1}, none, []byte{1})), codeWrongType, "actions", `"complex"`},
		{"the type is a number", step(raw(1, []int{1}, none, []byte{1})), codeWrongType, "actions", "an integer"},
		{"the shape is a number", step(raw("uint8", 1, none, []byte{1})), codeWrongType, "actions", "an array of dimensions"},
		{"a negative dimension", step(raw("uint8", []int{-1}, none, []byte{1})), codeOutOfRange, "actions", "-1"},
		{"too many dimensions", step(raw("uint8", []int{1, 1, 1, 1, 1}, none, []byte{1})), codeWrongShape, "actions",
			"5 entries"},
		{"dimensions whose product wraps to 0", step(raw("uint8", []int{1 << 30, 1 << 30, 1 << 4}, none, none)),
			codeWrongShape, "actions", "0 bytes"},
		{"a dimension beyond everything", step(raw("uint8", []any{uint64(math.MaxUint64)}, none, none)), codeOutOfRange,
			"actions", "18446744073709551615"},
		{"less data than the shape says", step(raw("uint8", []int{3}, none, []byte{1, 2})), codeWrongShape, "actions",
			"2 bytes of data, want 3"},
		{"more data than the shape says", step(raw("uint8", []int{1}, none, []byte{1, 2})), codeWrongShape, "actions",
			"2 bytes of data, want 1"},
		{"the data is a text", step(raw("uint8", []int{1}, none, "1")), codeWrongType, "actions", "a string, want a binary"},
		{"the pad is nil", step(raw("uint8", []int{1}, nil, []byte{1})), codeWrongType, "actions", "nil, want a binary"},
		{"the pad is huge", step(raw("uint8", []int{1}, make([]byte, 1<<16), []byte{1})), codeOutOfRange, "actions",
			"65536 bytes"},
		{"seeds are half numbers",
			entries{"type", "reset", "id", 1, "env", 1, "seeds", raw("uint64", []int{1}, none, make([]byte, 7))}, codeWrongShape,
			"seeds", "7 bytes of data, want 8"},
	} {
		e := refusal(t, test.message)
		if e == nil {
			t.Errorf("%s: accepted", test.reason)
			continue
		}
		if e.Code != test.code || e.Field != test.field || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: got %s of field %q: %s; want %s of %q with %q", test.reason, e.Code, e.Field, e.Message, test.code,
				test.field, test.says)
		}
	}
}

// TestParseForgets reads different requests by the same fields, as a session
// does: nothing of one may be seen in the next.
func TestParseForgets(t *testing.T) {
	in, r := new(fields), new(request)
	for _, message := range append(requestExamples(), requestExamples()...) {
		r.buf = append(r.buf[:0], mustEncode(t, message)...)
		if _, err := r.parse(in); err != nil {
			t.Fatal(err)
		}
		if r.name != message[1] || r.id != uint64(message[3].(int)) || len(in.keys()) != len(message)/2 || in.err != nil {
			t.Errorf("%v: got %+v, and %v", message, r, in.keys())
		}
		in.wrong(codeInternal, "", "", "an error")
	}
}

// TestTables: the fields that PROTOCOL.md lists for a request are those of the table by which it is read, with what is
// needed, the types of tensors, and the ranges that are numbers.
func TestTables(t *testing.T) {
	protocol, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([a-z_]+)`")
	ranges := 0
	for request, h := range requests {
		_, section, _ := strings.Cut(string(protocol), "\n### "+request+"\n")
		section, _, _ = strings.Cut(section, "\n### ")
		var want, got []string
		for _, d := range h.table {
			want = append(want, d.name)
		}
		_, rows, tabled := strings.Cut(section, "\n| field | type | ")
		if !tabled || strings.Contains(section[:len(section)-len(rows)], "Reply") {
			if len(h.table) > 1 {
				t.Errorf("%s has the fields %v, and PROTOCOL.md no table of them", request, want)
			}
			continue
		}
		defaults := strings.HasPrefix(rows, "default")
		for line := range strings.SplitSeq(rows, "\n") {
			if line == "" {
				break
			}
			cells := strings.Split(strings.TrimPrefix(line, "| "), " | ")
			for _, found := range name.FindAllStringSubmatch(cells[0], -1) {
				got = append(got, found[1])
				i := slices.IndexFunc(h.table, func(d field) bool { return d.name == found[1] })
				if i < 0 {
					continue
				}
				d, needed := &h.table[i], !strings.Contains(cells[1], "optional") && !strings.Contains(cells[1], "required if")
				if defaults {
					needed = cells[2] == "required"
				}
				if needed != d.needed {
					t.Errorf("PROTOCOL.md says of %s of %s %q, needed is %v", d.name, request, line, d.needed)
				}
				if !strings.HasPrefix(cells[1], "tensor "+string(d.dtype)) && d.dtype != "" {
					t.Errorf("PROTOCOL.md says of %s of %s %q, it is a tensor of %q", d.name, request, line, d.dtype)
				}
				least, most := uint64(0), uint64(0)
				if n, _ := fmt.Sscanf(cells[1][strings.Index(cells[1], ", ")+1:], "%d to %d", &least, &most); n == 2 &&
					!strings.HasPrefix(cells[1], "number") {
					if ranges++; least != d.least || most != d.most {
						t.Errorf("PROTOCOL.md says of %s of %s %q, it is read from %d to %d", d.name, request, line, d.least, d.most)
					}
				}
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("PROTOCOL.md lists for %s the fields %v, it has %v", request, got, want)
		}
	}
	if ranges < 4 {
		t.Errorf("%d ranges are compared, want more", ranges)
	}
}

// TestWideIntegers reads each encoding of an integer, at and beyond a bound.
func TestWideIntegers(t *testing.T) {
	for _, test := range []struct {
		msg  string
		want uint64
		ok   bool
	}{
		{"\x05", 5, true}, {"\x7f", 127, true}, {"\xe0", 0, false}, {"\xff", 0, false},
		{"\xcc\xff", 255, true}, {"\xcd\x01\x05", 261, true}, {"\xce\x00\x00\x01\x2c", 300, true},
		{"\xce\x00\x00\x01\x2d", 0, false},
		{"\xcf\x00\x00\x00\x00\x00\x00\x00\x07", 7, true}, {"\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 0, false},
		{"\xd0\x05", 5, true}, {"\xd0\xff", 0, false}, {"\xd1\x00\xff", 255, true}, {"\xd1\xff\xff", 0, false},
		{"\xd2\x00\x00\x00\x09", 9, true}, {"\xd2\x80\x00\x00\x00", 0, false},
		{"\xd3\x00\x00\x00\x00\x00\x00\x00\x09", 9, true}, {"\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 0, false},
		{"\xca\x40\x00\x00\x00", 0, false}, {"\xc0", 0, false}, {"\xc3", 0, false},
	} {
		in := fields{cursor: cursor{msg: []byte(test.msg)}}
		got := in.number("n", 0, 300)
		if (in.err == nil) != test.ok || got != test.want {
			t.Errorf("%x: got %d, %v; want %d, accepted: %v", test.msg, got, in.err, test.want, test.ok)
		}
		if in.pos != len(test.msg) {
			t.Errorf("%x: read %d bytes", test.msg, in.pos)
		}
	}
}

// TestErrorText: what an error quotes may end inside a character, but not what is sent.
func TestErrorText(t *testing.T) {
	msg := encodeError(fail(codeBadOption, "r\xff", "\xe2\x82", "rules are %s...", "é"[:1]), 1, true)
	var got map[string]any
	if err := msgpack.Unmarshal(msg, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"message": "rules are \uFFFD...", "hint": "\uFFFD", "field": "r\uFFFD"} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
}

package ruleset

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pommego/env"
	"pommego/internal/enum"
)

type paint struct {
	Size   int    `json:"size" doc:"how large it is"`
	Dry    bool   `json:"dry" doc:"it has dried"`
	Name   string `json:"name" doc:"what it is called"`
	Colour colour `json:"colour" doc:"red or blue"`
	Coats  uint8  `json:"coats" doc:"how often it was painted"`
	Gloss  int    `json:"gloss,omitempty" doc:"how it shines; 0 if left out"`
}

type colour uint8

var colours = []string{"red", "blue"}

func (c colour) MarshalText() ([]byte, error) { return []byte(enum.Name(colours, c)), nil }

func (c *colour) UnmarshalText(text []byte) error { return enum.Read("colour", colours, text, c) }

func TestMeanings(t *testing.T) {
	want := []env.Name{
		{Name: "size", Meaning: "how large it is"}, {Name: "dry", Meaning: "it has dried"},
		{Name: "name", Meaning: "what it is called"},
		{Name: "colour", Meaning: "red or blue"}, {Name: "coats", Meaning: "how often it was painted"},
		{Name: "gloss", Meaning: "how it shines; 0 if left out"},
	}
	for _, rules := range []any{paint{}, &paint{}} {
		if got := Meanings(rules); !reflect.DeepEqual(got, want) {
			t.Errorf("%T: %v, want %v", rules, got, want)
		}
	}
	for _, none := range []any{nil, 3, map[string]any{"size": 1}} {
		if got := Meanings(none); got != nil {
			t.Errorf("%v has meanings %v", none, got)
		}
	}
}

func TestChange(t *testing.T) {
	start := paint{Size: 1, Name: "a", Gloss: 7}
	for _, tc := range []struct {
		reason, changes string
		want            paint
	}{
		{"nothing", `{}`, start},
		{"a number and a name", `{"size": 5, "name": "b"}`, paint{Size: 5, Name: "b", Gloss: 7}},
		{"a reading and a switch", ` {"colour": "blue", "dry": true} `,
			paint{Size: 1, Name: "a", Colour: 1, Dry: true, Gloss: 7}},
		{"a whole set leaves out what is zero", `{"size": 2, "dry": false, "name": "c", "colour": "red", "coats": 3}`,
			paint{Size: 2, Name: "c", Coats: 3}},
	} {
		got := start
		if err := Change(&got, json.RawMessage(tc.changes)); err != nil || got != tc.want {
			t.Errorf("%s: %+v (error %v), want %+v", tc.reason, got, err, tc.want)
		}
	}
	for _, tc := range []struct{ changes, want string }{
		{``, `rules: nothing is given, want an object`},
		{`"` + strings.Repeat("é", 40) + `"`, `rules: "` + strings.Repeat("é", 19) + `... is given`},
		{`7`, `rules: 7 is given, want an object`},
		{`null`, `rules: null is given, want an object`},
		{`{"size": 5`, `want an object of fields, such as {"max_steps": 100}: unexpected end of JSON input`},
		{`{"size": }`, `invalid character '}'`},
		{`{"size": 5} {}`, `invalid character '{' after top-level value`},
		{`{"sise": 5}`, `there is no field "sise" (did you mean "size"?), want one of size, dry, name, colour, coats, gloss`},
		{`{"Size": 5}`, `there is no field "Size" (did you mean "size"?)`},
		{`{"size": 5.5}`, `size is 5.5, want a whole number`},
		{`{"size": null}`, `size is null, want a whole number`},
		{`{"size": "` + strings.Repeat("9", 90) + `"}`, `9..., want a whole number`},
		{`{"coats": 256}`, `coats is 256, want a whole number of 0 to 255`},
		{`{"dry": 1}`, `dry is 1, want true or false`},
		{`{"name": ["x"]}`, `name is ["x"], want a string`},
		{`{"colour": "green"}`, `colour is "green", want one of red, blue`},
		{`{"colour": 1}`, `colour is "1", want one of red, blue`},
	} {
		rules := start
		if err := Change(&rules, json.RawMessage(tc.changes)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one that says %q", tc.changes, err, tc.want)
		}
	}
}

// FuzzChange: whatever comes is an error or rules that can be written down, and
// these make the same rules.
func FuzzChange(f *testing.F) {
	f.Add(`{"size": 5, "colour": "blue", "gloss": 3}`)
	f.Add(`{"dry": tru`)
	f.Fuzz(func(t *testing.T, changes string) {
		rules := paint{Gloss: 7}
		if Change(&rules, json.RawMessage(changes)) != nil {
			return
		}
		text, err := json.Marshal(rules)
		again := paint{Gloss: 9}
		if err != nil || Change(&again, text) != nil || again != rules {
			t.Errorf("%q: %+v is written as %s (error %v) and read as %+v", changes, rules, text, err, again)
		}
	})
}

func TestDifference(t *testing.T) {
	for _, tc := range []struct{ rules, others, want string }{
		{`{"a": 1, "b": 2}`, `{"b": 2, "a": 1}`, ""},
		{`{"a": 1, "b": 2}`, `{"a": 1, "b": 3}`, "b is 2, not 3"},
		{`{"a": 1}`, `{"a": 1, "b": 3}`, "b is left out, not 3"},
		{`{"a": "x", "c": 0}`, `{"a": "y"}`, `a is "x", not "y"`},
		{`{"a": ["first of three", "second of three", "third:n=1"]}`,
			`{"a": ["first of three", "second of three", "third:n=2"]}`,
			`a is ...of three", "third:n=1"], not ...of three", "third:n=2"]`},
		{``, `{"a": 1}`, `the rules are nothing, not {"a": 1}`},
	} {
		if got := Difference(json.RawMessage(tc.rules), json.RawMessage(tc.others)); got != tc.want {
			t.Errorf("%s and %s: %q, want %q", tc.rules, tc.others, got, tc.want)
		}
	}
}

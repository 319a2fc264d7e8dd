package match

import (
	"reflect"
	"strings"
	"testing"

	"pommego/env"
)

func TestReadAction(t *testing.T) {
	plain := []env.Choice{{Name: "move", N: 6, Names: []string{"stop", "up", "down", "left", "right", "bomb"}}}
	radio := []env.Choice{{Name: "move", N: 6}, {Name: "word0", N: 9}, {Name: "word1", N: 9}}
	side := []env.Choice{plain[0], plain[0], {Name: "move_c", N: 6, Names: plain[0].Names}}
	for _, tc := range []struct {
		reason, text string
		choices      []env.Choice
		want         []uint8
		err          string
	}{
		{"a move", "5", plain, []uint8{5}, ""},
		{"a move as Python writes a float", "5.0", plain, []uint8{5}, ""},
		{"a list of one", "[2]", plain, []uint8{2}, ""},
		{"a radio agent in a game without radio", "[2, 7, 8]", plain, []uint8{2}, ""},
		{"a bare move is silent", "3", radio, []uint8{3, 0, 0}, ""},
		{"a move and words", "[3, 1, 8]", radio, []uint8{3, 1, 8}, ""},
		{"a word too few", "[3, 1]", radio, []uint8{3, 1, 0}, ""},
		{"a word too many", "[3, 1, 8, 4]", radio, []uint8{3, 1, 8}, ""},
		{"no action", "", plain, nil, "the answer has no action"},
		{"null", "null", plain, nil, "want a whole number of 0 to 5 for move"},
		{"an empty list", "[]", plain, nil, "want a list of 1 numbers or names"},
		{"a list of null", "[null]", plain, nil, "want a whole number"},
		{"a list of lists", "[[1]]", plain, nil, `the action is "[[1]]", want a number or a name for move`},
		{"a move by name", `"left"`, plain, []uint8{3}, ""},
		{"a move by name in capitals", `"BOMB"`, plain, []uint8{5}, ""},
		{"three moves by name", `["up", "BOMB", "stop"]`, side, []uint8{1, 5, 0}, ""},
		{"names and numbers", `["up", 2]`, side, []uint8{1, 2, 0}, ""},
		{"a name for the first of three", `"bomb"`, side, []uint8{5, 0, 0}, ""},
		{"a name in a list that is none", `[0, 0, "jump"]`, side, nil, "right, bomb for move_c"},
		{"no name of a move", `"jump"`, plain, nil, "want a number or one of stop, up, down, left, right, bomb"},
		{"a number in a string", `"5"`, plain, nil, "want a number or one of stop"},
		{"a string that does not end", `"up`, plain, nil, "a JSON string that ends"},
		{"true", "true", plain, nil, "want a number or a name for move, or a list of them"},
		{"an object", "{}", plain, nil, "want a number or a name for move, or a list of them"},
		{"too large", "6", plain, nil, `the action is "6", want a whole number of 0 to 5 for move`},
		{"negative", "-1", plain, nil, "want a whole number"},
		{"a fraction", "1.5", plain, nil, "want a whole number"},
		{"beyond a byte", "258", plain, nil, "want a whole number"},
		{"huge", "1e300", plain, nil, "want a whole number"},
		{"no float", "1e999", plain, nil, "want a number"},
		{"a word too large", "[0, 9, 1]", radio, nil, "want a whole number of 0 to 8 for word0"},
		{"long", "[" + strings.Repeat("x", 500) + "]", plain, nil, `xxx"..., want a list`},
	} {
		action := make([]uint8, len(tc.choices))
		err := readAction([]byte(tc.text), tc.choices, action)
		switch {
		case tc.err == "" && (err != nil || !reflect.DeepEqual(action, tc.want)):
			t.Errorf("%s: %s is read as %v, %v; want %v", tc.reason, tc.text, action, err, tc.want)
		case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
			t.Errorf("%s: %s is read as %v, %v; want an error with %q", tc.reason, tc.text, action, err, tc.err)
		}
	}
}

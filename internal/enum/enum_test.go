package enum

import (
	"encoding/json"
	"strings"
	"testing"
)

type colour uint8

var colours = []string{"red", "blue"}

func (c *colour) UnmarshalText(text []byte) error { return Read("colour", colours, text, c) }

func TestNames(t *testing.T) {
	var c colour
	if err := json.Unmarshal([]byte(`"blue"`), &c); err != nil || c != 1 || Name(colours, c) != "blue" {
		t.Errorf("blue is %d (error %v)", c, err)
	}
	if got := Name(colours, colour(2)); got != "enum.colour(?)" {
		t.Errorf("there is a colour %q", got)
	}
	if err := json.Unmarshal([]byte(`"green"`), &c); err == nil || c != 1 ||
		!strings.Contains(err.Error(), `colour is "green", want one of red, blue`) {
		t.Errorf("green is %d (error %v)", c, err)
	}
}

type shapes struct{}

func (shapes) Names() (string, []string) { return "shape", []string{"cross", "square"} }

// TestText: a value is written and read by its name, and one without a name is known.
func TestText(t *testing.T) {
	var s Text[shapes]
	if err := json.Unmarshal([]byte(`"square"`), &s); err != nil || s != 1 || s.String() != "square" || !s.Known() {
		t.Errorf("square is %d, %v (error %v)", s, s, err)
	}
	if text, err := json.Marshal(s); string(text) != `"square"` {
		t.Errorf("1 is written as %s (error %v)", text, err)
	}
	if err := json.Unmarshal([]byte(`"disc"`), &s); err == nil || s != 1 ||
		!strings.Contains(err.Error(), `shape is "disc", want one of cross, square`) {
		t.Errorf("disc is %d (error %v)", s, err)
	}
	if s = 2; s.Known() || !strings.HasSuffix(s.String(), "(?)") || len(s.Names()) != 2 {
		t.Errorf("2 is %v, of %q", s, s.Names())
	}
}

func TestSuggest(t *testing.T) {
	agents := []string{"static", "random", "simple", "simple-2018", "bfs", "mcts"}
	ids := []string{"PommeFFACompetition-v0", "PommeFFACompetitionFast-v0", "OneVsOne-v0"}
	for _, c := range []struct {
		wrote  string
		names  []string
		want   string
		reason string
	}{
		{"simpel", agents, "simple", "two letters swapped"},
		{"Simple", agents, "simple", "another case"},
		{"simple-2017", agents, "simple-2018", "the nearest, not the first"},
		{"mct", agents, "mcts", "a letter is missing"},
		{"msct", agents, "mcts", "a short name"},
		{"PommeFFA", ids, "PommeFFACompetition-v0", "the beginning of one"},
		{"OneVsOne-v1", ids, "OneVsOne-v0", "another version"},
		{"", agents, "", "nothing was written"},
		{"nobody", agents, "", "none is near"},
		{"xyz", agents, "", "a short name that none is near"},
		{"simple", nil, "", "there are no names"},
	} {
		want := ""
		if c.want != "" {
			want = ` (did you mean "` + c.want + `"?)`
		}
		if got := Suggest(c.wrote, c.names); got != want {
			t.Errorf("%s: %q suggests %q, want %q", c.reason, c.wrote, got, want)
		}
	}
}

package roster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/env"
)

// agents of the tests are what they were made with, in words.
var agents = Roster[string]{
	{"still", nil, func(Options) (string, error) { return "still", nil }},
	{"search", []string{"ticks", "c"}, func(o Options) (string, error) {
		ticks, err := o.Whole("ticks", 100, 1, 5000)
		c, err2 := o.Number("c", 1.5, 0, 10)
		return fmt.Sprintf("search %d %v", ticks, c), errors.Join(err, err2)
	}},
}

func TestNew(t *testing.T) {
	if got := agents.Names(); !slices.Equal(got, []string{"still", "search"}) {
		t.Errorf("names are %v", got)
	}
	for _, tc := range []struct{ name, want string }{
		{"still", "still"},
		{"search", "search 100 1.5"},
		{"search:ticks=7", "search 7 1.5"},
		{"search:c=0,ticks=2e3", "search 2000 0"},
	} {
		if got, err := agents.New(tc.name); err != nil || got != tc.want {
			t.Errorf("New(%q) is %q (error %v), want %q", tc.name, got, err, tc.want)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for _, tc := range []struct{ name, want, reason string }{
		{"", "there are: still, search", "no name"},
		{"Still", "there are: still, search", "names are written in lower case"},
		{"still:ticks=3", `"ticks": still takes no options, write "still"`, "an option for one without any"},
		{"search:", "want key=value", "a colon without options"},
		{"search:ticks", "want key=value", "no value"},
		{"search:=3", "want key=value", "no key"},
		{"search:ticks=", "want key=value", "an empty value"},
		{"search:ticks=1,", "want key=value", "a comma too many"},
		{"search:tick=1", `"tick" does not exist, search takes: ticks, c`, "an unknown key"},
		{"search:ticks=1,ticks=2", "twice", "a key given twice"},
		{"search:ticks=0", "ticks=0, want a whole number from 1 to 5000", "too small"},
		{"search:ticks=1.5", "want a whole number", "a fraction"},
		{"search:ticks=NaN", "want a whole number", "no number"},
		{"search:c=11", "c=11, want a number from 0 to 10", "too large"},
		{"search:c=NaN", "want a number", "not a number"},
		{"search:c=x", "want a number", "a letter"},
	} {
		if got, err := agents.New(tc.name); err == nil || got != "" || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: New(%q) is %q with error %v, want an error with %q", tc.reason, tc.name, got, err, tc.want)
		}
	}
}

// TestForgetful saves and restores an RNG, and nothing else.
func TestForgetful(t *testing.T) {
	var a, b Forgetful
	a.Reset(env.RNG{State: 7})
	a.Reseed(env.RNG{State: 1 << 60})
	saved := a.Append([]byte("x"))
	if err := b.Restore(saved[1:]); err != nil || b != a || saved[0] != 'x' {
		t.Errorf("restored %+v from %x (error %v), want %+v", b, saved, err, a)
	}
	for _, bad := range []string{"", "1234567", "123456789"} {
		if err := b.Restore([]byte(bad)); err == nil || b != a {
			t.Errorf("restoring %q: error %v and %+v, want an error and no change", bad, err, b)
		}
	}
}

// TestMindless has nothing to save.
func TestMindless(t *testing.T) {
	var a Mindless
	a.Reset(env.RNG{State: 7})
	a.Reseed(env.RNG{State: 8})
	if saved := a.Append([]byte("x")); string(saved) != "x" {
		t.Errorf("saved %x, want nothing", saved[1:])
	}
	if a.Restore(nil) != nil || a.Restore([]byte("x")) == nil {
		t.Error("want nothing restored, and nothing else")
	}
}

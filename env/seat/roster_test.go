package seat

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pommego/env"
	"pommego/env/saved"
	"pommego/env/search"
)

// view is what the bots of the tests see.
type view struct{ choices int }

// searcher is a bot that is what it was made with.
type searcher struct {
	Forgetful
	search.Settings
}

func (searcher) Act(*view, []uint8) {}

var bots = Roster[view]{
	Static[view](),
	Random(func(v *view, component int) int { return v.choices + component }),
	Searching("tree", search.Settings{Method: search.TreeSearch, Budget: search.Budget{Ticks: 100}, C: 1.5}, newSearcher),
	Searching("flat", search.Settings{Method: search.FlatMonteCarlo, Bandit: search.Explore}, newSearcher),
	Searching("breadth", search.Settings{Method: search.BreadthFirst}, newSearcher),
	Searching("ahead", search.Settings{Method: search.LookAhead}, newSearcher),
	Searching("rolling", search.Settings{Method: search.RollingHorizon}, newSearcher),
}

func newSearcher(s search.Settings) Bot[view] { return &searcher{Settings: s} }

// TestSearching: options arrive where they belong, and each search takes those it
// has use for.
func TestSearching(t *testing.T) {
	for _, tc := range []struct {
		name string
		want search.Settings
	}{
		{"tree", search.Settings{Method: search.TreeSearch, Budget: search.Budget{Ticks: 100}, C: 1.5}},
		{"tree:c=0,depth=7,ticks=2e3",
			search.Settings{Method: search.TreeSearch, Budget: search.Budget{Ticks: 2000}, Depth: 7}},
		{"tree:ms=1.5", search.Settings{Method: search.TreeSearch, Budget: search.Budget{Time: 1500 * time.Microsecond},
			C: 1.5}},
		{"tree:ms=1,ticks=5",
			search.Settings{Method: search.TreeSearch, Budget: search.Budget{Time: time.Millisecond, Ticks: 5}, C: 1.5}},
		{"breadth:memory=2", search.Settings{Method: search.BreadthFirst, Memory: 2 << 20}},
		{"ahead:samples=3", search.Settings{Method: search.LookAhead, Samples: 3}},
		{"rolling:length=40,population=2,mutation=0.5",
			search.Settings{Method: search.RollingHorizon, Length: 40, Population: 2, Mutation: 0.5}},
	} {
		bot, err := bots.New(tc.name)
		if err != nil {
			t.Errorf("New(%q): %v", tc.name, err)
		} else if got := bot.(*searcher).Settings; got != tc.want {
			t.Errorf("New(%q) searches by %+v, want %+v", tc.name, got, tc.want)
		}
	}
	for i, want := range []string{"", "", "ms ticks c depth", "ms ticks depth", "ms ticks memory", "ms ticks samples",
		"ms ticks length population mutation"} {
		if got := strings.Join(bots[i].Options(), " "); got != want {
			t.Errorf("%s takes %q, want %q", bots[i].Name, got, want)
		}
	}
}

// TestPlainBots: static does nothing, and random draws every choice there is.
func TestPlainBots(t *testing.T) {
	action := []uint8{7, 7}
	static, err := bots.New("static")
	if err != nil {
		t.Fatal(err)
	}
	if static.Act(&view{}, action); action[0] != 0 || action[1] != 0 {
		t.Errorf("static plays %v, want nothing", action)
	}
	random, err := bots.New("random")
	if err != nil {
		t.Fatal(err)
	}
	random.Reset(env.RNG{State: 1})
	var counts [2][8]int
	for range 12000 {
		random.Act(&view{3}, action)
		for i, a := range action {
			counts[i][a]++
		}
	}
	for i, n := range []int{3, 4} {
		for a, got := range counts[i] {
			if want := 12000 / n; a < n && (got < want*9/10 || got > want*11/10) || a >= n && got != 0 {
				t.Errorf("component %d: %d was drawn %d times, want about %d", i, a, got, want)
			}
		}
	}
}

func TestNames(t *testing.T) {
	if got := bots[:3].Names(); !slices.Equal(got, []string{"static", "random", "tree"}) {
		t.Errorf("names are %v", got)
	}
}

func TestNewErrors(t *testing.T) {
	for _, tc := range []struct{ name, want, reason string }{
		{"", "there are: static, random, tree", "no name"},
		{"Static", "there are: static, random, tree", "names are written in lower case"},
		{"static:ticks=3", `"ticks": static takes no options, write "static"`, "an option for one without any"},
		{"tree:", "want key=value", "a colon without options"},
		{"tree:ticks", "want key=value", "no value"},
		{"tree:=3", "want key=value", "no key"},
		{"tree:ticks=", "want key=value", "an empty value"},
		{"tree:ticks=1,", "want key=value", "a comma too many"},
		{"tree:tick=1", `"tick" does not exist, tree takes: ms, ticks, c, depth`, "an unknown key"},
		{"tree:ticks=1,ticks=2", "twice", "a key given twice"},
		{"tree:ticks=0", "ticks=0, want a whole number from 1 to 1000000000", "too small"},
		{"tree:ticks=1.5", "want a whole number", "a fraction"},
		{"tree:ticks=NaN", "want a whole number", "no number"},
		{"tree:c=1e7", "c=1e7, want a number from 0 to 1000000", "too large"},
		{"tree:c=NaN", "want a number", "not a number"},
		{"tree:c=x", "want a number", "a letter"},
	} {
		if got, err := bots.New(tc.name); err == nil || got != nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: New(%q) is %v with error %v, want an error with %q", tc.reason, tc.name, got, err, tc.want)
		}
	}
}

// TestNamed: one option can name a file. A second one is an error that names both.
func TestNamed(t *testing.T) {
	sums := Roster[view]{{Name: "sum", Make: func(o *Options) Bot[view] {
		all := map[string]int{"one": 1, "two": 2}
		length := func(file []byte) (int, error) { return len(file), nil }
		var s searcher
		Named(o, "a", all, &s.Depth, length)
		Named(o, "b", all, &s.Samples, length)
		return &s
	}}}
	for _, name := range []string{"sum:a=file,b=two", "sum:a=two,b=file"} {
		bot, err := sums.newBot(name, []byte("abc"))
		if err != nil || bot.(*searcher).Depth+bot.(*searcher).Samples != 5 {
			t.Errorf("%s: %+v, error %v", name, bot, err)
		}
	}
	const want = `option b=other: a=file names a file already, and one option can; want one of ["one" "two"] here`
	if _, err := sums.newBot("sum:a=file,b=other", []byte("abc")); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("of two files: %v, want an error with %q", err, want)
	}
}

// TestForgetful saves and restores an RNG, and nothing else.
func TestForgetful(t *testing.T) {
	var a, b random[view]
	a.Reset(env.RNG{State: 7})
	a.Reseed(env.RNG{State: 1 << 60})
	kept := saved.Append([]byte("x"), &a)
	if err := Restore(&b, kept[1:]); err != nil || b.Forgetful != a.Forgetful || kept[0] != 'x' {
		t.Errorf("restored %+v from %x (error %v), want %+v", b, kept, err, a)
	}
	for _, bad := range []string{"", "1234567", "123456789"} {
		if err := Restore(&b, []byte(bad)); err == nil || b.Forgetful != a.Forgetful {
			t.Errorf("restoring %q: error %v and %+v, want an error and no change", bad, err, b)
		}
	}
}

// TestStaticSaves nothing.
func TestStaticSaves(t *testing.T) {
	var a static[view]
	a.Reset(env.RNG{State: 7})
	a.Reseed(env.RNG{State: 8})
	if kept := saved.Append([]byte("x"), a); string(kept) != "x" {
		t.Errorf("saved %x, want nothing", kept[1:])
	}
	if Restore(a, nil) != nil || Restore(a, []byte("x")) == nil {
		t.Error("want nothing restored, and nothing else")
	}
}

// TestHuman: who asks for a person is told where people play.
func TestHuman(t *testing.T) {
	roster := Roster[int]{Static[int]()}
	for _, name := range []string{"human", "human:speed=4"} {
		if _, err := roster.New(name); err == nil || !strings.Contains(err.Error(), "human plays in pommego play alone") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

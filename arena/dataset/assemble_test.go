package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/record"
	"pommego/internal/disk/disktest"
)

// sets opens data sets.
func sets(t testing.TB, folders ...string) []*Set {
	t.Helper()
	var all []*Set
	for _, folder := range folders {
		s, err := Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// TestMerge puts data sets together, and wants every game of each, in order.
func TestMerge(t *testing.T) {
	one, two := small(), small()
	two.Seed, two.Agents, two.Games, two.FileGames = 900, []string{"heuristic", "simple"}, 5, 2
	for _, c := range []struct {
		reason   string
		from, to Layout
	}{
		{"as they are", Games, Games},
		{"rows of steps", Steps, Steps},
		{"games laid out as steps", Games, Steps},
		{"steps laid out as games", Steps, Games},
	} {
		one.Layout, two.Layout = c.from, c.from
		a, b := generate(t, team, one, testOptions(1)), generate(t, team, two, testOptions(1))
		folder := filepath.Join(t.TempDir(), "set")
		m, err := Merge(gameOf(t, team), sets(t, a, b), Config{Layout: c.to, FileGames: 4}, Filter{}, folder, testOptions(1))
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		r := verifyClean(t, folder)
		if r.Games != 12 || r.Replayed != r.Steps || len(m.Files) != 3 || m.Sources[1].Kept != 5 {
			t.Errorf("%s: %d games, %d of %d steps played again, %d files, sources %v; want 12, all, 3, and 5 of the second",
				c.reason, r.Games, r.Replayed, r.Steps, len(m.Files), m.Sources)
		}
		want := append(described(t, a), described(t, b)...)
		got := described(t, folder)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: games\n%s\nwant\n%s", c.reason, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// described is each game of a data set in words, without its number.
func described(t testing.TB, folder string) []string {
	t.Helper()
	set := sets(t, folder)[0]
	var all []string
	err := set.Episodes(func(e *Episode) error {
		all = append(all, fmt.Sprint(e.Seed, e.Agents, e.Steps, e.Results, e.Outcome, e.Lived, e.Truncated,
			e.Actions))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestFilter keeps some games.
func TestFilter(t *testing.T) {
	won := func(e *Episode) bool { return slices.Contains(e.Results, env.Won) }
	config := small()
	config.Games = 20
	folder := generate(t, ffa, config, testOptions(1))
	for _, c := range []struct {
		reason string
		keep   Filter
		want   func(*Episode) bool
	}{
		{"by result", Filter{Result: env.Won}, won},
		{"by the least length", Filter{MinSteps: 30}, func(e *Episode) bool { return e.Steps >= 30 }},
		{"by the greatest length", Filter{MaxSteps: 40}, func(e *Episode) bool { return e.Steps <= 40 }},
		{"by who plays", Filter{Agent: "simple"},
			func(e *Episode) bool { return strings.Contains(fmt.Sprint(e.Agents), "simple") }},
		{"by who wins", Filter{Agent: "simple", Result: env.Won}, func(e *Episode) bool {
			for seat, name := range e.Agents {
				if name == "simple" && e.Results[seat] == env.Won {
					return true
				}
			}
			return false
		}},
		{"by number", Filter{First: 3, Games: 9}, func(e *Episode) bool { return e.Game >= 3 && e.Game < 12 }},
		{"by several", Filter{Result: env.Won, MinSteps: 30},
			func(e *Episode) bool { return won(e) && e.Steps >= 30 }},
	} {
		out := filepath.Join(t.TempDir(), "set")
		m, err := Merge(gameOf(t, ffa), sets(t, folder), Config{}, c.keep, out, testOptions(1))
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		verifyClean(t, out)
		var want []string
		all := described(t, folder)
		if err := sets(t, folder)[0].Episodes(func(e *Episode) error {
			if c.want(e) {
				want = append(want, all[e.Game])
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 || len(want) == 20 {
			t.Fatalf("%s: %d of 20 games are wanted, which is no test", c.reason, len(want))
		}
		if got := described(t, out); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: %d games, want %d others", c.reason, len(got), len(want))
		}
		if m.Filter == "" || m.Sources[0].Games != 20 || m.Sources[0].Kept != len(want) {
			t.Errorf("%s: the manifest says filter %q and sources %v", c.reason, m.Filter, m.Sources)
		}
	}
	for _, f := range []Filter{{Result: "Victory"}, {MinSteps: -1}, {MinSteps: 5, MaxSteps: 4}} {
		if err := f.Validate(); err == nil {
			t.Errorf("filter %v: no error", f)
		}
	}
	out := filepath.Join(t.TempDir(), "set")
	if _, err := Merge(gameOf(t, ffa), sets(t, folder), Config{}, Filter{Agent: "nobody"}, out,
		testOptions(1)); !errors.Is(err, errNoGames) {
		t.Errorf("nothing left: error %v, want %v", err, errNoGames)
	}
	wantNone(t, out)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Skip(err)
	}
	_, _ = Merge(gameOf(t, ffa), sets(t, folder), Config{}, Filter{Agent: "nobody"}, link, testOptions(1))
	if there, err := os.ReadDir(link); err != nil || len(there) > 0 {
		t.Errorf("a link to an empty folder: it holds %v (%v), want it as it was", there, err)
	}
}

// wantNone wants no folder where no data set was made.
func wantNone(t testing.TB, folder string) {
	t.Helper()
	if _, err := os.Stat(folder); err == nil {
		there, err := os.ReadDir(folder)
		t.Errorf("a folder was left, with %v (%v)", there, err)
	}
}

// TestMergedAgain: what was said of games stays when the data set with them is merged or filtered again.
func TestMergedAgain(t *testing.T) {
	config := tiny()
	config.Agents = []string{"osla:ms=1"}
	folder := generate(t, ffa, config, testOptions(1))
	var m *Manifest
	for _, keep := range []Filter{{MinSteps: 2}, {}} {
		out := filepath.Join(t.TempDir(), "set")
		var err error
		if m, err = Merge(gameOf(t, ffa), sets(t, folder), Config{}, keep, out, testOptions(1)); err != nil {
			t.Fatal(err)
		}
		folder = out
	}
	card, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil || !strings.Contains(string(card), "it has only games with: at least 2 steps") ||
		!strings.Contains(string(card), "**Not repeatable**") || m.Sources[0].Sources[0].Generated == nil {
		t.Errorf("the card says\n%s\n(%v), and the manifest %+v", card, err, m.Sources)
	}
}

// TestMergeRefused merges what does not go together.
func TestMergeRefused(t *testing.T) {
	one, other := generate(t, ffa, tiny(), testOptions(1)), generate(t, team, tiny(), testOptions(1))
	if _, err := Merge(gameOf(t, ffa), sets(t, one, other), Config{}, Filter{}, filepath.Join(t.TempDir(), "set"),
		testOptions(1)); err == nil || !strings.Contains(err.Error(), "its games are of "+team+", want "+ffa) {
		t.Errorf("two games: error %v, want one that names them", err)
	}
	broken := sets(t, one, generate(t, ffa, tiny(), testOptions(1)))
	if err := os.Remove(filepath.Join(broken[1].Folder, broken[1].Manifest.Files[0].Path)); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "set")
	if _, err := Merge(gameOf(t, ffa), broken, Config{FileGames: 1}, Filter{}, out, testOptions(1)); err == nil {
		t.Error("a set without its file: no error")
	}
	wantNone(t, out)
	if _, err := Merge(gameOf(t, ffa), sets(t, one), Config{}, Filter{}, other, testOptions(1)); !errors.Is(err,
		ErrNotEmpty) {
		t.Errorf("into a data set: error %v, want %v", err, ErrNotEmpty)
	}
	if _, err := Merge(gameOf(t, ffa), sets(t, one), Config{}, Filter{}, unfinished(t), testOptions(1)); !errors.Is(err,
		ErrNotEmpty) {
		t.Errorf("into one that is being generated: error %v, want %v", err, ErrNotEmpty)
	}
}

// TestMergeFinds: a game whose record does not fit its replay is refused, by its number in its own data set.
func TestMergeFinds(t *testing.T) {
	game, from := gameOf(t, ffa), sets(t, generate(t, ffa, small(), testOptions(1)))
	for reason, change := range map[string]func(*Episode){
		"half of the steps": func(e *Episode) {
			e.Steps /= 2
			e.Actions = e.Actions[:4*e.Steps]
			for seat := range e.Lived {
				e.Lived[seat] = min(e.Lived[seat], int32(e.Steps))
			}
		},
		"another result":  func(e *Episode) { e.Results[0] = env.Undecided },
		"another outcome": func(e *Episode) { e.Outcome[1] = 3 },
		"another count":   func(e *Episode) { e.Counts[0] += 7 },
	} {
		folder := filepath.Join(t.TempDir(), "changed")
		p, err := mergePlan(game, from, Config{}, testOptions(1))
		if err != nil {
			t.Fatal(err)
		}
		a, err := begin(p, folder, testOptions(1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.conclude(from[0].Episodes(func(e *Episode) error {
			if e.Game == 2 {
				change(e)
			}
			return a.add(e)
		})); err != nil {
			t.Fatal(err)
		}
		want := folder + ": game 2: played again, it ends with {Results:["
		for _, to := range []Layout{Steps, Dialogues} {
			out := filepath.Join(t.TempDir(), "set")
			_, err := Merge(game, sets(t, from[0].Folder, folder), Config{Layout: to}, Filter{}, out, testOptions(1))
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s, to %s: error %v, want %q", reason, to, err, want)
			}
			wantNone(t, out)
		}
		replay, err := sets(t, folder)[0].Replay(game, 2)
		if err == nil {
			err = replay.Follow(func(record.Moment) error { return nil })
		}
		if err == nil || !strings.Contains(err.Error(), "played again, it ends with") {
			t.Errorf("%s, replayed: error %v", reason, err)
		}
		if r, err := Verify(folder, VerifyOptions{}); err != nil || len(r.Problems) > 0 {
			t.Fatalf("%s: %+v (%v), want what checksums do not show", reason, r, err)
		}
	}
}

// TestMergeFaults lets each operation on the disk fail, and merges again into
// what is left.
func TestMergeFaults(t *testing.T) {
	from := sets(t, generate(t, ffa, tiny(), testOptions(1)))
	want := filepath.Join(t.TempDir(), "set")
	counter := &disktest.Disk{}
	o := testOptions(1)
	o.Disk = counter
	if _, err := Merge(gameOf(t, ffa), from, Config{FileGames: 2}, Filter{}, want, o); err != nil {
		t.Fatal(err)
	}
	for at := 1; at <= counter.Count(); at++ {
		folder := filepath.Join(t.TempDir(), "set")
		o.Disk = &disktest.Disk{At: at}
		if _, err := Merge(gameOf(t, ffa), from, Config{FileGames: 2}, Filter{}, folder, o); !errors.Is(err,
			disktest.ErrFault) {
			t.Fatalf("operation %d: error %v, want %v", at, err, disktest.ErrFault)
		}
		wholeFiles(t, folder)
		if _, err := os.Stat(filepath.Join(folder, ManifestName)); err == nil {
			// It was complete but for tidying up.
			if _, err := Merge(gameOf(t, ffa), from, Config{}, Filter{}, folder, testOptions(1)); !errors.Is(err, ErrNotEmpty) {
				t.Fatalf("again after operation %d: error %v, want %v", at, err, ErrNotEmpty)
			}
			verifyClean(t, folder)
			continue
		}
		if _, err := Merge(gameOf(t, ffa), from, Config{FileGames: 2}, Filter{}, folder, testOptions(1)); err != nil {
			t.Fatalf("again after operation %d: %v", at, err)
		}
		sameContents(t, fmt.Sprintf("again after operation %d", at), contents(t, folder), contents(t, want))
	}
}

// silent is an agent outside the program that never answers.
type silent struct{ match.Local }

func (silent) Traits() match.Traits { return match.Traits{Remote: true} }

func (silent) Act(context.Context, env.Match, int, []uint8) (match.Cost, error) {
	return match.Cost{}, context.DeadlineExceeded
}

// TestMissed: moves that a program was not asked for are missed, too, and where sources do not say what was missed,
// neither does what is made of them.
func TestMissed(t *testing.T) {
	match.Kinds["silent:X"] = func(_ env.Game, name string) (match.Player, error) {
		return silent{match.Local(name)}, nil
	}
	defer delete(match.Kinds, "silent:X")
	c := tiny()
	c.Agents, c.Seating, c.MaxSteps = []string{"silent:1", "simple", "simple", "simple"}, Fixed, 5
	games := generate(t, "SuiteBot-v0", c, testOptions(1))
	for _, e := range episodes(t, games) {
		if e.Missed[0] != e.Lived[0] || e.Missed[1] != 0 {
			t.Errorf("game %d: missed %v, want all %d of seat 0", e.Game, e.Missed, e.Lived[0])
		}
	}
	c.Layout = Steps
	steps := generate(t, "SuiteBot-v0", c, testOptions(1))
	for _, tc := range []struct {
		from []string
		says bool
	}{{[]string{games, games}, true}, {[]string{steps}, false}, {[]string{games, steps}, false}} {
		m, err := Merge(gameOf(t, "SuiteBot-v0"), sets(t, tc.from...), Config{}, Filter{}, filepath.Join(t.TempDir(), "set"),
			testOptions(1))
		if err != nil || (m.index(missedName) >= 0) != tc.says {
			t.Errorf("%d sets: error %v; says what was missed: %v, want %v", len(tc.from), err, !tc.says, tc.says)
		} else if i := slices.Index(m.Agents, "silent:1"); tc.says != (m.Statistics.Agents[i].Missed > 0) {
			t.Errorf("%d sets: the statistics have %+v", len(tc.from), m.Statistics.Agents)
		}
	}
}

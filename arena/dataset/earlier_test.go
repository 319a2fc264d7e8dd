package dataset

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pommego/env"
	"pommego/env/catalog"
)

// What an earlier version listed as legal may be more than is legal today, and nothing else may differ.
func TestMasksOfEarlierVersions(t *testing.T) {
	mask := func(text string) parquet.Value { return parquet.FixedLenByteArrayValue([]byte(text)) }
	for _, c := range []struct {
		reason, manifest, column, was, now string
		want                               bool
	}{
		{"a move against a bomb", "", "legal", "\x01\x01", "\x01\x00", true},
		{"a move less", "", "legal", "\x01\x00", "\x01\x01", false},
		{"a choice less", "", "legal", "\x01", "\x01\x00", false},
		{"a mask of today", legal, "legal", "\x01\x01", "\x01\x00", false},
		{"what was seen", "", "obs_maps", "\x01\x01", "\x01\x00", false},
	} {
		check := replayCheck{&Manifest{About: About{Mask: c.manifest}},
			&encoder{columns: []column{{Column: Column{Name: c.column}}}}}
		if got := check.wider(0, mask(c.was), mask(c.now)); got != c.want {
			t.Errorf("%s: accepted: %v", c.reason, got)
		}
	}
}

// Data sets of a version whose column "result" was the game's, in testdata, are verified,
// played again and merged; merged they have the result of each seat.
func TestEarlier(t *testing.T) {
	game, err := catalog.Variant(ffa, json.RawMessage(`{"max_steps": 30}`))
	if err != nil {
		t.Fatal(err)
	}
	first := []env.SeatResult{env.Lost, env.Tied, env.Tied, env.Lost} // who died before the step limit has lost
	for _, layout := range []string{"games", "steps"} {
		folder := filepath.Join("testdata/earlier", layout)
		r, err := Verify(folder, VerifyOptions{Game: func(*Manifest) (env.Game, error) { return game, nil }})
		if err != nil || len(r.Problems) > 0 || r.Games != 6 || r.Replayed != 169 {
			t.Errorf("%s: %+v, error %v; want 6 sound games of 169 steps", folder, r, err)
		}
		for _, to := range []Shape{{Layout: Games}, {Layout: Steps, Observation: "raw"}} {
			merged := filepath.Join(t.TempDir(), "merged")
			_, err := Merge(game, sets(t, folder), to, func(*Episode, []string) bool { return true }, merged, testOptions(1))
			if err != nil {
				t.Fatalf("%s to %s: %v", folder, to.Layout, err)
			}
			e, err := sets(t, merged)[0].Episode(0)
			if err != nil || !slices.Equal(e.Results, first) {
				t.Fatalf("%s to %s: results %v, error %v; want %v", folder, to.Layout, e.Results, err, first)
			}
			if got, want := described(t, merged), described(t, folder); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s to %s: the games are\n%v\nwant\n%v", folder, to.Layout, got, want)
			}
		}
	}
}

// Data sets that revision 9cc3e45 has made, which counted six things of each seat and not ten, are read
// and played again. Their pictures were left out here.
func TestFewerCounts(t *testing.T) {
	game := gameOf(t, "OneVsOne-v0")
	for layout, want := range map[string]Report{
		"games": {Games: 3, Steps: 40, Replayed: 40, Rows: 3}, "steps": {Games: 2, Steps: 30, Replayed: 30, Rows: 60},
	} {
		folder := filepath.Join("testdata/9cc3e45", layout)
		r, err := Verify(folder, VerifyOptions{Game: func(*Manifest) (env.Game, error) { return game, nil }})
		if err != nil {
			t.Fatal(err)
		}
		problems := slices.DeleteFunc(r.Problems, func(p string) bool { return strings.Contains(p, "figures") })
		if got := (Report{Games: r.Games, Steps: r.Steps, Replayed: r.Replayed, Rows: r.Rows}); len(problems) > 0 ||
			fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, want %+v; problems %q", folder, got, want, problems)
		}
		merged := filepath.Join(t.TempDir(), "merged")
		all := func(*Episode, []string) bool { return true }
		if _, err := Merge(game, sets(t, folder), Shape{Layout: Games}, all, merged, testOptions(1)); err != nil {
			t.Fatal(err)
		}
		e, err := sets(t, merged)[0].Episode(0)
		if err != nil || len(e.Counts) != 2*len(game.Spec().Counts) {
			t.Errorf("%s, merged: counts %v, error %v; want all of today's", folder, e.Counts, err)
		}
	}
	r, err := Verify("testdata/9cc3e45/games", VerifyOptions{Game: func(m *Manifest) (env.Game, error) {
		m.Env.Counts[0].Name = "sighs"
		return game, nil
	}})
	if err == nil || !strings.Contains(err.Error(), `does not count "sighs"`) {
		t.Errorf("a count that is none: %+v, error %v", r, err)
	}
}

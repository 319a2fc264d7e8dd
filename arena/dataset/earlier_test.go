package dataset

import (
	"encoding/json"
	"fmt"
	"path/filepath"
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

// Data sets of release 0.1.0, in testdata, are verified, played again and merged.
func TestRelease(t *testing.T) {
	game, err := catalog.Variant("OneVsOne-v0", json.RawMessage(`{"max_steps": 30}`))
	if err != nil {
		t.Fatal(err)
	}
	for layout, want := range map[string]Report{
		"games": {Games: 4, Steps: 65, Replayed: 65, Rows: 4}, "steps": {Games: 2, Steps: 30, Replayed: 30, Rows: 60},
	} {
		folder := filepath.Join("testdata/0.1.0", layout)
		r, err := Verify(folder, VerifyOptions{Game: func(*Manifest) (env.Game, error) { return game, nil }})
		if err != nil || len(r.Problems) > 0 || r.Games != want.Games || r.Steps != want.Steps ||
			r.Replayed != want.Replayed || r.Rows != want.Rows {
			t.Errorf("%s: %+v, error %v; want %+v and no problems", folder, r, err, want)
		}
		for _, to := range []Config{{Layout: Games}, {Layout: Steps, Observation: "raw"}, {Layout: Dialogues}} {
			merged := filepath.Join(t.TempDir(), "merged")
			if _, err := Merge(game, sets(t, folder), to, Filter{}, merged, testOptions(1)); err != nil {
				t.Fatalf("%s to %s: %v", folder, to.Layout, err)
			}
			if got, want := described(t, merged), described(t, folder); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s to %s: the games are\n%v\nwant\n%v", folder, to.Layout, got, want)
			}
		}
	}
}

// A data set whose games are otherwise is refused, and the error names a release for it.
func TestOtherGames(t *testing.T) {
	game, err := catalog.Variant("OneVsOne-v0", json.RawMessage(`{"max_steps": 30}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		change func(*Env)
		want   string
	}{
		{func(e *Env) { e.Counts = e.Counts[:2] },
			"its games count [kills team_kills], this program counts [kills team_kills suicides "},
		{func(e *Env) { e.Version = 99 }, "its games are of version 99 of pommerman, this program plays version 1"},
		{func(e *Env) { e.Seats = 3 }, "its games have 3 seats and 6 choices, this program has 2 and 6"},
	} {
		set := sets(t, "testdata/0.1.0/games")[0]
		tc.change(&set.Manifest.Env)
		if err := set.Agrees(game); err == nil || !strings.Contains(err.Error(), tc.want) ||
			!strings.HasSuffix(err.Error(), ": use pommego 0.1.0") {
			t.Errorf("error %v, want %q and the release", err, tc.want)
		}
	}
}

// A data set whose seeds deal other games is refused if it needs them, and else merged without them.
func TestOtherSeeds(t *testing.T) {
	game, err := catalog.Variant("OneVsOne-v0", json.RawMessage(`{"max_steps": 30}`))
	if err != nil {
		t.Fatal(err)
	}
	all := sets(t, "testdata/0.1.0/steps", "testdata/0.1.0/games")
	for _, set := range all {
		set.Manifest.Env.SeedVersion = 2
	}
	if err := all[0].Agrees(game); err == nil || !strings.Contains(err.Error(), "seeds of version 2, this program deals") {
		t.Errorf("error %v, want one that names the versions of seeds", err)
	}
	folder := filepath.Join(t.TempDir(), "set")
	if _, err := Merge(game, all[1:], Config{Layout: Steps}, Filter{}, folder, testOptions(1)); err != nil {
		t.Fatal(err)
	}
	r, err := Verify(folder, VerifyOptions{Game: func(*Manifest) (env.Game, error) { return game, nil }})
	if err != nil || len(r.Problems) > 0 || r.Steps != 65 || r.Replayed != 0 {
		t.Errorf("%+v, error %v; want 65 steps, none of them played again", r, err)
	}
}

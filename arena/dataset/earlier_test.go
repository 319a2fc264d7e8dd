package dataset

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

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

package suitebot

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestDictionary shows a position to a program.
func TestDictionary(t *testing.T) {
	r := sceneRules()
	p := mustGame(t, r)
	s := draw(t, p, `A0 1b . 2b . . 3b   . _ . . . . .   . . _ . . . .   . . . A1 . . .   H0 . . . . . H1`)
	s.StepCount, s.Scores[1], s.Collected[1] = 5, 2, 2
	for _, tc := range []struct {
		view         int
		want, reason string
	}{
		{0, `{"seat": 0, "round": 5, "width": 7, "height": 5, "rounds": 100, ` +
			`"agents": [{"x": 0, "y": 0, "home": [0, 4], "score": 0}, {"x": 3, "y": 3, "home": [6, 4], "score": 2}], ` +
			`"bombs": [{"x": 1, "y": 0, "rounds": 1, "owner": 1}, {"x": 3, "y": 0, "rounds": 2, "owner": 1}, {"x": 6, "y": 0, "rounds": 3, "owner": 1}], ` +
			`"fields": [".......", ".x.....", "..x....", ".......", "......."]}`, "everything is seen"},
		{1, `{"seat": 0, "round": 5, "width": 7, "height": 5, "rounds": 100, ` +
			`"agents": [{"x": 0, "y": 0, "home": [0, 4], "score": 0}, {"x": null, "y": null, "home": [6, 4], "score": 2}], ` +
			`"bombs": [{"x": 1, "y": 0, "rounds": 1, "owner": 1}, {"x": 6, "y": 0, "rounds": 3, "owner": 1}], ` +
			`"fields": ["..????.", ".x????.", "???????", "???????", "..????."]}`, "one field each way is"},
	} {
		r.ViewRadius = tc.view
		g := mustGame(t, r)
		m := g.New(1)[0].(*Match)
		m.State = s
		var want bytes.Buffer
		if err := json.Compact(&want, []byte(tc.want)); err != nil {
			t.Fatal(err)
		}
		if got := string(g.AppendObservation(nil, m, 0)); got != want.String() {
			t.Errorf("%s: the program is shown\n%s\nwant\n%s", tc.reason, got, want.String())
		}
		if !json.Valid([]byte(g.GameType())) || g.ActionSpace() != "6" {
			t.Errorf("game type %s, action space %s", g.GameType(), g.ActionSpace())
		}
	}
}

package bots

import (
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/pommerman"
)

// TestHeuristicBeatsSimple over a few seeds by every kind of rules.
func TestHeuristicBeatsSimple(t *testing.T) {
	for _, test := range []struct {
		name  string
		rules pommerman.Rules
	}{
		{"2018", pommerman.Rules2018(pommerman.FFA)},
		{"today", pommerman.Playground(pommerman.FFA)},
		{"java", pommerman.Java(pommerman.FFA)},
		{"fog", pommerman.Playground(pommerman.FFA).Fogged(4)},
		{"collapse", pommerman.Playground(pommerman.FFA).Collapsing(500)},
		{"team", pommerman.Playground(pommerman.Team)},
		{"team in fog", pommerman.Playground(pommerman.Team).Fogged(4)},
		{"one-vs-one", pommerman.Playground(pommerman.OneVsOne)},
	} {
		share, own, base := pommermantest.Strength(t, Roster, test.rules, "heuristic", 40)
		if share < 0.8 || own.Won <= base.Won {
			t.Errorf("%s: heuristic has %.0f%% of the games that one of the two wins, want 80%%; heuristic %+v, simple %+v",
				test.name, 100*share, own, base)
		}
	}
}

package basewar

import (
	"strings"
	"testing"

	pictures "pommego/arena/picture"
	"pommego/env"
	"pommego/env/grid"
)

// TestTexts shows everything that can be on a map as text.
func TestTexts(t *testing.T) {
	r := drawnRules()
	m := mustGame(t, r).New(1)[0].(*Match)
	m.State = draw(t, &r, "0#%..1. b.g.p.. ....... <.....> ....... .2....3")
	together(stand(4, 0, 0, 3), stand(5, 5, 1, 2))(&m.State)
	m.Energy[Blue] = 3
	m.Blast.Add(grid.At(6, 3))
	for _, tc := range []struct {
		reason   string
		row, col int
		text     string
	}{
		{"a stone", 0, 1, "##"},
		{"a box", 0, 2, "%%"},
		{"nothing", 0, 3, " ."},
		{"two mates on a cell", 0, 0, "+0"},
		{"one bomber", 0, 5, "A1"},
		{"bombers of both sides", 5, 1, "+2"},
		{"blue's bomb", 1, 0, "7a"},
		{"green's bomb", 1, 2, "7b"},
		{"a public bomb", 1, 4, "7="},
		{"blue's base", 3, 0, "H3"},
		{"green's base", 3, 6, "H5"},
		{"where an explosion was", 6, 3, "**"},
	} {
		text := pictures.AppendMatch(nil, m.Game().Spec(), m, nil, env.NoSeat, false)
		rows := strings.Split(string(text), "\n")
		if got := rows[1+tc.row][2*tc.col:][:2]; got != tc.text {
			t.Errorf("%s is written as %q, want %q", tc.reason, got, tc.text)
		}
	}
}

package basewar

import (
	"strings"
	"testing"

	"pommego/env/grid"
)

// TestTexts shows everything that can be on a map as text.
func TestTexts(t *testing.T) {
	r := drawnRules()
	s := draw(t, &r, "0#%..1. b.g.p.. ....... <.....> ....... .2....3")
	together(stand(4, 0, 0, 3), stand(5, 5, 1, 2))(&s)
	s.Energy[Blue] = 3
	s.Blast.Add(grid.At(6, 3))
	for _, tc := range []struct {
		reason   string
		row, col int
		text     string
	}{
		{"a stone", 0, 1, "##"},
		{"a box", 0, 2, "%%"},
		{"nothing", 0, 3, " ."},
		{"two mates on a cell", 0, 0, "+0"},
		{"one bomber", 0, 5, " 1"},
		{"bombers of both sides", 5, 1, "+2"},
		{"blue's bomb", 1, 0, "7b"},
		{"green's bomb", 1, 2, "7g"},
		{"a public bomb", 1, 4, "7="},
		{"blue's base", 3, 0, "B3"},
		{"green's base", 3, 6, "G5"},
		{"where an explosion was", 6, 3, "**"},
	} {
		rows := strings.Split(string(r.AppendText(nil, &s, false)), "\n")
		if got := rows[1+tc.row][2*tc.col:][:2]; got != tc.text {
			t.Errorf("%s is written as %q, want %q", tc.reason, got, tc.text)
		}
	}
}

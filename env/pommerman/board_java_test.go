package pommerman

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"pommego/env"
)

// TestJavaBoards deals many boards by the Java rules: each cell is rigid and wood
// as often as on the original's, as far as chance allows, and boards vary.
func TestJavaBoards(t *testing.T) {
	text, err := os.ReadFile("testdata/boardgen-java.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Boards int     `json:"boards"`
		Rigid  [][]int `json:"freq_rigid"`
		Wood   [][]int `json:"freq_wood"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	g := mustGame(t, Java(FFA))
	rigid, wood := newGridOfCounts(11), newGridOfCounts(11)
	const ours = 20_000
	boards := map[[256]Item]bool{}
	for value := range uint64(ours) {
		var s State
		g.Deal(&s, env.Seed{Value: value})
		if value < 1000 {
			boards[s.Board] = true
		}
		items := 0
		for i := range 121 {
			c := g.rules.cell(i)
			rigid[i/11][i%11] += int(toByte(s.Board[c] == Rigid))
			wood[i/11][i%11] += int(toByte(s.Board[c] == Wood))
			items += int(toByte(s.Hidden(c) != Passage))
		}
		if items != 10 {
			t.Fatalf("seed %d: %d items, want 10", value, items)
		}
	}
	if len(boards) < 990 {
		t.Errorf("of 1000 boards %d differ", len(boards))
	}
	for i := range 121 {
		row, col := i/11, i%11
		for _, pair := range [][2]int{{rigid[row][col], want.Rigid[row][col]}, {wood[row][col], want.Wood[row][col]}} {
			p, q := float64(pair[0])/ours, float64(pair[1])/float64(want.Boards)
			if limit := 5*math.Sqrt(q*(1-q)*(1/float64(want.Boards)+1.0/ours)) + 1e-9; math.Abs(p-q) > limit {
				t.Errorf("cell (%d,%d): share %.4f, the original's %.4f, want within %.4f", row, col, p, q, limit)
			}
		}
	}
}

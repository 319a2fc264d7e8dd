package suitebot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"pommego/env"
)

// TestGlobalStateIsTheGame compares the global state of random games, with and
// without a view radius, with the game's own numbers.
func TestGlobalStateIsTheGame(t *testing.T) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			g, err := New("test", "", rules, nil)
			if err != nil {
				t.Fatal(err)
			}
			m := g.New(1)[0].(*Match)
			m.Reset(env.Seed{Value: 5})
			rng := env.RNG{State: 7}
			actions := make([]uint8, rules.Players)
			for !m.Status().Over {
				checkGlobalState(t, g, m)
				randomActions(&rng, actions)
				m.Step(actions)
			}
			checkGlobalState(t, g, m)
		})
	}
}

func checkGlobalState(t *testing.T, g *Game, m *Match) {
	t.Helper()
	fields := g.Spec().State
	dst := [][]byte{bytes.Repeat([]byte{0xaa}, fields[0].Size()), bytes.Repeat([]byte{0xaa}, fields[1].Size())}
	m.Observe(env.GlobalState, nil, dst)
	r, cells := g.Rules(), g.Cells()
	want := map[string]map[Cell]int{"points": {}}
	for c := range Cell(cells) {
		if !m.Spent.Has(c) {
			want["points"][c] = 1
		}
	}
	numbers := map[string]float32{"step": float32(m.StepCount) / float32(r.Rounds)}
	for k := range r.Players {
		want[fmt.Sprintf("agent%d", k)] = map[Cell]int{m.Agents[k]: 1}
		want[fmt.Sprintf("home%d", k)] = map[Cell]int{m.Homes[k]: 1}
		want[fmt.Sprintf("bombs%d", k)] = map[Cell]int{}
		at := int(m.Agents[k])
		numbers[fmt.Sprintf("agent%d_x", k)] = float32(at%r.Width) / float32(r.Width-1)
		numbers[fmt.Sprintf("agent%d_y", k)] = float32(at/r.Width) / float32(r.Height-1)
		numbers[fmt.Sprintf("agent%d_score", k)] = float32(m.Scores[k]) * (1 / float32(cells))
	}
	for b := range m.Bombs {
		want[fmt.Sprintf("bombs%d", b.Owner)][b.Cell] = b.Rounds
	}
	for i, n := range fields[0].Names {
		for c := range Cell(cells) {
			if got := int(dst[0][i*cells+int(c)]); got != want[n.Name][c] {
				t.Fatalf("%s at %d is %d, want %d", n.Name, c, got, want[n.Name][c])
			}
		}
	}
	for i, n := range fields[1].Names {
		got := math.Float32frombits(binary.LittleEndian.Uint32(dst[1][4*i:]))
		if wanted, there := numbers[n.Name]; !there || got != wanted {
			t.Fatalf("%s is %v, want %v", n.Name, got, wanted)
		}
	}
}

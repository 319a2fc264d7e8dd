package basewar

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/envtest"
	"pommego/env/grid"
)

// encoded is the observation of one seat in one encoding.
func encoded(g *Game, m *Match, encoding, seat int) [][]byte {
	var dst [][]byte
	for i := range g.Spec().Encodings[encoding].Fields {
		dst = append(dst, bytes.Repeat([]byte{0xaa}, g.Spec().Encodings[encoding].Fields[i].Size()))
	}
	m.Observe(encoding, []uint8{uint8(seat)}, dst)
	return dst
}

// eachPosition calls visit with positions of every variant.
func eachPosition(t *testing.T, visit func(t *testing.T, g *Game, m *Match)) {
	for name, rules := range variants() {
		t.Run(name, func(t *testing.T) {
			g := mustGame(t, rules)
			m := g.New(1)[0].(*Match)
			actions := make([]uint8, NumBombers)
			for episode := range uint64(6) {
				seed := env.Seed{Value: 3, Episode: episode}
				m.Reset(seed)
				rng := seed.RNG(env.StreamPolicy)
				if episode%2 == 1 {
					crowd(&rules, &m.State, &rng)
				}
				for range 60 {
					visit(t, g, m)
					if m.Status().Over {
						break
					}
					randomActions(g, &m.State, &rng, actions)
					m.Step(actions)
				}
			}
		})
	}
}

// TestEverythingIsSeen rebuilds the whole state of the map from what either
// side is told in a round, by way of the raw encoding.
func TestEverythingIsSeen(t *testing.T) {
	eachPosition(t, func(t *testing.T, g *Game, m *Match) {
		for seat := range g.rules.Seats() {
			obs := encoded(g, m, encodingRaw, seat)
			got, err := g.form.Read(unpackRaw(g, envtest.Unpack(&g.Spec().Encodings[encodingRaw], obs)))
			if err != nil {
				t.Fatal(err)
			}
			want := m.State
			want.RNG, want.Gained = env.RNG{}, [2]uint16{}
			slices.SortFunc(want.bombs(), func(a, b Bomb) int { return int(a.Cell) - int(b.Cell) })
			if got != want {
				t.Fatalf("seat %d is told\n%s\nwant\n%s", seat, newTwin(&g.rules, &got).text(), newTwin(&g.rules, &want).text())
			}
			if obs[2][0] != uint8(seat) || obs[2][1] != uint8(seat%2) {
				t.Fatalf("seat %d is told it is %v", seat, obs[2])
			}
		}
	})
}

// TestPlanes rebuilds the planes, cell by cell and by their names.
func TestPlanes(t *testing.T) {
	eachPosition(t, func(t *testing.T, g *Game, m *Match) {
		for seat := range g.rules.Seats() {
			obs := encoded(g, m, encodingPlanes, seat)
			n := g.rules.BoardSize
			for p, name := range g.Spec().Encodings[encodingPlanes].Fields[0].Names {
				for at := range n * n {
					c := grid.At(at/n, at%n)
					if got, want := int(obs[0][p*n*n+at]), wantPlane(&g.rules, &m.State, seat, name.Name, c); got != want {
						t.Fatalf("seat %d: plane %s is %d at %s, want %d", seat, name.Name, got, where(c), want)
					}
				}
			}
			checkPlaneScalars(t, g, m, seat, obs[1])
		}
	})
}

// wantPlane is the value of a plane at a cell, worked out slowly.
func wantPlane(r *Rules, s *State, seat int, plane string, c grid.Cell) int {
	side := Side(seat % 2)
	bomb := Bomb{}
	if i := s.bombAt(c); i >= 0 {
		bomb = s.Bombs[i]
	}
	standing := func(match func(id int) bool) int {
		n := 0
		for id, b := range s.Bombers {
			if b.Lives > 0 && b.Cell == c && match(id) {
				n++
			}
		}
		return n
	}
	is := func(b bool) int { return int(toByte(b)) }
	switch plane {
	case "empty":
		return is(r.ground(s, c) == boardEmpty)
	case "stone":
		return is(r.ground(s, c) == boardStone)
	case "box":
		return is(r.ground(s, c) == boardBox)
	case "blast":
		return is(s.Blast.Has(c))
	case "bomb_life":
		return int(bomb.Life)
	case "bomb_public":
		return is(bomb.Life > 0 && bomb.Owner() == Public)
	case "bomb_own":
		return is(bomb.Life > 0 && bomb.Owner() == side)
	case "bomb_enemy":
		return is(bomb.Life > 0 && bomb.Owner() == side.Other())
	case "base_own":
		return is(c == r.Base(side)) * int(s.Energy[side])
	case "base_enemy":
		return is(c == r.Base(side.Other())) * int(s.Energy[side.Other()])
	case "self":
		return standing(func(id int) bool { return id == seat })
	case "mates":
		return standing(func(id int) bool { return id != seat && id%2 == seat%2 })
	case "enemies":
		return standing(func(id int) bool { return id%2 != seat%2 })
	case "own_a", "own_b", "own_c":
		return standing(func(id int) bool { return id%2 == seat && id/2 == int(plane[4]-'a') })
	}
	panic("no plane is called " + plane)
}

func checkPlaneScalars(t *testing.T, g *Game, m *Match, seat int, got []byte) {
	t.Helper()
	r, s := &g.rules, &m.State
	side := seat % 2
	part := func(n, most int) float32 { return min(float32(n)/float32(most), 1) }
	for i, name := range g.Spec().Encodings[encodingPlanes].Fields[1].Names {
		var want float32
		switch who, what, _ := strings.Cut(name.Name, "_"); {
		case name.Name == "step":
			want = part(int(s.StepCount), r.MaxSteps)
		case who == "score":
			want = part(int(s.Score[sideNamed(what, side)]), r.MaxScore())
		case who == "energy":
			want = part(int(s.Energy[sideNamed(what, side)]), r.BaseEnergy)
		default:
			cut := strings.LastIndex(name.Name, "_")
			b := &s.Bombers[bomberNamed(t, name.Name[:cut], seat)]
			want = map[string]float32{
				"lives": part(int(b.Lives), r.Lives), "bombs": part(int(b.Bombs), r.Bombs),
				"row": part(b.Cell.Row(), r.BoardSize-1), "col": part(b.Cell.Col(), r.BoardSize-1),
			}[name.Name[cut+1:]]
		}
		if x := math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])); x != want {
			t.Fatalf("seat %d: %s is %g, want %g", seat, name.Name, x, want)
		}
	}
}

func sideNamed(whose string, side int) int {
	if whose == "own" {
		return side
	}
	return 1 - side
}

// bomberNamed is the bomber that a seat calls by a name.
func bomberNamed(t *testing.T, name string, seat int) int {
	t.Helper()
	mates := map[int][2]int{0: {2, 4}, 1: {3, 5}, 2: {0, 4}, 3: {1, 5}, 4: {0, 2}, 5: {1, 3}}[seat]
	enemy := 1 - seat%2
	id, known := map[string]int{
		"self": seat, "mate0": mates[0], "mate1": mates[1], "enemy0": enemy, "enemy1": enemy + 2, "enemy2": enemy + 4,
		"own_a": seat % 2, "own_b": seat%2 + 2, "own_c": seat%2 + 4, "enemy_a": enemy, "enemy_b": enemy + 2,
		"enemy_c": enemy + 4,
	}[name]
	if !known {
		t.Fatalf("nobody is called %q", name)
	}
	return id
}

// TestMaskIsWhatHasAnEffect tries each action of each bomber alone.
func TestMaskIsWhatHasAnEffect(t *testing.T) {
	eachPosition(t, func(t *testing.T, g *Game, m *Match) {
		if m.Status().Over {
			return
		}
		still := m.State
		g.Step(&still, make([]uint8, NumBombers))
		for id := range NumBombers {
			var legal [NumActions]uint8
			g.Legal(&m.State, id, &legal)
			for a := Up; a < NumActions; a++ {
				actions := make([]uint8, NumBombers)
				actions[g.actionAt[id]] = uint8(a)
				after := m.State
				g.Step(&after, actions)
				if effect := after != still; effect && legal[a] == 0 || !effect && legal[a] == 1 && a != LayBomb {
					t.Fatalf("bomber %d: the mask of %v is %d, but it has an effect: %v", id, a, legal[a], effect)
				}
			}
		}
	})
}

// unpackRaw is the state as the raw encoding shows it.
func unpackRaw(g *Game, raw map[string][]int) *Snapshot {
	n := g.rules.BoardSize
	number := func(name string) int { return raw[name][0] }
	t := &Snapshot{
		StepCount: number("step_count"), Energy: []int{number("blue_energy"), number("green_energy")},
		Score: []int{number("blue_score"), number("green_score")},
	}
	t.Board.Draw(n*n, boardLetters, func(i int) int { return raw["board"][i] })
	for id := range NumBombers {
		at := func(what string) int { return number(fmt.Sprintf("bomber%d_%s", id, what)) }
		t.Bombers.Add(at("row"), at("col"), at("lives"), at("bombs"))
	}
	for i := range n * n {
		if life := raw["bomb_life"][i]; life > 0 {
			t.Bombs.Add(i/n, i%n, life, raw["bomb_owners"][i])
		}
		if raw["blast"][i] != 0 {
			t.Blast.Add(i/n, i%n)
		}
	}
	return t
}

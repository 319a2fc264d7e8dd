package basewar

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"pommego/env"
)

// TestGlobalStateIsTheRawObservation compares the global state with the raw
// encoding, which says all there is in other numbers.
func TestGlobalStateIsTheRawObservation(t *testing.T) {
	eachPosition(t, func(t *testing.T, g *Game, m *Match) {
		fields, raws := g.Spec().State, g.Spec().Encodings[encodingRaw].Fields
		dst := [][]byte{bytes.Repeat([]byte{0xaa}, fields[0].Size()), bytes.Repeat([]byte{0xaa}, fields[1].Size())}
		m.Observe(env.GlobalState, nil, dst)
		raw := encoded(g, m, encodingRaw, 0)
		cells := g.encoder.cells
		maps := map[string][]byte{}
		for i, n := range raws[0].Names {
			maps[n.Name] = raw[0][i*cells:][:cells]
		}
		number := map[string]int{}
		for i, n := range raws[1].Names {
			number[n.Name] = int(binary.LittleEndian.Uint16(raw[1][2*i:]))
		}
		shown := map[string]func(at int) int{
			"empty":       func(at int) int { return int(toByte(maps["board"][at] == boardEmpty)) },
			"stone":       func(at int) int { return int(toByte(maps["board"][at] == boardStone)) },
			"box":         func(at int) int { return int(toByte(maps["board"][at] == boardBox)) },
			"blast":       func(at int) int { return int(maps["blast"][at]) },
			"bomb_life":   func(at int) int { return int(maps["bomb_life"][at]) },
			"bomb_public": func(at int) int { return owned(maps["bomb_owners"][at], true, true) },
			"bomb_blue":   func(at int) int { return owned(maps["bomb_owners"][at], true, false) },
			"bomb_green":  func(at int) int { return owned(maps["bomb_owners"][at], false, true) },
			"base_blue":   func(at int) int { return int(toByte(maps["board"][at] == boardBlue)) * number["blue_energy"] },
			"base_green":  func(at int) int { return int(toByte(maps["board"][at] == boardGreen)) * number["green_energy"] },
		}
		for id := range NumBombers {
			shown[fmt.Sprintf("bomber%d", id)] = func(at int) int { return int(maps["bombers"][at] >> id & 1) }
		}
		for i, n := range fields[0].Names {
			for at := range cells {
				if got, want := int(dst[0][i*cells+at]), shown[n.Name](at); got != want {
					t.Fatalf("%s at %d is %d, want %d", n.Name, at, got, want)
				}
			}
		}
		r := &g.rules
		most := map[string]int{"step": r.MaxSteps, "blue_score": r.MaxScore(), "green_score": r.MaxScore(),
			"blue_energy": r.BaseEnergy, "green_energy": r.BaseEnergy}
		for id := range NumBombers {
			for name, n := range map[string]int{"lives": r.Lives, "bombs": r.Bombs, "row": r.BoardSize - 1,
				"col": r.BoardSize - 1} {
				most[fmt.Sprintf("bomber%d_%s", id, name)] = n
			}
		}
		number["step"] = number["step_count"]
		for i, n := range fields[1].Names {
			got := math.Float32frombits(binary.LittleEndian.Uint32(dst[1][4*i:]))
			if want := min(1, float32(number[n.Name])/float32(most[n.Name])); got != want {
				t.Fatalf("%s is %v, want %v", n.Name, got, want)
			}
		}
	})
}

// owned is 1 if a bomb has owners on these sides and no other.
func owned(owners uint8, blue, green bool) int {
	const blues = 1<<0 | 1<<2 | 1<<4
	return int(toByte(owners != 0 && (owners&blues != 0) == blue && (owners&^blues != 0) == green))
}

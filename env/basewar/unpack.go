package basewar

import (
	"encoding/binary"
	"fmt"
	"slices"

	"pommego/env/grid"
)

// unpackRaw rebuilds the state from the raw encoding, going by the names of its
// maps and scalars, to hold it to what it promises: that nothing is lost but
// what the last round gained. Bombs come in row-major order.
func (g *Game) unpackRaw(obs [][]byte) State {
	r := &g.rules
	var s State
	n := r.BoardSize
	for at := range n * n {
		c := grid.At(at/n, at%n)
		value := func(name string) uint8 { return obs[0][g.rawMap(name)*n*n+at] }
		switch value("board") {
		case boardStone:
			s.Stones.Add(c)
		case boardBox:
			s.Boxes.Add(c)
		}
		if value("blast") != 0 {
			s.Blast.Add(c)
		}
		if life := value("bomb_life"); life > 0 {
			s.addBomb(Bomb{c, life, BomberSet(value("bomb_owners"))})
		}
	}
	for i, entry := range g.Spec().Encodings[encodingRaw].Fields[1].Names {
		v := binary.LittleEndian.Uint16(obs[1][2*i:])
		var id int
		var what string
		switch _, err := fmt.Sscanf(entry.Name, "bomber%1d_%s", &id, &what); {
		case err == nil:
			s.Bombers[id].set(what, v)
		case entry.Name == "step_count":
			s.StepCount = v
		case entry.Name == "blue_energy":
			s.Energy[Blue] = uint8(v)
		case entry.Name == "green_energy":
			s.Energy[Green] = uint8(v)
		case entry.Name == "blue_score":
			s.Score[Blue] = v
		case entry.Name == "green_score":
			s.Score[Green] = v
		}
	}
	return s
}

// set gives a bomber one of its numbers.
func (b *Bomber) set(what string, v uint16) {
	switch what {
	case "row":
		b.Cell = grid.At(int(v), b.Cell.Col())
	case "col":
		b.Cell = grid.At(b.Cell.Row(), int(v))
	case "lives":
		b.Lives = uint8(v)
	case "bombs":
		b.Bombs = uint8(v)
	}
}

// rawMap is the place of the map of the given name.
func (g *Game) rawMap(name string) int {
	for i, entry := range g.Spec().Encodings[encodingRaw].Fields[0].Names {
		if entry.Name == name {
			return i
		}
	}
	panic("basewar: the raw encoding has no map " + name)
}

// sortBombs puts the bombs into row-major order, in which maps show them.
func (s *State) sortBombs() {
	slices.SortFunc(s.bombs(), func(a, b Bomb) int { return int(a.Cell) - int(b.Cell) })
}

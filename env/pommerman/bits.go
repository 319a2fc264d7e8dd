package pommerman

import (
	"fmt"
	"math/bits"

	"pommego/env"
)

// The bits encoding holds the planes encoding without loss in a sixth of its bytes. The
// five maps that all planes follow from are sent bit by bit: one row of bits for each bit
// of a map's values, eight cells a byte, the first cell in the lowest bit. The board
// shows, for each cell, the number of what it is to the seat (bitItems).

type bitMap struct{ name, meaning string }

var bitMaps = [numMaps]bitMap{
	mapBoard: {"item", "what the cell shows: 0 nothing, 1 passage, 2 rigid, 3 wood, 4 bomb, 5 flames, 6 fog, " +
		"7 extra_bomb, 8 incr_range, 9 kick, 10 skull, 11 self, 12 teammate, 13 enemy"},
	mapBlast:  {"bomb_blast", "blast strength of the bomb on the cell"},
	mapLife:   {"bomb_life", "steps until the bomb on the cell explodes"},
	mapMoving: {"bomb_moving", "direction in which it rolls: 1 up, 2 down, 3 left, 4 right"},
	mapFlame:  {"flame", "observations for which the youngest flame on the cell still shows"},
}

// bitWidths is how many bits the values of each map have: hand-made bombs may have any byte.
func (r *Rules) bitWidths() [numMaps]int {
	return [numMaps]int{mapBoard: 4, mapBlast: 8, mapLife: 8, mapMoving: 3, mapFlame: bits.Len(uint(r.FlameLife))}
}

// firstTaken is the first number of what a seat takes agents for in the bits encoding, less one.
const firstTaken = 10

// bitItems turns what a seat takes an item for into its number in the bits encoding.
func bitItems(as [16]uint8) [16]uint8 {
	for item, taken := range as {
		if taken >= uint8(itself) {
			taken -= uint8(itself) - firstTaken
		}
		as[item] = taken + 1
	}
	return as
}

func (g *Game) bitsEncoding() env.Encoding {
	field := env.Field{Name: "bits", DType: env.Uint8, High: 255}
	for m, width := range g.rules.bitWidths() {
		for bit := range width {
			field.Names = append(field.Names, env.Name{Name: fmt.Sprintf("%s%d", bitMaps[m].name, bit),
				Meaning: fmt.Sprintf("bit %d of: %s", bit, bitMaps[m].meaning)})
		}
	}
	field.Shape = []int{len(field.Names), (len(g.cells) + 7) / 8}
	return env.Encoding{Name: "bits", Fields: []env.Field{field, g.planesEncoding().Fields[1]}}
}

func (g *Game) observeBits(s *State, seats []uint8, dst, scalars []byte) {
	g.observeScalars(s, seats, scalars)
	var all, seen scene
	g.paint(s, all[:])
	cells := len(g.cells)
	for _, seat := range seats {
		maskMaps(seen[:], all[:], g.sight(&s.Agents[seat]), cells)
		for at, item := range seen[:cells] {
			seen[at] = g.of[seat].bitItems[item&15]
		}
		for m, width := range g.bitWidths {
			dst = packBits(dst, seen[m*cells:], cells, width)
		}
	}
}

// packBits writes the bits of a map's cells and returns the rest of dst. Most words of the
// maps of bombs and flames are 0.
func packBits(dst, cells []byte, n, width int) []byte {
	size := (n + 7) / 8
	clear(dst[:size*width])
	for i := range size {
		word := wordAt(cells, 8*i)
		if rest := n - 8*i; rest < 8 {
			word &= 1<<(8*rest) - 1 // the next map follows
		}
		for bit := 0; bit < width && word != 0; bit++ {
			dst[bit*size+i] = uint8(word >> bit & ones * 0x0102040810204080 >> 56)
		}
	}
	return dst[size*width:]
}

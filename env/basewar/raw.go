package basewar

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
)

// The raw encoding holds all that the sides are told in a round, without loss:
// five maps and a vector of numbers that are the same for all seats, and which
// seat it is that looks.

// The raw maps, in order.
const (
	mapBoard = iota
	mapBombLife
	mapBombOwners
	mapBombers
	mapBlast
	numMaps
)

// What the map of the board shows.
const (
	boardEmpty = iota
	boardStone
	boardBox
	boardBlue // the base
	boardGreen
)

var rawMaps = [numMaps]env.Name{
	mapBoard:      {Name: "board", Meaning: "0 free, 1 stone, 2 box, 3 blue's base, 4 green's base"},
	mapBombLife:   {Name: "bomb_life", Meaning: "rounds until the bomb on the cell explodes, 0 without one"},
	mapBombOwners: {Name: "bomb_owners", Meaning: "who laid the bomb on the cell: the sum of 2 to the power of each bomber's number (blue has 0, 2 and 4); 0 without one"},
	mapBombers:    {Name: "bombers", Meaning: "the living bombers on the cell: the sum of 2 to the power of each one's number"},
	mapBlast:      {Name: "blast", Meaning: "1 where an explosion of the last round reached"},
}

// rawScalarNames names the vector's entries, in their order.
func (r *Rules) rawScalarNames() []env.Name {
	list := []env.Name{{Name: "step_count", Meaning: "rounds played"}}
	for side := Blue; side <= Green; side++ {
		list = append(list,
			env.Name{Name: side.String() + "_energy", Meaning: "energy of " + side.String() + "'s base"},
			env.Name{Name: side.String() + "_score", Meaning: "points of " + side.String()})
	}
	for id := range NumBombers {
		who := fmt.Sprintf("bomber%d_", id)
		list = append(list,
			env.Name{Name: who + "row", Meaning: "its row (its last one when dead)"},
			env.Name{Name: who + "col", Meaning: "its column (its last one when dead)"},
			env.Name{Name: who + "lives", Meaning: "lives it has left; at 0 it is dead"},
			env.Name{Name: who + "bombs", Meaning: "bombs it can lay now"})
	}
	return list
}

// rawEncoding describes the encoding.
func (r *Rules) rawEncoding() env.Encoding {
	n := r.BoardSize
	scalars := r.rawScalarNames()
	return env.Encoding{Name: "raw", Fields: []env.Field{
		{Name: "maps", DType: env.Uint8, Shape: []int{numMaps, n, n}, Low: 0, High: 100, Shared: true, Names: rawMaps[:]},
		{Name: "scalars", DType: env.Int16, Shape: []int{len(scalars)}, Low: 0, High: 32767, Shared: true, Names: scalars},
		{Name: "self", DType: env.Uint8, Shape: []int{2}, Low: 0, High: NumBombers - 1, Names: []env.Name{
			{Name: "seat", Meaning: "the seat that looks; of six seats, also its bomber's number"},
			{Name: "side", Meaning: "its side: 0 blue, 1 green"},
		}},
	}}
}

// observeRaw writes the raw observations of the given seats.
func (g *Game) observeRaw(s *State, seats []uint8, dst [][]byte) {
	g.paintRaw(s, dst[0])
	g.encodeRawScalars(s, dst[1])
	for i, seat := range seats {
		dst[2][2*i], dst[2][2*i+1] = seat, uint8(g.rules.SideOf(int(seat)))
	}
}

// paintRaw writes the maps. The blast is painted aside, because its last row is
// written past the end.
func (g *Game) paintRaw(s *State, maps []byte) {
	e := &g.encoder
	e.spreadTwo(maps[mapBoard*e.cells:], &s.Stones, &s.Boxes)
	maps[mapBoard*e.cells+e.flat[Blue]] = boardBlue
	maps[mapBoard*e.cells+e.flat[Green]] = boardGreen
	clear(maps[mapBombLife*e.cells : mapBlast*e.cells])
	for i := range s.bombs() {
		b := &s.Bombs[i]
		at := int(e.flatAt[b.Cell])
		maps[mapBombLife*e.cells+at] = b.Life
		maps[mapBombOwners*e.cells+at] = uint8(b.Owners)
	}
	for id := range s.Bombers {
		if b := &s.Bombers[id]; b.Alive() {
			maps[mapBombers*e.cells+int(e.flatAt[b.Cell])] |= 1 << id
		}
	}
	var blast [maxCells + sceneSlack]byte
	e.spread(blast[:], &s.Blast)
	copy(maps[mapBlast*e.cells:][:e.cells], blast[:])
}

// encodeRawScalars writes the vector of int16 that rawScalarNames names.
func (g *Game) encodeRawScalars(s *State, dst []byte) {
	putInt16(dst, int(s.StepCount))
	for side := range s.Energy {
		putInt16(dst[2+4*side:], int(s.Energy[side]))
		putInt16(dst[4+4*side:], int(s.Score[side]))
	}
	dst = dst[10:]
	for id := range s.Bombers {
		b := &s.Bombers[id]
		// The numbers are small: four make one word.
		binary.LittleEndian.PutUint64(dst[8*id:], uint64(b.Cell.Row())|uint64(b.Cell.Col())<<16|uint64(b.Lives)<<32|uint64(b.Bombs)<<48)
	}
}

func putInt16(dst []byte, v int) { binary.LittleEndian.PutUint16(dst, uint16(v)) }

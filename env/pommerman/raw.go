package pommerman

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
)

// The raw encoding holds the reference's observation without loss, in its own
// numbers: five maps and a vector of scalars. The reference's dictionary can be
// rebuilt from it exactly (game_env is the same for all observations of an id,
// and stands in the rules).

// rawMaps names the maps, in order.
var rawMaps = []env.Name{
	{Name: "board", Meaning: "what each cell shows; 5 where the seat cannot see"},
	{Name: "bomb_blast_strength", Meaning: "blast strength of the bomb on the cell, 0 without one"},
	{Name: "bomb_life", Meaning: "steps until the bomb on the cell explodes, 0 without one"},
	{Name: "bomb_moving_direction", Meaning: "direction in which the bomb on the cell rolls (1 up, 2 down, 3 left, 4 right), 0 if it lies still"},
	{Name: "flame_life", Meaning: "observations for which the youngest flame on the cell still shows, 0 without one"},
}

// rawScalarNames names the raw vector's entries, in the order in which
// rawBombNames names the places of the list of bombs.
func rawBombNames() []env.Name {
	list := make([]env.Name, MaxBombs)
	for i := range list {
		list[i] = env.Name{Name: fmt.Sprintf("bomb%d", i), Meaning: "row, column and blast strength of a bomb, in row-major order; all 0 past the last"}
	}
	return list
}

// encodeRawBombs writes row, column and blast strength of each bomb that seat
// sees.
func (g *Game) encodeRawBombs(s *State, seat int, dst []byte) {
	w := g.rules.window(s, seat)
	var v View
	v.seeBombs(s, &w)
	clear(dst[:3*MaxBombs])
	for i, b := range v.Bombs[:v.NumBombs] {
		dst[3*i], dst[3*i+1], dst[3*i+2] = uint8(b.Cell.Row()), uint8(b.Cell.Col()), b.Blast
	}
}

// encodeRawScalars writes them.
func (r *Rules) rawScalarNames() []env.Name {
	list := []env.Name{
		{Name: "row", Meaning: "the seat's row (its last one when dead)"},
		{Name: "col", Meaning: "the seat's column (its last one when dead)"},
		{Name: "ammo", Meaning: "bombs it can lay now"},
		{Name: "blast_strength", Meaning: "blast strength of its bombs"},
		{Name: "can_kick", Meaning: "1 if it can kick bombs"},
		{Name: "teammate", Meaning: "cell value of the teammate, the dummy's without one"},
	}
	for k := range r.enemies() {
		list = append(list, env.Name{Name: fmt.Sprintf("enemy%d", k), Meaning: "cell value of an enemy, the dummy's where there are fewer"})
	}
	for k := range r.Seats() {
		list = append(list, env.Name{Name: fmt.Sprintf("alive%d", k), Meaning: fmt.Sprintf("1 while agent %d lives; never fogged", k)})
	}
	list = append(list,
		env.Name{Name: "game_type", Meaning: "1 FFA, 2 team, 3 team radio, 4 one-vs-one"},
		env.Name{Name: "step_count", Meaning: "steps made"})
	for k := range r.RadioWords {
		list = append(list, env.Name{Name: fmt.Sprintf("message%d", k), Meaning: "word the teammate sent in the last step, 0 for none"})
	}
	return list
}

// enemies is how many entries the list of enemies has.
func (r *Rules) enemies() int {
	if r.GameType == OneVsOne {
		return 1
	}
	return 3
}

func toByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// rawEncoding describes the encoding.
func (r *Rules) rawEncoding() env.Encoding {
	n := r.BoardSize
	scalars := r.rawScalarNames()
	shared := r.ViewSize == 0
	fields := []env.Field{
		{Name: "maps", DType: env.Uint8, Shape: []int{len(rawMaps), n, n}, Low: 0, High: 255, Shared: shared, Names: rawMaps},
		{Name: "scalars", DType: env.Int16, Shape: []int{len(scalars)}, Low: 0, High: 32767, Names: scalars},
	}
	if r.BombList {
		fields = append(fields, env.Field{Name: "bombs", DType: env.Uint8, Shape: []int{MaxBombs, 3}, Low: 0, High: 255, Shared: shared, Names: rawBombNames()})
	}
	return env.Encoding{Name: "raw", Fields: fields}
}

// encodeRawMaps writes the five maps as seat sees them, 5*n*n bytes.
func (g *Game) encodeRawMaps(s *State, fire *fire, seat int, dst []byte) {
	r := &g.rules
	size := r.BoardSize * r.BoardSize
	dst = dst[:len(rawMaps)*size]
	w := r.window(s, seat)
	r.flatten(s, &w, dst) // runs over into the next map
	board := dst[:size]
	clear(dst[size:])
	for i := range s.bombs() {
		b := &s.Bombs[i]
		if at := int(g.flatAt[b.Cell]); board[at] != byte(Fog) {
			dst[size+at] = b.Blast
			dst[2*size+at] = b.Life
			dst[3*size+at] = uint8(b.Moving())
		}
	}
	fire.encode(board, dst[4*size:])
}

// encodeRawScalars writes the vector of int16 that rawScalarNames names.
func (g *Game) encodeRawScalars(s *State, seat int, dst []byte) {
	r := &g.rules
	a := &s.Agents[seat]
	who := &g.related[seat]
	for _, v := range [...]int{a.Cell.Row(), a.Cell.Col(), int(a.Ammo), int(a.Blast), int(toByte(a.Kicks)), int(who.teammate)} {
		dst = putInt16(dst, v)
	}
	for k := range r.enemies() {
		dst = putInt16(dst, int(who.enemies[k]))
	}
	for k := range r.Seats() {
		dst = putInt16(dst, int(toByte(s.Agents[k].Alive)))
	}
	dst = putInt16(dst, int(r.GameType))
	dst = putInt16(dst, int(s.StepCount))
	for k := range r.RadioWords {
		dst = putInt16(dst, int(s.Radio[r.Teammate(seat)][k]))
	}
}

// putInt16 writes one number and returns what is left of dst.
func putInt16(dst []byte, v int) []byte {
	binary.LittleEndian.PutUint16(dst, uint16(v))
	return dst[2:]
}

package pommerman

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
	"pommego/env/grid"
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

// scalar is one entry of a vector: its name, its meaning and where its value
// comes from.
type scalar[T any] struct {
	name, meaning string
	value         func(r *Rules, s *State, seat int) T
}

// rawScalars lists the raw vector's entries in order.
func (r *Rules) rawScalars() []scalar[int16] {
	list := []scalar[int16]{
		{"row", "the seat's row (its last one when dead)", func(_ *Rules, s *State, seat int) int16 { return int16(s.Agents[seat].Cell.Row()) }},
		{"col", "the seat's column (its last one when dead)", func(_ *Rules, s *State, seat int) int16 { return int16(s.Agents[seat].Cell.Col()) }},
		{"ammo", "bombs it can lay now", func(_ *Rules, s *State, seat int) int16 { return int16(s.Agents[seat].Ammo) }},
		{"blast_strength", "blast strength of its bombs", func(_ *Rules, s *State, seat int) int16 { return int16(s.Agents[seat].Blast) }},
		{"can_kick", "1 if it can kick bombs", func(_ *Rules, s *State, seat int) int16 { return int16(toByte(s.Agents[seat].Kicks)) }},
		{"teammate", "cell value of the teammate, the dummy's without one", func(r *Rules, _ *State, seat int) int16 { mate, _ := r.relations(seat); return int16(mate) }},
	}
	for k := range r.enemies() {
		list = append(list, scalar[int16]{fmt.Sprintf("enemy%d", k), "cell value of an enemy, the dummy's where there are fewer",
			func(r *Rules, _ *State, seat int) int16 { _, enemies := r.relations(seat); return int16(enemies[k]) }})
	}
	for k := range r.Seats() {
		list = append(list, scalar[int16]{fmt.Sprintf("alive%d", k), fmt.Sprintf("1 while agent %d lives; never fogged", k),
			func(_ *Rules, s *State, _ int) int16 { return int16(toByte(s.Agents[k].Alive)) }})
	}
	list = append(list,
		scalar[int16]{"game_type", "1 FFA, 2 team, 3 team radio, 4 one-vs-one", func(r *Rules, _ *State, _ int) int16 { return int16(r.GameType) }},
		scalar[int16]{"step_count", "steps made", func(_ *Rules, s *State, _ int) int16 { return int16(s.StepCount) }})
	for k := range r.RadioWords {
		list = append(list, scalar[int16]{fmt.Sprintf("message%d", k), "word the teammate sent in the last step, 0 for none",
			func(r *Rules, s *State, seat int) int16 { return int16(s.Radio[r.Teammate(seat)][k]) }})
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

func names[T any](list []scalar[T]) []env.Name {
	var all []env.Name
	for _, e := range list {
		all = append(all, env.Name{Name: e.name, Meaning: e.meaning})
	}
	return all
}

// rawEncoding describes the encoding.
func (r *Rules) rawEncoding() env.Encoding {
	n := r.BoardSize
	scalars := names(r.rawScalars())
	return env.Encoding{Name: "raw", Fields: []env.Field{
		{Name: "maps", DType: env.Uint8, Shape: []int{len(rawMaps), n, n}, Low: 0, High: 255, Shared: r.ViewSize == 0, Names: rawMaps},
		{Name: "scalars", DType: env.Int16, Shape: []int{len(scalars)}, Low: 0, High: 32767, Names: scalars},
	}}
}

// encodeRawMaps writes the five maps as seat sees them, 5*n*n bytes.
func (r *Rules) encodeRawMaps(s *State, seat int, dst []byte) {
	n := r.BoardSize
	size := n * n
	dst = dst[:len(rawMaps)*size]
	w := r.window(s, seat)
	board := dst[:size]
	clear(dst[size:])
	if r.ViewSize != 0 {
		for i := range board {
			board[i] = byte(Fog)
		}
	}
	for row := w.top; row < w.bottom; row++ {
		from := s.Board[grid.At(row, w.left):][:w.right-w.left]
		to := board[row*n+w.left:][:len(from)]
		for i, item := range from {
			to[i] = byte(item)
		}
	}
	for i := range s.bombs() {
		if b := &s.Bombs[i]; w.has(b.Cell) {
			at := b.Cell.Row()*n + b.Cell.Col()
			dst[size+at] = b.Blast
			dst[2*size+at] = b.Life
			dst[3*size+at] = uint8(b.Moving())
		}
	}
	s.eachFlame(&w, func(c grid.Cell, life uint8) { dst[4*size+c.Row()*n+c.Col()] = life })
}

// eachFlame calls visit for the flames in the window, the youngest on a cell
// last.
func (s *State) eachFlame(w *window, visit func(c grid.Cell, life uint8)) {
	for life := range s.flames {
		for c := range s.flames[life].All {
			if w.has(c) {
				visit(c, uint8(life+1))
			}
		}
	}
}

// encodeRawScalars writes the vector of int16.
func (g *Game) encodeRawScalars(s *State, seat int, dst []byte) {
	for i := range g.rawScalars {
		binary.LittleEndian.PutUint16(dst[2*i:], uint16(g.rawScalars[i].value(&g.rules, s, seat)))
	}
}

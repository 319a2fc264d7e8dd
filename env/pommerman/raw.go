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
var rawMaps = [numMaps]env.Name{
	mapBoard:  {Name: "board", Meaning: "what each cell shows; 5 where the seat cannot see"},
	mapBlast:  {Name: "bomb_blast_strength", Meaning: "blast strength of the bomb on the cell, 0 without one"},
	mapLife:   {Name: "bomb_life", Meaning: "steps until the bomb on the cell explodes, 0 without one"},
	mapMoving: {Name: "bomb_moving_direction", Meaning: "direction in which the bomb on the cell rolls (1 up, 2 down, 3 left, 4 right), 0 if it lies still"},
	mapFlame:  {Name: "flame_life", Meaning: "observations for which the youngest flame on the cell still shows, 0 without one"},
}

// rawBombNames names the places of the list of bombs.
func rawBombNames() []env.Name {
	list := make([]env.Name, MaxBombs)
	for i := range list {
		list[i] = env.Name{Name: fmt.Sprintf("bomb%d", i), Meaning: "row, column and blast strength of a bomb, in row-major order; all 0 past the last"}
	}
	return list
}

// observeRaw writes the raw observations of the given seats.
func (g *Game) observeRaw(s *State, seats []uint8, dst [][]byte) {
	r := &g.rules
	cells := r.BoardSize * r.BoardSize
	size, width := numMaps*cells, len(g.rawTemplates[0])
	if r.ViewSize == 0 {
		g.paint(s, dst[0])
	} else {
		var scene scene
		g.paint(s, scene[:])
		for i, seat := range seats {
			maskMaps(dst[0][i*size:(i+1)*size], scene[:], g.sight(&s.Agents[seat]), cells)
		}
	}
	for i, seat := range seats {
		g.encodeRawScalars(s, int(seat), dst[1][i*width:(i+1)*width])
		if r.BombList && (i == 0 || r.ViewSize != 0) {
			g.encodeRawBombs(s, int(seat), dst[2][i*3*MaxBombs:])
		}
	}
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

// rawScalarNames names the raw vector's entries, in their order.
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
		{Name: "maps", DType: env.Uint8, Shape: []int{numMaps, n, n}, Low: 0, High: 255, Shared: shared, Names: rawMaps[:]},
		{Name: "scalars", DType: env.Int16, Shape: []int{len(scalars)}, Low: 0, High: 32767, Names: scalars},
	}
	if r.BombList {
		fields = append(fields, env.Field{Name: "bombs", DType: env.Uint8, Shape: []int{MaxBombs, 3}, Low: 0, High: 255, Shared: shared, Names: rawBombNames()})
	}
	return env.Encoding{Name: "raw", Fields: fields}
}

// rawAt is where the entries of the raw vector that change are, as rawScalarNames
// orders them.
type rawAt struct{ alive, step, message int }

// rawTemplates is for each seat the raw vector with what never changes.
func (r *Rules) rawTemplates() (all [MaxAgents][]byte, at rawAt) {
	names := r.rawScalarNames()
	for seat := range r.Seats() {
		teammate, enemies := r.relations(seat)
		fixed := map[string]int{"teammate": int(teammate), "game_type": int(r.GameType)}
		for k, enemy := range enemies {
			fixed[fmt.Sprintf("enemy%d", k)] = int(enemy)
		}
		for i, name := range names {
			all[seat] = binary.LittleEndian.AppendUint16(all[seat], uint16(fixed[name.Name]))
			switch name.Name {
			case "alive0":
				at.alive = 2 * i
			case "step_count":
				at.step = 2 * i
			case "message0":
				at.message = 2 * i
			}
		}
	}
	return all, at
}

// encodeRawScalars writes the vector of int16 that rawScalarNames names.
func (g *Game) encodeRawScalars(s *State, seat int, dst []byte) {
	a := &s.Agents[seat]
	copy(dst, g.rawTemplates[seat])
	// The numbers are small: several make one word.
	binary.LittleEndian.PutUint64(dst, uint64(a.Cell.Row())|uint64(a.Cell.Col())<<16|uint64(a.Ammo)<<32|uint64(a.Blast)<<48)
	putInt16(dst[8:], int(toByte(a.Kicks)))
	for k, alive := 0, dst[g.rawAt.alive:]; k < g.rules.Seats(); k += 2 {
		binary.LittleEndian.PutUint32(alive[2*k:], uint32(toByte(s.Agents[k].Alive))|uint32(toByte(s.Agents[k+1].Alive))<<16)
	}
	putInt16(dst[g.rawAt.step:], int(s.StepCount))
	for k := range g.rules.RadioWords {
		putInt16(dst[g.rawAt.message+2*k:], int(s.Radio[g.rules.Teammate(seat)][k]))
	}
}

func putInt16(dst []byte, v int) { binary.LittleEndian.PutUint16(dst, uint16(v)) }

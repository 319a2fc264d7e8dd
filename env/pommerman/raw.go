package pommerman

import (
	"fmt"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/observe"
)

// The raw encoding holds the reference's observation without loss, in its own
// numbers: five maps and a vector of scalars. The reference's dictionary can be
// rebuilt from it exactly (game_env is the same for all observations of an id, and is
// part of the rules).
//
// Games with fog also have the encoding unfogged: the same fields, with the maps and
// the list of bombs as without fog, once for all seats. A client that is trusted with
// it can compute what each seat sees, and the maps are sent once per game.

// rawMaps names the maps, in order.
var rawMaps = [numMaps]env.Name{
	mapBoard: {Name: "board", Meaning: "what each cell shows; 5 where the seat cannot see"},
	mapBlast: {Name: "bomb_blast_strength", Meaning: "blast strength of the bomb on the cell, 0 without one"},
	mapLife:  {Name: "bomb_life", Meaning: "steps until the bomb on the cell explodes, 0 without one"},
	mapMoving: {Name: "bomb_moving_direction",
		Meaning: "direction in which the bomb on the cell rolls (1 up, 2 down, 3 left, 4 right), 0 if it lies still"},
	mapFlame: {Name: "flame_life",
		Meaning: "observations for which the youngest flame on the cell still shows, 0 without one"},
}

// observeRaw writes the raw observations of the given seats, with the maps and the
// bombs that they see in fog, or else with all there are, once.
func (g *Game) observeRaw(s *State, seats []uint8, dst [][]byte, fog bool) {
	r := &g.rules
	cells := r.BoardSize * r.BoardSize
	size, width := numMaps*cells, g.sizes[encodingRaw][1]
	if !fog {
		clear(dst[0][:size])
		g.paint(s, dst[0])
	} else {
		var scene scene
		g.paint(s, scene[:])
		for i, seat := range seats {
			maskMaps(dst[0][i*size:(i+1)*size], scene[:], g.sight(&s.Agents[seat]), cells)
		}
	}
	for i, seat := range seats {
		rawScalars(observe.Into(dst[1][i*width:(i+1)*width]), g, s, int(seat))
		if !r.BombList {
			continue
		}
		if fog {
			encodeRawBombs(s, r.window(s, int(seat)), dst[2][i*3*MaxBombs:])
		} else if i == 0 {
			encodeRawBombs(s, grid.Square(r.BoardSize), dst[2])
		}
	}
}

// encodeRawBombs writes row, column and blast strength of each bomb in a window.
func encodeRawBombs(s *State, w grid.Bits, dst []byte) {
	var v View
	v.seeBombs(s, &w)
	clear(dst[:3*MaxBombs])
	for i, b := range v.Bombs[:v.NumBombs] {
		dst[3*i], dst[3*i+1], dst[3*i+2] = uint8(b.Cell.Row()), uint8(b.Cell.Col()), b.Blast
	}
}

func (r *Rules) enemies() int {
	if r.GameType == OneVsOne {
		return 1
	}
	return 3
}

func toByte(b bool) uint8 { return observe.ToByte(b) }

// rawEncoding describes one of them. shared: maps and bombs are the same for all seats.
func (g *Game) rawEncoding(name string, shared bool) env.Encoding {
	n := g.rules.BoardSize
	fields := []env.Field{
		observe.MapsField("maps", n, n, 255, func(m observe.Maps[observe.List]) { m.Named(rawMaps[:]) }),
		observe.VectorField(env.Int16, 0, 32767, func(v observe.Vector[observe.List]) { rawScalars(v, g, &State{}, 0) }),
	}
	if g.rules.BombList {
		bombs := env.Field{Name: "bombs", DType: env.Uint8, Shape: []int{MaxBombs, 3}, High: 255}
		for i := range MaxBombs {
			bombs.Names = append(bombs.Names, env.Name{Name: fmt.Sprintf("bomb%d", i),
				Meaning: "row, column and blast strength of a bomb, in row-major order; all 0 past the last"})
		}
		fields = append(fields, bombs)
	}
	for i := range fields {
		fields[i].Shared = i != 1 && shared
	}
	return env.Encoding{Name: name, Fields: fields}
}

func rawScalars[M observe.Mode](v observe.Vector[M], g *Game, s *State, seat int) {
	a, of := &s.Agents[seat], &g.of[seat]
	v = v.Int16("row", "the seat's row (its last one when dead)", a.Cell.Row())
	v = v.Int16("col", "the seat's column (its last one when dead)", a.Cell.Col())
	v = v.Int16("ammo", "bombs it can lay now", int(a.Ammo))
	v = v.Int16("blast_strength", "blast strength of its bombs", int(a.Blast))
	v = v.Int16("can_kick", "1 if it can kick bombs", int(toByte(a.Kicks)))
	v = v.Int16("teammate", "cell value of the teammate, the dummy's without one", int(of.teammate))
	for k, enemy := range of.enemies {
		v = v.Nth(k).Int16("enemy%d", "cell value of an enemy, the dummy's where there are fewer", int(enemy))
	}
	agents := s.Agents[:g.rules.Seats()]
	for k := range agents {
		v = v.Nth(k).Int16("alive%d", "1 while agent %d lives; never fogged", int(toByte(agents[k].Alive)))
	}
	v = v.Int16("game_type", "1 FFA, 2 team, 3 team radio, 4 one-vs-one", int(g.rules.GameType))
	v = v.Int16("step_count", "steps made", int(s.StepCount))
	for k := range g.rules.RadioWords {
		v = v.Nth(k).Int16("message%d", "word the teammate sent in the last step, 0 for none", int(s.Radio[of.mate][k]))
	}
}

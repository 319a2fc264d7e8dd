package pommerman

import (
	"encoding/binary"
	"strings"

	"pommego/env/grid"
)

// recordOf writes a state down as a record does, without observations.
func (r *Rules) recordOf(s *State) recordState {
	out := recordState{
		StepCount: new(int(s.StepCount)), Board: r.digitMap(func(c grid.Cell) uint8 { return uint8(s.Board[c]) }),
		Bombs: [][]int{}, Flames: [][]int{}, Items: [][]int{},
	}
	for seat := range r.Seats() {
		a := &s.Agents[seat]
		out.Agents = append(out.Agents, []int{a.Cell.Row(), a.Cell.Col(), int(toByte(a.Alive)), int(a.Ammo), int(a.Blast), int(toByte(a.Kicks))})
		if r.RadioWords > 0 {
			out.Radio = append(out.Radio, r.words(&s.Radio[seat]))
		}
	}
	for i := range s.bombs() {
		b := &s.Bombs[i]
		out.Bombs = append(out.Bombs, []int{b.Cell.Row(), b.Cell.Col(), int(b.Life), int(b.Blast), b.Owner(), int(b.Moving())})
	}
	for life := range s.flames {
		for c := range s.flames[life].All {
			out.Flames = append(out.Flames, []int{c.Row(), c.Col(), life})
		}
	}
	for i := range s.Board {
		if c := grid.Cell(i); s.Hidden(c) != Passage {
			out.Items = append(out.Items, []int{c.Row(), c.Col(), int(s.Hidden(c))})
		}
	}
	return out
}

// words is a message as a list.
func (r *Rules) words(message *[MaxWords]uint8) []int {
	list := make([]int, r.RadioWords)
	for w := range list {
		list[w] = int(message[w])
	}
	return list
}

// digitMap writes one digit a cell, row by row.
func (r *Rules) digitMap(value func(grid.Cell) uint8) string {
	n := r.BoardSize
	text := make([]byte, 0, n*n)
	for row := range n {
		for col := range n {
			text = append(text, toDigit(value(grid.At(row, col))))
		}
	}
	return string(text)
}

// seen is the observation dictionary of a view.
func (v *View) seen() recordObs {
	r := v.Rules
	var bombs [256]SeenBomb
	for _, b := range v.Bombs[:v.NumBombs] {
		bombs[b.Cell] = b
	}
	o := recordObs{
		Board:      r.digitMap(func(c grid.Cell) uint8 { return uint8(v.Board[c]) }),
		BombBlast:  r.digitMap(func(c grid.Cell) uint8 { return bombs[c].Blast }),
		BombLife:   r.digitMap(func(c grid.Cell) uint8 { return bombs[c].Life }),
		BombMoving: r.digitMap(func(c grid.Cell) uint8 { return uint8(bombs[c].Moving) }),
		FlameLife:  r.digitMap(func(c grid.Cell) uint8 { return v.Flames[c] }),
		Position:   []int{v.Self.Cell.Row(), v.Self.Cell.Col()},
		Ammo:       new(int(v.Self.Ammo)), Blast: new(int(v.Self.Blast)), CanKick: new(flag(v.Self.Kicks)),
		Teammate: new(int(v.Teammate)), GameType: new(int(r.GameType)), GameEnv: r.GameEnv, StepCount: new(v.StepCount),
		Alive: []int{},
	}
	for k := range r.enemies() {
		o.Enemies = append(o.Enemies, int(v.Enemies[k]))
	}
	for seat := range r.Seats() {
		if v.Alive.Has(seat) {
			o.Alive = append(o.Alive, int(r.Agent0())+seat)
		}
	}
	if r.RadioWords > 0 {
		o.Message = r.words(&v.Message)
	}
	return o
}

// rawEncoder encodes observations in the raw encoding and reads them back, to
// hold that encoding to what it promises: that nothing is lost.
type rawEncoder struct {
	match  Match
	fields [][]byte
}

func newRawEncoder(r *Rules) *rawEncoder {
	g := undealt(*r)
	e := &rawEncoder{match: Match{game: g}}
	for i := range g.Spec().Encodings[encodingRaw].Fields {
		e.fields = append(e.fields, make([]byte, g.Spec().Encodings[encodingRaw].Fields[i].Size()))
	}
	return e
}

// observe is the observation dictionary of a seat by way of the encoding.
func (e *rawEncoder) observe(s *State, seat int) recordObs {
	e.match.State = *s
	e.match.Observe(encodingRaw, []uint8{uint8(seat)}, e.fields)
	return e.match.game.unpackRaw(e.fields[0], e.fields[1])
}

// unpackRaw rebuilds the observation dictionary from the raw encoding, going by
// the names of its maps and scalars.
func (g *Game) unpackRaw(maps, scalars []byte) recordObs {
	r := &g.rules
	o := recordObs{GameEnv: r.GameEnv, Position: make([]int, 2), Alive: []int{}}
	o.Board, o.BombBlast = g.rawMap(maps, "board"), g.rawMap(maps, "bomb_blast_strength")
	o.BombLife, o.BombMoving = g.rawMap(maps, "bomb_life"), g.rawMap(maps, "bomb_moving_direction")
	o.FlameLife = g.rawMap(maps, "flame_life")
	for i, entry := range g.Spec().Encodings[encodingRaw].Fields[1].Names {
		name, v := entry.Name, int(int16(binary.LittleEndian.Uint16(scalars[2*i:])))
		switch {
		case name == "row":
			o.Position[0] = v
		case name == "col":
			o.Position[1] = v
		case name == "ammo":
			o.Ammo = &v
		case name == "blast_strength":
			o.Blast = &v
		case name == "can_kick":
			o.CanKick = new(flag(v != 0))
		case name == "teammate":
			o.Teammate = &v
		case name == "game_type":
			o.GameType = &v
		case name == "step_count":
			o.StepCount = &v
		case strings.HasPrefix(name, "enemy"):
			o.Enemies = append(o.Enemies, v)
		case strings.HasPrefix(name, "message"):
			o.Message = append(o.Message, v)
		case strings.HasPrefix(name, "alive") && v != 0:
			o.Alive = append(o.Alive, int(r.Agent0())+int(name[len("alive")]-'0'))
		}
	}
	return o
}

// rawMap is the map of the given name, in digits.
func (g *Game) rawMap(maps []byte, name string) string {
	size := g.rules.BoardSize * g.rules.BoardSize
	for i := range rawMaps {
		if rawMaps[i].Name == name {
			text := make([]byte, size)
			for k, v := range maps[i*size:][:size] {
				text[k] = toDigit(v)
			}
			return string(text)
		}
	}
	panic("pommerman: the raw encoding has no map " + name)
}

package pommerman

import (
	"fmt"

	"pommego/env"
	"pommego/env/grid"
)

// The colours of a picture.
const (
	floorColour = env.Colour(0xd8e2c8)
	fogColour   = env.Colour(0x707880)
)

// appearance is how items look; agents and bombs have labels besides.
var appearance = map[Item]env.Tile{
	Passage:   {Ground: floorColour},
	Rigid:     {Ground: 0x505458, Shape: env.Block, Colour: 0x686e74},
	Wood:      {Ground: 0x8a5a2b, Shape: env.Bricks, Colour: 0xb07a42},
	BombItem:  {Ground: floorColour, Shape: env.Disc, Colour: 0x202428},
	Flames:    {Ground: 0xffc04d, Shape: env.Star, Colour: 0xe8471c},
	Fog:       {Ground: fogColour, Label: "?"},
	ExtraBomb: {Ground: floorColour, Shape: env.Diamond, Colour: 0x3b7dd8, Label: "+b"},
	IncrRange: {Ground: floorColour, Shape: env.Diamond, Colour: 0xe0912f, Label: "+r"},
	Kick:      {Ground: floorColour, Shape: env.Diamond, Colour: 0x2f9e63, Label: "+k"},
	Skull:     {Ground: floorColour, Shape: env.Diamond, Colour: 0x7b3fa0, Label: "!"},
}

// agentPaint is the agents' colours, by seat.
var agentPaint = [MaxAgents]env.Colour{0xd8343e, 0x2f66d0, 0x2c9a48, 0xb03fb0}

// Picture draws the position.
func (m *Match) Picture() env.Picture { return m.game.rules.Picture(&m.State) }

// Picture draws a state: the board, and a line about the game and each agent.
func (r *Rules) Picture(s *State) env.Picture {
	n := r.BoardSize
	p := env.Picture{Cols: n, Rows: n, Tiles: make([]env.Tile, 0, n*n)}
	for row := range n {
		for col := range n {
			p.Tiles = append(p.Tiles, r.tile(s, grid.At(row, col)))
		}
	}
	p.Lines = append(p.Lines, fmt.Sprintf("step %d of %d", s.StepCount, r.MaxSteps))
	for seat := range r.Seats() {
		p.Lines = append(p.Lines, r.caption(s, seat))
	}
	return p
}

func (r *Rules) tile(s *State, c grid.Cell) env.Tile {
	item := s.Board[c]
	if item >= r.Agent0() {
		t := env.Tile{Ground: floorColour, Shape: env.Disc, Colour: agentPaint[item-r.Agent0()], Label: fmt.Sprint(item - r.Agent0())}
		if s.bombAt(c) {
			t.Ground = appearance[BombItem].Colour
		}
		return t
	}
	t := appearance[item]
	if item == BombItem {
		t.Label = fmt.Sprint(s.bombLife(c))
	}
	return t
}

// caption is a line about an agent.
func (r *Rules) caption(s *State, seat int) string {
	a := &s.Agents[seat]
	if !a.Alive {
		return fmt.Sprintf("agent %d: dead", seat)
	}
	line := fmt.Sprintf("agent %d: %d bombs, blast %d", seat, a.Ammo, a.Blast)
	if a.Kicks {
		line += ", kicks"
	}
	if r.RadioWords > 0 {
		line += fmt.Sprintf(", says %v", s.Radio[seat][:r.RadioWords])
	}
	return line
}

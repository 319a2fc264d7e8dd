package suitebot

import (
	"fmt"

	"pommego/env"
)

// The grounds of a picture.
const (
	groundFull    env.Colour = 0xd8c9a3
	groundSpent   env.Colour = 0x6b5f4a
	groundBlasted env.Colour = 0x8a4b2a
	blastColour   env.Colour = 0xffb347
)

// playerColours are those of agents, bombs and home bases.
var playerColours = [MaxPlayers]env.Colour{0xd62828, 0x1d5fbf, 0x2b9348, 0x8e44ad, 0xe08e0b, 0x0b9ea8, 0x444444, 0xd45d9e}

// Picture is the game as it stands: env.Pictured.
func (m *Match) Picture() env.Picture { return m.game.plan.Picture(&m.State) }

// Picture is Match.Picture for a state by itself. Agents are discs, bombs
// diamonds with the rounds they have left, home bases rings.
func (p *Plan) Picture(s *State) env.Picture {
	pic := env.Picture{Cols: p.rules.Width, Rows: p.rules.Height, Tiles: make([]env.Tile, p.cells)}
	for c := range pic.Tiles {
		switch {
		case s.Blast.Has(Cell(c)):
			pic.Tiles[c] = env.Tile{Ground: groundBlasted, Shape: env.Star, Colour: blastColour}
		case s.Spent.Has(Cell(c)):
			pic.Tiles[c].Ground = groundSpent
		default:
			pic.Tiles[c].Ground = groundFull
		}
	}
	put := func(c Cell, shape env.Shape, owner int, label string) {
		pic.Tiles[c].Shape, pic.Tiles[c].Colour, pic.Tiles[c].Label = shape, playerColours[owner], label
	}
	for seat := range p.rules.Players {
		put(s.Homes[seat], env.Ring, seat, "")
	}
	for b := range s.Bombs {
		put(b.Cell, env.Diamond, b.Owner, fmt.Sprint(b.Rounds))
	}
	for seat := range p.rules.Players {
		put(s.Agents[seat], env.Disc, seat, fmt.Sprint(seat))
	}
	pic.Lines = append(pic.Lines, fmt.Sprintf("round %d of %d, %d fields left", s.StepCount, p.rules.Rounds, p.cells-s.Spent.Len()))
	for seat := range p.rules.Players {
		pic.Lines = append(pic.Lines, fmt.Sprintf("player %d: %d points, %d fields, %d kills", seat, s.Scores[seat], s.Collected[seat], s.Kills[seat]))
	}
	return pic
}

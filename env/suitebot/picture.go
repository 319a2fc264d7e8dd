package suitebot

import (
	"fmt"
	"strconv"

	"pommego/env"
)

// The grounds of a picture.
const (
	groundFull    env.Colour = 0xd8c9a3
	groundSpent   env.Colour = 0x6b5f4a
	groundBlasted env.Colour = 0xffdf9e
	blastColour   env.Colour = 0xe23d12
	bombColour    env.Colour = 0x23272b
	fogColour     env.Colour = 0x8b939b
)

// Picture draws what a seat sees, or with NoSeat the whole game: env.Pictured. Home
// bases are known to all, also where they are out of sight.
func (m *Match) Picture(seat int) env.Picture {
	if seat == env.NoSeat {
		return m.game.plan.Picture(&m.State)
	}
	var v View
	m.View(seat, &v)
	pic := m.game.plan.Picture(&v.State)
	for c := range pic.Tiles {
		if !v.Sight.Has(Cell(c)) {
			pic.Tiles[c].Ground, pic.Tiles[c].Fog = fogColour, true
		}
	}
	pic.Lines[0] = env.Line{
		Text:  fmt.Sprintf("round %d of %d, seen by player %d", v.State.StepCount, m.game.plan.rules.Rounds, seat),
		Short: fmt.Sprintf("round %d, player %d", v.State.StepCount, seat),
	}
	return pic
}

// Picture is Match.Picture for a state by itself. Bombs show the rounds they have left
// in an outline of their owner's colour, home bases are rings.
func (p *Plan) Picture(s *State) env.Picture {
	pic := env.Picture{Cols: p.rules.Width, Rows: p.rules.Height, Tiles: make([]env.Tile, p.cells)}
	for c := range pic.Tiles {
		switch {
		case s.Blast.Has(Cell(c)):
			pic.Tiles[c] = env.Tile{Ground: groundBlasted, Mark: env.Mark{Shape: env.Star, Colour: blastColour}}
		case s.Spent.Has(Cell(c)):
			pic.Tiles[c].Ground = groundSpent
		default:
			pic.Tiles[c].Ground = groundFull
		}
	}
	for seat := range p.rules.Players {
		pic.Tiles[s.Homes[seat]].Mark = env.Mark{Shape: env.Ring, Colour: env.SeatColour(seat), Label: strconv.Itoa(seat)}
	}
	for b := range s.Bombs {
		pic.Tiles[b.Cell].Mark = env.Mark{Shape: env.Round, Colour: bombColour, Edge: env.SeatColour(b.Owner), Label: strconv.Itoa(b.Rounds)}
	}
	for seat := range p.rules.Players {
		if at := s.Agents[seat]; at != NoCell {
			t := &pic.Tiles[at]
			if t.Shape == env.Round {
				t.Corner = t.Label
			}
			t.Mark = env.AgentMark(seat, env.SeatColour(seat), strconv.Itoa(seat))
		}
	}
	round := fmt.Sprintf("round %d of %d, %d fields left", s.StepCount, p.rules.Rounds, p.cells-s.Spent.Len())
	pic.Lines = append(pic.Lines, env.Line{Text: round, Short: round})
	for seat := range p.rules.Players {
		pic.Lines = append(pic.Lines, p.playerLine(s, seat))
	}
	return pic
}

// playerLine says how a player stands.
func (p *Plan) playerLine(s *State, seat int) env.Line {
	line := fmt.Sprintf("%d points, %d fields, %d kills", s.Scores[seat], s.Collected[seat], s.Kills[seat])
	return env.Line{
		Text:  fmt.Sprintf("player %d: %s", seat, line),
		Marks: []env.Mark{env.AgentMark(seat, env.SeatColour(seat), strconv.Itoa(seat))}, Short: line,
	}
}

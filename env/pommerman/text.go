package pommerman

import (
	"fmt"

	"pommego/env/grid"
)

// glyph is how a terminal shows an item: two characters, and their colours as
// an ANSI escape sequence.
type glyph struct{ plain, colour string }

var glyphs = map[Item]glyph{
	Passage:   {" .", "\x1b[90m"},
	Rigid:     {"##", "\x1b[37;47m"},
	Wood:      {"%%", "\x1b[33;43m"},
	BombItem:  {" o", "\x1b[97;40m"},
	Flames:    {"**", "\x1b[91;101m"},
	Fog:       {"??", "\x1b[90m"},
	ExtraBomb: {"+b", "\x1b[96m"},
	IncrRange: {"+r", "\x1b[96m"},
	Kick:      {"+k", "\x1b[96m"},
	Skull:     {"+!", "\x1b[95m"},
}

var agentColours = [MaxAgents]string{"\x1b[1;97;41m", "\x1b[1;97;44m", "\x1b[1;97;42m", "\x1b[1;97;45m"}

// AppendText appends a picture of the board: a line of numbers, the rows, and a
// line about each agent. A bomb shows the steps it has left, an agent its
// number.
func (m *Match) AppendText(dst []byte, colour bool) []byte {
	return m.game.rules.AppendText(dst, &m.State, colour)
}

// AppendText is Match.AppendText for a state by itself.
func (r *Rules) AppendText(dst []byte, s *State, colour bool) []byte {
	dst = fmt.Appendf(dst, "step %d of %d\n", s.StepCount, r.MaxSteps)
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			dst = r.appendCell(dst, s, grid.At(row, col), colour)
		}
		dst = append(dst, '\n')
	}
	for i, a := range s.Agents[:r.Seats()] {
		state := "alive"
		if !a.Alive {
			state = "dead "
		}
		dst = fmt.Appendf(dst, "agent %d: %s  ammo %d  blast %d", i, state, a.Ammo, a.Blast)
		if a.Kicks {
			dst = append(dst, "  kicks"...)
		}
		if r.RadioWords > 0 {
			dst = fmt.Appendf(dst, "  says %v", s.Radio[i][:r.RadioWords])
		}
		dst = append(dst, '\n')
	}
	return dst
}

func (r *Rules) appendCell(dst []byte, s *State, c grid.Cell, colour bool) []byte {
	item := s.Board[c]
	g := glyphs[item]
	switch {
	case item >= r.Agent0():
		id := item - r.Agent0()
		g = glyph{fmt.Sprintf("A%d", id), agentColours[id]}
	case item == BombItem:
		g.plain = fmt.Sprintf("%2d", s.bombLife(c))
	}
	if !colour {
		return append(dst, g.plain...)
	}
	dst = append(dst, g.colour...)
	dst = append(dst, g.plain...)
	return append(dst, "\x1b[0m"...)
}

// bombLife is the life of the bomb on c, 0 if there is none.
func (s *State) bombLife(c grid.Cell) uint8 {
	for i := range s.bombs() {
		if s.Bombs[i].Cell == c {
			return s.Bombs[i].Life
		}
	}
	return 0
}

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
	dst = r.appendBoard(dst, int(s.StepCount), &s.Board, s.bombLife, colour)
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

// AppendSeen appends a picture of what a seat sees, its own agent in words: env.Seen.
func (m *Match) AppendSeen(dst []byte, seat int, colour bool) []byte {
	r := &m.game.rules
	var v View
	m.View(seat, &v)
	dst = r.appendBoard(dst, v.StepCount, &v.Board, v.bombLife, colour)
	dst = fmt.Appendf(dst, "you are A%d: ammo %d  blast %d", seat, v.Self.Ammo, v.Self.Blast)
	if v.Self.Kicks {
		dst = append(dst, "  kicks"...)
	}
	if life := v.bombLife(v.Self.Cell); life > 0 {
		dst = fmt.Appendf(dst, "  on a bomb that explodes in %d", life)
	}
	dst = append(dst, '\n')
	if mate := r.Teammate(seat); mate != NoSeat {
		dst = fmt.Appendf(dst, "your teammate is A%d", mate)
		if r.RadioWords > 0 {
			dst = fmt.Appendf(dst, ", who says %v", v.Message[:r.RadioWords])
		}
		dst = append(dst, '\n')
	}
	return fmt.Appendf(dst, "alive: %v\n", v.Alive.List())
}

// bombLife is the life of the bomb that is seen on c, 0 if there is none.
func (v *View) bombLife(c grid.Cell) uint8 {
	for i := range v.NumBombs {
		if v.Bombs[i].Cell == c {
			return v.Bombs[i].Life
		}
	}
	return 0
}

// appendBoard appends the number of the step and a board.
func (r *Rules) appendBoard(dst []byte, step int, board *[256]Item, bombLife func(grid.Cell) uint8, colour bool) []byte {
	dst = fmt.Appendf(dst, "step %d of %d\n", step, r.MaxSteps)
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			c := grid.At(row, col)
			dst = r.appendCell(dst, board[c], bombLife(c), colour)
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendCell appends an item; life is that of a bomb.
func (r *Rules) appendCell(dst []byte, item Item, life uint8, colour bool) []byte {
	g := glyphs[item]
	switch {
	case item >= r.Agent0():
		id := item - r.Agent0()
		g = glyph{fmt.Sprintf("A%d", id), agentColours[id]}
	case item == BombItem:
		g.plain = fmt.Sprintf("%2d", life)
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

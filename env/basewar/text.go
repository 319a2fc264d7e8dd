package basewar

import (
	"fmt"

	"pommego/env/grid"
)

// The colours of a terminal, as ANSI escape sequences.
const (
	dim       = "\x1b[90m"
	stoneInk  = "\x1b[37;47m"
	boxInk    = "\x1b[33;43m"
	blastInk  = "\x1b[91;101m"
	publicInk = "\x1b[97;40m"
	noInk     = "\x1b[0m"
)

var (
	sideInk   = [2]string{"\x1b[1;97;44m", "\x1b[1;97;42m"}
	bombInk   = [numOwners]string{OfBlue: "\x1b[94;40m", OfGreen: "\x1b[92;40m", Public: publicInk}
	baseMark  = [2]byte{'B', 'G'}
	ownerMark = [numOwners]byte{OfBlue: 'b', OfGreen: 'g', Public: '='}
)

// AppendText appends a picture of the game: a line about the sides, the rows,
// and a line about each bomber. A base shows its energy, a bomb the rounds it
// has left and whose it is (b, g, or = if it is public), a bomber its number, with
// a + if it is not alone.
func (m *Match) AppendText(dst []byte, colour bool) []byte {
	return m.game.rules.AppendText(dst, &m.State, colour)
}

// AppendSeen appends the same, as everything is seen, and which bombers the seat
// moves: env.Seen.
func (m *Match) AppendSeen(dst []byte, seat int, colour bool) []byte {
	dst = m.AppendText(dst, colour)
	own := m.game.rules.Own(seat)
	return fmt.Appendf(dst, "you are %v and move %v\n", m.game.rules.SideOf(seat), own)
}

// AppendText is Match.AppendText for a state by itself.
func (r *Rules) AppendText(dst []byte, s *State, colour bool) []byte {
	dst = fmt.Appendf(dst, "round %d of %d   blue: energy %d, %d points   green: energy %d, %d points\n",
		s.StepCount, r.MaxSteps, s.Energy[Blue], s.Score[Blue], s.Energy[Green], s.Score[Green])
	for row := range r.BoardSize {
		for col := range r.BoardSize {
			text, ink := r.drawCell(s, grid.At(row, col))
			if !colour {
				dst = append(dst, text[:]...)
				continue
			}
			dst = append(dst, ink...)
			dst = append(dst, text[:]...)
			dst = append(dst, noInk...)
		}
		dst = append(dst, '\n')
	}
	for id := range s.Bombers {
		b := &s.Bombers[id]
		dst = fmt.Appendf(dst, "bomber %d (%v %c): lives %d  bombs %d\n", id, SideOf(id), 'A'+rune(id/2), b.Lives, b.Bombs)
	}
	return dst
}

// standing is the living bombers on a cell.
func (s *State) standing(c grid.Cell) BomberSet {
	var set BomberSet
	for id := range s.Bombers {
		if b := &s.Bombers[id]; b.Alive() && b.Cell == c {
			set |= 1 << id
		}
	}
	return set
}

// drawCell is what a terminal shows of a cell, and in which colours.
func (r *Rules) drawCell(s *State, c grid.Cell) (text [2]byte, ink string) {
	if here := s.standing(c); here != 0 {
		text = [2]byte{' ', '0' + byte(here.first())}
		if several(here) {
			text[0] = '+'
		}
		return text, sideInk[SideOf(here.first())]
	}
	if i := s.bombAt(c); i >= 0 {
		b := &s.Bombs[i]
		return [2]byte{'0' + min(b.Life, 9), ownerMark[b.Owner()]}, bombInk[b.Owner()]
	}
	switch ground := r.ground(s, c); ground {
	case boardStone:
		return [2]byte{'#', '#'}, stoneInk
	case boardBox:
		return [2]byte{'%', '%'}, boxInk
	case boardBlue, boardGreen:
		side := Side(ground - boardBlue)
		return [2]byte{baseMark[side], '0' + min(s.Energy[side], 9)}, sideInk[side]
	}
	if s.Blast.Has(c) {
		return [2]byte{'*', '*'}, blastInk
	}
	return [2]byte{' ', '.'}, dim
}

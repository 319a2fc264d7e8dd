package envtest

import (
	"encoding/binary"
	"math"

	"pommego/env"
	"pommego/env/grid"
)

// strikeRange is how near an enemy must be for deeds to matter: two cells can
// be gone by both before the strike reaches the last.
const strikeRange = 3

func (m *toyMatch) Mask(seat int, dst []uint8) {
	m.perhapsPanic(InMask)
	clear(dst)
	dst[0], dst[5] = 1, 1
	self := &m.Seats[seat]
	if self.Energy == 0 {
		return
	}
	for _, d := range grid.Dirs {
		if m.game.board.Next(int(self.Cell), d) >= 0 {
			dst[d] = 1
		}
	}
	mates := m.game.team(seat)
	for i := range m.game.spec.Seats {
		if other := &m.Seats[i]; !mates.Has(i) && other.Energy > 0 && m.game.distance(self.Cell, other.Cell) <= strikeRange {
			dst[5+deedStrike], dst[5+deedGuard] = 1, 1
		}
	}
}

func (m *toyMatch) Observe(encoding int, seats []uint8, dst [][]byte) {
	m.perhapsPanic(InObserve)
	switch encoding {
	case toyMaps:
		m.writeBoard(dst[0])
		for i, seat := range seats {
			m.writeSelf(int(seat), dst[1][8*i:])
			m.writeOdds(int(seat), dst[2][8*i:])
		}
	case toyList:
		size := 16 * m.game.spec.Seats
		for i, seat := range seats {
			m.writeSeats(int(seat), dst[0][size*i:size*(i+1)])
		}
		putInt(dst[1], 0, int(m.Steps))
	case env.GlobalState:
		m.writeBoard(dst[0])
		for i := range m.game.spec.Seats {
			putInt(dst[1], i, int(m.Seats[i].Energy))
		}
	default:
		panic("envtest: no such encoding")
	}
}

func (m *toyMatch) writeBoard(dst []byte) {
	cells := m.game.board.Cells()
	clear(dst[:2*cells])
	copy(dst[2*cells:3*cells], m.Heat[:])
	for i := range m.Seats {
		if s := &m.Seats[i]; s.Energy > 0 {
			dst[s.Cell] = uint8(i + 1)
			dst[cells+int(s.Cell)] = uint8(s.Energy / 10)
		}
	}
}

func (m *toyMatch) writeSelf(seat int, dst []byte) {
	s := &m.Seats[seat]
	row, col := m.game.board.RowCol(int(s.Cell))
	putInt(dst, 0, seat)
	putInt(dst, 1, int(s.Energy))
	putInt(dst, 2, m.game.rules.Rows/2-row)
	putInt(dst, 3, m.game.rules.Cols/2-col)
}

func (m *toyMatch) writeOdds(seat int, dst []byte) {
	all, own := 1, 0
	mates := m.game.team(seat)
	for i := range m.Seats {
		all += int(m.Seats[i].Energy)
		if mates.Has(i) {
			own += int(m.Seats[i].Energy)
		}
	}
	putFloat(dst, 0, float64(own)/float64(all))
	putFloat(dst, 1, 1-float64(m.Steps)/float64(m.game.rules.MaxSteps))
}

func (m *toyMatch) writeSeats(seat int, dst []byte) {
	mates := m.game.team(seat)
	for i := range m.game.spec.Seats {
		s := &m.Seats[i]
		row, col := m.game.board.RowCol(int(s.Cell))
		kin := -1.0
		if i == seat {
			kin = 1
		} else if mates.Has(i) {
			kin = 0.5
		}
		putFloat(dst, 4*i, float64(row))
		putFloat(dst, 4*i+1, float64(col))
		putFloat(dst, 4*i+2, float64(s.Energy)/float64(m.game.rules.Energy))
		putFloat(dst, 4*i+3, kin)
	}
}

func putInt(dst []byte, i, v int) { binary.LittleEndian.PutUint16(dst[2*i:], uint16(int16(v))) }

func putFloat(dst []byte, i int, v float64) {
	binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(float32(v)))
}

func (m *toyMatch) Stage() env.Stage {
	stage := env.Stage{Rows: m.game.rules.Rows, Cols: m.game.rules.Cols, Looks: []env.Look{
		{Chars: ".", Sprite: "floor", Meaning: "free"}, {Chars: "123456789", Meaning: "hot for so many steps"},
	}}
	for seat := range m.game.spec.Seats {
		stage.Colours = append(stage.Colours, env.SeatColour(seat))
	}
	return stage
}

func (m *toyMatch) Describe(s *env.Scene) {
	s.Clear(m.game.board.Cells())
	for cell := range s.Ground {
		if m.Heat[cell] > 0 {
			s.Flames = append(s.Flames, env.SceneFlame{At: m.place(cell), Life: int(m.Heat[cell])})
		}
	}
	for seat := range m.game.spec.Seats {
		own := &m.Seats[seat]
		s.Agents = append(s.Agents, env.SceneAgent{At: m.place(int(own.Cell)), Seat: seat, Alive: own.Energy > 0})
	}
}

func (m *toyMatch) place(cell int) env.Place {
	row, col := m.game.board.RowCol(cell)
	return env.Place{row, col}
}

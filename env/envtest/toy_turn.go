package envtest

import (
	"pommego/env"
	"pommego/env/grid"
)

// The deeds of a toy game.
const (
	deedNone = iota
	deedStrike
	deedGuard
)

func (m *toyMatch) Step(actions []uint8) {
	m.perhapsPanic(InStep)
	for i := range m.Seats {
		m.Seats[i].Paid = 0
	}
	m.move(actions)
	before := m.in()
	m.strike(actions)
	m.heat()
	for i := range m.Seats {
		if s := &m.Seats[i]; before.Has(i) && s.Energy <= 0 {
			s.Energy, s.Paid = 0, -4
		}
	}
	m.Steps++
}

func (m *toyMatch) move(actions []uint8) {
	for i := range m.game.spec.Seats {
		s := &m.Seats[i]
		if s.Energy == 0 {
			continue
		}
		if to := m.game.board.Next(int(s.Cell), grid.Dir(actions[2*i])); to >= 0 && !m.taken(to) {
			s.Cell = uint8(to)
		}
	}
}

func (m *toyMatch) taken(cell int) bool {
	for i := range m.Seats {
		if m.Seats[i].Energy > 0 && int(m.Seats[i].Cell) == cell {
			return true
		}
	}
	return false
}

// strike lets all strikes fall at once: energies may go below zero.
func (m *toyMatch) strike(actions []uint8) {
	in := m.in()
	for i := range m.game.spec.Seats {
		if !in.Has(i) || actions[2*i+1] != deedStrike {
			continue
		}
		mates := m.game.team(i)
		for j := range m.game.spec.Seats {
			if mates.Has(j) || !in.Has(j) || actions[2*j+1] == deedGuard ||
				m.game.distance(m.Seats[i].Cell, m.Seats[j].Cell) != 1 {
				continue
			}
			m.Seats[j].Energy -= strikeDamage
			m.Seats[i].Paid++
		}
	}
}

func (m *toyMatch) heat() {
	cells := m.game.board.Cells()
	for i, heat := range m.Heat[:cells] {
		if heat > 0 {
			m.Heat[i]--
		}
	}
	for range 1 + m.Steps/8 {
		m.Heat[m.RNG.IntN(cells)] = maxToyHeat
	}
	for i := range m.Seats {
		if s := &m.Seats[i]; s.Energy > 0 && m.Heat[s.Cell] > 0 {
			s.Energy -= heatDamage
		}
	}
}

// in is the seats that play on.
func (m *toyMatch) in() env.SeatSet {
	var set env.SeatSet
	for i := range m.Seats {
		if m.Seats[i].Energy > 0 {
			set = set.With(i)
		}
	}
	return set
}

func (m *toyMatch) Status() env.Status {
	s := env.Playing(m.in(), int(m.Steps))
	var last env.SeatSet
	left := 0
	for _, team := range m.game.teams {
		if team&s.In == 0 {
			s.Decided |= team
			continue
		}
		last = team
		left++
	}
	trained := int(m.toyState.Train)
	if left > 1 && s.Steps < m.game.rules.MaxSteps && (trained < 0 || s.In.Has(trained)) {
		return s
	}
	if left != 1 {
		last = 0
	}
	return s.Ended(env.AllSeats(m.game.spec.Seats), last)
}

func (m *toyMatch) Rewards(dst []float64) {
	for i := range dst {
		dst[i] = float64(m.Seats[i].Paid) / 4
	}
}

func (m *toyMatch) Outcome(dst []float64) {
	s := m.Status()
	for i := range dst {
		switch {
		case s.Winners.Has(i):
			dst[i] = 1
		case s.Result == env.Win || m.game.team(i)&s.In == 0:
			dst[i] = -1
		default:
			dst[i] = 0
		}
	}
}

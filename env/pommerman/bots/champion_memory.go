package bots

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/saved"
)

// championMemory is what a champion keeps from one decision to the next.
type championMemory struct {
	belief pommerman.Belief
	where  [pommerman.MaxAgents]grid.Bits // the cells that each living other can be on
	recent [12]grid.Cell                  // where it stood, the last at visits-1 of them, round
	visits uint16
	lies   uint8  // what its teammate said that cannot be
	turn   uint16 // the last view's step count and 1; 0: there was none
}

// code goes over what is saved: the memory, the belief.
func (m *championMemory) code(c *saved.Codec) {
	for seat := range m.where {
		saved.List(c, m.where[seat][:])
	}
	saved.List(c, m.recent[:])
	saved.Numbers(c, &m.visits, &m.turn)
	saved.Numbers(c, &m.lies)
	m.belief.Code(c)
}

// remember takes a view in.
func (m *championMemory) remember(v *pommerman.View) {
	now := uint16(v.StepCount + 1)
	if late := int(now) - int(m.turn); m.turn != 0 && (late < 0 || late > 1) {
		*m = championMemory{belief: m.belief}
	}
	v.Rules.Imagine(&m.belief, v)
	var s sighting
	s.look(v, &m.belief.State)
	for seat := range m.where {
		if seat == v.Seat || seat >= v.Rules.Seats() || !v.Alive.Has(seat) {
			m.where[seat] = grid.Bits{}
			continue
		}
		if m.turn == 0 && now == 1 {
			m.where[seat].Add(m.belief.Agents[seat].Cell)
		}
		m.where[seat] = s.follow(seat, m.where[seat], m.belief.Agents[seat].Cell)
	}
	m.recent[int(m.visits)%len(m.recent)] = v.Self.Cell
	m.visits++
	m.turn = now
}

// sighting is what a view shows of where others are and are not.
type sighting struct {
	hidden grid.Bits // out of view
	walk   grid.Bits // what others can walk on, as far as is known
	walls  grid.Bits // rigid
	at     [pommerman.MaxAgents]grid.Cell
}

func (s *sighting) look(v *pommerman.View, believed *pommerman.State) {
	for row := range v.Rules.BoardSize {
		for col := range v.Rules.BoardSize {
			c := grid.At(row, col)
			switch item := v.Board[c]; {
			case item == pommerman.Fog:
				s.hidden.Add(c)
			case item >= v.Rules.Agent0() && int(item-v.Rules.Agent0()) < len(s.at):
				s.at[item-v.Rules.Agent0()] = c
			}
			switch believed.Board[c] {
			case pommerman.Rigid:
				s.walls.Add(c)
			case pommerman.Wood:
			default:
				s.walk.Add(c)
			}
		}
	}
}

// follow is where an agent can be that could be on the given cells before.
func (s *sighting) follow(seat int, before grid.Bits, guess grid.Cell) (now grid.Bits) {
	if at := s.at[seat]; at != 0 {
		now.Add(at)
		return now
	}
	now = before.Grow().And(s.walk).And(s.hidden)
	if now.Empty() { // it came by a way that was not known
		now = s.hidden.AndNot(s.walls)
	}
	if now.Empty() {
		now.Add(guess)
	}
	return now
}

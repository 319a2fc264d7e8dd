package champion

import (
	"slices"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/saved"
)

// A champion counts the steps that it spends where it was lately, so many at most, and
// takes off so many with a step to a cell where it was not.
const (
	maxIdle  = 200
	idleFade = 8
)

// championMemory is what a champion keeps from one decision to the next.
type championMemory struct {
	belief pommerman.Belief
	where  [pommerman.MaxAgents]grid.Bits // the cells that each living other can be on
	recent [12]grid.Cell                  // where it stood, the last at visits-1 of them, round
	visits uint16
	idle   uint8     // the steps that it has spent where it was lately
	aim    grid.Cell // where it tried to go; 0: nowhere
	lies   uint8     // what its teammate said that cannot be
	turn   uint16    // the last view's step count and 1; 0: there was none
}

// code writes or reads what is saved: the memory, the belief.
func (m *championMemory) code(c *saved.Codec) {
	for seat := range m.where {
		saved.List(c, m.where[seat][:])
	}
	saved.List(c, m.recent[:])
	saved.Numbers(c, &m.visits, &m.turn)
	saved.Numbers(c, &m.lies, &m.idle)
	saved.Numbers(c, &m.aim)
	m.belief.Code(c)
}

func (m *championMemory) attend(v *pommerman.View) bool {
	m.remember(v)
	m.listen(v)
	return v.Seat < v.Rules.Seats() && m.belief.Agents[v.Seat].Alive
}

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
	if slices.Contains(m.lately(), v.Self.Cell) {
		m.idle = min(m.idle+1, maxIdle)
	} else {
		m.idle -= min(m.idle, idleFade)
	}
	m.recent[int(m.visits)%len(m.recent)] = v.Self.Cell
	m.visits++
	m.turn = now
}

// lately is where it stood in its last steps, in no order.
func (m *championMemory) lately() []grid.Cell {
	return m.recent[:min(int(m.visits), len(m.recent))]
}

func (m *championMemory) tries(from grid.Cell, move pommerman.Action) {
	m.aim = 0
	if pommerman.Up <= move && move <= pommerman.Right {
		m.aim = from.Next(grid.Dir(move))
	}
}

// failed is the move that came to nothing in the last step; Stop if there was none.
// Agents that want to go to the same cell both stay where they are, again and again
// if they do not learn from it.
func (m *championMemory) failed(at grid.Cell) pommerman.Action {
	for _, d := range grid.Dirs {
		if m.aim != 0 && at.Next(d) == m.aim {
			return pommerman.Action(d)
		}
	}
	return pommerman.Stop
}

// sighting is what a view shows of where others are and are not.
type sighting struct {
	hidden grid.Bits // out of view
	walk   grid.Bits // what others can walk on, as far as is known
	walls  grid.Bits // rigid
	at     [pommerman.MaxAgents]grid.Cell
}

func (s *sighting) look(v *pommerman.View, believed *pommerman.State) {
	for c := range grid.Square(v.Rules.BoardSize).All {
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

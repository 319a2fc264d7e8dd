package champion

import (
	"slices"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/saved"
)

// A champion counts the steps that it spends on cells where it was lately, up to a
// limit, and subtracts a number for each step to another cell.
const (
	maxIdle  = 200
	idleFade = 8
)

// championMemory is what a champion keeps from one decision to the next.
type championMemory struct {
	belief pommerman.Belief
	where  [pommerman.MaxAgents]grid.Bits // by seat of the other living agents: the cells that each can be on
	recent [12]grid.Cell                  // a ring of the cells where it stood; the last one is number visits-1
	visits uint16
	idle   uint8     // steps spent on cells where it was lately
	aim    grid.Cell // the cell to which it tried to go; 0: none
	lies   uint8     // how often its teammate said something that cannot be
	turn   uint16    // the last view's step count plus 1; 0: no view yet
}

// Code writes or reads what is saved: the RNG, the memory and the belief.
func (a *champion) Code(c *saved.Codec) {
	saved.Numbers(c, &a.rng.State)
	for seat := range a.where {
		saved.List(c, a.where[seat][:])
	}
	saved.List(c, a.recent[:])
	saved.Numbers(c, &a.visits, &a.turn)
	saved.Numbers(c, &a.lies, &a.idle)
	saved.Numbers(c, &a.aim)
	a.belief.Code(c)
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

// lately returns the cells where it stood in its last steps, in no order.
func (m *championMemory) lately() []grid.Cell {
	return m.recent[:min(int(m.visits), len(m.recent))]
}

func (m *championMemory) tries(from grid.Cell, move pommerman.Action) {
	m.aim = 0
	if pommerman.Up <= move && move <= pommerman.Right {
		m.aim = from.Next(grid.Dir(move))
	}
}

// failed returns the move that did not succeed in the last step, Stop if there was
// none. Agents that want to go to the same cell both stay where they are; unless they
// learn from it, they repeat that again and again.
func (m *championMemory) failed(at grid.Cell) pommerman.Action {
	for _, d := range grid.Dirs {
		if m.aim != 0 && at.Next(d) == m.aim {
			return pommerman.Action(d)
		}
	}
	return pommerman.Stop
}

// sighting holds what a view shows about where others are and are not.
type sighting struct {
	hidden grid.Bits // cells out of view
	walk   grid.Bits // cells that others can walk on, as far as is known
	walls  grid.Bits // rigid walls
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

// follow returns the cells that an agent can be on that could be on the given cells before.
func (s *sighting) follow(seat int, before grid.Bits, guess grid.Cell) grid.Bits {
	if at := s.at[seat]; at != 0 {
		return grid.Only(at)
	}
	now := before.Grow().And(s.walk).And(s.hidden)
	if now.Empty() { // the agent came by a way that was not known
		now = s.hidden.AndNot(s.walls)
	}
	if now.Empty() {
		return grid.Only(guess)
	}
	return now
}

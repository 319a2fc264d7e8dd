package paper

import (
	"math"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/saved"
)

// hybridMemory is what a hybrid agent keeps from one decision to the next.
type hybridMemory struct {
	visits [256]uint16 // how often the agent stood on each cell

	// In fog: the belief, and the last view filled in by it. Without fog both are empty.
	belief pommerman.Belief
	known  pommerman.View
}

// remember takes in a view and returns what the seat knows now: the view itself, or in
// fog a copy with what it saw before.
func (m *hybridMemory) remember(v *pommerman.View) *pommerman.View {
	self := v.Self.Cell
	m.visits[self] = min(m.visits[self], math.MaxUint16-1) + 1
	if v.Rules.ViewSize == 0 {
		return v
	}
	v.Rules.Imagine(&m.belief, v)
	m.known = *v
	m.recallBombs()
	for c := range grid.Square(v.Rules.BoardSize).All {
		if v.Board[c] == pommerman.Fog && m.belief.Seen.Has(c) {
			m.known.Board[c] = m.recall(c)
			if life := m.belief.Flame(c); life > 0 {
				m.known.AddFlame(c, int(life))
			}
		}
	}
	return &m.known
}

// recall returns what a cell out of view shows, as far as the agent remembers. It does
// not guess where others are that the agent does not see.
func (m *hybridMemory) recall(c grid.Cell) pommerman.Item {
	item := m.belief.Board[c]
	if item < m.known.Rules.Agent0() {
		return item
	}
	if m.belief.BombAt(c) {
		return pommerman.BombItem
	}
	return pommerman.Passage
}

// recallBombs adds the bombs out of view to those in view, in row-major order.
func (m *hybridMemory) recallBombs() {
	k := &m.known
	for i := range m.belief.Bombs[:m.belief.NumBombs] {
		b := &m.belief.Bombs[i]
		if k.Board[b.Cell] == pommerman.Fog && k.NumBombs < len(k.Bombs) {
			k.SeeBomb(b)
		}
	}
}

// Code writes or reads what is saved: the belief, the RNG, the number of cells visited,
// and for each of them, in row-major order, a byte for the cell and two for how often.
func (h *hybrid) Code(c *saved.Codec) {
	h.belief.Code(c)
	saved.Numbers(c, &h.rng.State)
	var visited uint8
	for _, times := range h.visits {
		if times > 0 {
			visited++
		}
	}
	saved.Numbers(c, &visited)
	cell := grid.Cell(0)
	for range visited {
		last := cell
		for cell++; !c.Reading() && h.visits[cell] == 0; {
			cell++
		}
		saved.Numbers(c, &cell)
		saved.Numbers(c, &h.visits[cell])
		if !cell.OnBoard(grid.MaxSide) || cell <= last || h.visits[cell] == 0 {
			c.Fail("has %d visits to cell (%d,%d), want at least one to each, cells of a board in their order",
				h.visits[cell], cell.Row(), cell.Col())
		}
	}
}

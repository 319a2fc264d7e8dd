package bots

import (
	"encoding/binary"
	"fmt"
	"math"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// hybridMemory is what a hybrid agent keeps from one decision to the next.
type hybridMemory struct {
	visits [256]uint16 // how often the agent stood on each cell

	// Under fog, what it believes, and the last view with that filled in; else
	// both are empty.
	belief pommerman.Belief
	known  pommerman.View
}

// remember takes a view in and returns what the seat knows now: the view
// itself, or under fog a copy to which what it saw before is added.
func (m *hybridMemory) remember(v *pommerman.View) *pommerman.View {
	self := v.Self.Cell
	m.visits[self] = min(m.visits[self], math.MaxUint16-1) + 1
	if v.Rules.ViewSize == 0 {
		return v
	}
	v.Rules.Imagine(&m.belief, v)
	m.known = *v
	m.recallBombs()
	for row := range v.Rules.BoardSize {
		for col := range v.Rules.BoardSize {
			if c := grid.At(row, col); v.Board[c] == pommerman.Fog && m.belief.Seen.Has(c) {
				m.known.Board[c] = m.recall(c)
				m.known.Flames[c] = m.belief.Flame(c)
			}
		}
	}
	return &m.known
}

// recall is what a cell out of view shows as far as the agent remembers. Where
// others are that it does not see, it does not guess.
func (m *hybridMemory) recall(c grid.Cell) pommerman.Item {
	item := m.belief.Board[c]
	if item < m.known.Rules.Agent0() {
		return item
	}
	for i := range m.known.NumBombs {
		if m.known.Bombs[i].Cell == c {
			return pommerman.BombItem
		}
	}
	return pommerman.Passage
}

// recallBombs adds the bombs out of view to those in view, in row-major order.
func (m *hybridMemory) recallBombs() {
	k := &m.known
	for i := range m.belief.Bombs[:m.belief.NumBombs] {
		b := &m.belief.Bombs[i]
		if k.Board[b.Cell] != pommerman.Fog || k.NumBombs == len(k.Bombs) {
			continue
		}
		at := k.NumBombs
		for ; at > 0 && k.Bombs[at-1].Cell > b.Cell; at-- {
			k.Bombs[at] = k.Bombs[at-1]
		}
		k.Bombs[at] = pommerman.SeenBomb{Cell: b.Cell, Life: b.Life, Blast: b.Blast, Moving: b.Moving()}
		k.NumBombs++
	}
}

// The saved form: the belief, the RNG, the number of cells visited, and for
// each of them, in row-major order, a byte for the cell and two for how often.
const (
	hybridFixed = 8 + 1
	visitBytes  = 3
)

// Append saves memory and RNG.
func (h *hybrid) Append(dst []byte) []byte {
	dst = h.belief.Append(dst)
	dst = binary.LittleEndian.AppendUint64(dst, h.rng.State)
	at := len(dst)
	dst = append(dst, 0)
	for c, n := range h.visits {
		if n > 0 {
			dst[at]++
			dst = append(dst, uint8(c))
			dst = binary.LittleEndian.AppendUint16(dst, n)
		}
	}
	return dst
}

// Restore takes what Append saved.
func (h *hybrid) Restore(state []byte) error {
	read := hybrid{literal: h.literal}
	state, err := read.belief.Restore(state)
	if err != nil {
		return err
	}
	if len(state) < hybridFixed || len(state) != hybridFixed+visitBytes*int(state[8]) {
		return fmt.Errorf("bots: state of a hybrid agent has %d bytes, want %d and %d for each visited cell", len(state), hybridFixed, visitBytes)
	}
	read.rng = env.RNG{State: binary.LittleEndian.Uint64(state)}
	last := grid.Cell(0)
	for visit := state[hybridFixed:]; len(visit) > 0; visit = visit[visitBytes:] {
		c, n := grid.Cell(visit[0]), binary.LittleEndian.Uint16(visit[1:])
		if !onBoard(c, grid.MaxSide) || c <= last || n == 0 {
			return fmt.Errorf("bots: state of a hybrid agent has %d visits to cell (%d,%d), want at least one to each, cells of a board in their order", n, c.Row(), c.Col())
		}
		last = c
		read.visits[c] = n
	}
	*h = read
	return nil
}

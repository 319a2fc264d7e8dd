package bots

import (
	"math/bits"

	"pommego/env/grid"
	"pommego/env/pommerman"
)

// actionSet is a set of moves.
type actionSet uint8

func (m actionSet) has(a pommerman.Action) bool { return m>>a&1 != 0 }

func (m actionSet) with(a pommerman.Action) actionSet { return m | 1<<a }

func (m actionSet) without(a pommerman.Action) actionSet { return m &^ (1 << a) }

func (m actionSet) len() int { return bits.OnesCount8(uint8(m)) }

// nth is the k-th move of the set, which must have more than k, in the order of
// their numbers.
func (m actionSet) nth(k int) pommerman.Action {
	for range k {
		m &= m - 1
	}
	return pommerman.Action(bits.TrailingZeros8(uint8(m)))
}

// usefulMoves is what a seat can sensibly do in a state: the moves without
// those that kill it in this step if nobody else interferes, and without those
// that change nothing because something is in the way. To stop is never void.
// If every move is deadly only Stop is left, so the set is never empty.
func usefulMoves(r *pommerman.Rules, s *pommerman.State, seat int) actionSet {
	agent := &s.Agents[seat]
	if !agent.Alive {
		return actionSet(0).with(pommerman.Stop)
	}
	deadly := deadlyNext(r, s)
	var m actionSet
	stays := !deadly.Has(agent.Cell)
	if stays {
		m = m.with(pommerman.Stop)
		if agent.Ammo > 0 && !bombOn(s, agent.Cell) {
			m = m.with(pommerman.LayBomb)
		}
	}
	for _, d := range grid.Dirs {
		to := agent.Cell.Next(d)
		if !deadly.Has(to) && s.Flame(to) <= 1 && canEnter(s, agent, to, d) {
			m = m.with(pommerman.Action(d))
		}
	}
	if m == 0 {
		m = m.with(pommerman.Stop)
	}
	return m
}

// canEnter tells whether an agent that walks in direction d gets to the cell
// there if nobody else moves. A bomb must be one it can kick away.
func canEnter(s *pommerman.State, agent *pommerman.Agent, to grid.Cell, d grid.Dir) bool {
	item := s.Board[to]
	if item == pommerman.BombItem {
		return agent.Kicks && (s.Board[to.Next(d)] == pommerman.Passage || s.Board[to.Next(d)] == pommerman.Flames)
	}
	return roomy.has(item) || item == pommerman.Flames
}

func bombOn(s *pommerman.State, c grid.Cell) bool {
	for i := range s.Bombs[:s.NumBombs] {
		if s.Bombs[i].Cell == c {
			return true
		}
	}
	return false
}

// deadlyNext is the cells on which nobody survives the coming step besides
// those that burn already: where bombs explode in it, and the ring of the
// collapse that falls at its end.
func deadlyNext(r *pommerman.Rules, s *pommerman.State) grid.Bits {
	var deadly grid.Bits
	var gone uint64 // bombs that explode
	for more := true; more; {
		more = false
		for i := range s.Bombs[:s.NumBombs] {
			b := &s.Bombs[i]
			at := rollsTo(s, b)
			due := b.Life <= 1 || s.Flame(at) > 1 || !r.DelayedChain && deadly.Has(at)
			if due && gone>>i&1 == 0 {
				gone |= 1 << i
				more = true
				burn(&s.Board, at, b.Blast, &deadly)
			}
		}
	}
	return deadly
}

// rollsTo is where a bomb lies when it ages in the coming step.
func rollsTo(s *pommerman.State, b *pommerman.Bomb) grid.Cell {
	to := b.Cell.Next(b.Moving())
	if item := s.Board[to]; item == pommerman.Passage || item == pommerman.Flames {
		return to
	}
	return b.Cell
}

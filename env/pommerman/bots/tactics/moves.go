package tactics

import (
	"slices"

	"pommego/env/grid"
	"pommego/env/pommerman"
)

// UsefulMoves returns what a seat can sensibly do in a state: all moves without those
// that kill it in this step if nobody else interferes, and without those that change
// nothing because something is in the way. Stop always counts as a change. If every
// move is deadly, only Stop is left, so the set is never empty.
func UsefulMoves(r *pommerman.Rules, s *pommerman.State, seat int) pommerman.Moves {
	agent := &s.Agents[seat]
	stack, late := r.Traits().AgentsStack, r.Traits().Lingers > 0 // late: fire and rings take effect at the step's end
	if falling := r.RingAt(int(s.StepCount)); !agent.Alive || falling.Has(agent.Cell) && !late {
		return One(pommerman.Stop)
	}
	dying, deadly := uint8(1), deadlyNext(r, s, late) // flames of this life are gone when agents move
	if late {
		dying = 0
	}
	var m pommerman.Moves
	if !deadly.Has(agent.Cell) {
		m = m.With(pommerman.Stop)
		if agent.Ammo > 0 && (r.Traits().BombsStack || !s.BombAt(agent.Cell)) {
			m = m.With(pommerman.LayBomb)
		}
	}
	for _, d := range grid.Dirs {
		to := agent.Cell.Next(d)
		enters := false
		if r.Traits().FlamesKill {
			hidden := stack && s.Board[to] != pommerman.BombItem && s.BombAt(to) // a bomb that the cell does not show
			enters = canEnter(s, agent, to, d, &deadly) && s.Flame(to) <= dying && !hidden
		} else {
			enters = canEnter2018(s, agent, to, d)
		}
		if enters && !deadly.Has(to) {
			m = m.With(pommerman.Action(d))
		}
	}
	if m == 0 {
		m = m.With(pommerman.Stop)
	}
	return m
}

// canEnter reports whether an agent that walks in direction d reaches the next cell if nobody
// else moves. If a bomb lies there, the agent must be able to kick it away, and not onto a
// cell where it explodes. An item that appears under flames behind the bomb stops the bomb.
func canEnter(s *pommerman.State, agent *pommerman.Agent, to grid.Cell, d grid.Dir, deadly *grid.Bits) bool {
	item := s.Board[to]
	if item != pommerman.BombItem {
		return Free.Has(item) || item == pommerman.Flames
	}
	beyond := to.Next(d)
	return agent.Kicks && s.Board[beyond] == pommerman.Passage && !deadly.Has(beyond)
}

// canEnter2018 does the same by rules where bombs can lie, and agents live, in flames.
// Where a kicked bomb ends up makes no difference.
func canEnter2018(s *pommerman.State, agent *pommerman.Agent, to grid.Cell, d grid.Dir) bool {
	item := s.Board[to]
	if !Free.Has(item) && item != pommerman.Flames && item != pommerman.BombItem {
		return false
	}
	if slices.ContainsFunc(s.Agents[:], func(a pommerman.Agent) bool { return a.Alive && a.Cell == to }) {
		return false
	}
	return !s.BombAt(to) || agent.Kicks && s.Board[to.Next(d)] == pommerman.Passage
}

// deadlyNext returns the cells on which nobody survives the coming step, besides those that
// burn already: where bombs explode in it, and the rings of the collapse that fall before and
// after it. If late, dying flames still burn, wood burns at once, and the ring falls last.
func deadlyNext(r *pommerman.Rules, s *pommerman.State, late bool) grid.Bits {
	board, falling := &s.Board, r.RingAt(int(s.StepCount)) // the ring takes its bombs with it
	deadly, chains, dying := falling, !r.DelayedChain && !r.Traits().BombsVanish, uint8(1)
	if late {
		burning := s.Board
		board, falling, dying = &burning, grid.Bits{}, 0
	} else {
		deadly = deadly.Or(r.RingAt(int(s.StepCount) + 1))
	}
	var blast grid.Bits
	var gone uint64 // the bombs that explode
	for more := true; more; {
		more = false
		for i := range s.Bombs[:s.NumBombs] {
			b := &s.Bombs[i]
			at := rollsTo(board, b, late)
			hot := late || s.Board[at] == pommerman.Flames && (r.Traits().FlamesKill || at != b.Cell)
			hot = hot && s.Flame(at) > dying
			due := b.Life <= 1 || hot || chains && blast.Has(at)
			if !due || gone>>i&1 != 0 || falling.Has(b.Cell) {
				continue
			}
			gone |= 1 << i
			more = true
			pommerman.Rays(board, at, b.Blast, &blast)
			if late {
				for c := range blast.All {
					board[c] = pommerman.Flames
				}
			}
		}
	}
	return deadly.Or(blast)
}

// rollsTo returns where a bomb lies after it has aged in the coming step. If late, only walls stop it.
func rollsTo(board *[256]pommerman.Item, b *pommerman.Bomb, late bool) grid.Cell {
	to := b.Cell.Next(b.Moving())
	item := board[to]
	if item == pommerman.Passage || item == pommerman.Flames || late && item != pommerman.Rigid && item != pommerman.Wood {
		return to
	}
	return b.Cell
}

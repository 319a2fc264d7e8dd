package champion

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// nearRivals are those whose moves are looked at, the nearest first.
func (p *planner) nearRivals() (near [pommerman.MaxAgents]int, n int) {
	self := p.root.Agents[p.seat].Cell
	for gap := 0; gap <= nearRival; gap++ {
		for other := range p.root.where {
			if !p.others.Has(other) {
				continue
			}
			a := &p.root.Agents[other]
			if other == p.mate && gap > nearMate || !a.Alive || n == maxReplies || p.root.where[other].Len() != 1 {
				continue
			}
			if a.Cell.Distance(self) == gap {
				near[n] = other
				n++
			}
		}
	}
	return near, n
}

// repliesOf is what a rival may do: its useful moves, and kicks of bombs to where
// the agent is, which may be gone by then.
func (p *planner) repliesOf(s *pommerman.State, rival int) tactics.Moves {
	moves := tactics.UsefulMoves(p.rules, s, rival)
	a := &s.Agents[rival]
	for _, d := range grid.Dirs {
		to := a.Cell.Next(d)
		if a.Kicks && s.Board[to] == pommerman.BombItem && to.Next(d) == s.Agents[p.seat].Cell {
			moves = moves.With(pommerman.Action(d))
		}
	}
	return moves
}

// moves are the moves worth trying in a node. Nobody walks through where another stood.
func (p *planner) moves(n *node, sc *scenario) tactics.Moves {
	moves := tactics.UsefulMoves(p.rules, &n.State, p.seat)
	at := n.Agents[p.seat].Cell
	for _, d := range grid.Dirs {
		if to := at.Next(d); sc.bodies.Has(to) || n.Board[to] == pommerman.BombItem && p.stopped(n, to.Next(d)) {
			moves = moves.Without(pommerman.Action(d))
		}
	}
	if moves == 0 {
		moves = tactics.One(pommerman.Stop)
	}
	return moves
}

// stopped reports whether a bomb kicked to a cell could meet somebody there.
func (p *planner) stopped(n *node, c grid.Cell) bool {
	for other := range n.where {
		if n.where[other].Has(c) {
			return true
		}
	}
	return false
}

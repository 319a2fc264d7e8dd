package champion

import (
	"math"
	"slices"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// The limits of duels.
const (
	duelTicks = 500 // ticks; more than the search before duels takes. Smaller budgets play no duels
	maxDuel   = 8   // steps in which both sides move
)

// duels spends what is left of the budget on the near rivals: in every step of a line the agent
// and one rival choose a move, for 2, 3, ... steps. If the budget does not suffice for a depth,
// none of its values are used, because deeper lines see more replies and so have lower values.
func (p *planner) duels() {
	near, n := p.nearRivals()
	for depth := 2; depth <= maxDuel && p.Open(); depth++ {
		var values [tactics.Choices]int32
		spent := p.Spent()
		for i := range p.openings {
			o := &p.openings[i]
			before := p.Spent()
			value, whole := p.duel(o, near[:n], depth)
			o.visits += int32(p.Spent() - before)
			if !whole {
				return
			}
			values[i] = value
		}
		if p.Spent() == spent {
			return // no rival is near
		}
		for i := range p.openings {
			p.openings[i].value = values[i]
		}
	}
}

// duel returns the value of a move over its scenarios, where lines of so many steps
// replace the scenarios of rivals.
func (p *planner) duel(o *opening, near []int, depth int) (value int32, whole bool) {
	var m mixture
	if !p.weigh(&m, o, 1, true) {
		return 0, false
	}
	for _, rival := range near {
		if rival != p.mate && !p.answers(&m, &p.root, o.move, rival, depth, 0) {
			return 0, false
		}
	}
	return m.value(p.weights.Worst), true
}

// answers adds to m the values of a move in a node, one for each reply of a rival.
func (p *planner) answers(m *mixture, n *node, move pommerman.Action, rival, depth, age int) bool {
	for reply := range p.repliesOf(&n.State, rival).All {
		child := &p.lines[age]
		*child = *n
		clear(p.actions[:])
		p.actions[rival*(1+p.rules.RadioWords)] = uint8(reply)
		if !p.step(child, move, age+1) {
			return false
		}
		p.isolate(child, rival)
		v, whole := p.line(child, rival, depth-1, age+1)
		if !whole {
			return false
		}
		m.add(v)
	}
	return true
}

// isolate removes all agents but its own and a rival from a board. The rival is on the
// cell to which it went; each other agent can be on any cell that it reaches.
func (p *planner) isolate(n *node, rival int) {
	n.locate(rival)
	for other := range p.others.Without(rival).All {
		p.lift(&n.State, other)
	}
}

// line returns the value of a node that is age steps from the root. For the first depth
// steps from there, both sides move.
func (p *planner) line(n *node, rival, depth, age int) (best int32, whole bool) {
	if !n.Agents[p.seat].Alive {
		return int32(16*age) - p.weights.Death, true
	}
	slot, key := p.slot(n, &n.where, depth, age, rival)
	if slot.generation == p.generation && slot.key == key {
		return slot.value, true
	}
	if depth == 0 || !n.Agents[rival].Alive {
		best = p.end(n, rival, age)
	} else {
		best = math.MinInt32
		for move := range tactics.UsefulMoves(p.rules, &n.State, p.seat).All {
			var m mixture
			if !p.answers(&m, n, move, rival, depth, age) {
				return 0, false
			}
			best = max(best, m.value(p.weights.Worst))
		}
		best += p.sooner(n)
	}
	*slot = entry{key, p.generation, best}
	return best, true
}

// end returns the value of the last node of a line, without the rival on the board.
func (p *planner) end(n *node, rival, age int) int32 {
	p.lift(&n.State, rival)
	p.forecast(&p.calm, n, age)
	return p.margin(&p.calm, n) + p.threat(n, rival) + p.leaf(&p.calm, n, age)
}

// mixture holds the worst of some values, and their sum.
type mixture struct {
	worst  int32
	sum, n int64
}

func (m *mixture) add(v int32) {
	if m.n == 0 || v < m.worst {
		m.worst = v
	}
	m.sum += int64(v)
	m.n++
}

// value mixes the worst value, which counts for so many percent, and the mean.
func (m *mixture) value(worst int32) int32 {
	return int32((int64(worst)*int64(m.worst) + int64(100-worst)*(m.sum/m.n)) / 100)
}

// nearRivals returns the rivals whose moves the search tries, the nearest first: those of which it knows the cell.
// By radio it can hear of one that the belief, which does not listen, has elsewhere.
func (p *planner) nearRivals() (near [pommerman.MaxAgents]int, n int) {
	self := p.root.Agents[p.seat].Cell
	for gap := 0; gap <= nearRival; gap++ {
		for other := range p.others.All {
			a, where := &p.root.Agents[other], &p.root.where[other]
			if other == p.mate && gap > nearMate || !a.Alive || n == maxReplies || where.Len() != 1 || !where.Has(a.Cell) {
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

// repliesOf returns what a rival may do: its useful moves, and kicks of bombs towards
// the agent, which may have gone by then.
func (p *planner) repliesOf(s *pommerman.State, rival int) pommerman.Moves {
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

// moves returns the moves worth trying in a node. Nobody walks onto a cell where another agent stood.
func (p *planner) moves(n *node, sc *scenario) pommerman.Moves {
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

// stopped reports whether a bomb kicked to a cell could meet an agent there.
func (p *planner) stopped(n *node, c grid.Cell) bool {
	return slices.ContainsFunc(n.where[:], func(b grid.Bits) bool { return b.Has(c) })
}

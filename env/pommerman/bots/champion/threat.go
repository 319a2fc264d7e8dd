package champion

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// How far away the plots of a rival that wants to trap the agent may be, in steps after the
// first ply and in rows and columns. It can kick bombs from farther away, because they roll.
const (
	trapBombs = 2  // the most steps until it lays a bomb
	trapKicks = 3  // the most steps until it kicks one
	trapWalks = 6  // the most steps until it stands in the way
	trapNear  = 6  // the most rows and columns from the agent to where it does so
	trapFar   = 10 // the most rows and columns from the agent to the rival
	trapCells = 13 // the most cells that it can be on; a rival that may be anywhere is not feared
	lastTrap  = maxPlies
	fogBlast  = 4   // the assumed blast strength of bombs in the fog
	untouched = 256 // more cells than there are
)

// threat returns how many points the agent can lose in the node of the calm forecast if a
// single rival tries to trap it in the next steps and the agent can answer. Rivals begin
// after the first step, except moved, which has made its move already and can begin before.
func (p *planner) threat(n *node, moved int) (points int32) {
	w := &p.weights
	at := n.Agents[p.seat].Cell
	if p.exposed.Has(at) {
		points -= w.Exposed
	}
	p.walk(n)
	free, least := p.own[p.ground.span].Len(), untouched
	for other := range n.where {
		where := &n.where[other]
		if other == p.mate || where.Empty() || where.Len() > trapCells || gapTo(where, at) > trapFar {
			continue
		}
		least = min(least, p.besieged(n, other))
		if other != moved && p.calm.age == 1 {
			for c := range p.root.where[other].All {
				least = min(least, p.cornered(n, other, c, -1))
			}
		}
	}
	switch {
	case least == 0:
		return points - w.Trap
	case least >= free:
		return points + w.Haven
	}
	return points + w.Haven*share(least, w.Half)/1000
}

// gapTo returns the distance from a cell to the nearest of some cells.
func gapTo(cells *grid.Bits, at grid.Cell) int {
	least := untouched
	for c := range cells.All {
		least = min(least, c.Distance(at))
	}
	return least
}

// besieged returns how many cells the agent can be on in the end if a rival does the
// worst that it can from the cells that it reaches.
func (p *planner) besieged(n *node, rival int) int {
	least, open, reach := untouched, p.openCells(n), n.where[rival]
	walks := trapWalks
	if n.NumBombs == 0 {
		walks = trapBombs
	}
	walks = min(walks, p.ground.span)
	fresh := reach
	for t := 0; ; t++ {
		for c := range fresh.All {
			least = min(least, p.cornered(n, rival, c, t))
		}
		if t == walks || least == 0 {
			return least
		}
		before := reach
		reach.Walk(&open, &p.calm.burns[t+1])
		fresh = reach.AndNot(before)
	}
}

// cornered is besieged for a rival that is on cell c after so many steps. There it can
// kick a bomb, lay one, or stand in the way.
func (p *planner) cornered(n *node, rival int, c grid.Cell, steps int) int {
	at, least := n.Agents[p.seat].Cell, untouched
	if c == at {
		return least
	}
	if steps <= trapKicks && n.Agents[rival].Kicks {
		least = p.kickedFrom(n, c, steps)
	}
	if c.Distance(at) > trapNear {
		return least
	}
	if n.NumBombs > 0 && steps >= 0 {
		least = min(least, p.barred(c, steps, untouched, grid.Bits{}, grid.Bits{}))
	}
	if steps <= trapBombs && n.Agents[rival].Ammo > 0 && int(n.NumBombs) < len(n.Bombs) {
		least = min(least, p.bombed(n, rival, c, steps))
	}
	return least
}

// bombed is besieged for a rival that lays a bomb on cell c. If the bomb explodes after
// all others and none of them sets it off, it does not change what they do.
func (p *planner) bombed(n *node, rival int, c grid.Cell, steps int) int {
	f, life, blast := &p.calm, max(p.rules.BombLife+steps, 1), max(n.Agents[rival].Blast, 1)
	alone := f.last <= life && f.lastWood < life
	for t := 1; t <= min(life, p.ground.span); t++ {
		alone = alone && !f.burns[t].Has(c)
	}
	if alone {
		var hit grid.Bits
		pommerman.Rays(&f.bombs.Board, c, blast, &hit)
		return p.barred(c, 0, life, hit, hit.And(p.ground.wood.AndNot(n.burnt).AndNot(f.burnt)))
	}
	b := &p.stack[lastTrap]
	*b = *n
	b.Bombs[b.NumBombs] = pommerman.NewBomb(c, uint8(life), blast, rival, grid.Stay)
	b.NumBombs++
	return p.held(b, c, steps, 0)
}

// walk finds the cells that the agent can be on if no rival interferes.
func (p *planner) walk(n *node) {
	own, open := grid.Only(n.Agents[p.seat].Cell), p.openCells(n)
	p.own[0] = own
	for t := 1; t <= p.ground.span; t++ {
		own.Walk(&open, &p.calm.burns[t])
		p.own[t], p.ways[t] = own, open
		open = open.Or(p.calm.opens[t])
	}
}

// barred returns how many cells the agent can be on in the end if closed cannot be entered
// after so many steps, and the cells in hit burn from a later step on, which opens some cells.
func (p *planner) barred(closed grid.Cell, steps, life int, hit, opens grid.Bits) int {
	for steps < min(life-1, p.ground.span) && !p.own[steps+1].Has(closed) {
		steps++ // these steps change nothing
	}
	own := p.own[min(steps, p.ground.span)]
	for t := steps + 1; t <= p.ground.span; t++ {
		open, burns := p.ways[t], p.calm.burns[t]
		if t > life {
			open = open.Or(opens)
		}
		if life <= t && t < life+p.ground.lasting {
			burns = burns.Or(hit)
		}
		open.Remove(closed)
		own.Walk(&open, &burns)
	}
	return own.Len()
}

// kickedFrom is besieged for a rival on cell c that kicks a bomb beside it. The bomb
// can roll to where the agent is now, since the agent may have left.
func (p *planner) kickedFrom(n *node, c grid.Cell, steps int) int {
	least := untouched
	for i := range n.Bombs[:n.NumBombs] {
		b := &n.Bombs[i]
		for _, d := range grid.Dirs {
			if c.Next(d) != b.Cell || b.Moving() != grid.Stay {
				continue
			}
			to := b.Cell
			for range int(b.Life) - steps {
				next := to.Next(d)
				if n.Board[next] != pommerman.Passage && next != n.Agents[p.seat].Cell {
					break
				}
				to = next
			}
			if to == b.Cell {
				continue
			}
			k := &p.stack[lastTrap]
			*k = *n
			k.Bombs[i].Cell = to
			least = min(least, p.held(k, to, steps, b.Cell))
		}
	}
	return least
}

// held returns how many cells the agent can be on in the end, with the bombs of a node,
// if closed cannot be entered after so many steps, and another cell cannot be entered
// before that; 0 stands for no cell.
func (p *planner) held(n *node, closed grid.Cell, steps int, before grid.Cell) int {
	own, open, f := grid.Only(n.Agents[p.seat].Cell), p.openCells(n), &p.plot
	p.forecast(f, n, p.calm.age)
	for t := 1; t <= p.ground.span; t++ {
		now := open
		if t > steps {
			now.Remove(closed)
		} else if before != 0 {
			now.Remove(before)
		}
		own.Walk(&now, &f.burns[t])
		open = open.Or(f.opens[t])
	}
	return own.Len()
}

// expose finds the cells that burn if bombs in the fog, which the agent does not know
// of, set off bombs that it knows.
func (p *planner) expose() {
	p.exposed = grid.Bits{}
	view, s := p.rules.ViewSize, &p.root.State
	if view == 0 {
		return
	}
	self := s.Agents[p.seat].Cell
	hidden := func(c grid.Cell) bool {
		row, col := c.Row()-self.Row(), c.Col()-self.Col()
		return max(row, -row, col, -col) > view
	}
	for i := range s.Bombs[:s.NumBombs] {
		b := &s.Bombs[i]
		var line grid.Bits
		pommerman.Rays(&s.Board, b.Cell, fogBlast, &line)
		for c := range line.And(p.ground.floor).All {
			if hidden(c) {
				pommerman.Rays(&s.Board, b.Cell, b.Blast, &p.exposed)
				break
			}
		}
	}
}

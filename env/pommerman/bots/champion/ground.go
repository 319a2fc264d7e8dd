package champion

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

type ground struct {
	floor   grid.Bits // neither rigid nor wood
	wood    grid.Bits
	items   grid.Bits
	fallen  [maxDuel + maxSpan + 2]grid.Bits // by steps from the root: the rings that have fallen
	span    int                              // how many steps a forecast covers
	lasting int                              // for how many steps an explosion kills
	good    [256]int32                       // by cell: what it is worth to be there
}

func (g *ground) survey(p *planner, m *championMemory) {
	r, s := p.rules, &p.root.State
	g.floor, g.wood, g.items = grid.Bits{}, grid.Bits{}, grid.Bits{}
	for c := range grid.Square(r.BoardSize).All {
		switch item := s.Board[c]; {
		case item == pommerman.Rigid:
		case item == pommerman.Wood:
			g.wood.Add(c)
		default:
			g.floor.Add(c)
			if tactics.Pickups.Has(item) {
				g.items.Add(c)
			}
		}
	}
	g.span = min(r.BombLife+2, maxSpan)
	g.lasting = r.Lasting()
	r.Fallen(int(s.StepCount), g.fallen[:])
	g.value(p, m)
}

func (g *ground) value(p *planner, m *championMemory) {
	w, s, self := &p.weights, &p.root.State, &p.root.Agents[p.seat]
	p.forecast(&p.calm, &p.root, 0)
	fresh := g.wood.AndNot(p.calm.burnt)
	var items, woods, rivals [256]int32
	for c := range g.items.All {
		items[c] = p.worth(self, s.Board[c])
	}
	var foes grid.Bits
	for other := range (p.others & p.rules.Enemies(p.seat)).All {
		foes = foes.Or(p.root.where[other])
	}
	reach, near := grid.Only(self.Cell).Flood(g.floor), w.Wood*3/4
	if met := reach.And(foes); met.Empty() { // no rival can be reached: the agent must dig its way
		w.Wood = max(w.Wood, w.Dig)
		near = max(near, w.Dig/4) // only a little more, so that it does not wait beside the wood
	}
	for c := range reach.All {
		var burnt grid.Bits
		pommerman.Rays(&s.Board, c, self.Blast, &burnt)
		hit := burnt.And(fresh)
		woods[c] = near * int32(min(hit.Len(), 3))
	}
	for c := range foes.All {
		rivals[c] = w.Chase
	}
	spread(&items, g.floor, grid.Bits{})
	spread(&woods, g.floor, grid.Bits{})
	spread(&rivals, g.floor, g.wood)
	for c := range g.floor.Or(g.wood).All {
		g.good[c] = items[c] + woods[c] + rivals[c]
	}
	stale := w.Stale + w.Restless*int32(m.idle)/16
	for _, c := range m.lately() {
		g.good[c] -= stale
	}
}

// worth returns what an item is worth to an agent.
func (p *planner) worth(a *pommerman.Agent, item pommerman.Item) int32 {
	w := &p.weights
	switch {
	case item == pommerman.ExtraBomb:
		return w.Ammo
	case item == pommerman.IncrRange:
		return w.Blast
	case item == pommerman.Kick && !a.Kicks:
		return w.Kick
	}
	return 0
}

// spread spreads values from cell to cell. They fall by a sixteenth with each step, and
// by four times as much on wood.
func spread(values *[256]int32, floor, wood grid.Bits) {
	var cells [256]grid.Cell
	all := floor.Or(wood)
	n := all.List(&cells)
	for changed := true; changed; {
		changed = false
		for i := range 2 * n {
			c := cells[min(i, 2*n-1-i)]
			best := max(values[c.Next(grid.Up)], values[c.Next(grid.Down)])
			best = max(best, values[c.Next(grid.Left)], values[c.Next(grid.Right)])
			best -= best >> 4
			if wood.Has(c) {
				best -= best >> 3
			}
			if best > values[c] {
				values[c] = best
				changed = true
			}
		}
	}
}

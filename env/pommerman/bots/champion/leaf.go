package champion

import (
	"pommego/env/grid"
	"pommego/env/pommerman"
)

const (
	maxSpan    = 28 // the most steps that a forecast covers
	tightSteps = 4  // for so many steps others block the agent
	mateSteps  = 2  // for so many steps the teammate blocks it
	bodySteps  = 3  // for so many steps it blocks others
	lowFrom    = 5  // after so many steps sets have had time to grow
)

// forecast holds what bombs, flames and the collapse do if nobody does anything.
type forecast struct {
	burns [maxSpan + 1]grid.Bits // by step: cells on which nobody survives it
	opens [maxSpan + 1]grid.Bits // by step: cells that can be entered after it and not before
	burnt grid.Bits              // the wood that burns
	wood  int32                  // the value of burnt, in 64ths of a wood; wood that burns late counts less

	bombs    pommerman.Bombs // the bombs after the last explosion
	last     int             // the step of the last explosion; 0: there is none
	lastWood int             // the last step in which wood burns
	age      int             // how many steps the forecast's node is from the root
}

// forecast finds what comes after a node that is age steps from the root.
func (p *planner) forecast(f *forecast, n *node, age int) {
	r := p.rules
	clear(f.burns[:p.ground.span+1])
	clear(f.opens[:p.ground.span+1])
	f.burnt, f.wood = grid.Bits{}, int32(64*n.burnt.Len())
	f.last, f.lastWood, f.age = 0, 0, age
	if r.Traits().FlamesKill {
		for life := 1; life <= r.FlameLife; life++ {
			flames := n.Burning(life)
			for t := 1; t < life+r.Traits().Lingers && !flames.Empty(); t++ {
				f.burns[t] = f.burns[t].Or(flames)
			}
		}
	}
	if r.FirstCollapse != pommerman.NoCollapse {
		for t := 1; t <= p.ground.span; t++ {
			f.burns[t] = f.burns[t].Or(p.ground.fallen[age+t])
		}
	}
	f.bombs.Take(r, &n.State)
	if n.NumBombs > 0 {
		p.explode(f, n, age)
	}
}

func (p *planner) explode(f *forecast, n *node, age int) {
	var closed grid.Bits
	for i := range n.Bombs[:n.NumBombs] {
		closed.Add(n.Bombs[i].Cell)
	}
	wood := p.ground.wood.AndNot(n.burnt)
	for {
		at, hit := f.bombs.Explode(p.ground.fallen[age:])
		switch {
		case at == 0:
			return
		case hit.Empty():
			continue
		}
		if f.last = at; at > p.ground.span {
			return
		}
		for t := at; t < min(at+p.ground.lasting, p.ground.span+1); t++ {
			f.burns[t] = f.burns[t].Or(hit)
		}
		f.opens[at] = f.opens[at].Or(hit.And(wood.Or(closed)))
		gone := hit.And(wood)
		if !gone.Empty() {
			f.lastWood = at
		}
		f.wood += int32(gone.Len() * max(64-2*(at+age), 8))
		f.burnt = f.burnt.Or(gone)
		wood = wood.AndNot(gone)
	}
}

// prospect holds the sets of cells that agents can be on and live.
type prospect struct {
	own     grid.Bits
	others  [pommerman.MaxAgents]grid.Bits
	lead    [pommerman.MaxAgents]grid.Bits // what they reach before the agent, and before a teammate that it sees, do
	emptied [pommerman.MaxAgents]int       // the step after which another agent has no cell left; 0: none

	// The smallest size of the sets, once they had time to grow.
	ownLow    int
	othersLow [pommerman.MaxAgents]int
}

// grow applies a forecast to the sets of all agents.
func (p *planner) grow(f *forecast, n *node) (o prospect) {
	body := grid.Only(n.Agents[p.seat].Cell)
	o.own, o.others, o.lead, o.ownLow = body, n.where, n.where, 256
	seen := p.mate != pommerman.NoSeat && p.root.where[p.mate].Len() == 1
	for other := range o.others {
		o.othersLow[other] = 256
	}
	open := p.openCells(n)
	for t := 1; t <= p.ground.span; t++ {
		burns := f.burns[t]
		o.own.Walk(&open, &burns)
		if t >= lowFrom {
			o.ownLow = min(o.ownLow, o.own.Len())
		}
		taken := burns.Or(o.own)
		if seen {
			taken = taken.Or(o.others[p.mate])
		}
		if t <= bodySteps {
			burns = burns.Or(body)
		}
		for other := range o.others {
			w := &o.others[other]
			if w.Empty() {
				continue
			}
			w.Walk(&open, &burns)
			if w.Empty() {
				o.emptied[other] = t
			}
			if other != p.mate {
				o.lead[other].Walk(&open, &taken)
			}
			if t >= lowFrom {
				o.othersLow[other] = min(o.othersLow[other], w.Len())
			}
		}
		open = open.Or(f.opens[t])
	}
	return o
}

// margin returns the value of the agent's own set if others block it, wherever they can
// be in the first steps.
func (p *planner) margin(f *forecast, n *node) int32 {
	w := &p.weights
	body := grid.Only(n.Agents[p.seat].Cell)
	own, others, open := body, n.where, p.openCells(n)
	for t := 1; t <= p.ground.span; t++ {
		own.Walk(&open, &f.burns[t])
		burns := f.burns[t].Or(body)
		for other := range others {
			if t > tightSteps || other == p.mate && t > mateSteps {
				continue
			}
			others[other].Walk(&open, &burns)
			own = own.AndNot(others[other])
		}
		open = open.Or(f.opens[t])
	}
	if own.Empty() {
		return -w.TightDoom
	}
	return w.TightRoom * share(own.Len(), w.Half) / 1000
}

func share(cells int, half int32) int32 { return 1000 * int32(cells) / (int32(cells) + half) }

func (p *planner) leaf(f *forecast, n *node, age int) int32 {
	w := &p.weights
	o := p.grow(f, n)
	points := p.standing(n) + w.Wood*f.wood/64
	points += w.Room * share(o.ownLow, w.Half) / 1000
	if o.own.Empty() {
		points -= w.Doom
	}
	for other := range p.others.All {
		left := share(o.othersLow[other], w.HalfOthers)
		if o.others[other].Empty() {
			left = 0
		}
		switch {
		case other == p.mate && left == 0:
			points -= w.MateDeath
		case other == p.mate:
			points += w.Mate * left / 1000
		case left == 0:
			points += w.Kill * int32(128-age-o.emptied[other]) / 128
		default:
			points -= w.Hunt*left/1000 + w.Corner*share(o.lead[other].Len(), w.HalfOthers)/1000
		}
	}
	return points
}

func (p *planner) standing(n *node) int32 {
	w, a := &p.weights, &n.Agents[p.seat]
	ammo := int32(a.Ammo)
	for i := range n.Bombs[:n.NumBombs] {
		if n.Bombs[i].Owner() == p.seat {
			ammo++
		}
	}
	points := p.ground.good[a.Cell] + w.Blast*int32(a.Blast) + w.Ammo*ammo
	if a.Kicks {
		points += w.Kick
	}
	return points
}

// sooner returns a bonus for what a node can still gain, so that earlier gains are worth more.
func (p *planner) sooner(n *node) int32 { return p.standing(n) / 32 }

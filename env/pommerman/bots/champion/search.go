package champion

import (
	"cmp"
	"math"
	"slices"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/search"
)

// The limits of a champion's search.
const (
	maxPlies     = 2 // own moves in a row: more of them see no replies and make it rash; see [planner.duels]
	maxReplies   = 2 // near agents whose moves the search tries
	maxScenarios = 1 + maxReplies*tactics.Choices
	nearRival    = 4 // the search tries the moves of rivals up to so many rows and columns away
	nearMate     = 2 // the same for the teammate
	tableSize    = 1 << 15
)

// node is a state in the tree. Its board shows the agent alone: for each other agent the node
// only keeps the set of cells that it can be on. Other agents neither block the way nor die.
type node struct {
	pommerman.State
	where [pommerman.MaxAgents]grid.Bits // by seat of the others: the cells each can be on; none: it was dead at the root
	burnt grid.Bits                      // the wood that has burnt since the root
}

// scenario is the state after one move of the agent and one of a rival.
type scenario struct {
	node
	bodies grid.Bits // where others stand
	mover  int       // the rival or teammate that moves; NoSeat: none
	margin int32     // see [planner.margin] and [planner.threat]
	rest   int32     // see [planner.leaf]
}

// opening is a move that the agent can choose, with what the search knows of it.
type opening struct {
	move      pommerman.Action
	value     int32
	tried     bool
	visits    int32
	scenarios int
}

// planner is the working memory of one decision.
type planner struct {
	search.Meter
	weights weights // as they are at this point of the game
	rules   *pommerman.Rules
	seat    int
	mate    int
	fights  bool        // play duels with the rest of the budget; see [planner.duels]
	others  env.SeatSet // the other agents that live

	root       node
	ground     ground
	actions    [pommerman.MaxAgents * (1 + pommerman.MaxWords)]uint8
	openings   []opening // the part of openingsOf in use, the best first
	openingsOf [tactics.Choices]opening
	scenarios  [tactics.Choices][maxScenarios]scenario
	stack      [maxPlies + 1]node
	lines      [maxDuel]node

	calm    forecast               // if no rival interferes; see [planner.threat]
	plot    forecast               // if a rival interferes
	own     [maxSpan + 1]grid.Bits // by step: where the agent can be if no rival interferes
	ways    [maxSpan + 1]grid.Bits // by step: what can be entered in it
	exposed grid.Bits              // where bombs may go off at any time; see [planner.expose]

	table      [tableSize]entry
	generation uint32

	advice     [tactics.Choices]int32 // points that a network gives to first moves
	statistics [tactics.Choices]search.MoveStatistics
}

// entry holds the value of a node that the search has met before.
type entry struct {
	key        uint64
	generation uint32
	value      int32
}

func (p *planner) begin(r *pommerman.Rules, seat int, w *weights, budget search.Budget, m *championMemory) {
	p.Meter = search.NewMeter(budget)
	p.rules, p.seat, p.mate = r, seat, r.Teammate(seat)
	p.fights = budget.Ticks <= 0 || budget.Ticks > duelTicks
	clear(p.statistics[:])
	p.root = node{State: m.belief.State, where: m.where}
	p.others = 0
	for other := range r.Seats() {
		if other != seat && !m.where[other].Empty() {
			p.others = p.others.With(other)
		}
	}
	p.generation++
	p.weights = *w
	p.weights = w.at(p.urgency(), p.lateness())
	p.ground.survey(p, m)
}

// decide finds a move. If failed is not Stop, decide gives that move a lower value half
// of the time.
func (p *planner) decide(rng *env.RNG, failed pommerman.Action) pommerman.Action {
	yields := failed != pommerman.Stop && rng.IntN(2) == 0
	if !p.open() {
		return p.openings[0].move
	}
	for plies := 0; plies == 0 || plies < maxPlies && p.Open(); plies++ {
		spent := p.Spent()
		if !p.deepen(plies) || plies > 0 && p.Spent() == spent {
			break
		}
	}
	if p.fights {
		p.duels()
	}
	var best search.Best[pommerman.Action]
	for i := range p.openings {
		o := &p.openings[i]
		if o.tried {
			o.value += p.advice[o.move]
			if yields && o.move == failed {
				o.value -= p.weights.Yield
			}
			best.Offer(o.move, float64(o.value), rng)
			p.statistics[o.move] = search.MoveStatistics{Visits: max(o.visits, 1), Value: float64(o.value)}
		}
	}
	return best.Choice
}

// open makes the first ply: the scenarios of each move, first those in which no rival
// does anything special. It returns false if there is no choice.
func (p *planner) open() bool {
	moves := tactics.UsefulMoves(p.rules, &p.root.State, p.seat)
	p.openings = p.openingsOf[:0]
	for move := range moves.All {
		p.openings = append(p.openings, opening{move: move})
	}
	if len(p.openings) == 1 {
		return false
	}
	if p.rules.ViewSize > 0 {
		for other := range p.root.Agents { // agents out of sight may have picked up a kick item
			p.root.Agents[other].Kicks = p.root.Agents[other].Kicks || other != p.seat
		}
	}
	p.expose()
	p.scene(pommerman.NoSeat, pommerman.Stop)
	near, n := p.nearRivals()
	for _, rival := range near[:n] {
		for reply := range p.repliesOf(&p.root.State, rival).All {
			p.scene(rival, reply)
		}
	}
	clear(p.actions[:])
	return true
}

// scene makes a scenario for each move, as far as the budget goes.
func (p *planner) scene(rival int, reply pommerman.Action) {
	clear(p.actions[:])
	if rival != pommerman.NoSeat {
		p.actions[rival*(1+p.rules.RadioWords)] = uint8(reply)
	}
	for i := range p.openings {
		o := &p.openings[i]
		sc := &p.scenarios[o.move][o.scenarios]
		sc.node = p.root
		if !p.step(&sc.node, o.move, 1) {
			return
		}
		p.separate(sc, rival)
		sc.margin, sc.mover = 0, rival
		if sc.Agents[p.seat].Alive {
			p.forecast(&p.calm, &sc.node, 1)
			sc.margin = p.margin(&p.calm, &sc.node) + p.threat(&sc.node, rival)
			sc.rest = p.leaf(&p.calm, &sc.node, 1)
		}
		o.scenarios++
	}
}

// separate removes the other agents from a board after the first ply. The rival that moved
// is on the cell where it went; each other agent can be on any cell that it reaches.
func (p *planner) separate(sc *scenario, rival int) {
	sc.bodies = grid.Bits{}
	for other := range p.others.All {
		if other == rival {
			sc.locate(other)
		}
		if a := &sc.Agents[other]; a.Alive && sc.where[other].Has(a.Cell) {
			sc.bodies.Add(a.Cell)
		}
		p.lift(&sc.State, other)
	}
}

// locate says that another agent is where it stands, and nowhere else.
func (n *node) locate(other int) {
	n.where[other] = grid.Bits{}
	if a := &n.Agents[other]; a.Alive {
		n.where[other].Add(a.Cell)
	}
}

// lift removes another agent from a board, if it lives.
func (p *planner) lift(s *pommerman.State, other int) {
	if !s.Agents[other].Alive {
		return
	}
	s.Agents[other].Alive = false
	c := s.Agents[other].Cell
	if s.Board[c] != p.rules.Agent0()+pommerman.Item(other) {
		return
	}
	s.Board[c] = pommerman.Passage
	if s.BombAt(c) {
		s.Board[c] = pommerman.BombItem
	}
}

// deepen values all openings with so many plies of own moves after the first. It returns
// false if the budget did not suffice; openings that it did not reach keep their values.
func (p *planner) deepen(plies int) bool {
	for i := range p.openings {
		o := &p.openings[i]
		before := p.Spent()
		var m mixture
		whole := o.scenarios > 0 && p.weigh(&m, o, plies, false)
		o.visits += int32(p.Spent() - before)
		if !whole {
			return false
		}
		o.value, o.tried = m.value(p.weights.Worst), true
	}
	slices.SortStableFunc(p.openings, func(a, b opening) int { return cmp.Compare(b.value, a.value) })
	return true
}

// weigh adds to m what a move is worth in its scenarios. With calm it leaves out those in which a rival moves.
func (p *planner) weigh(m *mixture, o *opening, plies int, calm bool) bool {
	for i := range o.scenarios {
		sc := &p.scenarios[o.move][i]
		if calm && sc.mover != pommerman.NoSeat && sc.mover != p.mate {
			continue
		}
		v, whole := p.value(&sc.node, sc, plies, 1)
		if !whole {
			return false
		}
		m.add(v + sc.margin)
	}
	return true
}

// value is the worth of a node that is age steps from the root, with so many plies to
// go.
func (p *planner) value(n *node, sc *scenario, plies, age int) (best int32, whole bool) {
	if !n.Agents[p.seat].Alive {
		return int32(16*age) - p.weights.Death, true
	}
	slot, key := p.slot(n, &sc.where, plies, age, pommerman.NoSeat)
	if slot.generation == p.generation && slot.key == key {
		return slot.value, true
	}
	switch {
	case n == &sc.node && plies == 0:
		best = sc.rest
	case plies == 0:
		p.forecast(&p.calm, n, age)
		best = p.leaf(&p.calm, n, age)
	default:
		best = math.MinInt32
		for move := range p.moves(n, sc).All {
			child := &p.stack[age]
			*child = *n
			if !p.step(child, move, age+1) {
				return 0, false
			}
			v, whole := p.value(child, sc, plies-1, age+1)
			if !whole {
				return 0, false
			}
			best = max(best, v)
		}
		best += p.sooner(n)
	}
	*slot = entry{key, p.generation, best}
	return best, true
}

// step makes a tick in which the others do what actions say, and takes a node to
// the given age. It returns false if the budget is used up.
func (p *planner) step(n *node, move pommerman.Action, age int) bool {
	if !p.Open() || !p.Tick() {
		return false
	}
	width := 1 + p.rules.RadioWords
	open := p.openCells(n)
	p.actions[p.seat*width] = uint8(move)
	p.rules.Step(&n.State, p.actions[:p.rules.Seats()*width])
	burning := n.Burning(1).Or(n.Burning(2)).Or(n.Burning(3)).Or(n.Burning(4)).Or(n.Burning(5))
	n.burnt = n.burnt.Or(burning.And(p.ground.wood))
	if !p.rules.Traits().FlamesKill {
		burning = n.Burning(p.rules.FlameLife)
	}
	deadly := burning.Or(p.ground.fallen[age])
	for other := range p.others.All {
		n.where[other].Walk(&open, &deadly)
	}
	return true
}

// openCells are those that agents can enter.
func (p *planner) openCells(n *node) grid.Bits {
	open := p.ground.floor.Or(n.burnt)
	for i := range n.Bombs[:n.NumBombs] {
		open.Remove(n.Bombs[i].Cell)
	}
	return open
}

// slot is the place for the value of a node, and its key, given the cells that others
// can be on and which of them moves.
func (p *planner) slot(n *node, where *[pommerman.MaxAgents]grid.Bits, plies, age, mover int) (*entry, uint64) {
	self := &n.Agents[p.seat]
	h := uint64(self.Cell) | uint64(self.Ammo)<<8 | uint64(self.Blast)<<16 | uint64(age)<<32 | uint64(plies)<<40
	if self.Kicks {
		h |= 1 << 24
	}
	if mover != pommerman.NoSeat {
		a := &n.Agents[mover]
		h = mix(h, uint64(mover+1))
		h = mix(h, uint64(a.Cell)|uint64(a.Ammo)<<8|uint64(a.Blast)<<16)
		if a.Kicks {
			h++
		}
	}
	for other := range where {
		for _, word := range where[other] {
			h = mix(h, word)
		}
	}
	for i := range n.Bombs[:n.NumBombs] {
		b := &n.Bombs[i]
		h = mix(h, uint64(b.Cell)|uint64(b.Life)<<8|uint64(b.Blast)<<16|uint64(b.Moving())<<24)
	}
	for _, word := range n.Burning(p.rules.FlameLife) {
		h = mix(h, word)
	}
	h ^= h >> 29
	return &p.table[h%tableSize], h
}

func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

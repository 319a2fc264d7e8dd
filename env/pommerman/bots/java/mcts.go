package java

import (
	"cmp"
	"math"
	"slices"

	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/search"
)

// node is a node of the tree: a sequence of moves, whatever the others did. It keeps no
// state. Node 0 is the root, so as a child 0 stands for none.
type node struct {
	children  [tactics.Choices]int32
	parent    int32
	depth     int32
	visits    int32
	total     float64
	low, high float64 // the least and the greatest score seen below it
}

// maxNodes bounds the tree. It only matters for searches limited by the clock.
const maxNodes = 1 << 16

// mostNodes returns how many nodes a tree can have: the root, and one for each iteration.
func (s *settings) mostNodes() int {
	return min(cmp.Or(s.iterations, maxNodes)+1, cmp.Or(s.budget.Ticks, maxNodes)+1, maxNodes)
}

// searchTree is MCTSPlayer: each iteration goes down the tree in a game of its own,
// makes one of the moves not made yet, and plays on at random. It chooses the root's
// move that was made most often.
func (p *planner) searchTree() pommerman.Action {
	if most := p.mostNodes(); cap(p.nodes) < most {
		p.nodes = make([]node, 0, most)
	}
	p.nodes = append(p.nodes[:0], newNode(0, 0))
	for p.round() {
		p.try = p.root
		at := p.descend()
		p.rollout(int(p.nodes[at].depth))
		p.backUp(at, p.value(&p.try, p.rng))
	}
	return p.mostVisited()
}

func newNode(parent, depth int32) node {
	return node{parent: parent, depth: depth, low: math.MaxFloat64, high: -math.MaxFloat64}
}

// descend goes down the tree to a node that is new, or has no children.
func (p *planner) descend() int32 {
	at := int32(0)
	for int(p.nodes[at].depth) < p.depth && !p.terminal(&p.try) {
		move := p.missing(at)
		if move < 0 {
			move = p.ucb(at)
		}
		child := p.nodes[at].children[move]
		if child == 0 && len(p.nodes) == maxNodes || !p.step(&p.try, uint8(move)) {
			return at
		}
		if child == 0 {
			child = int32(len(p.nodes))
			p.nodes[at].children[move] = child
			p.nodes = append(p.nodes, newNode(at, p.nodes[at].depth+1))
			return child
		}
		at = child
	}
	return at
}

// missing returns a move for which a node has no child, -1 if it has a child for each.
// It draws a number for each move; the highest wins.
func (p *planner) missing(at int32) int {
	children := &p.nodes[at].children
	if !slices.Contains(children[:], 0) {
		return -1
	}
	best, top := 0, -1.0
	for move, child := range children {
		if x := p.rng.Float64(); x > top && child == 0 {
			best, top = move, x
		}
	}
	return best
}

// ucb returns the child with the highest upper confidence bound. Values are scaled by
// the node's least and greatest score.
func (p *planner) ucb(at int32) int {
	n := &p.nodes[at]
	log := logarithm(int(n.visits) + 1)
	best, top := 0, -math.MaxFloat64
	for move, k := range n.children {
		child := &p.nodes[k]
		tried := float64(child.visits) + epsilon
		value := child.total / tried
		if n.low < n.high {
			value = (value - n.low) / (n.high - n.low)
		}
		if value = noisy(value+float64(p.c*math.Sqrt(log/tried)), p.rng); value > top {
			best, top = move, value
		}
	}
	return best
}

// rollout plays on at random from a depth of the tree.
func (p *planner) rollout(depth int) {
	for ; depth < p.depth && !p.terminal(&p.try); depth++ {
		if !p.step(&p.try, p.rolloutMove()) {
			return
		}
	}
}

// rolloutMove is the original's safe move. It draws moves from a list, and removes
// those that lead off the board or into flames, until one does neither. Like the
// original, it then plays the move whose number is the drawn move's place in the list.
func (p *planner) rolloutMove() uint8 {
	list := [tactics.Choices]uint8{0, 1, 2, 3, 4, 5}
	own := p.try.Agents[p.seat].Cell
	for n := tactics.Choices; n > 0; n-- {
		k := p.rng.IntN(n)
		to := own.Next(grid.Dir(list[k]))
		if to.OnBoard(p.rules.BoardSize) && p.try.Board[to] != pommerman.Flames {
			return uint8(k)
		}
		copy(list[k:], list[k+1:n])
	}
	return uint8(p.rng.IntN(tactics.Choices))
}

func (p *planner) backUp(at int32, value float64) {
	for {
		n := &p.nodes[at]
		n.visits++
		n.total += value
		n.low, n.high = min(n.low, value), max(n.high, value)
		if at == 0 {
			return
		}
		at = n.parent
	}
}

// mostVisited returns the root's move that was made most often; if all moves that were
// made were made equally often, the one with the best mean.
func (p *planner) mostVisited() pommerman.Action {
	equal, first := true, int32(0)
	best := p.bestChild(func(n *node) float64 {
		if first == 0 {
			first = n.visits
		}
		equal = equal && n.visits == first
		return float64(n.visits)
	})
	if equal {
		best = p.bestChild(func(n *node) float64 { return n.total / (float64(n.visits) + epsilon) })
	}
	return pommerman.Action(best)
}

// bestChild returns the root's move with the highest value, and notes the values.
func (p *planner) bestChild(value func(n *node) float64) int {
	best, top := 0, -math.MaxFloat64
	for move, k := range p.nodes[0].children {
		if k == 0 {
			continue
		}
		child := &p.nodes[k]
		x := noisy(value(child), p.rng)
		p.statistics[move] = search.MoveStatistics{Visits: child.visits, Value: x}
		if x > top {
			best, top = move, x
		}
	}
	return best
}

// logarithm returns the natural logarithm of a whole number. Libraries differ in its
// last digits. This one is the same on all machines, because it consists of sums,
// products and quotients that are rounded one by one.
func logarithm(n int) float64 {
	if n < len(logarithms) {
		return logarithms[n]
	}
	return series(n)
}

var logarithms = func() (all [1024]float64) {
	for n := 1; n < len(all); n++ {
		all[n] = series(n)
	}
	return all
}()

// series returns the logarithm of a number, split into a power of two and a factor near
// 1, by the series of the area hyperbolic tangent.
func series(n int) float64 {
	factor, power := math.Frexp(float64(n))
	if factor < math.Sqrt2/2 {
		factor, power = 2*factor, power-1
	}
	x := (factor - 1) / (factor + 1)
	square := float64(x * x)
	sum := 0.0
	for odd := 39; odd >= 1; odd -= 2 {
		sum = float64(sum*square) + 1/float64(odd)
	}
	return float64(2*float64(x*sum)) + float64(float64(power)*math.Ln2)
}

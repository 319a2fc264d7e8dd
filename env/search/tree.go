package search

import "pommego/env"

// Tree is Monte Carlo tree search with UCB1. Each round goes down the tree by
// UCB1 to a state that has moves not made yet, makes one of them, plays on with
// 1 to Depth random moves, and adds the score to all states on the way. The move
// at the root with the best mean score wins.
//
// A node keeps its state, so what chance did on the way to it is drawn once. With
// MaxNodes, the first search reserves the memory for all nodes it may make.
type Tree[S any] struct {
	C        float64 // what UCB1 multiplies uncertainty by, in the unit of scores
	Depth    int     // the longest roll-out in ticks; 0: a new state is scored as it is
	MaxNodes int     // how far the tree grows; 0: as far as the budget goes

	nodes  []node
	states []S    // of each node
	moves  []Move // of all nodes, each node's together
	try    S
	rolled []Move
}

// node is one state of the tree. Node 0 is the root, so 0 stands for none where
// a child is named.
type node struct {
	tally
	parent  int32
	child   int32 // the first of its children
	sibling int32 // the next child of its parent
	from    int32 // its moves not made yet: moves[from:to]
	to      int32
	move    Move // the move that led to it
	final   bool // its state is terminal
}

// Search finds a move.
func (t *Tree[S]) Search(model Model[S], root *S, budget Budget, rng *env.RNG) Found {
	r := run[S]{model, rng, NewMeter(budget)}
	t.reserve(budget.Ticks)
	t.nodes, t.states, t.moves = t.nodes[:0], t.states[:0], t.moves[:0]
	t.add(&r, root, 0, 0)
	if t.nodes[0].to == 1 {
		return Found{Move: t.moves[0]}
	}
	for r.Open() {
		before := r.spent
		at := t.grow(&r, t.descend())
		t.try = t.states[at]
		t.rolled = r.roll(&t.try, t.Depth, t.rolled)
		t.back(at, model.Score(&t.try))
		if r.spent == before {
			r.left-- // a round in a terminal state must come to an end too
		}
	}
	var top Best[int]
	for i := t.nodes[0].child; i != 0; i = t.nodes[i].sibling {
		top.Offer(int(i), t.nodes[i].mean(), rng)
	}
	return Found{t.nodes[top.Choice].move, top.Score, r.Spent()}
}

// reserve makes room for all that a search with so many ticks may keep.
func (t *Tree[S]) reserve(ticks int) {
	if most := mostNodes(t.MaxNodes, ticks); cap(t.nodes) < most {
		t.nodes, t.states, t.moves = make([]node, 0, most), make([]S, 0, most), make([]Move, 0, most*manyMoves)
	}
}

// add makes a node of a state.
func (t *Tree[S]) add(r *run[S], s *S, parent int32, move Move) int32 {
	at := int32(len(t.nodes))
	t.states = append(t.states, *s)
	n := node{parent: parent, move: move, from: int32(len(t.moves)), final: r.model.Terminal(s)}
	if !n.final {
		t.moves = r.model.Moves(s, t.moves)
	}
	n.to = int32(len(t.moves))
	t.nodes = append(t.nodes, n)
	return at
}

// descend goes down the tree by UCB1 to a node that is terminal or has moves
// left to make.
func (t *Tree[S]) descend() int32 {
	at := int32(0)
	for {
		n := &t.nodes[at]
		if n.final || n.from < n.to || n.child == 0 {
			return at
		}
		logVisits := logarithm(n.visits)
		top := 0.0
		for i := n.child; i != 0; i = t.nodes[i].sibling {
			if value := t.nodes[i].ucb1(t.C, logVisits); i == n.child || value > top {
				at, top = i, value
			}
		}
	}
}

// grow makes one of the moves that a node has left and returns the new node. A
// node that is terminal, a full tree and an empty budget stay as they are.
func (t *Tree[S]) grow(r *run[S], at int32) int32 {
	n := &t.nodes[at]
	if n.final || n.from == n.to || r.left <= 0 || t.MaxNodes > 0 && len(t.nodes) >= t.MaxNodes {
		return at
	}
	k := n.from + int32(r.rng.IntN(int(n.to-n.from)))
	n.to--
	move := t.moves[k]
	t.moves[k] = t.moves[n.to]
	t.try = t.states[at]
	r.step(&t.try, move)
	child := t.add(r, &t.try, at, move)
	n = &t.nodes[at] // add may have moved it
	t.nodes[child].sibling, n.child = n.child, child
	return child
}

// back adds a score to a node and to all above it.
func (t *Tree[S]) back(at int32, score float64) {
	for {
		t.nodes[at].add(score)
		if at == 0 {
			return
		}
		at = t.nodes[at].parent
	}
}

package search

import "cmp"

// A node keeps its state, so what happens by chance on the way to it is drawn once. Node 0 is the
// root, so as a child 0 stands for none.
type node struct {
	tally
	parent  int32
	child   int32 // the first of its children
	sibling int32 // the next child of its parent
	from    int32 // branches[from:to] are its moves not made yet
	to      int32
	move    Move // the move that led to it
	final   bool // its state is terminal
}

// In each round, tree goes down the tree by UCB1 to a state with moves not made yet,
// makes one of them, plays on, and adds the score to all states on the way. It takes
// the root's move with the best mean score.
func (t *Searcher[S]) tree(root *S) {
	most := t.reserve(cmp.Or(t.MaxNodes, maxNodes))
	t.nodes, t.branches = room(t.nodes, most), room(t.branches, most*manyMoves)
	t.add(root, 0, 0)
	for t.Open() {
		before := t.spent
		at := t.grow(t.descend(), most)
		t.try = t.states[at]
		t.back(at, t.playOn())
		if t.spent == before {
			t.left-- // even rounds in terminal states must use up the budget
		}
	}
	for i := t.nodes[0].child; i != 0; i = t.nodes[i].sibling {
		t.offer(t.nodes[i].move, t.nodes[i].visits, t.nodes[i].mean())
	}
}

func (t *Searcher[S]) add(s *S, parent int32, move Move) int32 {
	at := int32(len(t.nodes))
	t.states = append(t.states, *s)
	n := node{parent: parent, move: move, from: int32(len(t.branches)), final: t.model.Terminal(s)}
	if !n.final {
		t.branches = t.model.Moves(s, t.branches)
	}
	n.to = int32(len(t.branches))
	t.nodes = append(t.nodes, n)
	return at
}

// descend goes down the tree by UCB1 to a node that is terminal or has moves
// left to make.
func (t *Searcher[S]) descend() int32 {
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

// grow makes one of the moves that a node has left and returns the new node. If the
// node is terminal, the tree has most nodes or the budget is empty, it changes nothing.
func (t *Searcher[S]) grow(at int32, most int) int32 {
	n := &t.nodes[at]
	if n.final || n.from == n.to || t.left <= 0 || len(t.nodes) >= most {
		return at
	}
	k := n.from + int32(t.rng.IntN(int(n.to-n.from)))
	n.to--
	move := t.branches[k]
	t.branches[k] = t.branches[n.to]
	t.try = t.states[at]
	t.step(&t.try, move)
	child := t.add(&t.try, at, move)
	n = &t.nodes[at] // add may have moved the nodes
	t.nodes[child].sibling, n.child = n.child, child
	return child
}

func (t *Searcher[S]) back(at int32, score float64) {
	for ; at != 0; at = t.nodes[at].parent {
		t.nodes[at].add(score)
	}
	t.nodes[0].add(score)
}

package search

import (
	"cmp"
	"slices"
	"unsafe"

	"pommego/env"
)

// Method is one of the searches.
type Method uint8

// The searches.
const (
	// FlatMonteCarlo tries each move again and again, with random moves after it; a
	// [Bandit] says which one next.
	FlatMonteCarlo Method = iota
	// TreeSearch is Monte Carlo tree search with UCB1: like FlatMonteCarlo, but with a
	// tree that grows where it looks best.
	TreeSearch
	// BreadthFirst looks at all states that can come, tick by tick.
	BreadthFirst
	// LookAhead tries each move, and looks no further.
	LookAhead
	// RollingHorizon breeds whole plans, and keeps the best of them from one decision to
	// the next.
	RollingHorizon
)

// Settings say how an agent searches. A method ignores the fields that it has no use
// for.
type Settings struct {
	Method Method
	Budget Budget // the budget of one decision
	Bandit Bandit // for FlatMonteCarlo

	C     float64 // the factor of uncertainty in UCB1, in the unit of scores
	Depth int     // the longest roll-out in ticks; 0: a new state is scored as it is

	Samples int // for LookAhead: the most often each move is made; 0: once

	Memory   int // for BreadthFirst: bytes of states that each search under way keeps; 0: 128 MiB
	MaxNodes int // for TreeSearch: the most nodes; 0: 16384. In a full tree only roll-outs go on

	// For RollingHorizon, at least 1: the moves in a plan, and the number of plans.
	Length, Population int
	Mutation           float64 // the share of a child's moves that are drawn at random; 0: one move per plan
}

const (
	// MaxLength is the longest plan that an agent carries from one decision to
	// the next.
	MaxLength = 40
	maxNodes  = 1 << 14
	// breadthMemory is 160,000 states of Pommerman, enough for half a million ticks: what
	// one core simulates in 100 ms.
	breadthMemory = 128 << 20
	// manyMoves is more moves than most games have, so that what is kept for each is
	// reserved at once.
	manyMoves = 16
	// besides is more than the parts of searchers, models and plans take that do not grow.
	besides = 128 << 10
)

// Searcher finds moves. It keeps its working memory and grows it as needed, so that only
// the first decisions allocate; nothing of one decision influences the next, except Plan.
// It belongs to one goroutine at a time, and may serve many agents in turn: lend searchers
// from [Workspaces], because trees for thousands of agents would not fit into memory.
type Searcher[S any] struct {
	// Plan is what RollingHorizon has left of its best plan, without the first move. The
	// next search begins with it. Empty it when a new game begins.
	Plan []Move

	// The search at work.
	Settings
	Meter
	model Model[S]
	rng   *env.RNG
	top   Best[Move]
	tried []MoveStatistics

	try    S
	moves  []Move // the moves worth trying in a state
	states []S    // the states after each arm's move, of a tree's nodes, or to go on from
	arms   []arm
	first  []Move // for breadth: by state, the root's move that leads to it
	last   int    // for breadth: the first state from which the search has not gone on

	nodes    []node
	branches []Move // the moves of all nodes, node by node

	plans []plan
	genes []Move // the moves of all plans, and after them of the child
}

// Search finds a move in root, which must not be terminal. It leaves root as it is.
func (t *Searcher[S]) Search(model Model[S], root *S, s *Settings, budget Budget, rng *env.RNG) Found {
	t.model, t.rng, t.Settings, t.Meter = model, rng, *s, NewMeter(budget)
	t.moves = model.Moves(root, t.moves[:0])
	if len(t.moves) == 1 {
		t.Plan = t.Plan[:0]
		return Found{Move: t.moves[0]}
	}
	t.top, t.tried = Best[Move]{}, slices.Grow(t.tried[:0], manyMoves)
	switch s.Method {
	case FlatMonteCarlo:
		t.flat(root)
	case TreeSearch:
		t.tree(root)
	case BreadthFirst:
		t.breadth(root)
	case LookAhead:
		t.ahead(root)
	case RollingHorizon:
		t.rolling(root)
	}
	return Found{t.top.Choice, t.top.Score, t.Spent(), t.tried}
}

// reserve makes room for the states of a search that keeps at most that many. It
// returns how many states the search can make: the root and one for each tick.
func (t *Searcher[S]) reserve(most int) int {
	if t.left < int64(most) {
		most = int(t.left) + 1
	}
	t.states = room(t.states, most)
	return most
}

// room returns an empty slice for n elements. It allocates no more than the largest n so far needs.
func room[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, 0, n)
	}
	return s[:0]
}

// Bytes returns the most memory that a searcher of states S takes for searches by these
// settings, as [Workspaces] count it.
func Bytes[S any](s *Settings) int64 {
	var state S
	size, most := int64(unsafe.Sizeof(state)), int64(s.Budget.Ticks)+1
	if s.Budget.Ticks <= 0 {
		most = noLimit
	}
	bytes := besides + manyMoves*size
	switch s.Method {
	case TreeSearch:
		bytes += min(most, int64(cmp.Or(s.MaxNodes, maxNodes))) * (size + int64(unsafe.Sizeof(node{})) + manyMoves)
	case BreadthFirst:
		bytes += min(most, int64(statesIn[S](s.Memory))) * (size + 1)
	}
	return RoundUp(bytes)
}

// step makes a tick if one is left.
func (t *Searcher[S]) step(s *S, move Move) bool {
	if !t.Tick() {
		return false
	}
	t.model.Step(s, move, t.rng)
	return true
}

// playOn makes 1 to Depth random moves from t.try on, until the state is terminal or the
// budget is used up, and scores where they lead.
func (t *Searcher[S]) playOn() float64 {
	if t.Depth > 0 {
		for range 1 + t.rng.IntN(t.Depth) {
			if t.left <= 0 || t.model.Terminal(&t.try) {
				break
			}
			t.moves = t.model.Moves(&t.try, t.moves[:0])
			t.step(&t.try, t.moves[t.rng.IntN(len(t.moves))])
		}
	}
	return t.model.Score(&t.try)
}

// offer compares a move with the best, and notes its statistics.
func (t *Searcher[S]) offer(move Move, visits int32, score float64) {
	t.top.Offer(move, score, t.rng)
	t.note(move, visits, score)
}

// note adds to the statistics of a move. Its value is the best score that was found.
func (t *Searcher[S]) note(move Move, visits int32, score float64) {
	for int(move) >= len(t.tried) {
		t.tried = append(t.tried, MoveStatistics{})
	}
	k := &t.tried[move]
	if k.Visits == 0 || score > k.Value {
		k.Value = score
	}
	k.Visits += visits
}

package search

import "unsafe"

// Method is one of the searches.
type Method uint8

// The searches.
const (
	FlatMonteCarlo Method = iota // [Flat]
	TreeSearch                   // [Tree]
	BreadthFirst                 // [Breadth]
	LookAhead                    // [Ahead]
	RollingHorizon               // [Rolling]
)

// Settings say how an agent searches. What its method has no use for is left
// out.
type Settings struct {
	Method Method
	Budget Budget // of one decision
	Bandit Bandit // of FlatMonteCarlo

	C     float64 // what UCB1 multiplies uncertainty by, in the unit of scores
	Depth int     // the longest roll-out in ticks

	Samples int // of LookAhead

	Memory int // of BreadthFirst: bytes of states kept, for each search at work; 0: 128 MiB

	Length, Population int // of RollingHorizon
	Mutation           float64
}

const (
	// MaxLength is the longest plan that an agent carries from one decision to
	// the next.
	MaxLength = 40
	// maxNodes bounds the tree of an agent's search, which matters where it has a
	// limit in time: a full tree is searched on by roll-outs.
	maxNodes = 1 << 14
	// breadthMemory is what breadth-first search may keep if nothing else is said.
	// In Pommerman that is 160,000 states, enough for half a million ticks: what one
	// core simulates in 100 ms.
	breadthMemory = 128 << 20
)

// Set is the searches with their working memory, of which each decision uses
// one. Lend sets from a sync.Pool: a tree for each of thousands of agents would
// not fit anywhere.
type Set[S any] struct {
	flat    Flat[S]
	tree    Tree[S]
	breadth Breadth[S]
	ahead   Ahead[S]
	rolling Rolling[S]
}

// Use is the search that the settings ask for. It belongs to the set.
func (t *Set[S]) Use(s *Settings) Planner[S] {
	switch s.Method {
	case FlatMonteCarlo:
		t.flat.Bandit, t.flat.C, t.flat.Depth = s.Bandit, s.C, s.Depth
		return &t.flat
	case TreeSearch:
		t.tree.C, t.tree.Depth, t.tree.MaxNodes = s.C, s.Depth, maxNodes
		return &t.tree
	case BreadthFirst:
		t.breadth.MaxNodes = statesIn[S](s.Memory)
		return &t.breadth
	case LookAhead:
		t.ahead.Samples = s.Samples
		return &t.ahead
	case RollingHorizon:
		t.rolling.Length, t.rolling.Population, t.rolling.Mutation = s.Length, s.Population, s.Mutation
		return &t.rolling
	}
	panic("search: unknown method")
}

// statesIn is how many states fit into some memory, at least the root. It is the same
// in 32-bit programs, where some states are 4 bytes smaller.
func statesIn[S any](bytes int) int {
	if bytes == 0 {
		bytes = breadthMemory
	}
	var s S
	return max(bytes/int((unsafe.Sizeof(s)+7)&^7), 1)
}

// Plan is what is left of the plan of a rolling horizon search, and what the
// next one begins with.
func (t *Set[S]) Plan() []Move { return t.rolling.Plan }

// SetPlan replaces it, as the set may have served another agent since.
func (t *Set[S]) SetPlan(plan []Move) { t.rolling.Plan = append(t.rolling.Plan[:0], plan...) }

package search

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pommego/env"
)

// with is a searcher with settings, as tests use it.
type with[S any] struct {
	Searcher[S]
	by Settings
}

func (w *with[S]) search(model Model[S], root *S, budget Budget, rng *env.RNG) Found {
	return w.Search(model, root, &w.by, budget, rng)
}

// walking is a new searcher for walks.
func walking(s Settings) *with[walker] { return &with[walker]{by: s} }

// Searches that many tests use.
var (
	tree    = Settings{Method: TreeSearch, C: 25, Depth: 3}
	breadth = Settings{Method: BreadthFirst, Memory: 1 << 20}
	ahead   = Settings{Method: LookAhead}
	rolling = horizon(12)
)

func horizon(length int) Settings {
	return Settings{Method: RollingHorizon, Length: length, Population: 8}
}

func flat(b Bandit) Settings { return Settings{Method: FlatMonteCarlo, Bandit: b, C: 25, Depth: 3} }

// planners is every search, new.
func planners() map[string]*with[walker] {
	all := map[string]*with[walker]{
		"breadth":            walking(breadth),
		"tree":               walking(tree),
		"tree of 20 nodes":   walking(Settings{Method: TreeSearch, C: 25, Depth: 3, MaxNodes: 20}),
		"tree, no roll-outs": walking(Settings{Method: TreeSearch, C: 25}),
		"ahead":              walking(ahead),
		"ahead, without end": walking(Settings{Method: LookAhead, Samples: math.MaxInt}),
		"rolling":            walking(rolling),
		"rolling, short":     walking(Settings{Method: RollingHorizon, Length: 3, Population: 2, Mutation: 0.5}),
	}
	for b := Random; b <= Explore; b++ {
		all[fmt.Sprintf("flat, bandit %d", b)] = walking(flat(b))
	}
	return all
}

// TestBestMoveIsFound: searches that look far enough find the move known to be
// best, from any RNG; those that do not take the bait.
func TestBestMoveIsFound(t *testing.T) {
	for _, test := range []struct {
		name   string
		by     Settings
		on     *hill
		from   int
		ticks  int
		want   Move
		reason string
	}{
		{"breadth", breadth, trap(), 4, 3, right, "one tick ahead the ice looks best"},
		{"breadth", breadth, trap(), 4, 12, left, "two ticks ahead it has slid down"},
		{"breadth", breadth, slope(), top, 12, right, "two ticks ahead the bait looks best"},
		{"breadth", breadth, slope(), top, 120, left, "four ticks ahead the slope is higher"},
		{"ahead", ahead, trap(), 4, 100, right, "one step ahead the ice looks best"},
		{"flat random", flat(Random), trap(), 4, 400, left, "all that follows the ice is the pit"},
		{"flat ucb1", flat(UCB1), trap(), 4, 400, left, "all that follows the ice is the pit"},
		{"flat explore", flat(Explore), trap(), 4, 400, left, "all that follows the ice is the pit"},
		{"tree", tree, trap(), 4, 400, left, "the tree goes where no bait is left"},
		{"rolling", horizon(4), trap(), 4, 2000, left, "no plan over the ice survives"},
		{"ahead", ahead, slope(), top, 100, right, "one step to the right is the higher"},
		{"rolling, short", horizon(2), slope(), top, 600, right, "so are two"},
		{"rolling", rolling, slope(), top, 6000, left, "but not twelve"},
		{"ahead", ahead, slope(), 3, 10, left, "up the slope"},
		{"tree", tree, slope(), 3, 200, left, "up the slope"},
		{"flat random", flat(Random), slope(), top + 2, 400, left, "away from the hole"},
	} {
		for seed := range uint64(20) {
			found := walking(test.by).search(test.on, &walker{test.from}, Budget{Ticks: test.ticks}, &env.RNG{State: seed})
			if found.Move != test.want {
				t.Errorf("%s, from %d with RNG %d: move %d, want %d (%s)", test.name, test.from, seed, found.Move, test.want,
					test.reason)
			}
		}
	}
}

// TestWind: with others' moves drawn, one step look-ahead needs samples to know
// its best move, and finds it then.
func TestWind(t *testing.T) {
	h := slope()
	h.wind = true
	right := 0
	for seed := range uint64(100) {
		a := walking(Settings{Method: LookAhead, Samples: 400})
		if a.search(h, &walker{5}, Budget{Ticks: 1200}, &env.RNG{State: seed}).Move == left {
			right++
		}
	}
	if right < 98 {
		t.Errorf("with 400 samples the best move was found %d times in 100, want nearly always", right)
	}
}

// TestBudgets: a search spends no more ticks than it may and says truly how
// many, leaves the root alone, and gives a legal move even for a single tick.
func TestBudgets(t *testing.T) {
	for name, p := range planners() {
		for ticks := 1; ticks < 80; ticks++ {
			for _, from := range []int{10, 0, 4} {
				h, root := slope(), walker{from}
				found := p.search(h, &root, Budget{Ticks: ticks}, &env.RNG{State: uint64(ticks)})
				if root.at != from {
					t.Fatalf("%s moved the root", name)
				}
				if int(found.Ticks) != h.ticks || h.ticks > ticks {
					t.Fatalf("%s with %d ticks says that it spent %d, and spent %d", name, ticks, found.Ticks, h.ticks)
				}
				if h.ticks == 0 || found.Move > right || from == 0 && found.Move == left {
					t.Fatalf("%s with %d ticks spent %d and found %d", name, ticks, h.ticks, found.Move)
				}
			}
		}
	}
}

// TestBudgetIsUsed: all but look-ahead use what they are given to within a
// round.
func TestBudgetIsUsed(t *testing.T) {
	for name, p := range planners() {
		if p.by.Method == LookAhead {
			continue
		}
		if found := p.search(slope(), &walker{9}, Budget{Ticks: 500}, &env.RNG{}); found.Ticks < 488 {
			t.Errorf("%s spent %d of 500 ticks", name, found.Ticks)
		}
	}
}

// TestTime: a search with a clock comes to an end and gives a move, whichever
// limit is the first.
func TestTime(t *testing.T) {
	for name, p := range planners() {
		for _, b := range []Budget{{Time: 1}, {Time: time.Millisecond}, {Time: time.Hour, Ticks: 100},
			{Time: 1, Ticks: math.MaxInt}} {
			found := p.search(slope(), &walker{9}, b, &env.RNG{})
			if found.Ticks == 0 || found.Move > right {
				t.Errorf("%s with %+v: %+v", name, b, found)
			}
			if b.Ticks == 100 && found.Ticks > 100 {
				t.Errorf("%s with %+v spent %d ticks", name, b, found.Ticks)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a budget without end is taken, want a panic")
		}
	}()
	walking(ahead).search(slope(), &walker{9}, Budget{}, &env.RNG{})
}

// stopped is a slope that counts, and the flag that stops its search at a look.
type stopped struct {
	*hill
	looks, scores, most int // looks left, scores since the last one, and the most between two
}

func (s *stopped) Load() bool {
	s.looks--
	s.scores = 0
	return s.looks <= 0
}

func (s *stopped) Score(w *walker) float64 {
	s.scores++
	s.most = max(s.most, s.scores)
	return s.hill.Score(w)
}

// TestStop: searches look at the flag again after a few scores, and end soon after they find it set.
func TestStop(t *testing.T) {
	all := planners()
	all["rolling, many plans"] = walking(Settings{Method: RollingHorizon, Length: 12, Population: 100})
	for name, p := range all {
		s := &stopped{hill: slope(), looks: 50}
		p.search(s, &walker{9}, Budget{Time: time.Hour, Stop: s}, &env.RNG{})
		if s.most > 2*clockEvery {
			t.Errorf("%s scores %d states without a look at the flag", name, s.most)
		}
	}
}

// TestNothingToChoose: with one move there is nothing to search.
func TestNothingToChoose(t *testing.T) {
	single := &slots{means: []float64{5}}
	for method := FlatMonteCarlo; method <= RollingHorizon; method++ {
		p := with[pull]{by: Settings{Method: method, C: 25, Depth: 3, Length: 12, Population: 8}}
		found := p.search(single, &pull{}, Budget{Ticks: 50}, &env.RNG{})
		if found.Move != 0 || found.Score != 0 || found.Ticks != 0 || found.Tried != nil {
			t.Errorf("method %d: %+v, want move 0 and nothing spent", method, found)
		}
	}
}

// TestAllLost: where every move ends the game, a search still comes to an end.
func TestAllLost(t *testing.T) {
	lost := &hill{heights: []float64{0, 5, 0}, ice: 1}
	for name, p := range planners() {
		if found := p.search(lost, &walker{1}, Budget{Ticks: 1000}, &env.RNG{}); found.Move > right || found.Score != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestRepeatable: the same RNG gives the same, whether the search is new or was
// used for something else before.
func TestRepeatable(t *testing.T) {
	fresh := planners()
	used := planners()
	h := slope()
	h.wind = true
	for name, p := range used {
		for seed := range uint64(10) {
			var got, want [2]string
			for i, q := range []*with[walker]{p, fresh[name]} {
				if i == 0 { // disturb it
					q.search(trap(), &walker{3}, Budget{Ticks: int(seed) + 1}, &env.RNG{State: 99})
				}
				q.Plan = nil
				rng := env.RNG{State: seed}
				text := fmt.Sprint(q.search(h, &walker{9}, Budget{Ticks: 300}, &rng), rng)
				if i == 0 {
					got[0] = text
				} else {
					want[0] = text
				}
			}
			if got != want {
				t.Fatalf("%s with RNG %d: used %s, new %s", name, seed, got[0], want[0])
			}
		}
	}
}

// TestNothingIsAllocated once the working memory has grown.
func TestNothingIsAllocated(t *testing.T) {
	h, root := slope(), walker{9}
	h.wind = true
	for name, p := range planners() {
		rng := env.RNG{}
		if n := testing.AllocsPerRun(50, func() { p.search(h, &root, Budget{Ticks: 400}, &rng) }); n != 0 {
			t.Errorf("%s allocates %v times a search, want 0", name, n)
		}
	}
}

// TestBreadthGoesLevelByLevel: of the ticks given, each level gets what it needs
// before the next gets any.
func TestBreadthGoesLevelByLevel(t *testing.T) {
	b := walking(breadth)
	for _, test := range []struct{ ticks, depth int }{{3, 1}, {11, 2}, {12, 2}, {13, 3}} {
		b.search(slope(), &walker{9}, Budget{Ticks: test.ticks}, &env.RNG{})
		deepest := 0
		for _, w := range b.states {
			deepest = max(deepest, 9-w.at, w.at-9)
		}
		if deepest != test.depth {
			t.Errorf("with %d ticks it got %d cells away, want %d", test.ticks, deepest, test.depth)
		}
	}
}

// TestBreadthStaysSmall keeps to Memory, and still scores all that follows the
// states kept: up to there it finds what a search that keeps everything does.
func TestBreadthStaysSmall(t *testing.T) {
	small := walking(Settings{Method: BreadthFirst, Memory: 20 * 8}) // bytes of a walker
	all := walking(breadth)
	for ticks := 1; ticks <= 60; ticks++ {
		for _, on := range []struct {
			model *hill
			from  int
		}{{slope(), 9}, {slope(), top}, {trap(), 4}} {
			got := small.search(on.model, &walker{on.from}, Budget{Ticks: ticks}, &env.RNG{State: uint64(ticks)})
			want := all.search(on.model, &walker{on.from}, Budget{Ticks: ticks}, &env.RNG{State: uint64(ticks)})
			if len(small.states) > 20 {
				t.Fatalf("%d states were kept, want 20", len(small.states))
			}
			if deeper := len(all.first) > 1 && all.last >= 20; !deeper && (got.Score != want.Score || got.Ticks != want.Ticks) {
				t.Errorf("from %d with %d ticks it finds %+v, want %+v", on.from, ticks, got, want)
			}
		}
	}
	if found := small.search(slope(), &walker{9}, Budget{Ticks: 2000}, &env.RNG{}); found.Ticks < 40 || found.Ticks > 60 {
		t.Errorf("20 states with at most three moves each took %d ticks, want 40 to 60", found.Ticks)
	}
}

// TestReserves: however short the first decision by the clock was, those after it
// allocate nothing.
func TestReserves(t *testing.T) {
	h, root, rng := slope(), walker{9}, env.RNG{}
	breadth := walking(Settings{Method: BreadthFirst, Memory: 5000 * 8})
	tree := walking(Settings{Method: TreeSearch, C: 25, Depth: 3, MaxNodes: 5000})
	for name, p := range map[string]*with[walker]{"breadth": breadth, "tree": tree} {
		p.search(h, &root, Budget{Time: 1}, &rng)
		if n := testing.AllocsPerRun(5, func() { p.search(h, &root, Budget{Time: time.Hour, Ticks: 20000}, &rng) }); n != 0 {
			t.Errorf("%s allocates %v times in a later decision, want 0", name, n)
		}
	}
	if len(breadth.states) != 5000 || len(tree.nodes) != 5000 {
		t.Errorf("%d states and %d nodes were kept, want 5000 each", len(breadth.states), len(tree.nodes))
	}
}

// TestTreeStaysSmall keeps to MaxNodes.
func TestTreeStaysSmall(t *testing.T) {
	small := walking(Settings{Method: TreeSearch, C: 25, Depth: 3, MaxNodes: 20})
	small.search(slope(), &walker{9}, Budget{Ticks: 2000}, &env.RNG{})
	if len(small.nodes) != 20 {
		t.Errorf("the tree has %d nodes, want 20", len(small.nodes))
	}
}

// TestTreeAddsUp: each node's visits are one for itself and its children's, and
// so are the sums, for itself with the height that its round came to.
func TestTreeAddsUp(t *testing.T) {
	tree := walking(tree)
	tree.search(slope(), &walker{9}, Budget{Ticks: 2000}, &env.RNG{})
	for i := range tree.nodes {
		n := &tree.nodes[i]
		visits, children, sum := int32(0), int32(0), 0.0
		for c := n.child; c != 0; c = tree.nodes[c].sibling {
			if tree.nodes[c].parent != int32(i) {
				t.Fatalf("node %d has a child of node %d", i, tree.nodes[c].parent)
			}
			visits += tree.nodes[c].visits
			sum += tree.nodes[c].sum
			children++
		}
		own := int32(1) // the round that made it
		if i == 0 {
			own = 0
		}
		if n.visits != visits+own && children > 0 {
			t.Errorf("node %d was visited %d times, its children %d", i, n.visits, visits)
		}
		if n.mean() < 1 || n.mean() > 70 {
			t.Errorf("node %d has the mean %v, out of all heights", i, n.mean())
		}
		if rest := n.sum - sum; children > 0 && (rest < float64(own) || rest > float64(70*own)) {
			t.Errorf("node %d has the sum %v, its children %v", i, n.sum, sum)
		}
	}
}

// TestPlanIsKept: the plan of one decision, without its first move, is the first
// to be judged in the next, so with hardly any budget it is followed.
func TestPlanIsKept(t *testing.T) {
	h, rng := slope(), env.RNG{}
	p := walking(rolling)
	at := walker{top}
	first := p.search(h, &at, Budget{Ticks: 4000}, &rng)
	if first.Move != left || len(p.Plan) != 11 {
		t.Fatalf("move %d, and %d moves left of the plan; want %d and 11", first.Move, len(p.Plan), left)
	}
	for i := range 8 {
		want := p.Plan[0]
		found := p.search(h, &at, Budget{Ticks: 1}, &rng)
		if found.Move != want {
			t.Fatalf("step %d of the plan: move %d, want %d", i, found.Move, want)
		}
		h.Step(&at, found.Move, &rng)
	}
}

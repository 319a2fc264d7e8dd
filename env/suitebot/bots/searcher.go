package bots

import (
	"cmp"
	"time"

	"pommego/env/roster"
	"pommego/env/search"
	"pommego/env/suitebot"
)

// method is a way to search.
type method uint8

const (
	flat method = iota // flat Monte Carlo with UCB1
	tree               // Monte Carlo tree search
)

// searcher plans every move by simulation.
type searcher struct {
	roster.Forgetful
	method method
	budget search.Budget
	c      float64
	depth  int
	ticks  uint64 // of the last decision
	search.Memo
}

// searchOptions are the keys that a searcher takes.
var searchOptions = []string{"ticks", "ms", "c", "depth"}

// What holds where options say nothing else: a decision of about a millisecond.
const (
	defaultTicks = 1000
	defaultC     = 6
	maxNodes     = 1 << 14 // of a tree that grows by the clock
)

var defaultDepth = [...]int{flat: 6, tree: 3}

// newSearcher makes a searcher. With a limit on time alone, ticks are not
// counted.
func newSearcher(m method, o roster.Options) (suitebot.Bot, error) {
	ticks, err1 := o.Whole("ticks", defaultTicks, 1, 1e9)
	ms, err2 := o.Number("ms", 0, 0.01, 60_000)
	c, err3 := o.Number("c", defaultC, 0, 1e6)
	depth, err4 := o.Whole("depth", defaultDepth[m], 0, 100)
	if err := cmp.Or(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	_, byTicks := o["ticks"]
	if _, byTime := o["ms"]; byTime && !byTicks {
		ticks = 0
	}
	budget := search.Budget{Ticks: ticks, Time: time.Duration(ms * float64(time.Millisecond))}
	return &searcher{method: m, budget: budget, c: c, depth: depth}, nil
}

// Searched is how many ticks the last decision simulated.
func (a *searcher) Searched() uint64 { return a.ticks }

func (a *searcher) Act(v *suitebot.View, action []uint8) {
	action[0], a.ticks = uint8(suitebot.Hold), 0
	a.Forget()
	b := benches.Get().(*bench)
	defer benches.Put(b)
	b.world.plan, b.world.seat = v.Plan, v.Seat
	b.root = imagine(v)
	if v.Plan.Over(&b.root) {
		return
	}
	found := a.search(b)
	a.ticks, action[0] = found.Ticks, uint8(found.Move)
	if found.Ticks > 0 {
		a.Keep(b.by(a.method), 0, int(suitebot.PlantBomb)+1)
	}
}

func (a *searcher) search(b *bench) search.Found {
	if a.method == flat {
		b.flat.Bandit, b.flat.C, b.flat.Depth = search.UCB1, a.c, a.depth
		return b.flat.Search(&b.world, &b.root, a.budget, &a.RNG)
	}
	b.tree.C, b.tree.Depth, b.tree.MaxNodes = a.c, a.depth, maxNodes
	return b.tree.Search(&b.world, &b.root, a.budget, &a.RNG)
}

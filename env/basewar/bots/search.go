package bots

import (
	"errors"
	"sync"
	"time"

	"pommego/env/basewar"
	"pommego/env/roster"
	"pommego/env/search"
)

// method is a way to search.
type method uint8

const (
	flat method = iota // flat Monte Carlo with UCB1
	tree               // Monte Carlo tree search
)

// searcher plans every action by simulation. One that moves a whole side plans
// its bombers one after the other, each with its share of the budget and knowing
// what those before it are going to do in this round.
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

// What holds where options say nothing else: some two milliseconds a decision.
const (
	defaultTicks = 1000
	defaultC     = 15
	defaultDepth = 3
	maxNodes     = 1 << 14 // of a tree that grows by the clock
)

// newSearcher makes a kind of searcher. With a limit on time alone, ticks are
// not counted.
func newSearcher(m method) func(o roster.Options) (basewar.Bot, error) {
	return func(o roster.Options) (basewar.Bot, error) {
		ticks, err := o.Whole("ticks", defaultTicks, 1, 1e9)
		ms, err2 := o.Number("ms", 0, 0.01, 60_000)
		c, err3 := o.Number("c", defaultC, 0, 1e6)
		depth, err4 := o.Whole("depth", defaultDepth, 0, 100)
		if err := errors.Join(err, err2, err3, err4); err != nil {
			return nil, err
		}
		if o["ticks"] == "" && ms > 0 {
			ticks = 0
		}
		budget := search.Budget{Ticks: ticks, Time: time.Duration(ms * float64(time.Millisecond))}
		return &searcher{method: m, budget: budget, c: c, depth: depth}, nil
	}
}

// Searched is how many ticks the last decision simulated.
func (a *searcher) Searched() uint64 { return a.ticks }

func (a *searcher) Act(v *basewar.View, action []uint8) {
	clear(action)
	a.ticks = 0
	a.Forget()
	r := v.Game.Rules()
	if r.Over(&v.State) {
		return
	}
	own := r.Own(v.Seat)
	living := 0
	for _, id := range own {
		if v.State.Bombers[id].Alive() {
			living++
		}
	}
	b := benches.Get().(*bench)
	defer benches.Put(b)
	b.world.begin(v)
	for i, id := range own {
		if !v.State.Bombers[id].Alive() {
			continue
		}
		b.world.id = int(id)
		found := a.search(b, &v.State, a.share(living))
		a.ticks += found.Ticks
		if found.Ticks > 0 {
			a.Keep(b.by(a.method), i*int(basewar.NumActions), int(basewar.NumActions))
		}
		action[i] = uint8(found.Move)
		b.world.settle(int(id), basewar.Action(found.Move))
	}
}

// share is the budget of one of several bombers.
func (a *searcher) share(n int) search.Budget {
	share := search.Budget{Time: a.budget.Time / time.Duration(n)}
	if a.budget.Ticks > 0 {
		share.Ticks = max(1, a.budget.Ticks/n)
	}
	return share
}

func (a *searcher) search(b *bench, root *basewar.State, budget search.Budget) search.Found {
	if a.method == flat {
		b.flat.Bandit, b.flat.C, b.flat.Depth = search.UCB1, a.c, a.depth
		return b.flat.Search(&b.world, root, budget, &a.RNG)
	}
	b.tree.C, b.tree.Depth, b.tree.MaxNodes = a.c, a.depth, maxNodes
	return b.tree.Search(&b.world, root, budget, &a.RNG)
}

// bench is what a decision by search needs. Benches are lent to agents while
// they act, because a tree for each of thousands of agents would not fit
// anywhere.
type bench struct {
	world world
	flat  search.Flat[basewar.State]
	tree  search.Tree[basewar.State]
}

// by is the search that a method uses.
func (b *bench) by(m method) search.Reporter {
	if m == flat {
		return &b.flat
	}
	return &b.tree
}

var benches = sync.Pool{New: func() any { return new(bench) }}

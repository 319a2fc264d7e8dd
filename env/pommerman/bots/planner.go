package bots

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"pommego/env"
	"pommego/env/pommerman"
	planning "pommego/env/search"
)

// method is a way to search.
type method uint8

const (
	flatSearch method = iota
	treeSearch
	breadthFirst
	lookAhead
	rollingHorizon
)

// planner is which search an agent uses, and with which numbers.
type planner struct {
	method method
	bandit planning.Bandit // of a flat search
	budget planning.Budget

	c       float64 // UCB1's constant, in points of score
	depth   int     // the longest roll-out
	samples int     // of look-ahead

	length, population int // of rolling horizon
	mutation           float64
}

// maxNodes bounds the states kept by a search that runs by the clock.
const maxNodes = 1 << 14

// plan searches for a move. plan is what is left of an earlier plan, and what is
// left of the new one when it returns.
func (p *planner) plan(b *bench, root *pommerman.State, rng *env.RNG, plan *rest) planning.Found {
	switch p.method {
	case flatSearch:
		b.flat.Bandit, b.flat.C, b.flat.Depth = p.bandit, p.c, p.depth
		return b.flat.Search(&b.world, root, p.budget, rng)
	case treeSearch:
		b.tree.C, b.tree.Depth, b.tree.MaxNodes = p.c, p.depth, maxNodes
		return b.tree.Search(&b.world, root, p.budget, rng)
	case breadthFirst:
		b.breadth.MaxNodes = maxNodes
		return b.breadth.Search(&b.world, root, p.budget, rng)
	case lookAhead:
		b.ahead.Samples = p.samples
		return b.ahead.Search(&b.world, root, p.budget, rng)
	case rollingHorizon:
		b.rolling.Length, b.rolling.Population, b.rolling.Mutation = p.length, p.population, p.mutation
		b.rolling.Plan = append(b.rolling.Plan[:0], plan.moves[:plan.n]...)
		found := b.rolling.Search(&b.world, root, p.budget, rng)
		plan.n = uint8(copy(plan.moves[:], b.rolling.Plan))
		return found
	}
	panic("bots: unknown method")
}

// choices is how many moves there are to choose from.
const choices = int(pommerman.LayBomb) + 1

// maxLength is the longest plan of rolling horizon evolution.
const maxLength = 40

// rest is what is left of a plan.
type rest struct {
	n     uint8
	moves [maxLength]planning.Move
}

// setting is one option of a planner: how to read its value.
type setting struct {
	key   string
	lo    float64
	hi    float64
	whole bool // no fractions
	set   func(p *planner, value float64)
}

// settings are the options there are, in the order in which errors list them.
var settings = []setting{
	{"ticks", 1, 1e9, true, func(p *planner, x float64) { p.budget.Ticks = int(x) }},
	{"ms", 0.01, 60_000, false, func(p *planner, x float64) { p.budget.Time = time.Duration(x * float64(time.Millisecond)) }},
	{"c", 0, 1e6, false, func(p *planner, x float64) { p.c = x }},
	{"depth", 0, 100, true, func(p *planner, x float64) { p.depth = int(x) }},
	{"samples", 1, 1e6, true, func(p *planner, x float64) { p.samples = int(x) }},
	{"length", 1, maxLength, true, func(p *planner, x float64) { p.length = int(x) }},
	{"population", 1, 1000, true, func(p *planner, x float64) { p.population = int(x) }},
	{"mutation", 0.001, 1, false, func(p *planner, x float64) { p.mutation = x }},
}

// configure applies options to a planner. With a limit on time alone, ticks are
// not counted.
func (p planner) configure(o options) (planner, error) {
	for _, s := range settings {
		text, given := o[s.key]
		if !given {
			continue
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || !(value >= s.lo && value <= s.hi) || s.whole && value != math.Trunc(value) {
			what := "a number"
			if s.whole {
				what = "a whole number"
			}
			return p, fmt.Errorf("bots: option %s=%s, want %s from %v to %v", s.key, text, what, s.lo, s.hi)
		}
		s.set(&p, value)
	}
	if _, ticks := o["ticks"]; !ticks && p.budget.Time > 0 {
		p.budget.Ticks = 0
	}
	return p, nil
}

// keys splits a list of options' names.
func keys(list string) []string { return strings.Fields(list) }

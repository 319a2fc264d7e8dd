package bots

import (
	"pommego/env/pommerman"
	planning "pommego/env/search"
)

// defaultTicks is what a decision may simulate unless options say otherwise: a
// few milliseconds.
const defaultTicks = 5000

// The paper's numbers: the weight of exploration in UCB1, and how long roll-outs
// may be.
const (
	paperC     = 25
	paperDepth = 3
)

// flat is a flat Monte Carlo search with a bandit.
func flat(b planning.Bandit) planner {
	return planner{method: flatSearch, bandit: b, budget: planning.Budget{Ticks: defaultTicks}, c: paperC, depth: paperDepth}
}

// searchers lists the agents that search.
var searchers = []kind{
	{"bfs", keys("ticks ms"), hybridWith(planner{method: breadthFirst, budget: planning.Budget{Ticks: defaultTicks}})},
	{"mcts", keys("ticks ms c depth"), hybridWith(planner{method: treeSearch, budget: planning.Budget{Ticks: defaultTicks}, c: paperC, depth: paperDepth})},
	{"fmcs-random", keys("ticks ms depth"), hybridWith(flat(planning.Random))},
	{"fmcs-ucb1", keys("ticks ms c depth"), hybridWith(flat(planning.UCB1))},
	{"fmcs-exploit", keys("ticks ms depth"), hybridWith(flat(planning.Exploit))},
	{"fmcs-explore", keys("ticks ms depth"), hybridWith(flat(planning.Explore))},
	{"osla", keys("ticks ms samples"), forwardWith(planner{method: lookAhead, budget: planning.Budget{Ticks: defaultTicks}, samples: 10})},
	{"rhea", keys("ticks ms length population mutation"), forwardWith(planner{method: rollingHorizon, budget: planning.Budget{Ticks: defaultTicks}, length: 12, population: 8})},
}

// hybridWith makes hybrid agents that search as p says, unless options say
// otherwise.
func hybridWith(p planner) func(options) (pommerman.Bot, error) {
	return func(o options) (pommerman.Bot, error) {
		own, err := p.configure(o)
		if err != nil {
			return nil, err
		}
		return &hybridSearch{planner: own}, nil
	}
}

// forwardWith makes agents that search in every situation.
func forwardWith(p planner) func(options) (pommerman.Bot, error) {
	return func(o options) (pommerman.Bot, error) {
		own, err := p.configure(o)
		if err != nil {
			return nil, err
		}
		return &forward{planner: own}, nil
	}
}

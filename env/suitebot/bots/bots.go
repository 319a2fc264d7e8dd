// Package bots holds SuiteBot II's built-in agents. Each plays one seat from that
// seat's view alone and keeps its RNG to itself.
//
//	bot, err := bots.New("mcts:ticks=500")
//	bot.Reset(seed.RNG(env.StreamAgents + seat))
//	plan.See(&state, seat, &view)
//	bot.Act(&view, action)
//
// # Names
//
// "static" always holds. "random" draws its action evenly. "simple" goes by
// rules: it keeps out of blasts and walks to where a bomb collects most for the
// way. "flat" and "mcts" plan by simulation, package search's flat Monte Carlo
// and its tree search, with random movers for opponents; their options are what
// a decision may cost (ticks of the game or ms of time), c (what UCB1 multiplies
// uncertainty by, in points) and depth (the longest roll-out).
//
// # Concurrency
//
// A bot belongs to one goroutine at a time. Different bots share nothing but
// working memory that is lent to them while they act.
package bots

import (
	"fmt"

	"pommego/env/roster"
	"pommego/env/suitebot"
)

// agents lists every built-in agent, the simplest first.
var agents = roster.Roster[suitebot.Bot]{
	{Name: "static", Make: func(roster.Options) (suitebot.Bot, error) { return static{}, nil }},
	{Name: "random", Make: func(roster.Options) (suitebot.Bot, error) { return new(random), nil }},
	{Name: "simple", Make: func(roster.Options) (suitebot.Bot, error) { return new(simple), nil }},
	{Name: "flat", Options: searchOptions, Make: func(o roster.Options) (suitebot.Bot, error) { return newSearcher(flat, o) }},
	{Name: "mcts", Options: searchOptions, Make: func(o roster.Options) (suitebot.Bot, error) { return newSearcher(tree, o) }},
}

// Names lists the built-in agents, without options.
func Names() []string { return agents.Names() }

// New makes a bot from its name and options, such as "mcts:ticks=500". It must
// be Reset or Restored before it acts.
func New(name string) (suitebot.Bot, error) {
	bot, err := agents.New(name)
	if err != nil {
		return nil, fmt.Errorf("bots: %w", err)
	}
	return bot, nil
}

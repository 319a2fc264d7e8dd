// Package bots holds BaseWar's built-in agents. Each plays one seat, with one
// bomber or with the three of a side, from that seat's view alone.
//
//	bot, err := bots.New("mcts:ticks=500")
//	bot.Reset(seed.RNG(env.StreamAgents + seat))
//	match.View(seat, &view)
//	bot.Act(&view, action)
//
// # Names
//
// "static" does nothing. "random" draws its actions evenly. "simple" goes by
// rules: it keeps out of blasts, makes its way to the enemy's base, and bombs that
// and whatever boxes it passes. "flat" and "mcts" plan by simulation, package
// search's flat Monte Carlo and its tree search; their options are what a decision
// may cost (ticks of the game or ms of time), c (what UCB1 multiplies uncertainty
// by, in points) and depth (the longest roll-out).
//
// # Concurrency
//
// A bot belongs to one goroutine at a time. Different bots share nothing but
// working memory that is lent to them while they act.
package bots

import (
	"pommego/env/basewar"
	"pommego/env/roster"
)

// agents lists every built-in agent, the simplest first.
var agents = roster.Roster[basewar.Bot]{
	{Name: "static", Make: func(roster.Options) (basewar.Bot, error) { return static{}, nil }},
	{Name: "random", Make: func(roster.Options) (basewar.Bot, error) { return new(random), nil }},
	{Name: "simple", Make: func(roster.Options) (basewar.Bot, error) { return new(simple), nil }},
	{Name: "flat", Options: searchOptions, Make: newSearcher(flat)},
	{Name: "mcts", Options: searchOptions, Make: newSearcher(tree)},
}

// Names lists the built-in agents, without options.
func Names() []string { return agents.Names() }

// New makes a bot from its name and options. It must be Reset or Restored before
// it acts.
func New(name string) (basewar.Bot, error) { return agents.New(name) }

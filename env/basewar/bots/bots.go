// Package bots holds BaseWar's built-in agents. Each plays one seat, with one
// bomber or with the three of a side, from that seat's view alone.
//
//	bot, err := bots.Roster.New("mcts:ticks=500")
//	bot.Reset(seed.RNG(env.StreamAgents + seat))
//	match.View(seat, &view)
//	bot.Act(&view, action)
//
// docs/games/basewar.md lists them and their options.
package bots

import (
	"pommego/env/basewar"
	"pommego/env/search"
	"pommego/env/seat"
)

const choices = int(basewar.NumActions)

// The defaults of the searches: a decision takes some two milliseconds.
var (
	flat = search.Settings{
		Method: search.FlatMonteCarlo, Bandit: search.UCB1, Budget: search.Budget{Ticks: 1000}, C: 15, Depth: 3,
	}
	tree = search.Settings{Method: search.TreeSearch, Budget: search.Budget{Ticks: 1000}, C: 15, Depth: 3}
)

// Roster lists every built-in agent, the simplest first.
var Roster = seat.Roster[basewar.View]{
	seat.Static[basewar.View](),
	seat.Random(func(*basewar.View, int) int { return choices }),
	seat.Plain("simple", func() basewar.Bot { return new(simple) }),
	seat.Searching("flat", flat, newSearcher),
	seat.Searching("mcts", tree, newSearcher),
}

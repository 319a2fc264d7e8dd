// Package bots holds SuiteBot II's built-in agents. Each plays one seat from that
// seat's view alone and keeps its RNG to itself.
//
//	bot, err := bots.Roster.New("mcts:ticks=500")
//	bot.Reset(seed.RNG(env.StreamAgents + seat))
//	plan.See(&state, seat, &view)
//	bot.Act(&view, action)
//
// docs/games/suitebot.md lists them and their options.
package bots

import (
	"pommego/env/search"
	"pommego/env/seat"
	"pommego/env/suitebot"
)

const choices = int(suitebot.PlantBomb) + 1

// The defaults of the searches: a decision takes about a millisecond.
var (
	flat = search.Settings{
		Method: search.FlatMonteCarlo, Bandit: search.UCB1, Budget: search.Budget{Ticks: 1000}, C: 6, Depth: 6,
	}
	tree = search.Settings{Method: search.TreeSearch, Budget: search.Budget{Ticks: 1000}, C: 6, Depth: 3}
)

// Roster lists every built-in agent, the simplest first.
var Roster = seat.Roster[suitebot.View]{
	seat.Static[suitebot.View](),
	seat.Random(func(*suitebot.View, int) int { return choices }),
	seat.Plain("simple", func() suitebot.Bot { return new(simple) }),
	seat.Searching("flat", flat, newSearcher),
	seat.Searching("mcts", tree, newSearcher),
}

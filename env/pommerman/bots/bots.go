// Package bots lists Pommerman's built-in agents by name. Each plays one seat from that
// seat's view alone and keeps its memory and RNG to itself.
//
//	bot, err := bots.Roster.New("simple")
//	bot.Reset(seed.RNG(env.StreamAgents + seat))
//	rules.See(&state, seat, &view)
//	bot.Act(&view, action)
//
// # Names
//
//	static, random                 this package: always stops; draws its action evenly
//	simple, simple-2018            package simple: the original's rule-based agent
//	heuristic, bfs, mcts, fmcs-*   package paper: rules, and searches where they evade or attack
//	osla, uct, rhea                package paper: searches for every move
//	champion                       package champion: tree search with pessimistic scenarios
//	guided                         package champion: the same with a network's advice
//	mappo-*, ppo-*, net            package learned: networks that learned, without search
//	java-*                         package java: the agents of the Java re-implementation
//
// What the agents share is in package tactics. Those that search say how many ticks of
// the game they simulated (seat.Searcher).
//
// # Options
//
// Options follow a colon, as package seat says. From "heuristic" to "net" all
// take "noise=0.1": that share of their moves is drawn by chance. docs/games/pommerman.md
// describes the others.
package bots

import (
	"slices"

	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/champion"
	"pommego/env/pommerman/bots/java"
	"pommego/env/pommerman/bots/learned"
	"pommego/env/pommerman/bots/paper"
	"pommego/env/pommerman/bots/simple"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/seat"
)

// Roster lists every built-in agent, the simplest first.
var Roster = slices.Concat(
	seat.Roster[pommerman.View]{seat.Static[pommerman.View](), seat.Random(choices)},
	simple.Roster,
	withNoise(paper.Roster),
	withNoise(champion.Roster),
	withNoise(learned.Roster),
	java.Roster,
	seat.Roster[pommerman.View]{
		{Name: "champion-net", Successors: "ppo-ffa (free for all), ppo-duel (one against one) or mappo-team (teams)"},
	},
)

func withNoise(kinds seat.Roster[pommerman.View]) seat.Roster[pommerman.View] {
	noisy := slices.Clone(kinds)
	for i := range noisy {
		noisy[i] = seat.Noisy(noisy[i], tactics.Choices)
	}
	return noisy
}

func choices(v *pommerman.View, component int) int {
	if component == 0 {
		return tactics.Choices
	}
	return v.Rules.RadioVocab + 1
}

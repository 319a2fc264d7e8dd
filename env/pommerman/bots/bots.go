// Package bots holds Pommerman's built-in agents. Each plays one seat from that
// seat's view alone and keeps its memory and RNG to itself.
//
//	bot, err := bots.Roster.New("simple")
//	bot.Reset(seed.RNG(env.StreamAgents + seat))
//	rules.See(&state, seat, &view)
//	bot.Act(&view, action)
//
// # Names
//
// "static" always stops. "random" draws each component of its action evenly. "simple" is
// the reference's rule-based agent, decision for decision: see [Formats], which compares it
// with recorded decisions of the original. "simple-2018" is that agent as it was in
// May 2018. "heuristic" evades bombs, attacks near enemies and explores, by rules alone.
//
// The others search: they simulate the game from what they believe of it (see
// [pommerman.Belief]) and tell how many ticks they did (env.Searcher). Where the
// heuristic agent evades or attacks, "bfs" searches breadth first, "mcts" with
// Monte Carlo tree search, and "fmcs-random", "fmcs-ucb1", "fmcs-exploit" and
// "fmcs-explore" with flat Monte Carlo search, named after its bandit. "osla",
// one step look-ahead, "uct", Monte Carlo tree search, and "rhea", rolling horizon
// evolution, search in every situation: every move of theirs.
//
// "champion" searches in every situation too, with pessimistic scenarios, and
// is the strongest. "champion-net" is a small network that learned from it, and does not search.
//
// "java-simple", "java-osla", "java-rhea" and "java-mcts" are those of the Java
// re-implementation as that has them: package java.
//
// The options of ours are those of package seat, with 5000 ticks a decision, a c of 25
// points, a depth of 3, 10 samples, and 8 plans of 12 moves where a name says nothing
// else; champion and champion-net have their own, see docs/games/pommerman.md. Those that
// the paper describes, from "heuristic" to "fmcs-explore", take one more: "careful=0"
// plays as the paper's text has it, without the rules for survival that are ours, see
// hybrid. From "heuristic" on, ours take "noise=0.1" too: that share of their moves
// is drawn by chance.
//
// # Concurrency
//
// A bot belongs to one goroutine at a time. Different bots share nothing.
package bots

import (
	"slices"

	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/java"
	"pommego/env/search"
	"pommego/env/seat"
)

// Roster lists every built-in agent, the simplest first.
var Roster = slices.Concat(seat.Roster[pommerman.View]{
	seat.Static[pommerman.View](),
	seat.Random(choicesOf),
	seat.Plain("simple", func() pommerman.Bot { return new(simple) }),
	seat.Plain("simple-2018", func() pommerman.Bot { return &simple{of2018: true} }),
}, withNoise(
	hybridKind(seat.Plain("heuristic", func() pommerman.Bot { return new(heuristic) })),
	hybridKind(seat.Searching("bfs", with(search.BreadthFirst), newHybridSearch)),
	hybridKind(seat.Searching("mcts", with(search.TreeSearch), newHybridSearch)),
	hybridKind(seat.Searching("fmcs-random", flat(search.Random), newHybridSearch)),
	hybridKind(seat.Searching("fmcs-ucb1", flat(search.UCB1), newHybridSearch)),
	hybridKind(seat.Searching("fmcs-exploit", flat(search.Exploit), newHybridSearch)),
	hybridKind(seat.Searching("fmcs-explore", flat(search.Explore), newHybridSearch)),
	seat.Searching("osla", with(search.LookAhead), newForward),
	seat.Searching("uct", with(search.TreeSearch), newForward),
	seat.Searching("rhea", with(search.RollingHorizon), newForward),
	championKind(),
), seat.Roster[pommerman.View]{championNetKind()}, java.Roster)

// withNoise adds to kinds of bots the option noise.
func withNoise(kinds ...seat.Kind[pommerman.View]) seat.Roster[pommerman.View] {
	for i := range kinds {
		kinds[i] = seat.Noisy(kinds[i], choices)
	}
	return kinds
}

// choices is how many moves there are.
const choices = int(pommerman.LayBomb) + 1

// choicesOf is how many choices a component of the action has: the move, and for
// radio games each of the words.
func choicesOf(v *pommerman.View, component int) int {
	if component == 0 {
		return choices
	}
	return v.Rules.RadioVocab + 1
}

// with is a search by the given method with the paper's numbers for UCB1 and
// roll-outs. A decision takes a few milliseconds.
func with(m search.Method) search.Settings {
	return search.Settings{
		Method: m, Budget: search.Budget{Ticks: 5000}, C: 25, Depth: 3,
		Samples: 10, Length: 12, Population: 8,
	}
}

// hybridKind adds to a kind of hybrid agent the option careful, 1 unless given.
func hybridKind(k seat.Kind[pommerman.View]) seat.Kind[pommerman.View] {
	return k.With(seat.Switch("careful", func(bot *pommerman.Bot, on bool) {
		(*bot).(interface{ setLiteral(bool) }).setLiteral(!on)
	}))
}

// flat is a flat Monte Carlo search with a bandit.
func flat(b search.Bandit) search.Settings {
	s := with(search.FlatMonteCarlo)
	s.Bandit = b
	return s
}

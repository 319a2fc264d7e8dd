// Package paper holds the agents of "A Hybrid Search Agent in Pommerman" by Zhou and
// others (FDG 2018), and searches that use the same model of the game for every move.
//
// The hybrid agents share a state machine, see hybrid. "heuristic" follows rules alone.
// Where it evades or attacks, "bfs" searches breadth first, "mcts" with Monte Carlo tree
// search, and "fmcs-random", "fmcs-ucb1", "fmcs-exploit" and "fmcs-explore" with flat
// Monte Carlo search, named after its bandit.
//
// "osla", one step look-ahead, "uct", Monte Carlo tree search, and "rhea", rolling
// horizon evolution, search in every situation.
//
// All of them plan on what the seat believes ([pommerman.Belief]).
package paper

import (
	"pommego/env/pommerman"
	"pommego/env/search"
	"pommego/env/seat"
)

// Roster lists the agents, the simplest first.
var Roster = seat.Roster[pommerman.View]{
	hybridKind(seat.Plain("heuristic", func() pommerman.Bot { return new(hybrid) })),
	hybridKind(seat.Searching("bfs", with(search.BreadthFirst), newHybridSearch)),
	hybridKind(seat.Searching("mcts", with(search.TreeSearch), newHybridSearch)),
	hybridKind(seat.Searching("fmcs-random", flat(search.Random), newHybridSearch)),
	hybridKind(seat.Searching("fmcs-ucb1", flat(search.UCB1), newHybridSearch)),
	hybridKind(seat.Searching("fmcs-exploit", flat(search.Exploit), newHybridSearch)),
	hybridKind(seat.Searching("fmcs-explore", flat(search.Explore), newHybridSearch)),
	seat.Searching("osla", with(search.LookAhead), newForward),
	seat.Searching("uct", with(search.TreeSearch), newForward),
	seat.Searching("rhea", with(search.RollingHorizon), newForward),
}

// with returns the settings of a search by the given method, with the paper's numbers
// for UCB1 and roll-outs. A decision takes a few milliseconds.
func with(m search.Method) search.Settings {
	return search.Settings{
		Method: m, Budget: search.Budget{Ticks: 5000}, C: 25, Depth: 3,
		Samples: 10, Length: 12, Population: 8,
	}
}

func flat(b search.Bandit) search.Settings {
	s := with(search.FlatMonteCarlo)
	s.Bandit = b
	return s
}

// hybridKind makes version 2 of a kind of hybrid agent; version 1 expected fire in other places where
// bombs roll and rings fall. It has the options careful, 1 by default, and allbombs, 0 by default.
func hybridKind(k seat.Kind[pommerman.View]) seat.Kind[pommerman.View] {
	create := k.Make
	k.Version = 2
	k.Make = func(o *seat.Options) pommerman.Bot {
		bot, careful := create(o), true
		own := bot.(interface{ own() *hybrid }).own()
		o.Switch("careful", &careful)
		o.Switch("allbombs", &own.allBombs)
		own.literal = !careful
		return bot
	}
	return k
}

package java

import (
	"slices"

	"pommego/env/pommerman"
	"pommego/env/search"
	"pommego/env/seat"
)

type method uint8

const (
	lookAhead  method = iota // osla.go
	evolution                // rhea.go
	treeSearch               // mcts.go
)

// settings say how an agent searches.
type settings struct {
	method method

	// What a decision may spend; 0: no limit.
	iterations int
	budget     search.Budget

	depth    int     // of treeSearch, in ticks
	c        float64 // of treeSearch
	length   int     // of evolution
	mutation float64 // of evolution
	advanced bool    // score by AdvancedHeuristic

	omniscient bool // plan on the whole state
}

// options are the options of the agents. Each of ticks and ms lifts the number of
// iterations, unless that is given too.
var options = append(seat.Budget(func(s *settings) *search.Budget {
	s.iterations = 0
	return &s.budget
}),
	seat.Whole("iterations", 1, 1e9, func(s *settings, n int) { s.iterations = n }),
	seat.Whole("depth", 1, 100, func(s *settings, n int) { s.depth = n }),
	seat.Real("c", 0, 1e6, func(s *settings, x float64) { s.c = x }),
	seat.Whole("length", 1, search.MaxLength, func(s *settings, n int) { s.length = n }),
	seat.Real("mutation", 0, 1, func(s *settings, x float64) { s.mutation = x }),
	seat.Whole("advanced", 0, 1, func(s *settings, n int) { s.advanced = n == 1 }),
	seat.Whole("omniscient", 0, 1, func(s *settings, n int) { s.omniscient = n == 1 }),
)

// searching is a kind of agent that searches as s says, unless the options that it takes
// say otherwise. Those that limit a decision are for searches with a number of iterations.
func searching(name string, s settings, takes ...string) seat.Kind[pommerman.View] {
	takes = append(takes, "advanced", "omniscient")
	if s.iterations > 0 {
		takes = append(takes, "iterations", "ticks", "ms")
	}
	other := func(o seat.Setting[settings]) bool { return !slices.Contains(takes, o.Key) }
	list := slices.DeleteFunc(slices.Clone(options), other)
	return seat.Configured(name, s, list, newAgent)
}

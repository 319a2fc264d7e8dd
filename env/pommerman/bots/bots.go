// Package bots holds Pommerman's built-in agents. Each plays one seat from that
// seat's view alone and keeps its memory and RNG to itself.
//
//	bot, err := bots.New("simple")
//	bot.Reset(seed.RNG(env.StreamAgents + seat))
//	rules.See(&state, seat, &view)
//	bot.Act(&view, action)
//
// # Names
//
// "static" always stops. "random" draws each component of its action evenly.
// "simple" is the reference's rule-based agent, decision for decision: see
// [CheckDecision], which holds it against recorded decisions of the original.
// "heuristic" evades bombs, attacks near enemies and explores, by rules alone.
//
// The others search: they simulate the game from what they believe of it (see
// [pommerman.Belief]) and tell how many ticks they did (env.Searcher). Where the
// heuristic agent evades or attacks, "bfs" searches breadth first, "mcts" with
// Monte Carlo tree search, and "fmcs-random", "fmcs-ucb1", "fmcs-exploit" and
// "fmcs-explore" with flat Monte Carlo search, named after its bandit. "osla",
// one step look-ahead, and "rhea", rolling horizon evolution, search in every
// situation.
//
// A name may carry options, "name:key=value,key=value". All that search take
//
//	ticks       how many ticks a decision may simulate (5000)
//	ms          how many milliseconds it may take; without ticks, the only limit
//
// and, where they apply,
//
//	c           the weight of exploration in UCB1, in points of score (25)
//	depth       the longest roll-out in ticks (3)
//	samples     how often look-ahead makes each move (10)
//	length      moves in a plan of rolling horizon evolution (12)
//	population  plans (8)
//	mutation    the share of a plan's moves that are drawn anew (one a plan)
//
// With ticks a game is repeatable from its seed, with ms it is not.
//
// # Concurrency
//
// A bot belongs to one goroutine at a time. Different bots share nothing.
package bots

import (
	"fmt"
	"slices"
	"strings"

	"pommego/env/pommerman"
)

// kind is one entry of the registry.
type kind struct {
	name    string
	options []string // the keys it takes
	make    func(o options) (pommerman.Bot, error)
}

// registry lists every built-in agent, the simplest first.
var registry = append([]kind{
	{"static", nil, func(options) (pommerman.Bot, error) { return static{}, nil }},
	{"random", nil, func(options) (pommerman.Bot, error) { return new(random), nil }},
	{"simple", nil, func(options) (pommerman.Bot, error) { return new(simple), nil }},
	{"heuristic", nil, func(options) (pommerman.Bot, error) { return new(heuristic), nil }},
}, searchers...)

// Names lists the built-in agents, without options.
func Names() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].name
	}
	return names
}

// New makes a bot from its name and options, such as "simple". It must be Reset
// or Restored before it acts. The error for a name, a key or a form that does
// not exist says what does.
func New(name string) (pommerman.Bot, error) {
	base, list, given := strings.Cut(name, ":")
	i := slices.IndexFunc(registry, func(k kind) bool { return k.name == base })
	if i < 0 {
		return nil, fmt.Errorf("bots: no agent is called %q, there are: %s", base, strings.Join(Names(), ", "))
	}
	var o options
	if given {
		var err error
		if o, err = registry[i].parse(list); err != nil {
			return nil, fmt.Errorf("bots: agent %q: %w", name, err)
		}
	}
	return registry[i].make(o)
}

// options are what follows the colon of a name, by key.
type options map[string]string

// parse reads "key=value,key=value" and accepts the keys the kind takes, each
// at most once.
func (k *kind) parse(list string) (options, error) {
	o := make(options)
	for pair := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || key == "" || value == "":
			return nil, fmt.Errorf("option %q, want key=value", pair)
		case len(k.options) == 0:
			return nil, fmt.Errorf("option %q: %s takes no options, write %q", key, k.name, k.name)
		case !slices.Contains(k.options, key):
			return nil, fmt.Errorf("option %q does not exist, %s takes: %s", key, k.name, strings.Join(k.options, ", "))
		}
		if _, twice := o[key]; twice {
			return nil, fmt.Errorf("option %q is given twice", key)
		}
		o[key] = value
	}
	return o, nil
}

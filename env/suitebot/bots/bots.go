// Package bots holds SuiteBot II's built-in agents. Each plays one seat from that
// seat's view alone and keeps its dice to itself.
//
//	bot, err := bots.New("mcts:ticks=500")
//	bot.Reset(seed.Dice(env.StreamAgents + seat))
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
	"math"
	"slices"
	"strconv"
	"strings"

	"pommego/env/suitebot"
)

// kind is one entry of the registry.
type kind struct {
	name    string
	options []string // the keys it takes
	make    func(o options) (suitebot.Bot, error)
}

// registry lists every built-in agent, the simplest first.
var registry = []kind{
	{"static", nil, func(options) (suitebot.Bot, error) { return static{}, nil }},
	{"random", nil, func(options) (suitebot.Bot, error) { return new(random), nil }},
	{"simple", nil, func(options) (suitebot.Bot, error) { return new(simple), nil }},
	{"flat", searchOptions, func(o options) (suitebot.Bot, error) { return newSearcher(flat, o) }},
	{"mcts", searchOptions, func(o options) (suitebot.Bot, error) { return newSearcher(tree, o) }},
}

// Names lists the built-in agents, without options.
func Names() []string {
	names := make([]string, len(registry))
	for i := range registry {
		names[i] = registry[i].name
	}
	return names
}

// New makes a bot from its name and options, such as "mcts:ticks=500". It must
// be Reset or Restored before it acts. The error for a name, a key or a form
// that does not exist says what does.
func New(name string) (suitebot.Bot, error) {
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
	bot, err := registry[i].make(o)
	if err != nil {
		return nil, fmt.Errorf("bots: agent %q: %w", name, err)
	}
	return bot, nil
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

// number reads an option that is a number, and returns otherwise if it is not
// given.
func (o options) number(key string, otherwise, lo, hi float64, whole bool) (float64, error) {
	text, given := o[key]
	if !given {
		return otherwise, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= lo && v <= hi) || whole && v != math.Trunc(v) {
		what := "a number"
		if whole {
			what = "a whole number"
		}
		return 0, fmt.Errorf("option %s=%s, want %s from %v to %v", key, text, what, lo, hi)
	}
	return v, nil
}

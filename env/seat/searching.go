package seat

import (
	"slices"
	"time"

	"pommego/env/search"
)

// setting is one option of a bot that searches.
type setting struct {
	key    string
	lo, hi float64
	whole  bool // no fractions
	of     []search.Method
	set    func(s *search.Settings, value float64)
}

// The searches that some settings are for; nil stands for all.
var (
	rolloutSearches = []search.Method{search.FlatMonteCarlo, search.TreeSearch}
	lookAhead       = []search.Method{search.LookAhead}
	breadthFirst    = []search.Method{search.BreadthFirst}
	rollingHorizon  = []search.Method{search.RollingHorizon}
)

// settings are the options there are, in the order in which errors list them.
var settings = []setting{
	{"ticks", 1, 1e9, true, nil, func(s *search.Settings, x float64) { s.Budget.Ticks = int(x) }},
	{"ms", 0.01, 60_000, false, nil, func(s *search.Settings, x float64) { s.Budget.Time = time.Duration(x * float64(time.Millisecond)) }},
	{"c", 0, 1e6, false, rolloutSearches, func(s *search.Settings, x float64) { s.C = x }},
	{"depth", 0, 100, true, rolloutSearches, func(s *search.Settings, x float64) { s.Depth = int(x) }},
	{"memory", 1, 1 << 20, true, breadthFirst, func(s *search.Settings, x float64) { s.Memory = int(x) << 20 }},
	{"samples", 1, 1e6, true, lookAhead, func(s *search.Settings, x float64) { s.Samples = int(x) }},
	{"length", 1, search.MaxLength, true, rollingHorizon, func(s *search.Settings, x float64) { s.Length = int(x) }},
	{"population", 1, 1000, true, rollingHorizon, func(s *search.Settings, x float64) { s.Population = int(x) }},
	{"mutation", 0.001, 1, false, rollingHorizon, func(s *search.Settings, x float64) { s.Mutation = x }},
}

// applies reports whether a search has use for the setting.
func (o *setting) applies(s *search.Settings) bool {
	if o.key == "c" && s.Method == search.FlatMonteCarlo && s.Bandit != search.UCB1 {
		return false
	}
	return o.of == nil || slices.Contains(o.of, s.Method)
}

// Searching is a kind of bot that searches as s says, unless options say
// otherwise: those that its search has use for.
func Searching[V any](name string, s search.Settings, create func(search.Settings) Bot[V]) Kind[V] {
	k := Kind[V]{Name: name}
	for i := range settings {
		if settings[i].applies(&s) {
			k.Options = append(k.Options, settings[i].key)
		}
	}
	k.Make = func(o Options) (Bot[V], error) {
		own, err := configure(s, o)
		if err != nil {
			return nil, err
		}
		return create(own), nil
	}
	return k
}

// configure applies options to settings. With a limit on time alone, ticks are
// not counted.
func configure(s search.Settings, o Options) (search.Settings, error) {
	for i := range settings {
		k := &settings[i]
		if _, given := o[k.key]; !given {
			continue
		}
		value, err := o.Number(k.key, k.lo, k.hi, k.whole)
		if err != nil {
			return s, err
		}
		k.set(&s, value)
	}
	if _, ticks := o["ticks"]; !ticks && s.Budget.Time > 0 {
		s.Budget.Ticks = 0
	}
	return s, nil
}

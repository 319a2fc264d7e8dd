package seat

import (
	"slices"
	"time"

	"pommego/env/search"
)

// searchSetting is an option of a bot that searches, by one of some methods; nil stands
// for all.
type searchSetting struct {
	of []search.Method
	Setting[search.Settings]
}

// The searches that some settings are for.
var (
	rolloutSearches = []search.Method{search.FlatMonteCarlo, search.TreeSearch}
	lookAhead       = []search.Method{search.LookAhead}
	breadthFirst    = []search.Method{search.BreadthFirst}
	rollingHorizon  = []search.Method{search.RollingHorizon}
)

// searchSettings are the options there are, in the order in which errors list them.
var searchSettings = []searchSetting{
	{nil, Ticks(func(s *search.Settings, n int) { s.Budget.Ticks = n })},
	{nil, Milliseconds(func(s *search.Settings, t time.Duration) { s.Budget.Time = t })},
	{rolloutSearches, Real("c", 0, 1e6, func(s *search.Settings, x float64) { s.C = x })},
	{rolloutSearches, Whole("depth", 0, 100, func(s *search.Settings, n int) { s.Depth = n })},
	{breadthFirst, Whole("memory", 1, 1<<20, func(s *search.Settings, n int) { s.Memory = n << 20 })},
	{lookAhead, Whole("samples", 1, 1e6, func(s *search.Settings, n int) { s.Samples = n })},
	{rollingHorizon, Whole("length", 1, search.MaxLength, func(s *search.Settings, n int) { s.Length = n })},
	{rollingHorizon, Whole("population", 1, 1000, func(s *search.Settings, n int) { s.Population = n })},
	{rollingHorizon, Real("mutation", 0.001, 1, func(s *search.Settings, x float64) { s.Mutation = x })},
}

// applies reports whether a search has use for the setting.
func (o *searchSetting) applies(s *search.Settings) bool {
	if o.Key == "c" && s.Method == search.FlatMonteCarlo && s.Bandit != search.UCB1 {
		return false
	}
	return o.of == nil || slices.Contains(o.of, s.Method)
}

// Searching is a kind of bot that searches as s says, unless options say otherwise: those
// that its search has use for. With a limit on time alone, ticks are not counted.
func Searching[V any](name string, s search.Settings, create func(search.Settings) Bot[V]) Kind[V] {
	var list []Setting[search.Settings]
	for i := range searchSettings {
		if searchSettings[i].applies(&s) {
			list = append(list, searchSettings[i].Setting)
		}
	}
	return Configured(name, s, list, func(s search.Settings, o Options) Bot[V] {
		if o.Has("ms") && !o.Has("ticks") {
			s.Budget.Ticks = 0
		}
		return create(s)
	})
}

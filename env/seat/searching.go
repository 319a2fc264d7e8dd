package seat

import "pommego/env/search"

// Searching is a kind of bot that searches as s says, unless options say otherwise: those
// that its method has use for.
func Searching[V any](name string, s search.Settings, create func(search.Settings) Bot[V]) Kind[V] {
	list := Budget(func(s *search.Settings) *search.Budget { return &s.Budget })
	switch s.Method {
	case search.FlatMonteCarlo, search.TreeSearch:
		if s.Method == search.TreeSearch || s.Bandit == search.UCB1 {
			list = append(list, Real("c", 0, 1e6, func(s *search.Settings, x float64) { s.C = x }))
		}
		list = append(list, Whole("depth", 0, 100, func(s *search.Settings, n int) { s.Depth = n }))
	case search.BreadthFirst:
		list = append(list, Whole("memory", 1, 1<<20, func(s *search.Settings, n int) { s.Memory = n << 20 }))
	case search.LookAhead:
		list = append(list, Whole("samples", 1, 1e6, func(s *search.Settings, n int) { s.Samples = n }))
	case search.RollingHorizon:
		list = append(list,
			Whole("length", 1, search.MaxLength, func(s *search.Settings, n int) { s.Length = n }),
			Whole("population", 1, 1000, func(s *search.Settings, n int) { s.Population = n }),
			Real("mutation", 0.001, 1, func(s *search.Settings, x float64) { s.Mutation = x }))
	}
	return Configured(name, s, list, create)
}

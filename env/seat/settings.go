package seat

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"pommego/env"
	"pommego/env/search"
)

// Setting is an option of a kind of bot whose settings are S.
type Setting[S any] struct {
	Key string
	set func(s *S, o Options) error
}

// Real is a setting that is a number from low to high, such as 2000 or 2e3.
func Real[S any](key string, low, high float64, set func(s *S, x float64)) Setting[S] {
	return number(key, low, high, "a number", func(float64) bool { return true }, set)
}

// Whole is a setting that is a whole number from low to high.
func Whole[S any](key string, low, high int, set func(s *S, n int)) Setting[S] {
	return number(key, float64(low), float64(high), "a whole number", func(x float64) bool { return x == math.Trunc(x) },
		func(s *S, x float64) { set(s, int(x)) })
}

func number[S any](
	key string, low, high float64, what string, is func(x float64) bool, set func(s *S, x float64),
) Setting[S] {
	return Setting[S]{key, func(s *S, o Options) error {
		x, err := strconv.ParseFloat(o.given[key], 64)
		if err != nil || !(x >= low && x <= high) || !is(x) {
			return fmt.Errorf("option %s=%s, want %s from %.12g to %.12g", key, o.given[key], what, low, high)
		}
		set(s, x)
		return nil
	}}
}

// Budget is the settings of what a decision may spend: ms, how many milliseconds, and
// ticks, how many ticks of the game it may simulate. With ms alone ticks are not limited.
func Budget[S any](of func(s *S) *search.Budget) []Setting[S] {
	return []Setting[S]{
		Real("ms", 0.01, 60_000, func(s *S, x float64) {
			*of(s) = search.Budget{Time: time.Duration(x * float64(time.Millisecond))}
		}),
		Whole("ticks", 1, 1e9, func(s *S, n int) { of(s).Ticks = n }),
	}
}

// Named is a setting that is one of some values with a name, or is read from a file by
// read. Who makes the bot reads the file: see [env.FileError].
func Named[S, T any](
	key string, values map[string]T, set func(s *S, value T), read func([]byte) (T, error),
) Setting[S] {
	return Setting[S]{key, func(s *S, o Options) error {
		value, ok := values[o.given[key]]
		if !ok {
			if o.file == nil {
				return &env.FileError{Option: key, Path: o.given[key], Names: slices.Sorted(maps.Keys(values))}
			}
			var err error
			if value, err = read(o.file); err != nil {
				return fmt.Errorf("option %s=%s: %w", key, o.given[key], err)
			}
		}
		set(s, value)
		return nil
	}}
}

// apply applies the option if it is given.
func (option *Setting[S]) apply(s *S, o Options) error {
	if o.given[option.Key] == "" {
		return nil
	}
	return option.set(s, o)
}

// Configured is a kind of bot with settings, which are the defaults unless options say
// otherwise. Options are applied in the order of the list.
func Configured[V, S any](name string, defaults S, list []Setting[S], create func(S) Bot[V]) Kind[V] {
	k := Kind[V]{Name: name}
	for _, option := range list {
		k.Options = append(k.Options, option.Key)
	}
	k.Make = func(o Options) (Bot[V], error) {
		s := defaults
		for i := range list {
			if err := list[i].apply(&s, o); err != nil {
				return nil, err
			}
		}
		return create(s), nil
	}
	return k
}

// With is the kind with one more option, which is applied to the bot.
func (k Kind[V]) With(option Setting[Bot[V]]) Kind[V] {
	create := k.Make
	k.Options = append(k.Options, option.Key)
	k.Make = func(o Options) (Bot[V], error) {
		bot, err := create(o)
		if err == nil {
			err = option.apply(&bot, o)
		}
		return bot, err
	}
	return k
}

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

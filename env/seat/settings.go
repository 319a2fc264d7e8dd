package seat

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"pommego/env"
)

// Setting is an option of a kind of bot whose settings are S.
type Setting[S any] struct {
	Key string
	set func(s *S, o Options) error
}

// Real is a setting that is a number from low to high.
func Real[S any](key string, low, high float64, set func(s *S, x float64)) Setting[S] {
	return Number(key, low, high, false, set)
}

// Whole is a setting that is a whole number from low to high.
func Whole[S any](key string, low, high int, set func(s *S, n int)) Setting[S] {
	return Number(key, float64(low), float64(high), true, func(s *S, x float64) { set(s, int(x)) })
}

// Switch is a setting that is 1 for on and 0 for off.
func Switch[S any](key string, set func(s *S, on bool)) Setting[S] {
	return Whole(key, 0, 1, func(s *S, n int) { set(s, n == 1) })
}

// Ticks is the setting of how many ticks of the game a decision may simulate.
func Ticks[S any](set func(s *S, n int)) Setting[S] { return Whole("ticks", 1, 1e9, set) }

// Milliseconds is the setting of how long a decision may take.
func Milliseconds[S any](set func(s *S, t time.Duration)) Setting[S] {
	return Real("ms", 0.01, 60_000, func(s *S, x float64) { set(s, time.Duration(x*float64(time.Millisecond))) })
}

// Number is a setting that is a number from low to high, without fractions if whole.
func Number[S any](key string, low, high float64, whole bool, set func(s *S, x float64)) Setting[S] {
	return Setting[S]{key, func(s *S, o Options) error {
		x, err := o.Number(key, low, high, whole)
		if err == nil {
			set(s, x)
		}
		return err
	}}
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
	if !o.Has(option.Key) {
		return nil
	}
	return option.set(s, o)
}

// Configured is a kind of bot with settings, which are the defaults unless options say
// otherwise. Options are applied in the order of the list.
func Configured[V, S any](name string, defaults S, list []Setting[S], create func(s S, o Options) Bot[V]) Kind[V] {
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
		return create(s, o), nil
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

package seat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"pommego/env"
	"pommego/env/search"
)

// Options holds what follows the colon of a name. The function that makes a bot asks
// for each option of its kind, given or not, in the order in which errors list them.
type Options struct {
	given map[string]string // by key: the value
	takes []string          // the keys that the function has asked for
	file  []byte            // the content of the file that an option names; nil: not read
	named string            // that option, once it has asked for the content
	err   error             // the first error
}

func (o *Options) ask(key string) (value string, given bool) {
	o.takes = append(o.takes, key)
	value = o.given[key]
	return value, value != ""
}

func (o *Options) fail(err error) { o.err = cmp.Or(o.err, err) }

// Number sets to to the value of an option that is a number from low to high, such as 2000 or 2e3, and for an
// int a whole one. If the option is not given, or its value is wrong, it returns false and leaves to as it is.
func Number[T int | float64](o *Options, key string, low, high T, to *T) bool {
	value, given := o.ask(key)
	if !given {
		return false
	}
	what := "a number"
	if _, whole := any(low).(int); whole {
		what = "a whole number"
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= float64(low) && x <= float64(high)) || float64(T(x)) != x {
		o.fail(fmt.Errorf("option %s=%s, want %s from %.12g to %.12g", key, value, what, float64(low), float64(high)))
		return false
	}
	*to = T(x)
	return true
}

// Switch sets on to true if an option is 1, to false if it is 0, and leaves it as it is if the option is not given.
func (o *Options) Switch(key string, on *bool) {
	n := 0
	if Number(o, key, 0, 1, &n) {
		*on = n == 1
	}
}

// Budget sets what a decision may spend, and reports whether an option gives it: ms, the number
// of milliseconds, or ticks, the number of simulated ticks. With ms alone ticks are not limited.
func (o *Options) Budget(b *search.Budget) bool {
	ms := 0.0
	timed := Number(o, "ms", 0.01, 60_000, &ms)
	if timed {
		*b = search.Budget{Time: time.Duration(ms * float64(time.Millisecond))}
	}
	return Number(o, "ticks", 1, 1e9, &b.Ticks) || timed
}

// Named sets to to the value of an option: one of values by its name, or what read makes
// of a file's content. The caller that makes the bot reads the file: see [env.FileError]. Of
// a bot's options one can name a file.
func Named[T any](o *Options, key string, values map[string]T, to *T, read func([]byte) (T, error)) {
	name, given := o.ask(key)
	value, known := values[name]
	var err error
	switch {
	case !given:
		return
	case !known && o.file == nil:
		err = &env.FileError{Option: key, Path: name, Names: slices.Sorted(maps.Keys(values))}
	case !known && o.named != "":
		err = fmt.Errorf("option %s=%s: %s names a file already, and one option can; want one of %q here", key, name,
			o.named, slices.Sorted(maps.Keys(values)))
	case !known:
		o.named = key + "=" + name
		if value, err = read(o.file); err != nil {
			err = fmt.Errorf("option %s=%s: %w", key, name, err)
		}
	}
	if o.fail(err); err == nil {
		*to = value
	}
}

// search sets the settings that the method can use.
func (o *Options) search(s *search.Settings) {
	o.Budget(&s.Budget)
	switch s.Method {
	case search.FlatMonteCarlo, search.TreeSearch:
		if s.Method == search.TreeSearch || s.Bandit == search.UCB1 {
			Number(o, "c", 0, 1e6, &s.C)
		}
		Number(o, "depth", 0, 100, &s.Depth)
	case search.BreadthFirst:
		if Number(o, "memory", 1, 1<<20, &s.Memory) {
			s.Memory <<= 20
		}
	case search.LookAhead:
		Number(o, "samples", 1, 1e6, &s.Samples)
	case search.RollingHorizon:
		Number(o, "length", 1, search.MaxLength, &s.Length)
		Number(o, "population", 1, 1000, &s.Population)
		Number(o, "mutation", 0.001, 1, &s.Mutation)
	}
}

// Package roster makes agents by name and options, the same way for every game:
//
//	agents := roster.Roster[Bot]{
//		{Name: "random", Make: func(roster.Options) (Bot, error) { return new(random), nil }},
//		{Name: "mcts", Options: []string{"ticks"}, Make: newTreeSearcher},
//	}
//	bot, err := agents.New("mcts:ticks=2000")
//
// A name may carry options after a colon, "name:key=value,key=value". Whatever
// does not exist, a name, a key or a form, is an error that says what does.
//
// A Roster is read-only and safe for concurrent use.
package roster

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is one sort of agent.
type Kind[B any] struct {
	Name    string
	Options []string // the keys it takes
	Make    func(o Options) (B, error)
}

// Roster is all the agents of a game, the simplest first.
type Roster[B any] []Kind[B]

// Names lists the agents, without options.
func (r Roster[B]) Names() []string {
	names := make([]string, len(r))
	for i := range r {
		names[i] = r[i].Name
	}
	return names
}

// New makes an agent from its name and options.
func (r Roster[B]) New(name string) (B, error) {
	var none B
	base, list, given := strings.Cut(name, ":")
	i := slices.IndexFunc(r, func(k Kind[B]) bool { return k.Name == base })
	if i < 0 {
		return none, fmt.Errorf("no agent is called %q, there are: %s", base, strings.Join(r.Names(), ", "))
	}
	o := Options{}
	if given {
		if err := o.parse(list, r[i].Name, r[i].Options); err != nil {
			return none, fmt.Errorf("agent %q: %w", name, err)
		}
	}
	bot, err := r[i].Make(o)
	if err != nil {
		return none, fmt.Errorf("agent %q: %w", name, err)
	}
	return bot, nil
}

// Options are what follows the colon of a name, by key.
type Options map[string]string

// parse reads "key=value,key=value" and accepts the known keys, each at most
// once.
func (o Options) parse(list, name string, known []string) error {
	for pair := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || key == "" || value == "":
			return fmt.Errorf("option %q, want key=value", pair)
		case len(known) == 0:
			return fmt.Errorf("option %q: %s takes no options, write %q", key, name, name)
		case !slices.Contains(known, key):
			return fmt.Errorf("option %q does not exist, %s takes: %s", key, name, strings.Join(known, ", "))
		}
		if _, twice := o[key]; twice {
			return fmt.Errorf("option %q is given twice", key)
		}
		o[key] = value
	}
	return nil
}

// Number reads an option that is a number from lo to hi, and returns otherwise
// if it is not given.
func (o Options) Number(key string, otherwise, lo, hi float64) (float64, error) {
	text, given := o[key]
	if !given {
		return otherwise, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= lo && v <= hi) {
		return 0, fmt.Errorf("option %s=%s, want a number from %v to %v", key, text, lo, hi)
	}
	return v, nil
}

// Whole reads an option that is a whole number from lo to hi, such as 2000 or
// 2e3, and returns otherwise if it is not given.
func (o Options) Whole(key string, otherwise, lo, hi int) (int, error) {
	text, given := o[key]
	if !given {
		return otherwise, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= float64(lo) && v <= float64(hi)) || v != math.Trunc(v) {
		return 0, fmt.Errorf("option %s=%s, want a whole number from %d to %d", key, text, lo, hi)
	}
	return int(v), nil
}

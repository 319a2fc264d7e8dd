package seat

import (
	"fmt"
	"slices"
	"strings"

	"pommego/env/search"
	"pommego/internal/enum"
)

// Kind is one sort of bot.
type Kind[V any] struct {
	Name string
	Make func(o *Options) Bot[V]
	// Version is the version of its decisions; 0 stands for 1. It must grow whenever the bot
	// decides differently in the same game: results of different versions cannot be compared.
	Version int
	// Successors says, for a bot that no longer exists, what to use instead. No list has that bot.
	Successors string
}

// Roster lists all bots of a game, the simplest first.
type Roster[V any] []Kind[V]

// Plain makes a kind of bot without options.
func Plain[V any](name string, create func() Bot[V]) Kind[V] {
	return Kind[V]{Name: name, Make: func(*Options) Bot[V] { return create() }}
}

// Searching makes a kind of bot that searches as s says, unless options say otherwise.
// It has the options that its method can use.
func Searching[V any](name string, s search.Settings, create func(search.Settings) Bot[V]) Kind[V] {
	return Kind[V]{Name: name, Make: func(o *Options) Bot[V] {
		own := s
		o.search(&own)
		return create(own)
	}}
}

// Static makes the kind of bot that always makes choice 0.
func Static[V any]() Kind[V] { return Plain("static", func() Bot[V] { return static[V]{} }) }

// Random makes the kind of bot that draws each component of its action, each choice
// with the same chance. choices returns how many choices there are.
func Random[V any](choices func(v *V, component int) int) Kind[V] {
	return Plain("random", func() Bot[V] { return &random[V]{choices: choices} })
}

// Names lists the bots, without options.
func (r Roster[V]) Names() []string {
	names := make([]string, 0, len(r))
	for i := range r {
		if r[i].Successors == "" {
			names = append(names, r[i].Name)
		}
	}
	return names
}

// Versions returns the version of each bot's decisions, by name.
func (r Roster[V]) Versions() map[string]int {
	versions := make(map[string]int, len(r))
	for i := range r {
		if r[i].Successors == "" {
			versions[r[i].Name] = max(1, r[i].Version)
		}
	}
	return versions
}

// New makes a bot from its name and options. It must be Reset or Restored before it
// acts. For an option that names a file, New returns an [env.FileError].
func (r Roster[V]) New(name string) (Bot[V], error) { return r.newBot(name, nil) }

// newBot makes a bot. If one of its options names a file, file is the content of that.
func (r Roster[V]) newBot(name string, file []byte) (Bot[V], error) {
	base, list, given := strings.Cut(name, ":")
	i := slices.IndexFunc(r, func(k Kind[V]) bool { return k.Name == base })
	if i < 0 && base == "human" {
		return nil, fmt.Errorf("no agent is called %q here: human plays in pommego play alone; there are: %s",
			base, strings.Join(r.Names(), ", "))
	}
	if i < 0 {
		return nil, fmt.Errorf("no agent is called %q%s, there are: %s",
			base, enum.Suggest(base, r.Names()), strings.Join(r.Names(), ", "))
	}
	if r[i].Successors != "" {
		return nil, fmt.Errorf("agent %q is gone, use %s in its place", name, r[i].Successors)
	}
	o := Options{given: map[string]string{}, file: file}
	if given {
		o.err = o.parse(list, base, r[i].Options())
	}
	if bot := r[i].Make(&o); o.err == nil {
		return bot, nil
	}
	return nil, fmt.Errorf("agent %q: %w", name, o.err)
}

// Options lists the keys that the kind takes.
func (k Kind[V]) Options() []string {
	var o Options
	if k.Successors == "" {
		k.Make(&o)
	}
	return o.takes
}

// parse reads "key=value,key=value". It accepts only known keys, each at most once.
func (o *Options) parse(list, name string, known []string) error {
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
		if _, twice := o.given[key]; twice {
			return fmt.Errorf("option %q is given twice", key)
		}
		o.given[key] = value
	}
	return nil
}

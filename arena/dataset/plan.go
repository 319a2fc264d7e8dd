package dataset

import (
	"errors"
	"fmt"
	"slices"

	"pommego/arena/ledger"
	"pommego/env"
)

// plan is the data set that a folder is to hold.
type plan struct {
	config  Config
	about   About
	game    env.Game
	spec    *env.Spec
	columns []column

	// header is the first line of a generated data set's log. No run with another header continues it.
	header *ledger.Header[Config]
}

func newPlan(game env.Game, c Config, o Options) (*plan, error) {
	p := &plan{config: c, game: game, spec: game.Spec()}
	missed := slices.ContainsFunc(c.Agents, outside)
	searched := c.Layout != Games && slices.ContainsFunc(c.Agents, func(name string) bool { return searches(game, name) })
	var err error
	p.about, p.columns, err = aboutOf(game.Spec(), &c, o, missed, searched)
	p.about.Agents, p.about.Generated = c.Agents, &c
	for i, name := range c.Agents {
		if why := unrepeatable(name); why != "" && !slices.Contains(c.Agents[:i], name) {
			p.about.Unrepeatable = append(p.about.Unrepeatable, fmt.Sprintf("agent %q %s", name, why))
		}
	}
	p.header = ledger.NewHeader(manifestFormat, o.Build, p.spec, c)
	return p, err
}

// aboutOf is the description that follows from a game and the layout alone. It returns an error if two columns have the
// same name.
func aboutOf(spec *env.Spec, c *Config, o Options, missed, searched bool) (About, []column, error) {
	a := About{Format: manifestFormat, Layout: c.Layout, Env: envOf(spec), Program: o.Version,
		Observation: c.Observation, Mask: c.Mask}
	if c.Layout == Steps {
		a.Fields = spec.Encodings[spec.Encoding(c.Observation)].Fields
	}
	a.Extra = apart(c.Extra)
	columns := a.columns(missed, searched, c.Extra)
	for _, c := range columns {
		if a.index(c.Name) >= 0 {
			return a, nil, fmt.Errorf("dataset: extra array %q: there is a column of this name already, rename the array", c.Name)
		}
		a.Columns = append(a.Columns, c.Column)
	}
	return a, columns, nil
}

// searches reports whether a built-in agent reports statistics of its search.
func searches(game env.Game, name string) bool {
	if outside(name) {
		return false
	}
	agent, err := game.NewAgent(name)
	_, ok := agent.(env.SearchReporter)
	return err == nil && ok
}

// ErrNotEmpty says that a folder is not free for a data set.
var ErrNotEmpty = errors.New("the folder is not empty, and holds no data set that can be continued")

// whole reports whether a file is file k of the plan, with all its games.
func (p *plan) whole(k int, s *summary) bool {
	first := k * p.config.FileGames
	return s.File.Game == first && s.File.Games == min(p.config.FileGames, p.config.Games-first)
}

// accept says in what a finished data set differs from the plan.
func (p *plan) accept(m *Manifest) error {
	if m.Generated == nil {
		return fmt.Errorf("%w: it was not generated", ledger.ErrOther)
	}
	if a := &p.about; m.Layout != a.Layout || m.Observation != a.Observation {
		return fmt.Errorf("%w: it has layout %s and observation %q, want layout %s and observation %q",
			ledger.ErrOther, m.Layout, m.Observation, a.Layout, a.Observation)
	}
	if was, is := m.Generated.Games, p.config.Games; was != is {
		return fmt.Errorf("%w: it has %d games, want %d", ledger.ErrOther, was, is)
	}
	return p.header.Differs(&ledger.Header[Config]{Format: m.Format, Env: m.Env.ID, Version: m.Env.Version,
		Seeds: m.Env.SeedVersion, Rules: m.Env.Rules, Config: *m.Generated})
}

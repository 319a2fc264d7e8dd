package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"pommego/env"
	"pommego/env/ruleset"
)

// plan is what a folder is to hold. An interrupted run leaves it there, so that
// no other run continues it by mistake.
type plan struct {
	config Config
	about  About
	game   env.Game
	spec   *env.Spec
	build  string

	columns []column
}

func newPlan(game env.Game, c Config, o Options) (*plan, error) {
	p := &plan{config: c, game: game, spec: game.Spec(), build: o.Build}
	missed := slices.ContainsFunc(c.Agents, outside)
	searched := c.Layout != Games && slices.ContainsFunc(c.Agents, func(name string) bool { return searches(game, name) })
	var err error
	p.about, p.columns, err = aboutOf(game.Spec(), &c, o, missed, searched)
	p.about.Agents, p.about.Generated, p.about.Unrepeatable = c.Agents, &c, c.reasons()
	return p, err
}

// aboutOf is what follows from a game and the layout alone.
func aboutOf(spec *env.Spec, c *Config, o Options, missed, searched bool) (About, []column, error) {
	e, err := envOf(spec)
	a := About{Format: manifestFormat, Layout: c.Layout, Env: e, Program: o.Version, Observation: c.Observation,
		Mask: c.Mask}
	if c.Layout == Steps {
		a.Fields = spec.Encodings[spec.Encoding(c.Observation)].Fields
	}
	a.Extra = apart(c.Extra)
	columns := a.columns(missed, searched, c.Extra)
	a.Columns = descriptions(columns)
	return a, columns, errors.Join(err, a.checkNames())
}

// checkNames makes sure that no two columns have one name.
func (a *About) checkNames() error {
	seen := map[string]bool{}
	for i := range a.Columns {
		if name := a.Columns[i].Name; seen[name] {
			return fmt.Errorf("dataset: extra array %q: there is such a column already, call it otherwise", name)
		}
		seen[a.Columns[i].Name] = true
	}
	return nil
}

// searches reports whether a built-in agent reports its search statistics.
func searches(game env.Game, name string) bool {
	if outside(name) {
		return false
	}
	agent, err := game.NewAgent(name)
	_, ok := agent.(env.SearchReporter)
	return err == nil && ok
}

// Errors of a folder that holds something else.
var (
	ErrOther      = errors.New("the folder holds another data set")
	ErrOtherBuild = errors.New("another build of the program, whose agents may play differently, began the data set")
	ErrNotEmpty   = errors.New("the folder is not empty, and holds no data set that can be continued")
)

// signature is the plan as the first line of a log has it.
type signature struct {
	Build string `json:"build"`
	About About  `json:"about"`
}

func (p *plan) signature() signature { return signature{p.build, p.about.ofAnyExtent()} }

// continues says why what began with another signature cannot go on by this plan.
func (p *plan) continues(header []byte) error {
	var there signature
	if json.Unmarshal(header, &there) != nil {
		return fmt.Errorf("%w: it has no plan", ErrOther)
	}
	if err := p.accept(&there.About); err != nil {
		return err
	}
	if there.Build != p.build {
		return fmt.Errorf("%w: %q, this one is %q", ErrOtherBuild, there.Build, p.build)
	}
	return nil
}

// accept says in what another plan differs, besides how many games there are to be.
func (p *plan) accept(there *About) error {
	if there.Generated == nil {
		return fmt.Errorf("%w: that was not generated", ErrOther)
	}
	if was, is := there.form(), p.about.form(); was != is {
		return fmt.Errorf("%w: it has %s, and %s is asked for; ask for the layout it has to give it more games", ErrOther,
			was, is)
	}
	if d := ruleset.Difference(there.Env.Rules, p.about.Env.Rules); d != "" && there.Env.Game == p.about.Env.Game {
		return fmt.Errorf("%w: its \"env\" has rules in which %s", ErrOther, d)
	}
	ours, err := p.about.fields()
	if err != nil {
		return err
	}
	theirs, err := there.fields()
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		if !bytes.Equal(ours[key], theirs[key]) {
			return fmt.Errorf("%w: its %q is %.200s, now it would be %.200s", ErrOther, key, theirs[key], ours[key])
		}
	}
	return nil
}

// form is the layout, and the flag that asks for it.
func (a *About) form() string {
	flag := [...]string{Games: "no --observation", Steps: "--observation " + a.Observation, Dialogues: "--dialogues"}
	return fmt.Sprintf("layout %s (%s)", a.Layout, flag[a.Layout])
}

// fields are what data sets can differ in, but for how many games there are and the
// program's version.
func (a *About) fields() (all map[string]json.RawMessage, err error) {
	b := a.ofAnyExtent()
	b.Program = ""
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(text, &all)
}

// extends reports whether a finished data set is to have more games. Fewer are an error.
func (p *plan) extends(m *Manifest, o Options) (bool, error) {
	if err := p.accept(&m.About); err != nil {
		return false, err
	}
	there := m.Generated.Games
	switch {
	case p.config.Games < there:
		return false, p.fewer(there)
	case p.config.Games == there:
		return false, nil
	case m.Program != o.Version:
		return false, fmt.Errorf("%w: version %q, this one is %q", ErrOtherBuild, m.Program, o.Version)
	case m.Layout != Games &&
		slices.ContainsFunc(m.Statistics.Agents, func(a AgentStatistics) bool { return a.Missed > 0 }):
		return false, fmt.Errorf("%w: it cannot be given more games, as its files do not say which moves of agents were "+
			"replaced", ErrOther)
	}
	return true, nil
}

// fewer says that there are more games already.
func (p *plan) fewer(there int) error {
	return fmt.Errorf("%w: it is of %d games, now it would be of %d games; it can be given more, not less", ErrOther,
		there, p.config.Games)
}

package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
	"pommego/internal/enum"
)

// Layout says what a row of a data set is.
type Layout = enum.Text[layouts]

// The layouts.
const (
	Games     Layout = iota // one row per game: its start and its actions
	Steps                   // one row per step and seat: observation, action and reward
	Dialogues               // one row per step and seat that is in: observation and action in words, as a chat
)

type layouts struct{}

func (layouts) Names() (string, []string) { return "layout", []string{"games", "steps", "dialogues"} }

// Seating says which agent sits where.
type Seating = enum.Text[seatings]

// The seatings.
const (
	Fixed    Seating = iota // agent k in seat k
	Drawn                   // each seat's agent is drawn, from the game's own RNG
	ByClient                // the client names the agents of each game, see Recorded
)

type seatings struct{}

func (seatings) Names() (string, []string) { return "seating", []string{"fixed", "drawn", "told"} }

// Config is all that the content of a generated data set depends on, besides
// the game and the program.
type Config struct {
	Layout Layout `json:"layout"`

	// Observation is the encoding that layout Steps stores; "": the game's first. The other
	// layouts store none.
	Observation string `json:"observation,omitempty"`

	// Mask says which moves layout Steps lists as legal: "legal" (the default) lists all legal ones, "safe" those
	// that the seat can survive (env.Careful).
	Mask string `json:"mask,omitempty"`

	// Extra are the arrays that a client's agents report.
	Extra []Extra `json:"extra,omitempty"`

	// Agents are the names of the players. A single one plays in every seat. Fixed
	// needs one agent per seat, Drawn takes any number.
	Agents  []string `json:"agents"`
	Seating Seating  `json:"seating"`

	// Games is how many games there are.
	Games int `json:"games,omitempty"`

	// Seed is the seed of the first game; game i has Seed+i.
	Seed uint64 `json:"seed"`

	// MaxSteps truncates a game after this many steps; 0: never.
	MaxSteps int `json:"max_episode_steps,omitempty"`

	// FileGames is how many games a file holds. 0: 10,000 for layout Games, if no agent searches; 1 with agents
	// outside the program; else 100.
	FileGames int `json:"games_per_file"`

	// Memory is how many bytes a program may have in memory: match.Rules.Memory.
	Memory int64 `json:"program_memory,omitempty"`
}

// moveLimit is how long agents outside the program may take for a move. It is long enough for language
// models: a data set is no contest.
const moveLimit = 30 * time.Second

// The bounds of a configuration.
const (
	maxGames     = min(1<<40, math.MaxInt)
	maxFileGames = 1 << 20
)

// Resolve checks the configuration for a game and fills in its defaults. It makes each built-in agent once, to
// see that it exists.
func (c Config) Resolve(game env.Game) (Config, error) {
	c.Agents = slices.Clone(c.Agents)
	if c.FileGames == 0 {
		switch {
		case slices.ContainsFunc(c.Agents, match.Outside):
			c.FileGames = 1
		case c.Layout == Games && !slices.ContainsFunc(c.Agents, func(name string) bool { return searches(game, name) }):
			c.FileGames = 10_000
		default:
			c.FileGames = 100
		}
	}
	switch {
	case !c.Layout.Known():
		return c, fmt.Errorf("there is no layout %d", c.Layout)
	case !c.Seating.Known():
		return c, fmt.Errorf("there is no seating %d", c.Seating)
	case c.Games < 1 || c.Games > maxGames:
		return c, fmt.Errorf("games is %d, want 1 to %d", c.Games, maxGames)
	case c.FileGames < 1 || c.FileGames > maxFileGames:
		return c, fmt.Errorf("games_per_file is %d, want 1 to %d", c.FileGames, maxFileGames)
	case c.MaxSteps < 0:
		return c, fmt.Errorf("max_episode_steps is %d, want 0 (no limit) or more", c.MaxSteps)
	}
	err := cmp.Or(c.rules().Validate(), c.resolveSteps(game), c.resolveAgents(game))
	return c, err
}

// rules are the rules of competition by which the games are played.
func (c *Config) rules() *match.Rules {
	return &match.Rules{Limit: moveLimit, Memory: c.Memory, MaxSteps: c.MaxSteps, Untimed: true}
}

// resolveSteps checks what only layout Steps stores.
func (c *Config) resolveSteps(game env.Game) error {
	spec := game.Spec()
	switch {
	case c.Layout == Steps:
	case c.Observation != "":
		return fmt.Errorf("observation is %q, but layout %s stores no observations", c.Observation, c.Layout)
	case c.Mask != "":
		return fmt.Errorf("mask is %q, but layout %s stores no masks", c.Mask, c.Layout)
	case len(c.Extra) > 0:
		return fmt.Errorf("there are extra arrays, but layout %s does not store them: want layout steps", c.Layout)
	default:
		return nil
	}
	c.Observation, c.Mask = cmp.Or(c.Observation, spec.Encodings[0].Name), cmp.Or(c.Mask, legal)
	if spec.Encoding(c.Observation) < 0 {
		var names []string
		for _, e := range spec.Encodings {
			names = append(names, e.Name)
		}
		return fmt.Errorf("%s has no observation %q, want one of %s", spec.ID, c.Observation, strings.Join(names, ", "))
	}
	if _, careful := game.New(1)[0].(env.Careful); c.Mask != legal && !(c.Mask == safe && careful) {
		return fmt.Errorf("%s has no mask %q, want legal, or safe in games that know which moves can be survived", spec.ID,
			c.Mask)
	}
	return c.checkExtra(spec)
}

const legal, safe = "legal", "safe"

func (c *Config) resolveAgents(game env.Game) error {
	seats := game.Spec().Seats
	served := slices.ContainsFunc(c.Agents, match.AtClient)
	if len(c.Agents) == 1 && c.Seating == Fixed {
		c.Agents = slices.Repeat(c.Agents, seats)
	}
	switch {
	case c.Seating != Fixed && len(c.Agents) == 0:
		return errors.New("there are no agents, want one or more")
	case served != (c.Seating == ByClient):
		return fmt.Errorf("agents %q do not fit seating %s: want seating told if a client serves agents (client:NAME), "+
			"and not otherwise", c.Agents, c.Seating)
	case served && slices.ContainsFunc(c.Agents, func(name string) bool {
		return !match.AtClient(name) && unrepeatable(name) != ""
	}):
		return fmt.Errorf("agents %q: want only built-in agents without a limit in time (ms) beside those that a client "+
			"serves: Record lets them decide again", c.Agents)
	case c.Seating == Fixed && len(c.Agents) != seats:
		return fmt.Errorf("%d agents, want 1 or %d, one for each seat of %s", len(c.Agents), seats, game.Spec().ID)
	case !utf8.ValidString(strings.Join(c.Agents, "\n")): // the log and the manifest could not hold it
		return fmt.Errorf("agents %q: want UTF-8, so rename the file that is named otherwise", c.Agents)
	case len(c.Agents) > math.MaxUint16:
		return fmt.Errorf("%d agents, want at most %d", len(c.Agents), math.MaxUint16)
	}
	for i, name := range c.Agents {
		again := slices.Contains(c.Agents[:i], name)
		if match.AtURL(name) && (c.Seating != Fixed || again) {
			return fmt.Errorf("the agent at %s could get several seats of a game, but a server plays one at a time", name)
		}
		if again || outside(name) {
			continue
		}
		if _, err := game.NewAgent(name); err != nil {
			return err
		}
	}
	return nil
}

func outside(name string) bool { return match.Outside(name) || match.AtClient(name) }

// unrepeatable says why an agent may play differently the next time; "" if it
// does not. The option ms in an agent's name is a limit in time.
func unrepeatable(name string) string {
	if outside(name) {
		return "is outside this program"
	}
	if _, options, _ := strings.Cut(name, ":"); strings.Contains(","+options, ",ms=") {
		return "has a limit in time (ms)"
	}
	return ""
}

// lineup lists the agents of a game by seat, for Fixed and Drawn. The client lists its own.
func (c *Config) lineup(game, seats int) []string {
	if c.Seating == Fixed {
		return c.Agents
	}
	rng, names := c.seed(game).RNG(env.StreamSeats), make([]string, seats)
	for seat := range names {
		names[seat] = c.Agents[rng.IntN(len(c.Agents))]
	}
	return names
}

// Base is the configuration without the number of games, which does not change a file that is whole.
func (c Config) Base() Config {
	c.Games = 0
	return c
}

func (c *Config) seed(game int) env.Seed { return env.Seed{Value: c.Seed + uint64(game)} }

// plan is the data set that a folder is to hold.
type plan struct {
	config  Config
	about   About
	game    env.Game
	spec    *env.Spec
	columns []column
	unknown bool // a set that is merged does not say how many moves were missed, so the new one does not either

	// header is the first line of a generated data set's log. No run with another header continues it.
	header *ledger.Header[Config]
}

func newPlan(game env.Game, c Config, o Options) (*plan, error) {
	c, err := c.Resolve(game)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	p := &plan{config: c, game: game, spec: game.Spec()}
	missed := slices.ContainsFunc(c.Agents, outside)
	searched := c.Layout != Games && slices.ContainsFunc(c.Agents, func(name string) bool { return searches(game, name) })
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
			return a, nil, fmt.Errorf("dataset: extra array %q: there is a column of this name already, rename the array",
				c.Name)
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

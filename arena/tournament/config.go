package tournament

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gonum.org/v1/gonum/stat/combin"

	"pommego/arena/ledger"
	"pommego/arena/match"
	"pommego/env"
	"pommego/internal/enum"
)

// Format is the rule by which agents meet.
type Format = enum.Text[formats]

// The formats.
const (
	// RoundRobin: as many agents as there are sides meet, in every choice of
	// them. Where seats form teams, an agent plays all seats of its team.
	RoundRobin Format = iota
	// OneAgainstThree: each agent alone against Config.Against in every other
	// seat. For games without teams.
	OneAgainstThree
	// TwoAgainstTwo: two teams, one agent in all seats of each. Teams have two
	// seats, or more in games with larger teams. Every agent meets every other
	// one, or only Config.Against if that is set.
	TwoAgainstTwo
)

type formats struct{}

func (formats) Names() (string, []string) {
	return "format", []string{"round-robin", "one-against-three", "two-against-two"}
}

// Config is all that the games of a tournament depend on, besides the game.
type Config struct {
	Format  Format   `json:"format"`
	Agents  []string `json:"agents"`            // the agents to compare, each once
	Against string   `json:"against,omitempty"` // their opponent, if the format has one; else empty

	// Games is the number of rounds: how many games each table plays. Against a
	// fixed opponent each agent plays as many.
	Games int `json:"games"`

	// Repetitions is how many rounds in a row are played on the same board, with
	// other RNGs each time (match.Rules.Repetition); 0: 1. Games is a multiple
	// of it.
	Repetitions int `json:"repetitions,omitempty"`

	// Mirrored plays each board, and each repetition on it, once from every side, with
	// the same random numbers and other agents there. Games is then a multiple of the sides.
	Mirrored bool `json:"mirrored,omitempty"`

	// SPRT, unless nil, ends the tournament early, as soon as the test has a decision.
	SPRT *SPRT `json:"sprt,omitempty"`

	// Seed is the seed of the first board; the k-th after it has Seed+k.
	Seed uint64 `json:"seed"`

	// Limit is how long remote agents may take for a move; 0: the game's own
	// limit, else match.DefaultLimit.
	Limit time.Duration `json:"limit_ns"`

	// Memory is how many bytes a program may have in memory: match.Rules.Memory.
	Memory int64 `json:"program_memory,omitempty"`
}

// The bounds of a configuration.
const (
	maxRounds = 1_000_000
	maxGames  = 10_000_000 // of the whole tournament
	maxAgents = 1000
)

// Validate says what is wrong with the configuration for a game.
func (c *Config) Validate(spec *env.Spec) error {
	switch {
	case !c.Format.Known():
		return fmt.Errorf("there is no format %d", c.Format)
	case c.Games < 1 || c.Games > maxRounds:
		return fmt.Errorf("games is %d, want 1 to %d", c.Games, maxRounds)
	case c.Repetitions < 0 || c.Games%c.repetitions() != 0:
		return fmt.Errorf("repetitions is %d, want 1 or more, and a divisor of the %d games", c.Repetitions, c.Games)
	case c.Games%c.perBoard(spec) != 0:
		return fmt.Errorf("games is %d, want a multiple of %d: mirrored boards are played from each of the %d sides, %d "+
			"repetitions each", c.Games, c.perBoard(spec), len(spec.Teams), c.repetitions())
	case len(c.Agents) == 0 || len(c.Agents) > maxAgents:
		return fmt.Errorf("%d agents, want 1 to %d", len(c.Agents), maxAgents)
	case !utf8.ValidString(strings.Join(append(slices.Clip(c.Agents), c.Against), "\n")): // the log could not hold it
		return fmt.Errorf("agents %q and %q: want UTF-8, so rename the file that is named otherwise", c.Agents, c.Against)
	}
	for i, name := range c.Agents {
		if slices.Contains(c.Agents[:i], name) {
			return fmt.Errorf("agent %q is named twice", name)
		}
	}
	if err := cmp.Or(c.rules().Validate(), c.fits(spec)); err != nil || c.SPRT == nil {
		return err
	}
	return c.SPRT.validate(c, spec)
}

// Base is the configuration without the number of games.
func (c Config) Base() Config {
	c.Games, c.Repetitions = 0, c.repetitions()
	return c
}

func (c *Config) rules() *match.Rules {
	return &match.Rules{Limit: c.Limit, Memory: c.Memory}
}

func (c *Config) repetitions() int { return max(1, c.Repetitions) }

// turns is how many rounds in a row differ only in where the agents sit.
func (c *Config) turns(spec *env.Spec) int {
	if c.Mirrored {
		return len(spec.Teams)
	}
	return 1
}

func (c *Config) perBoard(spec *env.Spec) int { return c.turns(spec) * c.repetitions() }

// fits returns an error if the format does not suit the game or the agents.
func (c *Config) fits(spec *env.Spec) error {
	sides := len(spec.Teams)
	inTeams := sides < spec.Seats
	switch {
	case c.Format == OneAgainstThree && inTeams:
		return fmt.Errorf("%s has teams, want format two-against-two or round-robin", spec.ID)
	case c.Format == OneAgainstThree && c.Against == "":
		return fmt.Errorf("format %s needs an agent that the others play against", c.Format)
	case c.Format == TwoAgainstTwo && (sides != 2 || !inTeams):
		return fmt.Errorf("%s has no two teams, want format one-against-three or round-robin", spec.ID)
	case c.Format == RoundRobin && c.Against != "":
		return fmt.Errorf("in format round-robin the agents play each other, not %q", c.Against)
	case c.Against == "" && len(c.Agents) < sides:
		return fmt.Errorf("%d agents, want %d or more: a game of %s has so many sides (fewer agents can play against a "+
			"fixed opponent)", len(c.Agents), sides, spec.ID)
	}
	tables := 1.0
	if c.Against == "" {
		tables = combin.GeneralizedBinomial(float64(len(c.Agents)), float64(sides))
	}
	if tables*float64(c.Games) > maxGames {
		return fmt.Errorf("that makes %.3g games, want at most %d: ask for fewer games or agents", tables*float64(c.Games),
			maxGames)
	}
	return nil
}

// schedule knows every game of a tournament by its number.
type schedule struct {
	config *Config
	spec   *env.Spec

	entrants []string // the agents, and then the fixed opponent, if there is one
	tables   [][]int  // for each table, the entrant of each side
}

// fixture is one game to play.
type fixture struct {
	ledger.Played // without steps
	table, round  int
	sides         []int // the entrant of each side
}

func newSchedule(c *Config, spec *env.Spec) *schedule {
	sides := len(spec.Teams)
	s := &schedule{config: c, spec: spec, entrants: c.Agents}
	if c.Against == "" {
		s.tables = combin.Combinations(len(c.Agents), sides)
		return s
	}
	s.entrants = append(slices.Clip(c.Agents), c.Against)
	for agent := range c.Agents {
		table := slices.Repeat([]int{len(c.Agents)}, sides)
		table[0] = agent
		s.tables = append(s.tables, table)
	}
	return s
}

func (s *schedule) games() int { return len(s.tables) * s.config.Games }

func (s *schedule) game(i int) fixture {
	f := fixture{table: i % len(s.tables), round: i / len(s.tables)}
	f.sides = s.sitDown(s.tables[f.table], f.round)
	f.Played = ledger.Played{Game: i, Agents: make([]string, s.spec.Seats),
		Seed:       env.Seed{Value: s.config.Seed + uint64(f.round/s.config.perBoard(s.spec))},
		Repetition: f.round / s.config.turns(s.spec) % s.config.repetitions()}
	for side, team := range s.spec.Teams {
		for _, seat := range team {
			f.Agents[seat] = s.entrants[f.sides[side]]
		}
	}
	return f
}

// sitDown gives each side its entrant. The first of the table takes each side
// in turn, and the others follow it in an order that changes when all have had
// every side.
func (s *schedule) sitDown(table []int, round int) []int {
	n := len(table)
	sides := make([]int, n)
	order := combin.IndexToPermutation(nil, round/n%combin.NumPermutations(n-1, n-1), n-1, n-1)
	sides[round%n] = table[0]
	for i, k := range order {
		sides[(round+1+i)%n] = table[1+k]
	}
	return sides
}

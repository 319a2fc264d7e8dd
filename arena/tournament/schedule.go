package tournament

import (
	"slices"

	"gonum.org/v1/gonum/stat/combin"

	"pommego/arena/ledger"
	"pommego/env"
)

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

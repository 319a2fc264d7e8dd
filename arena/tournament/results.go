package tournament

import (
	"cmp"
	"slices"
	"time"

	"pommego/arena/match"
	"pommego/env"
)

// Results are what a tournament's games show, without their times.
type Results struct {
	Env     string `json:"env"`
	Version int    `json:"version"` // of the game
	Rules   any    `json:"rules,omitempty"`
	Seeds   int    `json:"seed_version"`
	Program string `json:"program,omitempty"`
	Config

	Played   int        `json:"games_played"`
	Void     int        `json:"games_void,omitempty"` // games that cannot be scored
	Balanced bool       `json:"balanced"`             // each agent had each seat equally often
	Anchor   string     `json:"rating_0"`             // the agent with the rating 0
	Prior    string     `json:"rating_prior"`         // what the fit assumes before an agent's first game
	Agents   []Standing `json:"standings"`
	Pairs    []Pair     `json:"pairs"`
	Test     *Test      `json:"sprt_result,omitempty"` // nil without Config.SPRT
}

// Standing is the result of one agent.
type Standing struct {
	Agent string `json:"agent"`

	Games  int      `json:"games"`
	Wins   int      `json:"wins"`
	Losses int      `json:"losses"`
	Ties   int      `json:"ties"` // games that nobody won and in which it was in at the end
	Win    Estimate `json:"win_rate"`
	Loss   Estimate `json:"loss_rate"`
	Tie    Estimate `json:"tie_rate"`
	Rating Estimate `json:"rating"` // on Elo's scale
	Steps  Estimate `json:"steps"`  // the length of its games

	Moves  int        `json:"moves"` // decisions made
	Ticks  float64    `json:"ticks_per_move"`
	Late   int        `json:"late"`
	Failed int        `json:"failed"`
	Gone   int        `json:"gone,omitempty"` // moves it was not asked for, as it was given up
	Sides  []SideWins `json:"sides"`          // by side, in the order of the game's teams

	Answers match.Answers `json:"answers,omitzero"` // of a language model

	// Counts is what its games counted, for each of the game's counts in their
	// order: the mean of a game, of its seats there.
	Counts []Count `json:"counts"`

	think, longest time.Duration // of all its moves, and of its longest: see Timing
}

// Count is one of the things that a game counts.
type Count struct {
	Name string `json:"name"`
	Estimate
}

// SideWins is how often an agent played a side, and how often it won.
type SideWins struct {
	Seats []int `json:"seats"`
	Games int   `json:"games"`
	Wins  int   `json:"wins"`
}

// Pair compares two agents on the games that exactly one of them won: games of
// the same seed against the same opponent, or games in which they met.
type Pair struct {
	Row     string   `json:"row"`
	Col     string   `json:"col"`
	RowOnly int      `json:"row_only"`
	ColOnly int      `json:"col_only"`
	Both    int      `json:"both"`
	Neither int      `json:"neither"`
	Share   *float64 `json:"share"`   // RowOnly / (RowOnly + ColOnly); null if both are 0
	P       float64  `json:"p_value"` // of the exact two-sided binomial test
}

// report is what the games show. With a sequential test it uses only the games that the test has taken.
func (t *Tournament) report(records []Record, program string) (*Report, error) {
	s, test := t.schedule, t.schedule.sequential()
	if test.take(records); test != nil {
		records = records[:test.games]
	}
	void := 0
	for i := range records {
		if records[i].Agents == nil {
			void++
		}
	}
	r := &Results{
		Env: s.spec.ID, Version: s.spec.Version, Rules: s.spec.Rules, Seeds: env.SeedVersion, Program: program,
		Config: t.Config, Played: len(records) - void, Void: void, Anchor: cmp.Or(t.Config.Against, "the mean"),
		Prior: prior, Balanced: void == 0 && t.Config.Games%len(s.spec.Teams) == 0, Test: test.result(),
	}
	r.Games = len(records) / len(s.tables)
	r.Agents = s.standings(records)
	ratings, err := s.rate(records)
	if err != nil {
		return nil, err
	}
	for i := range r.Agents {
		r.Agents[i].Rating = ratings[i]
	}
	r.Pairs = s.pairs(records)
	return &Report{Results: r, Timing: timing(r.Agents), Records: records}, nil
}

func (s *schedule) standings(records []Record) []Standing {
	agents := make([]Standing, len(s.config.Agents))
	steps, counts := make([][]float64, len(agents)), make([][][]float64, len(agents)) // by agent: a value per game
	for i, label := range s.config.Agents {
		agents[i], counts[i] = Standing{Agent: label}, make([][]float64, len(s.spec.Counts))
		for _, team := range s.spec.Teams {
			agents[i].Sides = append(agents[i].Sides, SideWins{Seats: team})
		}
	}
	for i := range records {
		f := s.game(i)
		for side, entrant := range f.sides {
			if entrant == len(agents) || records[i].Agents == nil {
				continue
			}
			team := s.spec.Teams[side]
			agents[entrant].add(&records[i], side, team)
			steps[entrant] = append(steps[entrant], float64(records[i].Steps))
			for k, what := range s.spec.Counts {
				if own := records[i].Counts[what.Name]; own != nil {
					sum := 0.0
					for _, seat := range team {
						sum += float64(own[seat])
					}
					counts[entrant][k] = append(counts[entrant][k], sum/float64(len(team)))
				}
			}
		}
	}
	for i := range agents {
		a := &agents[i]
		a.Win, a.Loss, a.Tie = rate(a.Wins, a.Games), rate(a.Losses, a.Games), rate(a.Ties, a.Games)
		a.Steps, a.Counts = mean(steps[i]), []Count{}
		for k, what := range s.spec.Counts {
			a.Counts = append(a.Counts, Count{what.Name, mean(counts[i][k])})
		}
		a.Ticks /= float64(max(1, a.Moves))
	}
	return agents
}

// add counts a game that the agent played on a side.
func (a *Standing) add(r *Record, side int, team []int) {
	a.Games++
	a.Sides[side].Games++
	switch r.Result[team[0]] {
	case env.Won:
		a.Wins++
		a.Sides[side].Wins++
	case env.Lost:
		a.Losses++
	default:
		a.Ties++
	}
	for _, seat := range team {
		a.Moves += r.Moves[seat]
		a.Ticks += float64(r.Ticks[seat])
		a.Late += r.Late[seat]
		a.Failed += r.Failed[seat]
		a.think += r.Clock.Think[seat]
		a.longest = max(a.longest, r.Clock.Longest[seat])
		if len(r.Answers) > 0 {
			a.Answers.Add(r.Answers[seat])
		}
		if r.Gone != nil {
			a.Gone += r.Gone[seat]
		}
	}
}

func (s *schedule) rate(records []Record) ([]Estimate, error) {
	contests := make([]contest, len(s.tables))
	for i, table := range s.tables {
		c := &contests[i]
		for _, entrant := range table {
			k := slices.Index(c.entrants, entrant)
			if k < 0 {
				k = len(c.entrants)
				c.entrants = append(c.entrants, entrant)
				c.sides, c.shares = append(c.sides, 0), append(c.shares, 0)
			}
			c.sides[k]++
		}
	}
	for i := range records {
		if records[i].Agents == nil {
			continue
		}
		f := s.game(i)
		c := &contests[f.table]
		c.games++
		sides := s.sharing(&records[i])
		for _, side := range sides {
			c.shares[slices.Index(c.entrants, f.sides[side])] += 1 / float64(len(sides))
		}
	}
	fit := strengths{contests: contests, free: len(s.config.Agents)}
	return fit.ratings(s.config.Against == "")
}

func (s *schedule) sharing(r *Record) []int {
	order := []env.SeatResult{env.Lost, env.Tied, env.Won}
	rank := func(a, b env.SeatResult) int { return slices.Index(order, a) - slices.Index(order, b) }
	best := slices.MaxFunc(r.Result, rank)
	var sides []int
	for side, team := range s.spec.Teams {
		if r.Result[team[0]] == best {
			sides = append(sides, side)
		}
	}
	return sides
}

// pairs compares every two agents that played in the same run of games. A run is a round against the fixed opponent,
// or one game in which they met.
func (s *schedule) pairs(records []Record) []Pair {
	labels, perRound := s.config.Agents, len(s.tables)
	var pairs []Pair
	at := make([][]int, len(labels)) // the place of each pair in the list, by row and column
	for row := range labels {
		at[row] = make([]int, len(labels))
		for col := row + 1; col < len(labels); col++ {
			at[row][col] = len(pairs)
			pairs = append(pairs, Pair{Row: labels[row], Col: labels[col]})
		}
	}
	if s.config.Against == "" {
		perRound = 1
	}
	for first := 0; first < len(records); first += perRound {
		won := map[int]bool{} // for the agents that played
		for i := first; i < first+perRound; i++ {
			for side, entrant := range s.game(i).sides {
				if entrant < len(labels) && records[i].Agents != nil {
					won[entrant] = records[i].Result[s.spec.Teams[side][0]] == env.Won
				}
			}
		}
		for row, a := range won {
			for col, b := range won {
				if row < col {
					pairs[at[row][col]].count(a, b)
				}
			}
		}
	}
	for i := range pairs {
		p := &pairs[i]
		decided := p.RowOnly + p.ColOnly
		if decided > 0 {
			p.Share = new(float64(p.RowOnly) / float64(decided))
		}
		p.P = binomialTest(p.RowOnly, decided)
	}
	return pairs
}

// count counts a run of games in which both played.
func (p *Pair) count(row, col bool) {
	switch {
	case row && col:
		p.Both++
	case row:
		p.RowOnly++
	case col:
		p.ColOnly++
	default:
		p.Neither++
	}
}

// Timing is how long the agents took. It differs from run to run, so it is not a part
// of Results.
type Timing struct {
	Agents []AgentTime `json:"agents"`
}

// AgentTime is how long an agent thought.
type AgentTime struct {
	Agent   string        `json:"agent"`
	Moves   int           `json:"moves"`
	Mean    time.Duration `json:"mean_ns"`    // the mean of a decision
	Longest time.Duration `json:"longest_ns"` // the longest decision
	Total   time.Duration `json:"total_ns"`
	// TicksPerSecond is how many moves of the game an agent that searches
	// simulates per second of thinking, on one core.
	TicksPerSecond float64 `json:"ticks_per_second"`
}

func timing(agents []Standing) *Timing {
	t := new(Timing)
	for _, a := range agents {
		own := AgentTime{Agent: a.Agent, Moves: a.Moves, Mean: a.think / time.Duration(max(1, a.Moves)), Longest: a.longest,
			Total: a.think}
		if a.think > 0 {
			own.TicksPerSecond = a.Ticks * float64(a.Moves) / a.think.Seconds()
		}
		t.Agents = append(t.Agents, own)
	}
	return t
}

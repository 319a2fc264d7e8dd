package dataset

import (
	"slices"

	"pommego/env"
)

// Statistics are what the games of a data set were like. They are numbers that
// can be added up, so that those of the files make those of the whole.
type Statistics struct {
	Games     int `json:"games"`
	Steps     int `json:"steps"`
	Decisions int `json:"decisions"` // steps of seats that were in
	Truncated int `json:"truncated"`

	Shortest int `json:"shortest"`
	Longest  int `json:"longest"`

	Agents []AgentStatistics `json:"agents"` // in the order of the data set's agents, each once
	Seats  []SeatStatistics  `json:"seats"`
}

// SeatStatistics are how those in one seat did.
type SeatStatistics struct {
	Won  int `json:"won"`
	Lost int `json:"lost"`
	Tied int `json:"tied"` // or not decided
}

// AgentStatistics are how one agent did, in all its seats.
type AgentStatistics struct {
	Agent string `json:"agent"`
	Games int    `json:"games"` // counted once for each of its seats
	SeatStatistics
	Lived   int   `json:"lived"`            // steps for which it was in
	Missed  int   `json:"missed"`           // moves that were replaced
	Counts  []int `json:"counts,omitempty"` // of its games together, in the order of the game's counts
	Choices []int `json:"choices"`          // how often it chose each move while it was in
}

func newStatistics(spec *env.Spec, agents []string) *Statistics {
	s := &Statistics{Seats: make([]SeatStatistics, spec.Seats)}
	for i, name := range agents {
		if !slices.Contains(agents[:i], name) {
			s.Agents = append(s.Agents, AgentStatistics{Agent: name, Choices: make([]int, spec.Actions[0].N)})
		}
	}
	return s
}

func (s *Statistics) count(e *Episode, agents []string, sh shape) {
	if s.Games == 0 || e.Steps < s.Shortest {
		s.Shortest = e.Steps
	}
	s.Longest = max(s.Longest, e.Steps)
	s.Games++
	s.Steps += e.Steps
	s.Truncated += int(toByte(e.Truncated))
	for seat, index := range e.Agents {
		a := s.agent(agents[index])
		a.Games++
		a.SeatStatistics.count(e, seat)
		s.Seats[seat].count(e, seat)
		a.Lived += int(e.Lived[seat])
		a.Missed += int(e.Missed[seat])
		own := make([]int, len(e.Counts)/len(e.Agents))
		for i := range own {
			own[i] = int(e.Counts[seat*len(own)+i])
		}
		addUp(&a.Counts, own)
		s.Decisions += int(e.Lived[seat])
		for step := range int(e.Lived[seat]) {
			a.Choices[e.Actions[step*sh.step()+seat*sh.components]]++
		}
	}
}

func (s *SeatStatistics) count(e *Episode, seat int) {
	switch e.Results[seat] {
	case env.Won:
		s.Won++
	case env.Lost:
		s.Lost++
	default:
		s.Tied++
	}
}

// agent finds an agent's statistics, which are begun if there are none.
func (s *Statistics) agent(name string) *AgentStatistics {
	i := slices.IndexFunc(s.Agents, func(a AgentStatistics) bool { return a.Agent == name })
	if i < 0 {
		i = len(s.Agents)
		s.Agents = append(s.Agents, AgentStatistics{Agent: name})
	}
	return &s.Agents[i]
}

func (s *Statistics) add(o *Statistics) {
	if o.Games == 0 {
		return
	}
	if s.Games == 0 || o.Shortest < s.Shortest {
		s.Shortest = o.Shortest
	}
	s.Longest = max(s.Longest, o.Longest)
	s.Games += o.Games
	s.Steps += o.Steps
	s.Decisions += o.Decisions
	s.Truncated += o.Truncated
	for seat := range o.Seats {
		s.Seats[seat].add(&o.Seats[seat])
	}
	for i := range o.Agents {
		from := &o.Agents[i]
		to := s.agent(from.Agent)
		to.Games += from.Games
		to.SeatStatistics.add(&from.SeatStatistics)
		to.Lived += from.Lived
		to.Missed += from.Missed
		addUp(&to.Counts, from.Counts)
		addUp(&to.Choices, from.Choices)
	}
}

func (s *SeatStatistics) add(o *SeatStatistics) {
	s.Won += o.Won
	s.Lost += o.Lost
	s.Tied += o.Tied
}

// addUp adds counts to counts, entry by entry.
func addUp(to *[]int, from []int) {
	for len(*to) < len(from) {
		*to = append(*to, 0)
	}
	for i, n := range from {
		(*to)[i] += n
	}
}

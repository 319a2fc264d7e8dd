package dataset

import (
	"slices"

	"pommego/env"
)

// Statistics are how the games of a data set ended. The statistics of all files add up to those of the data set.
type Statistics struct {
	Games     int `json:"games"`
	Steps     int `json:"steps"`
	Truncated int `json:"truncated"`

	Agents []AgentStatistics `json:"agents"` // each agent once, in the order of the data set's agents
}

// AgentStatistics are the results of one agent, in all its seats.
type AgentStatistics struct {
	Agent string `json:"agent"`
	Games int    `json:"games"` // counted once for each of its seats
	Won   int    `json:"won"`
	Lost  int    `json:"lost"`
	Tied  int    `json:"tied"` // includes games that were not decided

	Missed int `json:"missed,omitempty"` // moves that stop replaced, as far as that is known: see Episode
}

func newStatistics(agents []string) *Statistics {
	s := new(Statistics)
	for _, name := range agents {
		s.agent(name)
	}
	return s
}

func (s *Statistics) count(e *Episode) {
	s.Games++
	s.Steps += e.Steps
	if e.Truncated {
		s.Truncated++
	}
	for seat, name := range e.Agents {
		a := s.agent(name)
		a.Games++
		a.Missed += int(e.Missed[seat])
		switch e.Results[seat] {
		case env.Won:
			a.Won++
		case env.Lost:
			a.Lost++
		default:
			a.Tied++
		}
	}
}

// agent returns an agent's statistics, and adds an entry if there is none.
func (s *Statistics) agent(name string) *AgentStatistics {
	i := slices.IndexFunc(s.Agents, func(a AgentStatistics) bool { return a.Agent == name })
	if i < 0 {
		i = len(s.Agents)
		s.Agents = append(s.Agents, AgentStatistics{Agent: name})
	}
	return &s.Agents[i]
}

func (s *Statistics) add(o *Statistics) {
	s.Games += o.Games
	s.Steps += o.Steps
	s.Truncated += o.Truncated
	for _, from := range o.Agents {
		to := s.agent(from.Agent)
		to.Games += from.Games
		to.Won += from.Won
		to.Lost += from.Lost
		to.Tied += from.Tied
		to.Missed += from.Missed
	}
}

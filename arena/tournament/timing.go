package tournament

import "time"

// Timing is what the clock said. It differs from run to run, and is no part of
// Results for that reason.
type Timing struct {
	Agents []AgentTime `json:"agents"`
}

// AgentTime is how long an agent thought.
type AgentTime struct {
	Agent   string        `json:"agent"`
	Moves   int           `json:"moves"`
	Mean    time.Duration `json:"mean_ns"`    // of a decision
	Longest time.Duration `json:"longest_ns"` // decision
	Total   time.Duration `json:"total_ns"`
	// TicksPerSecond is how many moves of the game an agent that searches
	// simulates in a second of thinking: one core's.
	TicksPerSecond float64 `json:"ticks_per_second"`
}

func (s *schedule) timing(records []Record) *Timing {
	agents := make([]AgentTime, len(s.config.Agents))
	ticks := make([]float64, len(agents))
	for i, label := range s.config.Agents {
		agents[i].Agent = label
	}
	for i := range records {
		r, f := &records[i], s.game(i)
		for seat, entrant := range f.seats {
			if entrant == len(agents) || r.Agents == nil {
				continue
			}
			a := &agents[entrant]
			a.Moves += r.Moves[seat]
			a.Total += r.Clock.Think[seat]
			a.Longest = max(a.Longest, r.Clock.Longest[seat])
			ticks[entrant] += float64(r.Ticks[seat])
		}
	}
	for i := range agents {
		a := &agents[i]
		a.Mean = a.Total / time.Duration(max(1, a.Moves))
		if a.Total > 0 {
			a.TicksPerSecond = ticks[i] / a.Total.Seconds()
		}
	}
	return &Timing{Agents: agents}
}

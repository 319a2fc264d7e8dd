package tournament

import "time"

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

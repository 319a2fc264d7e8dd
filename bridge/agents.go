package bridge

import (
	"strconv"
	"strings"
	"time"
)

// allowAgent refuses agents that would think for longer, or with more memory, than
// the server lets them. Names that are wrong in other ways are for their game to refuse.
func (c *Config) allowAgent(name string) error {
	_, options, _ := strings.Cut(name, ":")
	for option := range strings.SplitSeq(options, ",") {
		key, text, _ := strings.Cut(option, "=")
		most, flag := c.agentLimit(strings.TrimSpace(key))
		if flag == "" {
			continue
		}
		if value, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && value > most {
			return fail(codeLimit, "", "ask for less, or start the server with a higher "+flag,
				"agent %q: %s is %v, and may be at most %v on this server", name, key, value, most)
		}
	}
	return nil
}

// agentLimit is the most that an agent's option may be, and the flag of serve that
// says so; "" if it has no limit of the server's.
func (c *Config) agentLimit(key string) (most float64, flag string) {
	switch key {
	case "ticks", "iterations", "samples":
		return float64(c.MaxAgentTicks), "--max-agent-ticks"
	case "ms":
		return float64(c.MaxAgentTime) / float64(time.Millisecond), "--max-agent-time"
	case "memory": // in MiB
		return float64(c.MaxAgentMemory >> 20), "--max-agent-memory"
	}
	return 0, ""
}

package bridge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// allowAgent returns an error for agents that would think for longer, or with more
// memory, than the server allows, and for names that are too long, which saved games
// may hold. It leaves all other wrong names to their game.
func (c *Config) allowAgent(name string) error {
	if len(name) > maxNameBytes {
		return fail(codeLimit, "", "", "the name of an agent has %d bytes, want at most %d", len(name), maxNameBytes)
	}
	_, options, _ := strings.Cut(name, ":")
	for option := range strings.SplitSeq(options, ",") {
		key, text, _ := strings.Cut(option, "=")
		most, hint := c.agentLimit(name, strings.TrimSpace(key))
		if hint == "" {
			continue
		}
		if value, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && value > most {
			return fail(codeLimit, "", hint,
				"agent %q: %s is %v, and may be at most %v on this server", name, key, value, most)
		}
	}
	return nil
}

// agentLimit returns the most that an agent's option may be, and a hint about what to
// do; the hint is empty if the server does not limit the option.
func (c *Config) agentLimit(name, key string) (most float64, hint string) {
	const higher = "ask for less, or start the server with a higher --max-agent-time"
	switch key {
	case "ticks", "samples":
		return float64(c.MaxAgentTicks), higher
	case "iterations": // of up to 100 ticks each
		return float64(max(c.MaxAgentTicks/100, 1)), higher
	case "ms":
		return float64(c.MaxAgentTime) / float64(time.Millisecond), higher
	case "memory": // in MiB
		return float64(c.MaxAgentMemory >> 20), "ask for less"
	case "omniscient":
		if slices.Contains(c.AllowAgents, name) || slices.Contains(c.AllowAgents, "*") {
			return 1, "set it to 0 or 1"
		}
		return 0, fmt.Sprintf("it would see the whole state: start the server with --allow-agents %q", name)
	}
	return 0, ""
}

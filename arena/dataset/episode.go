package dataset

import (
	"encoding/binary"
	"fmt"
	"slices"

	"pommego/env"
)

// Episode is one played game. Lists are by seat. The fields that a replay sets are nil before it.
type Episode struct {
	Game    int      `json:"game"` // its number in the data set
	Seed    env.Seed `json:"seed"` // the seed from which Start was dealt
	Dealt   bool     `json:"-"`    // Start is the game that Seed deals; else Seed has no meaning
	Start   []byte   `json:"-"`    // the game at its start, as vec.Pool.Save writes it; nil if Dealt says enough
	Agents  []string `json:"agents"`
	Steps   int      `json:"steps"`   // steps made
	Missed  []int32  `json:"missed"`  // how many moves stop replaced, because they were late or invalid
	Actions []byte   `json:"actions"` // one byte per step, seat and component, in this order; 0 for seats that are out

	// Decisions are the decisions about which agents report more than the action, in the order of steps and seats.
	Decisions []Decision `json:"decisions,omitempty"`

	// Set by a replay.
	Results   []env.SeatResult `json:"-"`
	Outcome   []float64        `json:"-"` // the reward of the end, 0 where the seat's result was not decided
	Lived     []int32          `json:"-"` // how many steps the seat was in
	Truncated bool             `json:"-"`
	Counts    []int32          `json:"-"` // for each seat one number per count of the game
}

// Decision is what an agent reports about its choice of an action: arrays by name, each as its column
// stores it.
type Decision struct {
	Step   int               `json:"step"`
	Seat   int               `json:"seat"`
	Arrays map[string][]byte `json:"arrays"`
}

// listen stores why a seat's agent chose its last action, if its search reports that: how often it
// tried each choice, and the value that it found for each.
func (e *Episode) listen(spec *env.Spec, agent any, seat int) {
	if t, ok := env.ThoughtOf(spec, seat, agent); ok && t.Visits != nil {
		visits, _ := binary.Append(nil, le, t.Visits)
		values, _ := binary.Append(nil, le, t.Values)
		e.Decisions = append(e.Decisions, Decision{e.Steps, seat, map[string][]byte{visitsName: visits, valuesName: values}})
	}
}

// fits says why the episode cannot belong to a game with this many bytes of actions per step.
func (e *Episode) fits(step int) error {
	switch {
	case e.Game < 0 || e.Steps < 0:
		return fmt.Errorf("its game is %d and it has %d steps, want 0 or more of each", e.Game, e.Steps)
	case slices.ContainsFunc(e.Lived, func(n int32) bool { return n < 0 || int(n) > e.Steps }):
		return fmt.Errorf("its seats were in for %[2]d steps, want 0 to %[1]d, its number of steps", e.Steps, e.Lived)
	case len(e.Actions) != e.Steps*step:
		return fmt.Errorf("it has %d bytes of actions for %d steps, want %d", len(e.Actions), e.Steps, e.Steps*step)
	}
	return nil
}

func toByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

package dataset

import (
	"encoding/binary"
	"fmt"
	"slices"

	"pommego/env"
)

// Episode is one played game. Lists are by seat. What a replay tells is nil until there was one.
type Episode struct {
	Game    int      `json:"game"` // its number in the data set
	Seed    env.Seed `json:"seed"` // where Start comes from
	Dealt   bool     `json:"-"`    // Start is what Seed deals; else Seed means nothing
	Start   []byte   `json:"-"`    // the game at its start, as vec.Pool.Save writes it; nil if Dealt says enough
	Agents  []string `json:"agents"`
	Steps   int      `json:"steps"`   // made
	Missed  []int32  `json:"missed"`  // how many moves were replaced by stop, because they came late or were none
	Actions []byte   `json:"actions"` // a byte for each step, seat and component, in this order; 0 for seats that are out

	// Decisions are those of which agents report more than the action, in the order of steps and seats.
	Decisions []Decision `json:"decisions,omitempty"`

	// What a replay tells.
	Results   []env.SeatResult `json:"-"`
	Outcome   []float64        `json:"-"` // what the end paid, 0 where the seat's fate was not decided
	Lived     []int32          `json:"-"` // how many steps the seat was in
	Truncated bool             `json:"-"`
	Counts    []int32          `json:"-"` // for each seat a number for each of the game's counts
}

// Decision is what an agent reports of how it chose an action: arrays, by their names in the form of
// their columns.
type Decision struct {
	Step   int               `json:"step"`
	Seat   int               `json:"seat"`
	Arrays map[string][]byte `json:"arrays"`
}

// listen notes what a seat's agent chose its last action by, if its search reports that: how often it
// tried each choice, and what it found each to be worth.
func (e *Episode) listen(spec *env.Spec, agent any, seat int) {
	if t, ok := env.ThoughtOf(spec, seat, agent); ok && t.Visits != nil {
		visits, _ := binary.Append(nil, le, t.Visits)
		values, _ := binary.Append(nil, le, t.Values)
		e.Decisions = append(e.Decisions, Decision{e.Steps, seat, map[string][]byte{visitsName: visits, valuesName: values}})
	}
}

// fits says why the episode cannot be of a game in which a step has so many bytes of actions.
func (e *Episode) fits(step int) error {
	switch {
	case e.Game < 0 || e.Steps < 0:
		return fmt.Errorf("it is of game %d, with %d steps", e.Game, e.Steps)
	case slices.ContainsFunc(e.Lived, func(n int32) bool { return n < 0 || int(n) > e.Steps }):
		return fmt.Errorf("it has %d steps, of which seats were in for %d", e.Steps, e.Lived)
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

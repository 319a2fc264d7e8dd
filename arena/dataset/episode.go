package dataset

import (
	"encoding/binary"
	"fmt"
	"slices"

	"pommego/env"
)

// Episode is one played game.
type Episode struct {
	Game   int      // its number in the data set
	Seed   env.Seed // where Start comes from
	Dealt  bool     // Start is what Seed deals; else Seed means nothing
	Start  []byte   // the game at its start, as vec.Pool.Save writes it; nil if Dealt says enough
	Agents []uint16 // by seat, indices into the data set's agents
	Steps  int      // steps made
	// Results are by seat.
	Results []env.SeatResult
	// Outcome is what the end paid each seat, 0 where its fate was not decided.
	Outcome []float64
	// Lived is for each seat how many steps it was in.
	Lived []int32
	// Missed is for each seat how many moves were replaced by stop, because
	// they came late or were none.
	Missed    []int32
	Truncated bool
	// Counts is what was counted, for each seat a number for each of the game's
	// counts; nil if nobody has yet.
	Counts []int32
	// Actions has a byte for each step, seat and component, in this order; 0
	// for seats that are out.
	Actions []byte
	// Decisions are those of which agents report more than the action, in the
	// order of steps and seats.
	Decisions []Decision
}

// Decision is what an agent reports of how it chose an action. Arrays are in
// the form of their columns.
type Decision struct {
	Step, Seat int
	Visits     []byte // how often its search tried each choice
	Values     []byte // what the search found each to be worth

	Extra map[string][]byte // further arrays, by their names
}

// listen notes what a seat's agent chose its last action by, if its search reports that.
func (e *Episode) listen(spec *env.Spec, agent any, seat int) {
	if t, ok := env.ThoughtOf(spec, seat, agent); ok && t.Visits != nil {
		d := Decision{Step: e.Steps, Seat: seat}
		d.Visits, _ = binary.Append(nil, le, t.Visits)
		d.Values, _ = binary.Append(nil, le, t.Values)
		e.Decisions = append(e.Decisions, d)
	}
}

// shape is the numbers by which the parts of an episode are counted.
type shape struct{ seats, components int }

func shapeOf(spec *env.Spec) shape { return shape{spec.Seats, len(spec.Actions)} }

// step is how many bytes of actions a step has.
func (s shape) step() int { return s.seats * s.components }

// fits says why the episode cannot be of a game of the given shape.
func (e *Episode) fits(s shape) error {
	switch {
	case e.Game < 0 || e.Steps < 0:
		return fmt.Errorf("it is of game %d, with %d steps", e.Game, e.Steps)
	case slices.ContainsFunc(e.Lived, func(n int32) bool { return n < 0 || int(n) > e.Steps }):
		return fmt.Errorf("it has %d steps, of which seats were in for %d", e.Steps, e.Lived)
	case len(e.Actions) != e.Steps*s.step():
		return fmt.Errorf("it has %d bytes of actions for %d steps, want %d", len(e.Actions), e.Steps, e.Steps*s.step())
	}
	return nil
}

func toByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

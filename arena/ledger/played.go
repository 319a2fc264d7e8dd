package ledger

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"pommego/arena/match"
	"pommego/env"
)

// Played is one game that was played. Whatever else is to be known of it, a [Replay] finds.
type Played struct {
	Game       int      `json:"game"` // its number in the tournament or data set
	env.Seed            // deals the start
	Repetition int      `json:"repetition,omitempty"` // which of the games on that board, from 0: match.Rules.Repetition
	Agents     []string `json:"agents"`               // by seat
	Steps      int      `json:"steps"`                // steps made

	// Start is the game at its start, as vec.Pool.Save writes it; nil if the seed deals it.
	Start []byte `json:"-"`

	// Actions has one byte per step, seat and component, in this order; 0 for seats that are out. Without it
	// a game with steps cannot be played again.
	Actions []byte `json:"actions,omitempty"`

	// Decisions are the decisions about which agents report more than the action, in the order of steps and seats.
	Decisions []Decision `json:"decisions,omitempty"`
}

// Decision is what an agent reports about its choice of an action: arrays by name, each of little-endian numbers.
type Decision struct {
	Step   int               `json:"step"`
	Seat   int               `json:"seat"`
	Arrays map[string][]byte `json:"arrays"`
}

// The arrays of agents that search: for each choice, int32 and float64.
const (
	Visits = "visits" // how often the search tried it
	Values = "values" // the value that the search found for it
)

// Add adds the step that led to a moment of the game, if one did, and with searches what the searches behind it found.
func (p *Played) Add(at match.Moment, searches bool) {
	if at.Actions == nil {
		return
	}
	var thoughts []env.Thought
	if p.Actions = append(p.Actions, at.Actions...); searches {
		thoughts = at.Thoughts()
	}
	for _, t := range thoughts {
		if t.Visits != nil {
			visits, _ := binary.Append(nil, binary.LittleEndian, t.Visits)
			values, _ := binary.Append(nil, binary.LittleEndian, t.Values)
			p.Decisions = append(p.Decisions, Decision{p.Steps, t.Seat, map[string][]byte{Visits: visits, Values: values}})
		}
	}
	p.Steps++
}

// thought is the search that the decision reports.
func (d *Decision) thought() env.Thought {
	visits := make([]int32, len(d.Arrays[Visits])/4)
	values := make([]float64, len(visits))
	_, _ = binary.Decode(d.Arrays[Visits], binary.LittleEndian, visits)
	_, _ = binary.Decode(d.Arrays[Values], binary.LittleEndian, values)
	return env.Searched(d.Seat, visits, values)
}

// Check returns an error unless the steps fit a game and all actions are within their range.
func (p *Played) Check(spec *env.Spec) error {
	parts, seats := len(spec.Actions), spec.Seats
	if err := p.Fits(parts * seats); err != nil {
		return err
	}
	for i, a := range p.Actions {
		if c := &spec.Actions[i%parts]; int(a) >= c.N {
			return fmt.Errorf("step %d: %s of seat %d is %d, want 0 to %d", i/parts/seats, c.Name, i/parts%seats, a, c.N-1)
		}
	}
	return nil
}

// CheckLogged is Check for a game from a log, in which each decision has the arrays of a search and its place in order.
func (p *Played) CheckLogged(spec *env.Spec) error {
	last := Decision{Seat: -1}
	for _, d := range p.Decisions {
		visits, values, n := len(d.Arrays[Visits]), len(d.Arrays[Values]), spec.MaskSize()
		if d.Seat < 0 || d.Seat >= spec.Seats || visits != 4*n || values != 8*n {
			return fmt.Errorf("a decision of seat %d has %d bytes of visits and %d of values, want seat 0 to %d, %d and %d",
				d.Seat, visits, values, spec.Seats-1, 4*n, 8*n)
		}
		if d.Step >= p.Steps || cmp.Or(d.Step-last.Step, d.Seat-last.Seat) <= 0 {
			return fmt.Errorf("there is a decision of seat %d in step %d, want decisions in the order of steps, of which it "+
				"has %d, and seats", d.Seat, d.Step, p.Steps)
		}
		last = d
	}
	return p.Check(spec)
}

// Fits says why the game cannot have this many bytes of actions per step.
func (p *Played) Fits(step int) error {
	switch {
	case p.Game < 0 || p.Steps < 0:
		return fmt.Errorf("its game is %d and it has %d steps, want 0 or more of each", p.Game, p.Steps)
	case len(p.Actions)%step != 0 || len(p.Actions)/step != p.Steps: // the product may overflow
		return fmt.Errorf("it has %d bytes of actions for %d steps, want %d a step", len(p.Actions), p.Steps, step)
	}
	return nil
}

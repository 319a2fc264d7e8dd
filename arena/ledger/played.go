package ledger

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/gamestate"
	"pommego/env/record"
	"pommego/env/saved"
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

// Ending is how a game ends: what a replay finds, or the record of it. Lists are by seat.
type Ending struct {
	Results   []env.SeatResult `json:"-"`
	Outcome   []float64        `json:"-"` // the reward of the end, 0 where the seat's result was not decided
	Lived     []int32          `json:"-"` // how many steps the seat was in
	Truncated bool             `json:"-"`
	Counts    []int32          `json:"-"` // for each seat one number per count of the game; nil: not recorded
}

// differs says how the ending differs from a record that is whole.
func (e *Ending) differs(recorded Ending) error {
	if recorded.Counts == nil {
		recorded.Counts = e.Counts
	}
	if recorded.Outcome == nil || reflect.DeepEqual(*e, recorded) {
		return nil
	}
	return fmt.Errorf("played again, it ends with %+v, want %+v, as recorded: the record is damaged, or was made with "+
		"other rules", *e, recorded)
}

// Replay plays games again, one after the other, in the same match: see [record.Replay]. Games are
// saved as those of a vector environment in which every seat learns.
type Replay struct {
	Game    env.Game
	Match   env.Match   // in the game's present position; read-only
	Tracker env.Tracker // follows it; read-only
	Seats   []uint8     // all of them
	Note    string      // what is unusual about the game: record.Info

	form   gamestate.Form
	events bool

	e      *Played     // the game that is played
	ending *Ending     // set at its end
	record Ending      // what ending was before
	made   int         // how many of its steps have been made
	before env.SeatSet // the seats that were in when the last step began
}

// NewReplay makes a replay for games played in game. With events its moments have events and thoughts.
func NewReplay(game env.Game, events bool) *Replay {
	r := &Replay{Game: game, form: gamestate.Of(game.Spec()), Match: game.New(1)[0],
		Tracker: game.NewTrackers(1, events)[0], events: events}
	for seat := range game.Spec().Seats {
		r.Seats = append(r.Seats, uint8(seat))
	}
	return r
}

// Dealt is the saved game that a seed deals.
func (r *Replay) Dealt(seed env.Seed) []byte {
	r.Match.Reset(seed)
	return r.form.Append(nil, &gamestate.State{
		Ended: r.Match.Status().Over, Seed: env.Seed{Value: seed.Value}, Rows: saved.Ints(r.Seats),
		Returns: make([]float64, len(r.Seats)), Match: r.Match.Append(nil),
	})
}

// Begin begins a game, and sets ending at its end. It returns an error if the game does not fit, or its steps cannot be
// made. If ending has outcomes, it is the game's record, and another end is an error of Follow.
func (r *Replay) Begin(e *Played, ending *Ending) error {
	r.e, r.ending, r.made, r.before = e, ending, 0, 0
	if err := e.Check(r.Game.Spec()); err != nil {
		return err
	}
	if again := e.Seed; e.Start == nil {
		r.Match.Reset(e.Seed)
		if again.Episode += uint64(e.Repetition); again != e.Seed {
			r.Match.Reseed(again)
		}
	} else {
		state, err := r.form.Decode(e.Start)
		if err != nil {
			return err
		}
		if !slices.Equal(state.Rows, saved.Ints(r.Seats)) || len(state.Agents) > 0 || state.Train {
			return fmt.Errorf("it has learners in the seats %v and %d agents, want learners in all seats",
				state.Rows, len(state.Agents))
		}
		if err := r.Match.Restore(state.Match); err != nil {
			return err
		}
	}
	r.record = *ending
	*ending = Ending{Outcome: make([]float64, len(r.Seats)), Lived: make([]int32, len(r.Seats))}
	r.Tracker.Begin(r.Match)
	return nil
}

// Info describes the game.
func (r *Replay) Info() record.Info {
	info := record.Info{EnvID: r.Game.Spec().ID, Seed: r.e.Seed.Value, Policies: r.e.Agents, Note: r.Note}
	info, _ = info.Complete()
	return info
}

// Len is how many steps the game has.
func (r *Replay) Len() int { return r.e.Steps }

// Status is the status of the match.
func (r *Replay) Status() env.Status { return r.Match.Status() }

// Position is the state of the match and its description.
func (r *Replay) Position() ([]byte, *env.Spec) { return r.Match.Append(nil), r.Game.Spec() }

func (r *Replay) actions(step int) []byte {
	n := len(r.e.Actions) / r.e.Steps
	return r.e.Actions[step*n : (step+1)*n]
}

// Follow makes the remaining steps. At the last one it sets the ending.
func (r *Replay) Follow(see func(record.Moment) error) error {
	at, e, end := record.Moment{Match: r.Match, Game: r.Game, Tracker: r.Tracker}, r.e, r.ending
	decisions := e.Decisions
	err := see(at)
	for err == nil && r.made < e.Steps {
		status := r.Match.Status()
		if status.Over {
			return fmt.Errorf("played again, the game is over after %d steps, and %d more are recorded", r.made, e.Steps-r.made)
		}
		for _, seat := range status.In.List() {
			end.Lived[seat]++
		}
		at.Actions, at.Thoughts, r.before = r.actions(r.made), nil, status.In
		r.Tracker.Step(r.Match, at.Actions)
		r.made++
		for ; r.events && len(decisions) > 0 && decisions[0].Step < r.made; decisions = decisions[1:] {
			if d := &decisions[0]; d.Step == r.made-1 && d.Arrays[Visits] != nil {
				at.Thoughts = append(at.Thoughts, d.thought())
			}
		}
		err = see(at)
	}
	if err != nil {
		return err
	}
	s := r.Match.Status()
	r.Match.Outcome(end.Outcome)
	for seat := range end.Outcome {
		if !s.Decided.Has(seat) {
			end.Outcome[seat] = 0
		}
	}
	spec := r.Game.Spec()
	end.Truncated, end.Results = !s.Over, s.SeatResults(spec.Teams, r.before)
	end.Counts = CountsOf(spec, r.Tracker, r.Match)
	return end.differs(r.record)
}

// CountsOf returns a tracker's counts in the form of Ending.Counts.
func CountsOf(spec *env.Spec, t env.Tracker, m env.Match) []int32 {
	all := make([]int32, spec.Seats*len(spec.Counts))
	for seat := range spec.Seats {
		t.Counts(m, seat, all[seat*len(spec.Counts):][:len(spec.Counts)])
	}
	return all
}

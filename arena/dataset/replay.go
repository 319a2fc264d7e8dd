package dataset

import (
	"encoding/binary"
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/gamestate"
	"pommego/env/record"
	"pommego/env/saved"
)

// Replay plays games again, one after the other, in the same match: see [record.Replay]. Games are
// saved as those of a vector environment in which every seat learns.
type Replay struct {
	game    env.Game
	form    gamestate.Form
	seats   []uint8
	match   env.Match
	tracker env.Tracker
	events  bool

	e      *Episode    // the episode that is played
	made   int         // how many of its steps have been made
	before env.SeatSet // the seats that were in when the last step began
}

// NewReplay makes a replay for games of a data set in game. With events its moments have events and thoughts.
func NewReplay(game env.Game, events bool) *Replay {
	r := &Replay{game: game, form: gamestate.Of(game.Spec()), match: game.New(1)[0],
		tracker: game.NewTrackers(1, events)[0], events: events}
	for seat := range game.Spec().Seats {
		r.seats = append(r.seats, uint8(seat))
	}
	return r
}

// dealt is the saved game that a seed deals.
func (r *Replay) dealt(seed env.Seed) []byte {
	r.match.Reset(seed)
	return r.form.Append(nil, &gamestate.State{
		Ended: r.match.Status().Over, Seed: env.Seed{Value: seed.Value}, Rows: saved.Ints(r.seats),
		Returns: make([]float64, len(r.seats)), Match: r.match.Append(nil),
	})
}

// Begin begins a game. It returns an error if the game does not fit, or its steps cannot be made.
func (r *Replay) Begin(e *Episode) error {
	r.e, r.made, r.before = e, 0, 0
	if err := e.check(r.game.Spec()); err != nil {
		return err
	}
	if e.Start == nil {
		r.match.Reset(e.Seed)
	} else {
		state, err := r.form.Decode(e.Start)
		if err != nil {
			return err
		}
		if !slices.Equal(state.Rows, saved.Ints(r.seats)) || len(state.Agents) > 0 || state.Train {
			return fmt.Errorf("it has learners in the seats %v and %d agents, want learners in all seats",
				state.Rows, len(state.Agents))
		}
		if err := r.match.Restore(state.Match); err != nil {
			return err
		}
	}
	e.Outcome, e.Lived, e.Counts = make([]float64, len(r.seats)), make([]int32, len(r.seats)), nil
	r.tracker.Begin(r.match)
	return nil
}

// check returns an error unless an episode fits the game and all its actions are within their range.
func (e *Episode) check(spec *env.Spec) error {
	parts, seats := len(spec.Actions), spec.Seats
	if err := e.fits(seats * parts); err != nil {
		return err
	}
	for i, a := range e.Actions {
		if c := &spec.Actions[i%parts]; int(a) >= c.N {
			return fmt.Errorf("step %d: %s of seat %d is %d, want 0 to %d", i/parts/seats, c.Name, i/parts%seats, a, c.N-1)
		}
	}
	return nil
}

// Info describes the game.
func (r *Replay) Info() record.Info {
	info := record.Info{EnvID: r.game.Spec().ID, Policies: r.e.Agents}
	if r.e.Dealt {
		info.Seed = r.e.Seed.Value
	}
	info, _ = info.Complete()
	return info
}

// Len is how many steps the game has.
func (r *Replay) Len() int { return r.e.Steps }

// Status is the status of the match.
func (r *Replay) Status() env.Status { return r.match.Status() }

// Position is the state of the match and its description.
func (r *Replay) Position() ([]byte, *env.Spec) { return r.match.Append(nil), r.game.Spec() }

func (r *Replay) actions(step int) []byte {
	n := len(r.e.Actions) / r.e.Steps
	return r.e.Actions[step*n : (step+1)*n]
}

// Follow makes the remaining steps. At the last one it sets the fields of the episode that need a replay.
func (r *Replay) Follow(see func(record.Moment) error) error {
	at, e, decisions := record.Moment{Match: r.match, Game: r.game, Tracker: r.tracker}, r.e, r.e.Decisions
	err := see(at)
	for err == nil && r.made < e.Steps {
		status := r.match.Status()
		if status.Over {
			return fmt.Errorf("played again, the game is over after %d steps, and %d more are recorded", r.made, e.Steps-r.made)
		}
		for seat := range e.Lived {
			e.Lived[seat] += int32(toByte(status.In.Has(seat)))
		}
		at.Actions, at.Thoughts, r.before = r.actions(r.made), nil, status.In
		r.tracker.Step(r.match, at.Actions)
		r.made++
		for ; r.events && len(decisions) > 0 && decisions[0].Step < r.made; decisions = decisions[1:] {
			if d := &decisions[0]; d.Step == r.made-1 && d.Arrays[visitsName] != nil {
				at.Thoughts = append(at.Thoughts, d.thought())
			}
		}
		err = see(at)
	}
	if err != nil {
		return err
	}
	s := r.match.Status()
	r.match.Outcome(e.Outcome)
	for seat := range e.Outcome {
		if !s.Decided.Has(seat) {
			e.Outcome[seat] = 0
		}
	}
	spec := r.game.Spec()
	e.Truncated, e.Results, e.Counts = !s.Over, s.SeatResults(spec.Teams, r.before), countsOf(spec, r.tracker, r.match)
	return nil
}

func (d *Decision) thought() env.Thought {
	visits := make([]int32, len(d.Arrays[visitsName])/4)
	values := make([]float64, len(visits))
	_, _ = binary.Decode(d.Arrays[visitsName], le, visits)
	_, _ = binary.Decode(d.Arrays[valuesName], le, values)
	return env.Searched(d.Seat, visits, values)
}

// countsOf returns a tracker's counts in the form of Episode.Counts.
func countsOf(spec *env.Spec, t env.Tracker, m env.Match) []int32 {
	all := make([]int32, spec.Seats*len(spec.Counts))
	for seat := range spec.Seats {
		t.Counts(m, seat, all[seat*len(spec.Counts):][:len(spec.Counts)])
	}
	return all
}

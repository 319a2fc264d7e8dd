package ledger

import (
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/gamestate"
	"pommego/env/record"
	"pommego/env/saved"
)

// Ending is what a replay finds of a game. Lists are by seat.
type Ending struct {
	Results   []env.SeatResult `json:"-"`
	Outcome   []float64        `json:"-"` // the reward of the end, 0 where the seat's result was not decided
	Lived     []int32          `json:"-"` // how many steps the seat was in
	Truncated bool             `json:"-"`
	Counts    []int32          `json:"-"` // for each seat one number per count of the game
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
// made.
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
	return nil
}

// CountsOf returns a tracker's counts in the form of Ending.Counts.
func CountsOf(spec *env.Spec, t env.Tracker, m env.Match) []int32 {
	all := make([]int32, spec.Seats*len(spec.Counts))
	for seat := range spec.Seats {
		t.Counts(m, seat, all[seat*len(spec.Counts):][:len(spec.Counts)])
	}
	return all
}

package match

import (
	"bytes"
	"fmt"
	"strings"

	"pommego/env"
	"pommego/env/record"
)

// Recording records a match: its Watch is handed to [Play]. It keeps the thoughts of agents that
// search. The record's note says how many moves stop replaced.
type Recording struct {
	// Setup says how the game began; "": it was dealt.
	Setup string

	policies []string
	obsEvery int

	game     Moment // the start of the game
	start    []byte
	actions  [][]byte
	thoughts [][]env.Thought     // by step
	replaced [][len(wrong)][]int // by seat and by index of wrong: the steps of such moves
	stopped  env.SeatSet         // Moment.Stopped
}

// wrong lists why stop replaces a move.
var wrong = [3]string{"late", "failed", "gone"}

// NewRecording makes a recording. Observations are recorded every obsEvery steps, 0: never.
func NewRecording(game env.Game, players []Player, obsEvery int) (*Recording, error) {
	if _, ok := game.New(1)[0].(record.Recordable); !ok {
		return nil, fmt.Errorf("match: matches of %s cannot be recorded", game.Spec().ID)
	}
	r := &Recording{obsEvery: obsEvery}
	for _, p := range players {
		r.policies = append(r.policies, p.Name())
	}
	return r, nil
}

// Watch records a moment of the match.
func (r *Recording) Watch(at Moment) error {
	if at.Actions == nil {
		r.game, r.start = at, at.Match.Append(nil)
		r.replaced = make([][len(wrong)][]int, len(r.policies))
	} else {
		r.actions = append(r.actions, bytes.Clone(at.Actions))
		r.thoughts, r.stopped = append(r.thoughts, at.Thoughts()), at.Stopped
		for what, seats := range [len(wrong)]env.SeatSet{at.Late, at.Failed, at.Gone} {
			for _, seat := range seats.List() {
				r.replaced[seat][what] = append(r.replaced[seat][what], len(r.actions))
			}
		}
	}
	return nil
}

// Steps is how many steps have been made.
func (r *Recording) Steps() int { return len(r.actions) }

// Record returns the record of the game up to its last step. It plays the game again, since the note
// comes first in the record and is known only now.
func (r *Recording) Record() ([]byte, error) {
	return record.Write(r.game.Game, record.Info{
		EnvID: r.game.Game.Spec().ID, Seed: r.game.Seed.Value, Note: r.note(), Setup: r.Setup, Policies: r.policies,
		ObsEvery: r.obsEvery,
	}, r.start, r.actions, r.thoughts)
}

// note says what was unusual about the game, nothing if nothing was.
func (r *Recording) note() string {
	var parts []string
	for seat, replaced := range r.replaced {
		for what, at := range replaced {
			if at != nil {
				parts = append(parts, fmt.Sprintf("agent %d %s %d times, first at step %d", seat, wrong[what], len(at), at[0]))
			}
		}
		if r.stopped.Has(seat) {
			parts = append(parts, fmt.Sprintf("agent %d had too much memory and lost the match", seat))
		}
	}
	return strings.Join(parts, "; ")
}

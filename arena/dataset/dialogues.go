package dataset

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pommego/arena/ledger"
	"pommego/arena/scene"
	"pommego/env"
)

// Tell returns what layout Dialogues has of a seat before a step: the prompt, what the seat knows, and the answer
// that plays its action. The answer gives a reason if there are values, those of all choices from a search.
type Tell = func(now *scene.Step, seat int, action []uint8, values []float64) [3]string

// NewTell begins to tell a game; m is at its start, and follows it. A program that makes or verifies data sets of
// layout Dialogues sets it.
var NewTell func(game env.Game, m env.Match) Tell

// dialogueColumns are the columns that layout Dialogues has in place of observations.
func dialogueColumns(about *Env) []column {
	return []column{
		{Column{Name: "env", Type: String, Meaning: "the game's id"},
			func(*row) parquet.Value { return text(about.ID) }, nil},
		{Column: Column{Name: "messages", Type: Messages,
			Meaning: "system: what a model reads first; user: what the seat knows; assistant: its reason, if it has searched, " +
				"and its action"}},
	}
}

// turns returns, for each seat that is in, the text that it reads before a step and its answer. left
// has the episode's decisions from this step on.
func (e *encoder) turns(m env.Match, r *row, left []ledger.Decision) map[int]turn {
	turns, now := map[int]turn{}, scene.Describe(e.spec, m, e.replay.Tracker, nil)
	now.Events = e.replay.Tracker.Events()
	parts := len(e.spec.Actions)
	for _, seat := range now.Status.In {
		at := slices.IndexFunc(left[:min(len(left), e.spec.Seats)], func(d ledger.Decision) bool {
			return d.Step == r.step && d.Seat == seat
		})
		var values []float64
		if at >= 0 && left[at].Arrays[ledger.Values] != nil {
			values = make([]float64, e.spec.MaskSize())
			_, _ = binary.Decode(left[at].Arrays[ledger.Values], le, values)
		}
		turns[seat] = e.tell(&now, seat, r.e.Actions[(r.step*e.spec.Seats+seat)*parts:][:parts], values)
	}
	return turns
}

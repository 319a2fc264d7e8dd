package dataset

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pommego/arena/orders"
	"pommego/arena/scene"
	"pommego/arena/words"
	"pommego/env"
)

// dialogueColumns are what layout Dialogues has in place of observations.
func dialogueColumns(about *Env) []column {
	return []column{
		{Column{Name: "env", Type: String, Meaning: "the game's id"},
			func(*row) parquet.Value { return text(about.ID) }, nil},
		{Column: Column{Name: "messages", Type: Messages,
			Meaning: "system: the rules; user: what the seat knows; assistant: its reason, if it has searched, and its action"}},
	}
}

// turns returns, for each seat that is in, what it reads before a step and what it answers. left has
// the episode's decisions from this step on.
func (e *encoder) turns(m env.Match, r *row, left []Decision) map[int]turn {
	turns, now := map[int]turn{}, scene.Describe(e.spec, m, e.starts.tracker, nil)
	parts, masks, movers := len(e.spec.Actions), e.spec.MaskSize(), e.head.Movers()
	for _, seat := range now.Status.In {
		seen, fire := now.Seen(&e.head, seat), words.Fire(m, seat)
		action := r.e.Actions[(r.step*e.spec.Seats+seat)*parts:][:parts]
		o := orders.Orders{Actions: action[:movers]}
		copy(o.Said[:], action[movers:])
		answer := o.Text(&e.head)
		at := slices.IndexFunc(left[:min(len(left), e.spec.Seats)], func(d Decision) bool {
			return d.Step == r.step && d.Seat == seat
		})
		if at >= 0 && movers == 1 {
			values := make([]float64, masks)
			_, _ = binary.Decode(left[at].Values, le, values)
			answer = e.words.Reason(m, &seen, seat, fire, action[0], values) + "\n" + answer
		}
		mask := r.now.mask[seat*masks:][:masks]
		turns[seat] = turn{e.words.Rules(), e.words.View(&seen, seat, mask, fire, words.Full), answer}
	}
	return turns
}

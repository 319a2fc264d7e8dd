package dataset

import (
	"encoding/binary"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pommego/arena/ledger"
	"pommego/arena/scene"
	"pommego/env"
	"pommego/llm/orders"
	"pommego/llm/words"
)

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
	head, parts, movers := &e.words.Head, len(e.spec.Actions), e.words.Head.Movers()
	made := make([]uint8, parts) // the action of the row
	for _, seat := range now.Status.In {
		model := e.models[seat]
		model.Act(&now, made) // this ends the orders: an answer has one move
		view, _ := model.View(&now)
		action := r.e.Actions[(r.step*e.spec.Seats+seat)*parts:][:parts]
		o := orders.Orders{Actions: action[:movers]}
		copy(o.Said[:], action[movers:])
		answer := o.Text(head)
		at := slices.IndexFunc(left[:min(len(left), e.spec.Seats)], func(d ledger.Decision) bool {
			return d.Step == r.step && d.Seat == seat
		})
		if at >= 0 && movers == 1 {
			values, seen := make([]float64, e.spec.MaskSize()), now.Seen(head, seat)
			_, _ = binary.Decode(left[at].Arrays[ledger.Values], le, values)
			answer = e.words.Reason(m, &seen, seat, words.Fire(m, seat, 0), action[0], values) + "\n" + answer
		}
		turns[seat] = turn{e.prompt, view, answer}
		model.Take(answer)
		model.Act(&now, made)
	}
	return turns
}

// Package dialogue holds the views that a language model reads in its seat, its
// answers, and files of both. Before each tick [Seat.Act] is called. When it is done,
// the model reads [Seat.View], [Seat.Take] takes its answer, and Act is called again.
package dialogue

import (
	"pommego/arena/match"
	"pommego/arena/scene"
	"pommego/env"
	"pommego/llm/orders"
	"pommego/llm/words"
)

// Count counts an answer by how it was read.
func Count(all *match.Readings, r orders.Reading) {
	*[...]*int{&all.Legal, &all.Repaired, &all.Illegal}[r]++
}

// Seat is the seat of a language model in a game.
type Seat struct {
	words.Form
	Number int
	Counts match.Readings
	Last   words.Last // what became of its last answer
	Holds  bool       // the last answer has actions left

	writer *words.Writer
	match  env.Match
	ctl    *orders.Controller
	seen   int  // the tick of the last position that it saw
	viewed bool // a view has shown Last
}

// NewSeat gives a model a seat in a match. The writer makes its views, in the given form.
func NewSeat(w *words.Writer, m env.Match, number int, form words.Form) *Seat {
	return &Seat{Form: form, Number: number, writer: w, match: m, ctl: orders.NewController(m), seen: -1}
}

// Take takes an answer, and says how it was read.
func (s *Seat) Take(text string) orders.Reading {
	o, reading, why := orders.Parse(text, &s.writer.Head)
	if s.Moves && o.Kind != orders.Play {
		o, reading, why = orders.Orders{}, orders.Illegal, "it is an order"
	}
	Count(&s.Counts, reading)
	s.ctl.Take(o)
	s.forget()
	s.Last = words.Last{Reading: reading.String(), Why: why, Late: s.Last.Late, Happened: s.Last.Happened}
	if s.Holds = true; reading != orders.Illegal {
		s.Last.Read = o.Text(&s.writer.Head)
	}
	return reading
}

// forget clears Last, which the next view shows, if a view has shown it already.
func (s *Seat) forget() {
	if s.viewed {
		s.Last, s.viewed = words.Last{}, false
	}
}

// See adds the events that the seat saw on the way to a position to Last. It does nothing if called again for the same
// position. Act and View call it. Views do not show events of ticks in which nobody calls it.
func (s *Seat) See(step *scene.Step) {
	if step.Step == s.seen {
		return
	}
	s.seen = step.Step
	s.forget()
	if len(step.Events) > 0 {
		seen := step.Seen(&s.writer.Head, s.Number)
		s.writer.Happens(&seen, s.Number, &s.Last)
	}
}

// Act writes the action of the coming tick if the seat's answer has one left. Otherwise it returns
// true: ask the model.
func (s *Seat) Act(step *scene.Step, action []uint8) (done bool) {
	if s.See(step); !s.Holds {
		return true
	}
	seen := step.Seen(&s.writer.Head, s.Number)
	if done = s.ctl.Act(&s.writer.Head, &seen, s.Number, action); done {
		s.Last.Ended = s.ctl.Ended
	} else if done = s.Frame > 0 && s.Last.Ticks == s.Frame; done {
		clear(action)
		s.Last.Ended = "its ticks were over"
	} else {
		s.Last.Ticks++
	}
	s.Holds = !done
	return done
}

// Late counts a tick that is made without the seat's answer. The seat sees the position all the same.
func (s *Seat) Late() {
	s.Counts.Late++
	s.forget()
	s.Last.Late++
	s.ctl.Look(s.Number)
}

// Prompt is what the model reads first.
func (s *Seat) Prompt() string { return s.writer.Prompt(s.Form) }

// View is the text of a position for the seat, and the moves of its figures that can
// have an effect; none without hints. The match is in that position.
func (s *Seat) View(step *scene.Step) (text string, legal [][]string) {
	s.See(step)
	s.viewed = true
	seen, mask := step.Seen(&s.writer.Head, s.Number), make([]uint8, s.writer.Spec.MaskSize())
	s.match.Mask(s.Number, mask)
	if legal = [][]string{}; !s.Bare {
		legal = s.writer.Legal(mask)[:s.writer.Head.Movers()]
	}
	foresee := func(move uint8) []uint64 { return words.Fire(s.match, s.Number, move) }
	return s.writer.View(&seen, s.Number, mask, foresee, s.Form, &s.Last), legal
}

// Tell begins to put a game in words, as if models made its moves; m is at its start, and follows it. tell takes a
// position, a seat, its action, and the values of all choices from a search; nil: it did not search. It returns the
// prompt, the seat's view, and an answer that plays the action, with a reason after a search.
func Tell(game env.Game, m env.Match) (tell func(*scene.Step, int, []uint8, []float64) [3]string) {
	w, spec := words.New(game, game.Spec(), m), game.Spec()
	prompt, movers, made, seats := w.Prompt(words.Form{}), w.Head.Movers(), make([]uint8, len(spec.Actions)), []*Seat{}
	for seat := range spec.Seats {
		seats = append(seats, NewSeat(w, m, seat, words.Form{}))
	}
	return func(now *scene.Step, seat int, action []uint8, values []float64) [3]string {
		s := seats[seat]
		s.Act(now, made) // this ends the orders: an answer has one move
		view, _ := s.View(now)
		o := orders.Orders{Actions: action[:movers], Said: action[movers:]}
		answer := o.Text(&w.Head)
		if values != nil && movers == 1 {
			seen := now.Seen(&w.Head, seat)
			answer = w.Reason(m, &seen, seat, words.Fire(m, seat, 0), action[0], values) + "\n" + answer
		}
		s.Take(answer)
		s.Act(now, made)
		return [3]string{prompt, view, answer}
	}
}

package env

import (
	"encoding/json"
	"fmt"

	"pommego/internal/enum"
)

// Counts of a game besides its result, and the events in it. A match has neither: its
// state holds only what the rules need, so that plain steps cost nothing more. To count
// and to get events, step the match with a [Tracker].

// Tracker follows one match, by the rules that it has at each step. It belongs to the match's goroutine.
type Tracker interface {
	// Begin clears counts and events: a game begins in m, or m was restored.
	Begin(m Match)

	// Step makes a step of the match as Match.Step does, and counts.
	Step(m Match, actions []uint8)

	// Counts writes the counts of a seat, a number for each of Spec.Counts: since
	// Begin, or since the game began for what the state itself holds.
	Counts(m Match, seat int, dst []int32)

	// Changed is the seats whose counts the last step may have changed.
	Changed() SeatSet

	// Events are what happened in the last step, in order. They are valid until
	// the next one.
	Events() []Event

	// Append appends the tracker's state as far as it does not follow from the
	// match's, possibly no bytes. Restore restores it; with no bytes it is Begin. On
	// an error nothing has changed.
	Append(dst []byte) []byte
	Restore(m Match, state []byte) error
}

// Untracked makes n trackers that count nothing and have no events.
func Untracked(n int) []Tracker {
	all := make([]Tracker, n)
	for i := range all {
		all[i] = untracked{}
	}
	return all
}

// Stateless is the part of a Tracker whose counts all follow from the state of its
// match, to be embedded.
type Stateless struct{}

// Begin does nothing.
func (Stateless) Begin(Match) {}

// Changed is all seats.
func (Stateless) Changed() SeatSet { return ^SeatSet(0) }

// Append appends nothing.
func (Stateless) Append(dst []byte) []byte { return dst }

// Restore accepts no bytes.
func (Stateless) Restore(_ Match, state []byte) error {
	if len(state) > 0 {
		return fmt.Errorf("%d bytes of what was counted, want none in this game", len(state))
	}
	return nil
}

type untracked struct{ Stateless }

func (untracked) Step(m Match, actions []uint8) { m.Step(actions) }

func (untracked) Counts(Match, int, []int32) {}

func (untracked) Events() []Event { return nil }

// Counts are the counts of a game: for each of Spec.Counts its numbers by seat.
type Counts map[string][]int32

// CountsOf returns the counts of a tracker, nil if its game counts nothing.
func CountsOf(s *Spec, t Tracker, m Match) Counts {
	n := len(s.Counts)
	if n == 0 || t == nil {
		return nil
	}
	own, all := make([]int32, n), Counts{}
	for seat := range s.Seats {
		t.Counts(m, seat, own)
		for i, name := range s.Counts {
			all[name.Name] = append(all[name.Name], own[i])
		}
	}
	return all
}

// Event is one thing that happened in a step.
type Event struct {
	Kind EventKind `json:"event"`
	Seat int       `json:"seat"`           // the seat that did it or was affected; NoSeat, and left out: none
	At   Place     `json:"at,omitzero"`    // where; Nowhere, and left out: nowhere
	By   SeatSet   `json:"by,omitzero"`    // the owners of the bombs that did it
	What string    `json:"what,omitempty"` // details, if the kind is not enough

	// Of what is found in games: the step at which it began, of Ended the one that decided the game, and who kicked the
	// bomb to where it did it.
	Since  int     `json:"since,omitempty"`
	Kicked SeatSet `json:"kicked,omitzero"`
}

// NoSeat is the Seat of an event that concerns no seat.
const NoSeat = -1

// EventKind is a kind of event, with a name for its text form.
type EventKind = enum.Text[eventKinds]

// The kinds of events.
const (
	Began     EventKind = iota // the game
	Laid                       // the seat laid a bomb
	NotLaid                    // the seat wanted to lay a bomb, but had none or could not lay it there
	Kicked                     // the seat kicked a bomb that lay here; What: the direction
	PickedUp                   // the seat picked up an item; What: its name
	Exploded                   // a bomb of the seat; By: whose flames set it off, empty if its time was up
	Destroyed                  // wood or a box; By: the owners of the bombs that reached it
	Hurt                       // the seat lost a life or energy and has some left; What: of what
	Died                       // the seat or one of its bombers; What: which one, or the cause if not a bomb
	Collapsed                  // a ring of the board became walls; What: its number
	Ended                      // the game; By: the winners; What: its result

	// Trackers do not know of these; scene.Finder finds them.
	Trapped // whatever the seat does, fire that it can foresee hits it; By: the owners of bombs that reach it
	Escaped // the seat was trapped, and has a way out
	Leads   // By: the side that has the best prospects from here on
)

type eventKinds struct{}

func (eventKinds) Names() (string, []string) {
	return "event", []string{"began", "laid", "not_laid", "kicked", "picked_up", "exploded", "destroyed", "hurt", "died",
		"collapsed", "ended", "trapped", "escaped", "leads"}
}

// EndEvent is the end of a game.
func EndEvent(s Status) Event {
	return Event{Kind: Ended, Seat: NoSeat, At: Nowhere, By: s.Winners, What: s.Result.String()}
}

// event is an Event without its JSON.
type event Event

// MarshalJSON leaves out what does not apply.
func (e Event) MarshalJSON() ([]byte, error) {
	out := struct {
		Kind EventKind `json:"event"`
		Seat *int      `json:"seat,omitempty"`
		event
	}{e.Kind, &e.Seat, event(e)}
	if e.Seat == NoSeat {
		out.Seat = nil
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Event) UnmarshalJSON(text []byte) error {
	*e = Event{Seat: NoSeat, At: Nowhere}
	return json.Unmarshal(text, (*event)(e))
}

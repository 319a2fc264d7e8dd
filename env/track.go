package env

import (
	"encoding/json"
	"fmt"

	"pommego/internal/enum"
)

// A game has counts besides its result, and events. A match holds neither: its state
// only has what the rules need, so that plain steps do not cost more. To get counts and
// events, step the match with a [Tracker].

// Tracker follows one match, by the rules that it has at each step. It belongs to the match's goroutine.
type Tracker interface {
	// Begin clears counts and events. It must be called when a game begins in m, or after m was restored.
	Begin(m Match)

	// Step makes a step of the match as Match.Step does, and counts.
	Step(m Match, actions []uint8)

	// Counts writes the counts of a seat, a number for each of Spec.Counts: since Begin
	// or, for numbers that the state itself holds, since the game began.
	Counts(m Match, seat int, dst []int32)

	// Changed returns the seats whose counts the last step may have changed.
	Changed() SeatSet

	// Events returns what happened in the last step, in order. It is valid until the next
	// step.
	Events() []Event

	// Append appends what of the tracker's state does not follow from the match's state;
	// that may be no bytes. Restore restores it; without bytes it does what Begin does. On
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

// Stateless is embedded in a Tracker whose counts all follow from the state of its
// match.
type Stateless struct{}

// Begin does nothing.
func (Stateless) Begin(Match) {}

// Changed returns all seats.
func (Stateless) Changed() SeatSet { return ^SeatSet(0) }

// Append appends nothing.
func (Stateless) Append(dst []byte) []byte { return dst }

// Restore accepts no bytes.
func (Stateless) Restore(_ Match, state []byte) error {
	if len(state) > 0 {
		return fmt.Errorf("there are %d bytes of counts, want none in this game", len(state))
	}
	return nil
}

type untracked struct{ Stateless }

func (untracked) Step(m Match, actions []uint8) { m.Step(actions) }

func (untracked) Counts(Match, int, []int32) {}

func (untracked) Events() []Event { return nil }

// Counts holds the counts of a game: by name in Spec.Counts, a number for each seat.
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
	Seat int       `json:"seat"`           // the seat that did it or was affected; NoSeat (left out): none
	At   Place     `json:"at,omitzero"`    // where it happened; Nowhere (left out): at no place
	By   SeatSet   `json:"by,omitzero"`    // the owners of the bombs that did it
	What string    `json:"what,omitempty"` // details, if the kind is not enough

	// scene.Finder fills these in. Since is the step at which the event's cause began; for Ended,
	// the step that decided the game. Kicked, for Died, has who kicked the bomb to its place.
	Since  int     `json:"since,omitempty"`
	Kicked SeatSet `json:"kicked,omitzero"`
}

// NoSeat is the Seat of an event that concerns no seat.
const NoSeat = -1

// EventKind is a kind of event, with a name for its text form.
type EventKind = enum.Text[eventKinds]

// The kinds of events.
const (
	Began     EventKind = iota // the game began
	Laid                       // the seat laid a bomb
	NotLaid                    // the seat wanted to lay a bomb, but had none or could not lay it there
	Kicked                     // the seat kicked a bomb that lay here; What: the direction
	PickedUp                   // the seat picked up an item; What: its name
	Exploded                   // a bomb of the seat exploded; By: whose flames set it off, empty if its time was up
	Destroyed                  // wood or a box was destroyed; By: the owners of the bombs that reached it
	Hurt                       // the seat lost a life or energy and has some left; What: which of them
	Died                       // the seat or one of its bombers died; What: which one, or the cause if not a bomb
	Collapsed                  // a ring of the board became walls; What: its number
	Ended                      // the game ended; By: the winners; What: its result

	// Trackers do not report these; scene.Finder finds them.
	Trapped // whatever the seat does, fire that it can foresee hits it; By: the owners of bombs that reach it
	Escaped // the seat was trapped, and has a way out
	Leads   // By: the side that has the best prospects from here on
)

type eventKinds struct{}

func (eventKinds) Names() (string, []string) {
	return "event", []string{"began", "laid", "not_laid", "kicked", "picked_up", "exploded", "destroyed", "hurt", "died",
		"collapsed", "ended", "trapped", "escaped", "leads"}
}

// EndEvent returns the event of the end of a game.
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

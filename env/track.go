package env

import (
	"encoding/json"
	"fmt"
	"slices"
)

// What a game counts besides how it ends, and what happens in it. A match knows
// neither: its state holds what the rules need and its step does nothing else, so
// that stepping alone costs nothing. Who wants to know steps it by a [Tracker].

// Tracked is a Game whose matches can be followed.
type Tracked interface {
	// NewTrackers makes n trackers in one block of memory, one for each of n
	// matches. With events they note what happens, else they count alone.
	NewTrackers(n int, events bool) []Tracker
}

// Tracker follows one match. It belongs to the match's goroutine.
type Tracker interface {
	// Begin forgets what was: a game begins in m, or m was restored.
	Begin(m Match)

	// Step is Match.Step, and counts.
	Step(m Match, actions []uint8)

	// Counts writes what has been counted of a seat since Begin, or of what the
	// state holds, since the game began: a number for each of Spec.Counts.
	Counts(m Match, seat int, dst []int32)

	// Events are what happened in the last step, in order. They are valid until
	// the next one.
	Events() []Event

	// Append appends what the tracker knows and the match's state does not,
	// nothing if that is nothing. Restore takes it back, and is Begin if it is
	// nothing; on an error nothing has changed.
	Append(dst []byte) []byte
	Restore(m Match, state []byte) error
}

// NewTrackers makes n trackers of a game's matches. Of games that are not Tracked
// they count and note nothing.
func NewTrackers(g Game, n int, events bool) []Tracker {
	if t, ok := g.(Tracked); ok {
		return t.NewTrackers(n, events)
	}
	all := make([]Tracker, n)
	for i := range all {
		all[i] = untracked{}
	}
	return all
}

// Stateless is the parts of a Tracker that counts nothing but what the state of
// its match holds.
type Stateless struct{}

// Begin does nothing.
func (Stateless) Begin(Match) {}

// Append appends nothing.
func (Stateless) Append(dst []byte) []byte { return dst }

// Restore takes nothing back.
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

// Counts is what was counted in a game: for each of Spec.Counts its numbers by
// seat.
type Counts map[string][]int32

// CountsOf is what a tracker has counted, nil if its game counts nothing.
func CountsOf(s *Spec, t Tracker, m Match) Counts {
	n := len(s.Counts)
	if n == 0 {
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
	Kind EventKind
	Seat int     // who did it or whom it befell; -1: nobody
	By   SeatSet // whose bombs did it
	Row  int     // where; -1: nowhere
	Col  int
	What string // what it was, where the kind does not say enough
}

// NoSeat is the Seat of an event that concerns none.
const NoSeat = -1

// EventKind is a kind of events, with a name that is written down.
type EventKind uint8

// The kinds of events.
const (
	Began     EventKind = iota // the game
	Laid                       // the seat laid a bomb
	NotLaid                    // the seat wanted to lay one, and had none or could not there
	Kicked                     // the seat kicked a bomb that lay here; What: the direction
	PickedUp                   // the seat picked up an item; What: its name
	Exploded                   // a bomb of the seat's; By: whose flames set it off, nobody if its time was up
	Destroyed                  // wood or a box; By: whose bombs reached it
	Hurt                       // the seat lost a life, or energy, and has more; What: of what
	Died                       // the seat, or one of its bombers; What: which, or of what if not of a bomb
	Collapsed                  // a ring of the board became walls; What: its number
	Ended                      // the game; By: the winners; What: its result
	numEvents
)

var eventNames = [...]string{"began", "laid", "not_laid", "kicked", "picked_up", "exploded", "destroyed", "hurt", "died", "collapsed", "ended"}

func (k EventKind) String() string {
	if k < numEvents {
		return eventNames[k]
	}
	return "EventKind(?)"
}

// MarshalText writes the kind's name.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a kind's name.
func (k *EventKind) UnmarshalText(text []byte) error {
	i := slices.Index(eventNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("there is no event %q, want one of %q", text, eventNames)
	}
	*k = EventKind(i)
	return nil
}

// EndEvent is the end of a game.
func EndEvent(s Status) Event {
	return Event{Kind: Ended, Seat: NoSeat, By: s.Winners, Row: -1, Col: -1, What: s.Result.String()}
}

// eventJSON is an event as it is written down, without what does not apply.
type eventJSON struct {
	Kind EventKind `json:"event"`
	Seat *int      `json:"seat,omitempty"`
	At   []int     `json:"at,omitempty"` // row, column
	By   []int     `json:"by,omitempty"` // seats
	What string    `json:"what,omitempty"`
}

// MarshalJSON writes an event with its kind as "event", its place as "at" and
// without what does not apply.
func (e Event) MarshalJSON() ([]byte, error) {
	out := eventJSON{Kind: e.Kind, By: e.By.List(), What: e.What}
	if e.Seat != NoSeat {
		out.Seat = &e.Seat
	}
	if e.Row >= 0 {
		out.At = []int{e.Row, e.Col}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Event) UnmarshalJSON(text []byte) error {
	var in eventJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*e = Event{Kind: in.Kind, Seat: NoSeat, Row: -1, Col: -1, What: in.What}
	if in.Seat != nil {
		e.Seat = *in.Seat
	}
	if len(in.At) == 2 {
		e.Row, e.Col = in.At[0], in.At[1]
	}
	for _, seat := range in.By {
		if seat < 0 || seat > 15 {
			return fmt.Errorf("an event is by seat %d, want 0 to 15", seat)
		}
		e.By = e.By.With(seat)
	}
	return nil
}

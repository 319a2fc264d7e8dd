package seat

import "pommego/env"

// EventLog is the part of an env.Tracker that keeps what happened in a step, to be
// embedded.
type EventLog struct {
	Wanted bool // events are to be kept
	events []env.Event
}

// Events are what happened in the last step, in order.
func (l *EventLog) Events() []env.Event { return l.events }

// StartStep forgets the events of the last step, and returns Wanted.
func (l *EventLog) StartStep() bool {
	l.events = l.events[:0]
	return l.Wanted
}

// Note adds an event, if anyone wants to know.
func (l *EventLog) Note(kind env.EventKind, seat int, by env.SeatSet, at env.Place, what string) {
	if l.Wanted {
		l.events = append(l.events, env.Event{Kind: kind, Seat: seat, By: by, Row: at[0], Col: at[1], What: what})
	}
}

// NewTrackers makes n trackers in one block of memory, each a copy of blank:
// env.Game.
func NewTrackers[T any, P interface {
	*T
	env.Tracker
}](n int, blank T) []env.Tracker {
	block, all := make([]T, n), make([]env.Tracker, n)
	for i := range block {
		block[i] = blank
		all[i] = P(&block[i])
	}
	return all
}

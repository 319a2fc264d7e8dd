package scene

import "pommego/env"

// Seen is the step as a seat knows it; s is whole, and stays as it is. It is the one rule of
// what a seat knows, which docs/maintainers/scene.md describes and the page applies too.
func (s Step) Seen(head *Head, seat int) Step {
	var sight env.Cells
	if len(s.Sight) > 0 {
		sight = s.Sight[seat]
	}
	s.Scene = s.Scene.Seen(&head.Stage, head.Teams, seat)
	if head.Hides(env.OthersCarry) {
		s.Counts = nil
	}
	if head.Hides(env.OthersCarry) || sight != nil {
		s.Advantage = nil
	}
	if s.Actions != nil {
		own := make([][]int, len(s.Actions))
		own[seat] = s.Actions[seat]
		s.Actions = own
	}
	thoughts, events := s.Thoughts, s.Events
	s.Thoughts, s.Events = nil, nil
	for _, t := range thoughts {
		if t.Seat == seat {
			s.Thoughts = append(s.Thoughts, t)
		}
	}
	for _, e := range events {
		out := e.Row >= 0 && sight != nil && !sight[e.Row*head.Cols+e.Col]
		e, ok := seenEvent(e, seat, out, head.Hides(env.BombOwners))
		if ok && (e.Kind != env.Leads || s.Advantage != nil) {
			s.Events = append(s.Events, e)
		}
	}
	return s
}

// seenEvent is an event as a seat knows it, if it does. Out of its sight it learns of its own
// and who died.
func seenEvent(e env.Event, seat int, out, hidesOwners bool) (env.Event, bool) {
	switch {
	case e.Row < 0, e.Kind == env.Died && e.Seat == seat:
		return e, true
	case e.Kind == env.Died && out:
		return env.Event{Kind: env.Died, Seat: e.Seat, Row: -1, Col: -1}, true
	case e.Seat != seat && (out || e.Kind == env.NotLaid || e.Kind == env.Trapped || e.Kind == env.Escaped):
		return e, false
	}
	if hidesOwners {
		e.By &= 1 << seat
		e.Kicked &= 1 << seat
		if e.Kind == env.Exploded && e.Seat != seat {
			e.Seat = env.NoSeat
		}
	}
	return e, true
}

// Package scene describes games so that they can be drawn: who plays, and for every step
// what is on the board, what each seat did and got, what happened, and, if it is
// known, what each seat thought. docs/maintainers/scene.md describes the JSON form, which
// the page in the browser and any other program that draws games can read.
//
//	head := scene.HeadOf(spec, match)
//	before := scene.Describe(spec, match, tracker, nil)     // whole
//	tracker.Step(match, actions)
//	after := scene.Describe(spec, match, tracker, actions)  // whole
//	patch := after.Since(&before)                           // what is new in it
package scene

import (
	"reflect"
	"slices"
	"strings"

	"pommego/env"
)

// Format names the form and its version. Readers of one version cannot read another.
// New keys do not change the version.
const Format = "pommego-scene/1"

// Head is what holds for the whole of a game.
type Head struct {
	Format   string       `json:"format"`
	Env      string       `json:"env"`            // the id of the environment
	Game     string       `json:"game"`           // the family of games
	Version  int          `json:"version"`        // of the game
	Seed     uint64       `json:"seed"`           // 0 if unknown
	Note     string       `json:"note,omitzero"`  // a remark about the game
	Names    []string     `json:"names,omitzero"` // the names of the agents, by seat
	Teams    [][]int      `json:"teams"`
	MaxSteps int          `json:"max_steps"`
	Actions  []env.Choice `json:"actions"`
	Counts   []env.Name   `json:"counts,omitzero"`
	env.Stage
}

// HeadOf describes a game; m is a match of it.
func HeadOf(spec *env.Spec, m env.Match) Head {
	return Head{
		Format: Format, Env: spec.ID, Game: spec.Game, Version: spec.Version, Teams: spec.Teams, MaxSteps: spec.MaxSteps,
		Actions: spec.Actions, Counts: spec.Counts, Stage: m.Stage(),
	}
}

// Movers is how many components of an action move a figure. Those after them are a message.
func (h *Head) Movers() int {
	n := 1
	for n < len(h.Actions) && strings.HasPrefix(h.Actions[n].Name, "move") {
		n++
	}
	return n
}

// Step is a position and the step that led to it. A whole step has Scene, Status and Counts.
// A step that Since made lacks what has not changed of them. The other fields describe the
// step, and are absent at the start of a game.
type Step struct {
	Step int `json:"step"`
	env.Scene
	// Changed replaces Ground: it has only the cells whose ground has changed since
	// the step before.
	Changed map[int]string `json:"changed,omitzero"`
	Status  *Status        `json:"status,omitzero"`
	Counts  env.Counts     `json:"counts,omitzero"`
	// Advantage is each side's share of the prospects, in percent, which a Finder sets.
	Advantage []int `json:"advantage,omitzero"`

	Actions  [][]int       `json:"actions,omitzero"` // by seat; null for seats that were out
	Rewards  []float64     `json:"rewards,omitzero"` // by seat
	Events   []env.Event   `json:"events,omitzero"`
	Thoughts []env.Thought `json:"thoughts,omitzero"`
}

// Status is the status of a game.
type Status struct {
	Over    bool   `json:"over"`
	Result  string `json:"result"`
	Winners []int  `json:"winners"`
	In      []int  `json:"in"` // seats that still play
}

// Describe describes the position of a match: after a step with the given actions, which the
// tracker made, or at the start, where actions is nil. Without a tracker the step has no events.
func Describe(spec *env.Spec, m env.Match, t env.Tracker, actions []uint8) Step {
	status := m.Status()
	s := Step{Step: status.Steps, Counts: env.CountsOf(spec, t, m), Status: &Status{
		status.Over, status.Result.String(), list(status.Winners), list(status.In),
	}}
	m.Describe(&s.Scene)
	if actions == nil {
		return s
	}
	for own := range slices.Chunk(actions, len(spec.Actions)) {
		var numbers []int
		for _, a := range own {
			numbers = append(numbers, int(a))
		}
		s.Actions = append(s.Actions, numbers)
	}
	s.Rewards = make([]float64, spec.Seats)
	m.Rewards(s.Rewards)
	if t != nil {
		s.Events = append(s.Events, t.Events()...)
	}
	if status.Over {
		s.Events = append(s.Events, env.EndEvent(status))
	}
	return s
}

func list(s env.SeatSet) []int { return append([]int{}, s.List()...) }

// Since is the step without the values that are the same in the step before it.
func (s Step) Since(before *Step) Step {
	s.sinceGround(before)
	drop(&s.Bases, before.Bases)
	drop(&s.Items, before.Items)
	drop(&s.Flames, before.Flames)
	drop(&s.Bombs, before.Bombs)
	drop(&s.Agents, before.Agents)
	drop(&s.Said, before.Said)
	drop(&s.Sight, before.Sight)
	drop(&s.Status, before.Status)
	drop(&s.Counts, before.Counts)
	drop(&s.Advantage, before.Advantage)
	return s
}

// drop sets a value to zero if it has not changed.
func drop[T any](value *T, before T) {
	if reflect.DeepEqual(*value, before) {
		*value = *new(T)
	}
}

// sinceGround keeps what has changed of the ground, cell by cell if few cells have.
func (s *Step) sinceGround(before *Step) {
	const most = 20 // so many cells take about as much room as the whole ground
	if len(s.Ground) != len(before.Ground) {
		return
	}
	changed := map[int]string{}
	for i, g := range s.Ground {
		if g != before.Ground[i] {
			changed[i] = string(rune(g))
		}
	}
	if len(changed) > most {
		return
	}
	s.Ground = nil
	if len(changed) > 0 {
		s.Changed = changed
	}
}

// Seen is the step as a seat knows it. s is whole, and Seen does not change it. This is the only rule for
// what a seat knows; docs/maintainers/scene.md describes it, and the page applies it too.
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
		out := e.At != env.Nowhere && sight != nil && !sight[e.At[0]*head.Cols+e.At[1]]
		e, ok := seenEvent(e, seat, out, head.Hides(env.BombOwners))
		if ok && (e.Kind != env.Leads || s.Advantage != nil) {
			s.Events = append(s.Events, e)
		}
	}
	return s
}

// seenEvent is an event as a seat knows it, and whether it does. Of events out of its sight it knows its own
// and who died.
func seenEvent(e env.Event, seat int, out, hidesOwners bool) (env.Event, bool) {
	switch {
	case e.At == env.Nowhere, e.Kind == env.Died && e.Seat == seat:
		return e, true
	case e.Kind == env.Died && out:
		return env.Event{Kind: env.Died, Seat: e.Seat, At: env.Nowhere}, true
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

package scene

import (
	"fmt"
	"slices"

	"pommego/env/record"
)

// Timeline is a game with all its steps, each whole. Write it as JSON in the form of [Timeline.Patched].
type Timeline struct {
	Head
	Steps []Step `json:"steps"`
}

// Describe adds a position to a feed. If no game has begun there, the position begins one.
func (f *Feed) Describe(at record.Moment) {
	spec := at.Game.Spec()
	if f.head == nil {
		f.Begin(HeadOf(spec, at.Match), at.Match)
	}
	step := Describe(spec, at.Match, at.Tracker, at.Actions)
	step.Thoughts = at.Thoughts
	f.Add(step, at.Match)
}

// Read describes a recorded game from its current position to its end.
func Read(r record.Replay) (*Timeline, error) {
	var feed Feed
	err := r.Follow(func(at record.Moment) error { feed.Describe(at); return nil })
	if err != nil {
		return nil, err
	}
	l, info := feed.Game(), r.Info()
	l.Env, l.Seed, l.Note, l.Names = info.EnvID, info.Seed, info.Note, info.Policies
	if info.Name != "" {
		l.Note = fmt.Sprintf("%s (%s)", info.Name, info.Note)
	}
	return l, nil
}

// Patched is the game with a whole first step. The other steps lack what is the same in the step before.
func (l *Timeline) Patched() *Timeline {
	steps := slices.Clone(l.Steps)
	for i := 1; i < len(steps); i++ {
		steps[i] = l.Steps[i].Since(&l.Steps[i-1])
	}
	return &Timeline{l.Head, steps}
}

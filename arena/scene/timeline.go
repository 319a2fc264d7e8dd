package scene

import (
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/record"
)

// Timeline is a game with all its steps, each whole. Its form for others is that of [Timeline.Patched].
type Timeline struct {
	Head
	Steps []Step `json:"steps"`
}

// describe returns a function that adds the next positions of a game to l, the first of which sets its head.
func (l *Timeline) describe() func(at record.Moment) {
	var find *Finder
	return func(at record.Moment) {
		spec := at.Game.Spec()
		if find == nil {
			l.Head = HeadOf(spec, at.Match)
			find = NewFinder(&l.Head, at.Match)
		}
		step := Describe(spec, at.Match, at.Tracker, at.Actions)
		find.Find(&step, at.Match)
		step.Thoughts = at.Thoughts
		l.Steps = append(l.Steps, step)
	}
}

// Read describes a recorded game from where it stands to its end.
func Read(r record.Replay) (*Timeline, error) {
	l := new(Timeline)
	add := l.describe()
	err := r.Follow(func(at record.Moment) error { add(at); return nil })
	if err != nil {
		return nil, err
	}
	info := r.Info()
	l.Env, l.Seed, l.Note, l.Names = info.EnvID, info.Seed, info.Note, info.Policies
	if info.Name != "" {
		l.Note = fmt.Sprintf("%s (%s)", info.Name, info.Note)
	}
	return l, nil
}

// Played describes a game from where m stands, by the actions of its steps, one after the
// other, which it makes in m.
func Played(game env.Game, m env.Match, actions []uint8) *Timeline {
	l := new(Timeline)
	add, at := l.describe(), record.Moment{Match: m, Game: game, Tracker: game.NewTrackers(1, true)[0]}
	at.Tracker.Begin(m)
	add(at)
	for at.Actions = range slices.Chunk(actions, game.Spec().Seats*len(game.Spec().Actions)) {
		at.Tracker.Step(m, at.Actions)
		add(at)
	}
	return l
}

// Patched is the game with the first step whole, and the others without what is as in the step before.
func (l *Timeline) Patched() *Timeline { return &Timeline{l.Head, Patches(l.Steps)} }

// Patches turns whole steps into a whole one and what is new in each after it.
func Patches(whole []Step) []Step {
	steps := slices.Clone(whole)
	for i := 1; i < len(whole); i++ {
		steps[i] = whole[i].Since(&whole[i-1])
	}
	return steps
}

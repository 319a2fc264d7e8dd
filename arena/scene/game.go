package scene

import (
	"fmt"
	"slices"

	"pommego/env"
	"pommego/env/record"
)

// Game is a game with all its steps, each whole. Its form for others is that of [Game.Patched].
type Game struct {
	Head
	Steps []Step `json:"steps"`
}

// Read describes a recorded game from where it stands to its end.
func Read(r record.Replay) (*Game, error) {
	var feed Feed
	err := r.Follow(func(at record.Moment) error {
		spec := at.Game.Spec()
		if at.Actions == nil {
			feed.Begin(HeadOf(spec, at.Match), at.Match)
		}
		step := describe(spec, at.Match, at.Shown, at.Tracker, at.Actions)
		step.Thoughts = at.Thoughts
		feed.Add(step, at.Match)
		return nil
	})
	if err != nil {
		return nil, err
	}
	g, info := feed.Game(), r.Info()
	g.Env, g.Seed, g.Note, g.Names = info.EnvID, info.Seed, info.Note, info.Policies
	if info.Name != "" {
		g.Note = fmt.Sprintf("%s (%s)", info.Name, info.Note)
	}
	fallEarlier(g.Steps)
	return g, nil
}

// fallEarlier moves what happens when a ring of the board falls to the step after
// which records show it fallen. It happens as the next step begins.
func fallEarlier(steps []Step) {
	for i := range steps[:max(0, len(steps)-1)] {
		n := 0
		for _, e := range steps[i+1].Events {
			if e.Kind != env.Collapsed && (e.Kind != env.Died || e.What != "collapse") {
				break
			}
			n++
		}
		if n > 0 {
			steps[i].Events = append(steps[i].Events, steps[i+1].Events[:n]...)
			steps[i+1].Events = append([]env.Event(nil), steps[i+1].Events[n:]...)
		}
	}
}

// Patched is the game with the first step whole, and the others without what is as in the step before.
func (g *Game) Patched() *Game { return &Game{g.Head, Patches(g.Steps)} }

// Patches turns whole steps into a whole one and what is new in each after it.
func Patches(whole []Step) []Step {
	steps := make([]Step, len(whole))
	for i := range whole {
		steps[i] = whole[i]
		if i > 0 {
			steps[i] = whole[i].Since(&whole[i-1])
		}
	}
	return steps
}

// Played describes a game from where m stands, by the actions of its steps, one after the
// other, which it makes in m.
func Played(game env.Game, m env.Match, actions []uint8) *Game {
	spec := game.Spec()
	t := game.NewTrackers(1, true)[0]
	t.Begin(m)
	var feed Feed
	feed.Begin(HeadOf(spec, m), m)
	feed.Add(Describe(spec, m, t, nil), m)
	for own := range slices.Chunk(actions, spec.Seats*len(spec.Actions)) {
		t.Step(m, own)
		feed.Add(Describe(spec, m, t, own), m)
	}
	return feed.Game()
}

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
	var steps []Step
	var find *Finder
	g := new(Game)
	err := r.Follow(func(at record.Moment) error {
		spec := at.Game.Spec()
		if at.Actions == nil {
			g.Head = HeadOf(spec, at.Match)
			find = NewFinder(&g.Head, at.Match)
		}
		step := Describe(spec, at.Match, at.Tracker, at.Actions)
		find.Find(&step, at.Match)
		step.Thoughts = at.Thoughts
		steps = append(steps, step)
		return nil
	})
	if err != nil {
		return nil, err
	}
	info := r.Info()
	g.Env, g.Seed, g.Note, g.Names = info.EnvID, info.Seed, info.Note, info.Policies
	if info.Name != "" {
		g.Note = fmt.Sprintf("%s (%s)", info.Name, info.Note)
	}
	g.Steps = steps
	return g, nil
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
	g := &Game{Head: HeadOf(spec, m)}
	find := NewFinder(&g.Head, m)
	add := func(actions []uint8) {
		g.Steps = append(g.Steps, Describe(spec, m, t, actions))
		find.Find(&g.Steps[len(g.Steps)-1], m)
	}
	add(nil)
	for own := range slices.Chunk(actions, spec.Seats*len(spec.Actions)) {
		t.Step(m, own)
		add(own)
	}
	return g
}

package bridge

import (
	"slices"
	"time"

	"pommego/arena/scene"
	"pommego/env"
)

const (
	mostActions  = 48 << 10             // of an episode that is kept, bytes
	episodeBytes = mostActions + 16<<10 // with the position that it began in

	replayPause = 5 * time.Second // between two episodes that a viewer is sent
)

// episode is one by the actions of its steps, by which it can be played again, whole.
type episode struct {
	game           env.Game
	head           scene.Head
	start, actions []byte
}

// replay sends the lines of the episode, in parts.
func (e *episode) replay(send func([]liveLine) error) error {
	const part = 64
	m, t, spec := e.game.New(1)[0], e.game.NewTrackers(1, true)[0], e.game.Spec()
	if err := m.Restore(e.start); err != nil {
		return err
	}
	t.Begin(m)
	first, find := scene.Describe(spec, m, t, nil), scene.NewFinder(&e.head, m)
	last, lines := first, []liveLine{{Line: scene.Line{Head: &e.head}, Replay: true},
		{Line: scene.Line{Step: &first}, Replay: true}}
	for actions := range slices.Chunk(e.actions, spec.Seats*len(spec.Actions)) {
		t.Step(m, actions)
		step := scene.Describe(spec, m, t, actions)
		find.Find(&step, m)
		patch := step.Since(&last)
		if lines, last = append(lines, liveLine{Line: scene.Line{Step: &patch}, Replay: true}), step; len(lines) == part {
			if err := send(lines); err != nil {
				return err
			}
			lines = nil
		}
	}
	return send(lines)
}

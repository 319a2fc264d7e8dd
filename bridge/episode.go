package bridge

import (
	"time"

	"pommego/arena/scene"
	"pommego/env"
)

const (
	mostActions  = 48 << 10             // bytes of actions of an episode that is kept
	episodeBytes = mostActions + 16<<10 // the same with the position that the episode began in

	replayPause = 5 * time.Second // the pause between two episodes that a viewer is sent
)

// episode is a whole episode, kept as the actions of its steps, from which it can be played again.
type episode struct {
	game           env.Game
	head           scene.Head
	start, actions []byte
}

// replay calls send with the lines of the episode, one after the other.
func (e *episode) replay(send func([]liveLine) error) error {
	spec, feed, viewer := e.game.Spec(), scene.Feed{Most: 4}, scene.Viewer{}
	m, tracker := e.game.New(1)[0], e.game.NewTrackers(1, true)[0]
	if err := m.Restore(e.start); err != nil {
		return err
	}
	tracker.Begin(m)
	feed.Begin(e.head, m)
	var made []byte // the actions of the last step
	for rest, width := e.actions, spec.Seats*len(spec.Actions); ; tracker.Step(m, made) {
		feed.Add(scene.Describe(spec, m, tracker, made), m)
		var lines []liveLine
		for _, l := range feed.News(&viewer, scene.Whole) {
			lines = append(lines, liveLine{Line: l, Replay: true})
		}
		if err := send(lines); err != nil || len(rest) == 0 {
			return err
		}
		made, rest = rest[:width], rest[width:]
	}
}

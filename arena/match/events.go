package match

import (
	"encoding/json"
	"fmt"

	"pommego/env"
)

// EventLog keeps what happens in a match that is played with Rules.Events:
// its Watch is handed to [Play]. Each line is an event: a JSON object with the number
// of the match, which is 0, that of the re-run, the step that it happened in, and what
// env.Event holds. Games begin with one that says who plays.
type EventLog struct {
	Agents []string // by seat
	Lines  []byte
}

// Watch adds the events of a moment of the match.
func (l *EventLog) Watch(at Moment) error {
	if at.Actions == nil {
		text, err := json.Marshal(struct {
			Kind       env.EventKind `json:"event"`
			Env        string        `json:"env"`
			Seed       uint64        `json:"seed"`
			Repetition uint64        `json:"repetition"`
			Agents     []string      `json:"agents"`
		}{env.Began, at.Game.Spec().ID, at.Seed.Value, at.RNGSeed.Episode - at.Seed.Episode, l.Agents})
		if err != nil {
			return err
		}
		l.add(at, text)
	}
	for _, e := range at.Events {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		l.add(at, text)
	}
	return nil
}

func (l *EventLog) add(at Moment, event []byte) {
	l.Lines = fmt.Appendf(l.Lines, `{"game":0,"rerun":%d,"step":%d,%s`+"\n", at.Number, at.Match.Status().Steps,
		event[1:])
}

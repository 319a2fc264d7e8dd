package match

import (
	"encoding/json"
	"fmt"

	"pommego/env"
)

// EventLog keeps what happens in a match that is played with Rules.Events:
// its Watch is handed to [Play]. Each line is an event: a JSON object with the step that it
// happened in, and what env.Event holds. The first says who plays.
type EventLog struct {
	Agents []string // by seat
	Lines  []byte
}

// Watch adds the events of a moment of the match.
func (l *EventLog) Watch(at Moment) error {
	if at.Actions == nil {
		text, err := json.Marshal(struct {
			Kind   env.EventKind `json:"event"`
			Env    string        `json:"env"`
			Seed   uint64        `json:"seed"`
			Agents []string      `json:"agents"`
		}{env.Began, at.Game.Spec().ID, at.Seed.Value, l.Agents})
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
	l.Lines = fmt.Appendf(l.Lines, `{"step":%d,%s`+"\n", at.Match.Status().Steps, event[1:])
}

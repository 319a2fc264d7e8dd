package match

import (
	"encoding/json"
	"fmt"
	"io"

	"pommego/env"
)

// EventLog keeps what happens in a match that is played with Rules.Events:
// its Watch is handed to [Play]. Each event is a JSON object with the number of
// the re-run, the step that it happened in, and what env.Event holds. Games begin
// with one that says who plays.
type EventLog struct {
	Agents []string // by seat
	Events []json.RawMessage
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
	l.Events = append(l.Events, fmt.Appendf(nil, `{"rerun":%d,"step":%d,%s`, at.Number, at.Match.Status().Steps,
		event[1:]))
}

// WriteEvents writes events as JSON Lines, each with the number of its match.
func WriteEvents(w io.Writer, number int, events []json.RawMessage) error {
	var lines []byte
	for _, e := range events {
		lines = fmt.Appendf(lines, `{"game":%d,%s`+"\n", number, e[1:])
	}
	_, err := w.Write(lines)
	return err
}

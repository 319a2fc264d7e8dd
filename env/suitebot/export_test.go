package suitebot

import "pommego/env/record"

// RecordedGame is a recorded game that ParseRecord has read.
type RecordedGame = record.Game[*Match, Snapshot, Observation]

// ParseRecord reads a recorded game.
func ParseRecord(line []byte) (*RecordedGame, error) { return recording.Parse(line) }

package basewar

import (
	"pommego/env"
	"pommego/env/record"
)

// replay shows a record: record.Replay.
type replay struct {
	record.Playback
	rules *Rules
	state State
}

// OpenRecord reads a recorded game to be shown: the trace.Reopen of
// [RecordFormat]. What it shows comes from the record's start and actions
// alone, like what [Record.Check] compares.
func OpenRecord(line []byte) (record.Replay, error) {
	rec, err := ParseRecord(line)
	if err != nil {
		return nil, err
	}
	p := &replay{rules: &rec.Rules, state: rec.Start}
	p.Playback = record.NewPlayback(rec.Info, rec.Len(), func(i int) error { return rec.Step(&p.state, i) })
	return p, nil
}

func (p *replay) Status() env.Status { return p.rules.Status(&p.state) }

func (p *replay) AppendText(dst []byte, colour bool) []byte {
	return p.rules.AppendText(dst, &p.state, colour)
}

package basewar

import (
	"errors"

	"pommego/env"
	"pommego/env/trace"
)

// replay shows a record: trace.Replay.
type replay struct {
	rec   *Record
	state State
	made  int
}

// OpenRecord reads a recorded game to be shown: the trace.Reopen of
// [RecordFormat]. What it shows comes from the record's start and actions
// alone, like what [Record.Check] compares.
func OpenRecord(line []byte) (trace.Replay, error) {
	rec, err := ParseRecord(line)
	if err != nil {
		return nil, err
	}
	return &replay{rec: rec, state: rec.Start}, nil
}

func (p *replay) Info() trace.Info { return p.rec.Info }

func (p *replay) Len() int { return p.rec.Len() }

func (p *replay) Step() error {
	if p.made == p.rec.Len() {
		return errors.New("basewar: all recorded steps have been made")
	}
	err := p.rec.Step(&p.state, p.made)
	if err == nil {
		p.made++
	}
	return err
}

func (p *replay) Status() env.Status { return p.rec.Rules.Status(&p.state) }

func (p *replay) AppendText(dst []byte, colour bool) []byte {
	return p.rec.Rules.AppendText(dst, &p.state, colour)
}

package race

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"

	"pommego/env"
	"pommego/env/record"
)

// A saved state is the rules' two numbers, and then the state's.

func (m *Match) header(dst []byte) []byte {
	return append(dst, uint8(m.game.rules.Length), uint8(m.game.rules.MaxSteps), uint8(m.game.rules.MaxSteps>>8))
}

// Append appends the match's state.
func (m *Match) Append(dst []byte) []byte {
	dst = append(m.header(dst), m.At[0], m.At[1])
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint16(dst, m.Steps), m.RNG.State)
}

// Restore takes what Append wrote.
func (m *Match) Restore(state []byte) error {
	header := m.header(nil)
	if len(state) != len(header)+12 || !bytes.HasPrefix(state, header) {
		return errors.New("race: not a state of this game: wrong size or other rules")
	}
	var s State
	if _, err := binary.Decode(state[len(header):], binary.LittleEndian, &s); err != nil {
		return err
	}
	return m.set(&s)
}

// RestoreJSON takes what AppendJSON wrote.
func (m *Match) RestoreJSON(state json.RawMessage) error {
	var s State
	in := json.NewDecoder(bytes.NewReader(state))
	in.DisallowUnknownFields()
	if err := in.Decode(&s); err != nil {
		return err
	}
	if _, err := in.Token(); err != io.EOF {
		return errors.New("race: text after the state")
	}
	return m.set(&s)
}

func (m *Match) set(s *State) error {
	if err := m.game.check(s); err != nil {
		return err
	}
	m.State = *s
	return nil
}

const recordFormat = "race-trace/1"

// recorded is a recorded game: its rules, its start, and each step's actions and
// what came of them.
type recorded struct {
	Format string `json:"format"`
	record.Info
	Rules Rules  `json:"rules"`
	Start State  `json:"start"`
	Steps []step `json:"steps"`
}

type step struct {
	Actions [Seats]uint8 `json:"actions"`
	State
}

// recorder writes a match down.
type recorder struct {
	match *Match
	recorded
}

// Record begins the record of the match: record.Recordable.
func (m *Match) Record(info record.Info) (record.Recorder, error) {
	info, err := info.Complete()
	return &recorder{m, recorded{Format: recordFormat, Info: info, Rules: m.game.rules, Start: m.State}}, err
}

func (r *recorder) Step(actions []uint8, _ ...env.Thought) error {
	r.Steps = append(r.Steps, step{[Seats]uint8(actions), r.match.State})
	return nil
}

func (r *recorder) Append(dst []byte) ([]byte, error) {
	text, err := json.Marshal(&r.recorded)
	return append(dst, text...), err
}

// replay shows a record: record.Replay.
type replay struct {
	*Match
	recorded
	made int
}

// parse reads a record. The match stands at its start.
func parse(line []byte) (*replay, error) {
	p := new(replay)
	if err := json.Unmarshal(line, &p.recorded); err != nil {
		return nil, err
	}
	game, err := New(p.EnvID, "", p.Rules, nil)
	if err != nil {
		return nil, err
	}
	p.Match = game.New(1)[0].(*Match)
	return p, p.set(&p.Start)
}

func (p *replay) Info() record.Info  { return p.recorded.Info }
func (p *replay) Len() int           { return len(p.recorded.Steps) }
func (p *replay) Status() env.Status { return p.Match.Status() }

func (p *replay) Step() error {
	if p.made == p.Len() {
		return errors.New("race: all recorded steps have been made")
	}
	p.Match.Step(p.recorded.Steps[p.made].Actions[:])
	p.made++
	return nil
}

func (p *replay) Position() ([]byte, *env.Spec) { return p.Match.Append(nil), p.game.Spec() }

func (p *replay) Follow(see func(record.Moment) error) error {
	at := record.Moment{Match: p.Match, Game: p.game}
	at.Tracker = at.Game.NewTrackers(1, true)[0]
	err := see(at)
	for err == nil && p.made < p.Len() {
		at.Actions = p.recorded.Steps[p.made].Actions[:]
		if err = p.Step(); err == nil {
			err = see(at)
		}
	}
	return err
}

func openRecord(line []byte) (record.Replay, error) { return parse(line) }

func checkRecord(line []byte) (record.Report, error) {
	p, err := parse(line)
	if err != nil {
		return record.Report{}, err
	}
	c := record.Comparison{Report: record.Report{Counts: record.Counts{Games: 1, Steps: p.Len()}}}
	for _, want := range p.recorded.Steps {
		if err := p.Step(); err != nil {
			return record.Report{}, err
		}
		c.Step++
		if want.State != p.State {
			c.Differs("state", want.State, p.State)
		}
	}
	return c.Report, nil
}

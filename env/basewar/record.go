package basewar

import (
	"encoding/json"
	"errors"
	"fmt"

	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded game is one JSON object on one line, format basewar-trace/1: the
// rules, the state at the start, and for every round the actions, the state after
// it, what it paid, and every so often checksums of what was observed. States are
// written as in the readable form of saved states; booleans are 0 or 1.
//
//	format    "basewar-trace/1"
//	variant, name, note, setup, policies   information only
//	seed      that of the game; information only, for initial has the map
//	config    env_id and rules, an object of the rules' fields
//	obs_every every how many rounds obs is there
//	initial   a state
//	steps     a list of: actions (of each bomber; those of the dead are not
//	          looked at), a state, rewards, done, result, winners (the seats; only
//	          with "Win")
//	obs       in initial and steps: for each encoding the CRC-64 (ECMA) of the
//	          observations of all seats in order, field after field, in hexadecimal
//
// [ParseRecord] reads a record, [Record.Check] replays it from its start and its
// actions alone and compares everything else, and a [Recorder] writes one.

// RecordFormat is the name of the format of recorded games.
const RecordFormat = "basewar-trace/1"

// recordJSON is a record as it stands in a file.
type recordJSON struct {
	Format   string        `json:"format"`
	Variant  string        `json:"variant"`
	Name     string        `json:"name,omitempty"`
	Note     string        `json:"note,omitempty"`
	Seed     uint64        `json:"seed"`
	Setup    string        `json:"setup"`
	Policies []string      `json:"policies"`
	Config   *recordConfig `json:"config"`
	ObsEvery int           `json:"obs_every"`
	Initial  *recordState  `json:"initial"`
	Steps    []recordStep  `json:"steps"`
}

type recordConfig struct {
	EnvID string          `json:"env_id"`
	Rules json.RawMessage `json:"rules"`
}

// recordState is a state, with checksums where they were recorded.
type recordState struct {
	jsonState
	Obs map[string]string `json:"obs,omitempty"` // by encoding
}

// recordStep is the actions of one round and the state after it.
type recordStep struct {
	Actions []int `json:"actions"` // by bomber
	recordState
	Rewards []float64 `json:"rewards"`
	Done    *int      `json:"done"`
	Result  string    `json:"result"`
	Winners []int     `json:"winners,omitempty"`
}

// Record is a recorded game that has been read.
type Record struct {
	Rules Rules
	Start State
	Info  record.Info

	game    *Game
	initial recordState
	steps   []recordStep
}

// ParseRecord reads a recorded game. What is wrong with it is an error that
// names the key; values that merely differ from what the rules say are found by
// [Record.Check].
func ParseRecord(line []byte) (*Record, error) {
	var in recordJSON
	if err := saved.DecodeJSON(line, &in); err != nil {
		return nil, err
	}
	switch {
	case in.Format != RecordFormat:
		return nil, fmt.Errorf("format is %q, want %q", in.Format, RecordFormat)
	case in.Config == nil || in.Config.Rules == nil || in.Initial == nil || in.Steps == nil:
		return nil, errors.New("config, its rules, initial or steps is missing")
	}
	rec := &Record{
		initial: *in.Initial, steps: in.Steps,
		Info: record.Info{
			EnvID: in.Config.EnvID, Variant: in.Variant, Name: in.Name, Note: in.Note, Seed: in.Seed,
			Setup: in.Setup, Policies: in.Policies, ObsEvery: in.ObsEvery,
		},
	}
	if err := saved.DecodeJSON(in.Config.Rules, &rec.Rules); err != nil {
		return nil, fmt.Errorf("config: rules: %w", err)
	}
	if err := rec.Rules.Validate(); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	rec.game = undealt(rec.Rules)
	var err error
	if rec.Start, err = rec.Rules.fromJSON(&rec.initial.jsonState); err == nil {
		err = rec.Rules.Check(&rec.Start)
	}
	if err != nil {
		return nil, fmt.Errorf("initial: %w", err)
	}
	return rec, rec.complete()
}

// complete reports whether every key that has to be in the steps is there, and
// whether the list ends where the game does.
func (rec *Record) complete() error {
	for i := range rec.steps {
		st := &rec.steps[i]
		var err error
		switch {
		case len(st.Actions) != NumBombers:
			err = fmt.Errorf("actions has %d entries, want one for each of %d bombers", len(st.Actions), NumBombers)
		case st.Rewards == nil || st.Done == nil || st.Result == "":
			err = errors.New("rewards, done or result is missing")
		case *st.Done != 0 && i < len(rec.steps)-1:
			err = fmt.Errorf("the game is done, but %d more steps follow", len(rec.steps)-1-i)
		case st.StepCount == nil || st.Board == "" || st.Bombers == nil || st.Bombs == nil || st.Energy == nil || st.Score == nil:
			err = errors.New("step_count, board, bombers, bombs, energy or score is missing")
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

// Recorder writes one game down, round by round. It belongs to one goroutine.
type Recorder struct {
	game  *Game
	every int
	done  bool
	sums  *observer
	out   recordJSON
}

// NewRecorder begins the record of a game that stands at s.
func NewRecorder(g *Game, s *State, info record.Info) (*Recorder, error) {
	info, err := info.Complete()
	if err != nil {
		return nil, err
	}
	rules, err := json.Marshal(g.rules)
	if err != nil {
		return nil, err
	}
	rec := &Recorder{game: g, every: info.ObsEvery, sums: newObserver(g)}
	rec.out = recordJSON{
		Format: RecordFormat, Variant: info.Variant, Name: info.Name, Note: info.Note,
		Seed: info.Seed, Setup: info.Setup, Policies: info.Policies,
		Config: &recordConfig{info.EnvID, rules}, ObsEvery: info.ObsEvery, Steps: []recordStep{},
	}
	rec.out.Initial = &recordState{jsonState: g.rules.jsonOf(s)}
	if rec.every > 0 {
		rec.out.Initial.Obs = rec.sums.sum(s)
	}
	return rec, nil
}

// Step records one round: the actions as given to Game.Step, and the state after
// it.
func (rec *Recorder) Step(actions []uint8, s *State) error {
	if rec.done {
		return errors.New("basewar: the recorded game is over and has no further steps")
	}
	r := &rec.game.rules
	status := r.Status(s)
	step := recordStep{
		recordState: recordState{jsonState: r.jsonOf(s)},
		Rewards:     make([]float64, r.Seats()), Done: new(int(toByte(status.Over))), Result: status.Result.String(),
		Winners: status.Winners.List(),
	}
	for id := range NumBombers {
		step.Actions = append(step.Actions, int(actions[rec.game.actionAt[id]]))
	}
	r.Rewards(s, step.Rewards)
	if made := len(rec.out.Steps) + 1; rec.every > 0 && (made%rec.every == 0 || status.Over) {
		step.Obs = rec.sums.sum(s)
	}
	rec.done = status.Over
	rec.out.Steps = append(rec.out.Steps, step)
	return nil
}

// Append appends the record, one line without its line feed. More steps may
// follow, and a longer record be written.
func (rec *Recorder) Append(dst []byte) ([]byte, error) {
	line, err := json.Marshal(&rec.out)
	return append(dst, line...), err
}

// Record begins the record of the match: record.Recordable.
func (m *Match) Record(info record.Info) (record.Recorder, error) {
	rec, err := NewRecorder(m.game, &m.State, info)
	if err != nil {
		return nil, err
	}
	return &matchRecorder{rec, m}, nil
}

type matchRecorder struct {
	*Recorder
	match *Match
}

func (r *matchRecorder) Step(actions []uint8) error {
	return r.Recorder.Step(actions, &r.match.State)
}

package suitebot

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"pommego/env"
	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded game is one JSON object on one line, format suitebot-trace/1: the
// rules, the state at the start, and for every round the actions, the state
// after it, what it paid, and every so often what each agent observed. Fields are
// [x, y], maps are strings of one character a field, row by row. [ParseRecord]
// reads a record, [Record.Check] replays it from its start and its actions alone
// and compares everything else, and a [Recorder] writes one.
//
//	key        of a record
//	format     suitebot-trace/1
//	variant    the environment's id
//	name, note of scenes made by hand (optional)
//	seed       of the game; information only
//	setup      how it began: standard, or scene
//	policies   who plays, by seat
//	rules      a Rules object
//	obs_every  every how many rounds observations are recorded, 0: never
//	initial    a state
//	steps      what a round led to: a state, and actions (a number a seat:
//	           0 hold, 1 up, 2 down, 3 left, 4 right, 5 plant_bomb), rewards,
//	           done, result (Win, Tie or Incomplete) and, with Win, winners
//
//	key        of a state
//	step_count rounds played
//	fields     map: . holds its points, x lost them, * was reached in the round
//	homes      [x, y] of each home base; in the initial state alone
//	agents     [x, y, score, collected, kills, deaths] of each
//	bombs      [x, y, rounds left, owner], those that go off first at first, then
//	           by owner
//	obs        a list of observations, one a seat, where they were recorded
//
//	key        of an observation: what a seat sees
//	seat, step_count, position ([x, y]), scores (one a seat)
//	field      map: ., x, and ? where it does not see
//	agent, home, bomb_owner   maps: . for nobody, else the seat
//	bomb_rounds               map: . for no bomb, else the rounds left

// RecordFormat is the name of the format of recorded games.
const RecordFormat = "suitebot-trace/1"

// recordJSON is a record as it stands in a file.
type recordJSON struct {
	Format   string          `json:"format"`
	Variant  string          `json:"variant"`
	Name     string          `json:"name,omitempty"`
	Note     string          `json:"note,omitempty"`
	Seed     json.RawMessage `json:"seed,omitempty"`
	Setup    string          `json:"setup"`
	Policies []string        `json:"policies"`
	Rules    json.RawMessage `json:"rules"`
	ObsEvery int             `json:"obs_every"`
	Initial  *recordState    `json:"initial"`
	Steps    []recordStep    `json:"steps"`
}

// recordState is a state, with the observations of it where they were recorded.
// Pointers tell a missing key from a zero.
type recordState struct {
	StepCount *int        `json:"step_count"`
	Fields    string      `json:"fields"`
	Homes     [][]int     `json:"homes,omitempty"`
	Agents    [][]int     `json:"agents"`
	Bombs     [][]int     `json:"bombs"`
	Obs       []recordObs `json:"obs,omitempty"`
}

// recordStep is the actions of one round and the state after it.
type recordStep struct {
	Actions []int `json:"actions"`
	recordState
	Rewards []float64 `json:"rewards"`
	Done    *bool     `json:"done"`
	Result  string    `json:"result"`
	Winners []int     `json:"winners,omitempty"`
}

// recordObs is what a seat sees.
type recordObs struct {
	Seat       int    `json:"seat"`
	StepCount  int    `json:"step_count"`
	Position   [2]int `json:"position"`
	Scores     []int  `json:"scores"`
	Field      string `json:"field"`
	Agent      string `json:"agent"`
	Home       string `json:"home"`
	BombRounds string `json:"bomb_rounds"`
	BombOwner  string `json:"bomb_owner"`
}

// Record is a recorded game that has been read.
type Record struct {
	Plan  *Plan
	Start State
	Info  record.Info

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
	case in.Rules == nil || in.Initial == nil || in.Steps == nil:
		return nil, errors.New("rules, initial or steps is missing")
	}
	var rules Rules
	if err := saved.DecodeJSON(in.Rules, &rules); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	plan, err := NewPlan(rules)
	if err != nil {
		return nil, err
	}
	rec := &Record{
		Plan: plan, initial: *in.Initial, steps: in.Steps,
		Info: record.Info{
			EnvID: in.Variant, Variant: in.Variant, Name: in.Name, Note: in.Note,
			Setup: in.Setup, Policies: in.Policies, ObsEvery: in.ObsEvery,
		},
	}
	rec.Info.Seed, _ = strconv.ParseUint(string(in.Seed), 10, 64) // of any form: the replay does without
	if err := rec.complete(); err != nil {
		return nil, err
	}
	if rec.Start, err = plan.readRecordState(&rec.initial); err != nil {
		return nil, fmt.Errorf("initial: %w", err)
	}
	return rec, nil
}

// complete reports whether every key that has to be in the record is there, and
// whether the list of steps ends where the game does.
func (rec *Record) complete() error {
	if err := rec.completeState(&rec.initial); err != nil {
		return fmt.Errorf("initial: %w", err)
	}
	if len(rec.initial.Homes) != rec.Plan.rules.Players {
		return fmt.Errorf("initial: homes has %d entries, want %d", len(rec.initial.Homes), rec.Plan.rules.Players)
	}
	for i := range rec.steps {
		st := &rec.steps[i]
		err := rec.completeState(&st.recordState)
		switch {
		case err != nil:
		case st.Rewards == nil || st.Done == nil || st.Result == "":
			err = errors.New("rewards, done or result is missing")
		case *st.Done && i < len(rec.steps)-1:
			err = fmt.Errorf("the game is done, but %d more steps follow", len(rec.steps)-1-i)
		case st.Homes != nil:
			err = errors.New("homes belong to the initial state alone")
		case len(st.Actions) != rec.Plan.rules.Players:
			err = fmt.Errorf("actions has %d entries, want %d", len(st.Actions), rec.Plan.rules.Players)
		}
		for seat, action := range st.Actions {
			if err == nil && (action < 0 || action >= int(numActions)) {
				err = fmt.Errorf("actions[%d] is %d, want 0 to %d", seat, action, numActions-1)
			}
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return nil
}

func (rec *Record) completeState(in *recordState) error {
	switch {
	case in.StepCount == nil || in.Fields == "" || in.Agents == nil || in.Bombs == nil:
		return errors.New("step_count, fields, agents or bombs is missing")
	case in.Obs != nil && len(in.Obs) != rec.Plan.rules.Players:
		return fmt.Errorf("obs has %d observations, want %d", len(in.Obs), rec.Plan.rules.Players)
	}
	return nil
}

// readRecordState makes the state a record begins with. Points of the last
// round are not recorded: the first reward is that of the first step.
func (p *Plan) readRecordState(in *recordState) (s State, err error) {
	if *in.StepCount < 0 || *in.StepCount > p.rules.Rounds {
		return s, fmt.Errorf("step_count is %d, want 0 to %d", *in.StepCount, p.rules.Rounds)
	}
	s.StepCount = uint16(*in.StepCount)
	if len(in.Fields) != p.cells {
		return s, fmt.Errorf("fields has %d characters, want %d", len(in.Fields), p.cells)
	}
	var rows []string
	for y := range p.rules.Height {
		rows = append(rows, in.Fields[y*p.rules.Width:][:p.rules.Width])
	}
	if err := p.readRows(rows, &s); err != nil {
		return s, fmt.Errorf("fields: %w", err)
	}
	if err := p.readRecordAgents(in, &s); err != nil {
		return s, err
	}
	for i, row := range in.Bombs {
		if len(row) != 4 {
			return s, fmt.Errorf("bombs[%d] has %d numbers, want 4", i, len(row))
		}
		if err := p.addBomb(&s, row[0], row[1], row[2], row[3]); err != nil {
			return s, fmt.Errorf("bombs[%d]: %w", i, err)
		}
	}
	return s, p.Check(&s)
}

func (p *Plan) readRecordAgents(in *recordState, s *State) (err error) {
	if len(in.Agents) != p.rules.Players {
		return fmt.Errorf("agents has %d entries, want %d", len(in.Agents), p.rules.Players)
	}
	for i, row := range in.Agents {
		if len(row) != 6 || len(in.Homes[i]) != 2 {
			return fmt.Errorf("agents[%d] has %d numbers and homes[%d] %d, want 6 and 2", i, len(row), i, len(in.Homes[i]))
		}
		if s.Agents[i], err = p.cellAt(row[0], row[1]); err != nil {
			return fmt.Errorf("agents[%d]: %w", i, err)
		}
		if s.Homes[i], err = p.cellAt(in.Homes[i][0], in.Homes[i][1]); err != nil {
			return fmt.Errorf("homes[%d]: %w", i, err)
		}
		s.Scores[i], s.Collected[i], s.Kills[i], s.Deaths[i] = int32(row[2]), uint16(row[3]), uint16(row[4]), uint16(row[5])
		if int(s.Scores[i]) != row[2] || int(s.Collected[i]) != row[3] || int(s.Kills[i]) != row[4] || int(s.Deaths[i]) != row[5] {
			return fmt.Errorf("agents[%d] is %v, which no game leads to", i, row)
		}
	}
	return nil
}

// Len is the number of recorded steps.
func (rec *Record) Len() int { return len(rec.steps) }

// Step makes recorded step i, counted from 0, in s.
func (rec *Record) Step(s *State, i int) {
	var actions [MaxPlayers]uint8
	for seat, action := range rec.steps[i].Actions {
		actions[seat] = uint8(action)
	}
	rec.Plan.Step(s, actions[:rec.Plan.rules.Players])
}

// replay shows a record: record.Replay.
type replay struct {
	record.Playback
	plan  *Plan
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
	p := &replay{plan: rec.Plan, state: rec.Start}
	p.Playback = record.NewPlayback(rec.Info, rec.Len(), func(i int) error {
		if p.plan.Over(&p.state) {
			return fmt.Errorf("suitebot: the game is over after %d steps, but %d are recorded", i, rec.Len())
		}
		rec.Step(&p.state, i)
		return nil
	})
	return p, nil
}

func (p *replay) Status() env.Status { return p.plan.Status(&p.state) }

func (p *replay) AppendText(dst []byte, colour bool) []byte {
	return p.plan.AppendText(dst, &p.state, colour)
}

// Picture shows the game as it stands: env.Pictured.
func (p *replay) Picture() env.Picture { return p.plan.Picture(&p.state) }

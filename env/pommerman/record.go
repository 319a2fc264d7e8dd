package pommerman

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"pommego/env/record"
	"pommego/env/saved"
)

// A recorded game is one JSON object on one line, format pommerman-trace/1: the
// configuration, the state at the start, and for every step the actions, the
// state after it, what it paid, and every so often what each agent observed.
// Cells are [row, column], boards and maps are strings of one base-36 digit a
// cell, booleans 0 or 1. [ParseRecord] reads a record, [Record.Check] replays
// it from its start and its actions alone and compares everything else, and a
// [Recorder] writes one.
//
// Two optional keys extend what the reference writes: "rules", a Rules object,
// which then holds instead of what follows from "config"; and "dice", the state
// of the game's RNG at the start, 16 hexadecimal digits.

// RecordFormat is the name of the format of recorded games.
const RecordFormat = "pommerman-trace/1"

// recordJSON is a record as it stands in a file.
type recordJSON struct {
	Format   string          `json:"format"`
	Variant  string          `json:"variant"`
	Name     string          `json:"name,omitempty"`
	Note     string          `json:"note,omitempty"`
	Seed     json.RawMessage `json:"seed,omitempty"` // information only
	Setup    string          `json:"setup"`
	Policies []string        `json:"policies"`
	Config   *recordConfig   `json:"config"`
	Rules    json.RawMessage `json:"rules,omitempty"`
	RNG      string          `json:"dice,omitempty"`
	ObsEvery int             `json:"obs_every"`
	Initial  *recordState    `json:"initial"`
	Steps    []recordStep    `json:"steps"`
}

// recordConfig is what the reference's environment was made with. Pointers tell
// a missing key or null from a zero.
type recordConfig struct {
	EnvID         string  `json:"env_id"`
	GameEnv       string  `json:"game_env"`
	GameType      *int    `json:"game_type"`
	NumAgents     *int    `json:"num_agents"`
	BoardSize     *int    `json:"board_size"`
	NumRigid      *int    `json:"num_rigid"`
	NumWood       *int    `json:"num_wood"`
	NumItems      *int    `json:"num_items"`
	MaxSteps      *int    `json:"max_steps"`
	Partial       *flag   `json:"partially_observable"`
	ViewSize      *int    `json:"agent_view_size"`
	MaxBlast      *int    `json:"max_blast_strength"`
	FirstCollapse *int    `json:"first_collapse"`
	Collapses     [][]int `json:"collapses"`
	RadioVocab    *int    `json:"radio_vocab_size"`
	RadioWords    *int    `json:"radio_num_words"`
	TrainingAgent *int    `json:"training_agent"`
}

// recordState is a state, with the observations of it where they were recorded.
type recordState struct {
	StepCount *int        `json:"step_count"`
	Board     string      `json:"board"`
	Agents    [][]int     `json:"agents"` // row, col, alive, ammo, blast strength, can kick
	Bombs     [][]int     `json:"bombs"`  // row, col, life, blast strength, bomber, direction
	Flames    [][]int     `json:"flames"` // row, col, life
	Items     [][]int     `json:"items"`  // row, col, item
	Radio     [][]int     `json:"radio,omitempty"`
	Obs       []recordObs `json:"obs,omitempty"`
}

// recordStep is the actions of one step and the state after it.
type recordStep struct {
	Actions  []int   `json:"actions"`
	Messages [][]int `json:"messages,omitempty"`
	recordState
	Rewards []float64 `json:"rewards"`
	Done    *flag     `json:"done"`
	Result  string    `json:"result"`
	Winners []int     `json:"winners,omitempty"`
}

// recordObs is the reference's observation dictionary.
type recordObs struct {
	Board      string `json:"board"`
	BombBlast  string `json:"bomb_blast_strength"`
	BombLife   string `json:"bomb_life"`
	BombMoving string `json:"bomb_moving_direction"`
	FlameLife  string `json:"flame_life"`
	Position   []int  `json:"position"`
	Ammo       *int   `json:"ammo"`
	Blast      *int   `json:"blast_strength"`
	CanKick    *flag  `json:"can_kick"`
	Teammate   *int   `json:"teammate"`
	Enemies    []int  `json:"enemies"`
	Alive      []int  `json:"alive"`
	GameType   *int   `json:"game_type"`
	GameEnv    string `json:"game_env"`
	StepCount  *int   `json:"step_count"`
	Message    []int  `json:"message,omitempty"`
}

// flag is a boolean, written as 0 or 1 and read as false or true too.
type flag bool

// UnmarshalJSON reads 0, 1, false or true.
func (f *flag) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "0", "false":
		*f = false
	case "1", "true":
		*f = true
	default:
		return fmt.Errorf("%s is not a boolean, want 0 or 1", text)
	}
	return nil
}

func (f flag) String() string { return string('0' + rune(toByte(bool(f)))) }

// MarshalJSON writes 0 or 1.
func (f flag) MarshalJSON() ([]byte, error) { return []byte{'0' + toByte(bool(f))}, nil }

// Record is a recorded game that has been read.
type Record struct {
	Rules Rules
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
	case in.Config == nil || in.Initial == nil || in.Steps == nil:
		return nil, errors.New("config, initial or steps is missing")
	}
	rules, err := in.rules()
	if err != nil {
		return nil, err
	}
	rec := &Record{
		Rules: rules, initial: *in.Initial, steps: in.Steps,
		Info: record.Info{
			EnvID: in.Config.EnvID, Variant: in.Variant, Name: in.Name, Note: in.Note,
			Setup: in.Setup, Policies: in.Policies, ObsEvery: in.ObsEvery,
		},
	}
	if err := rec.complete(); err != nil {
		return nil, err
	}
	rec.Start, err = rules.readRecordState(&rec.initial)
	if err != nil {
		return nil, fmt.Errorf("initial: %w", err)
	}
	rec.Info.Seed, _ = strconv.ParseUint(string(in.Seed), 10, 64) // of any form: the replay does without
	if in.RNG != "" {
		if rec.Start.RNG, err = saved.ParseRNG(in.RNG); err != nil {
			return nil, err
		}
	}
	return rec, nil
}

// rules is the rules the game was played by.
func (in *recordJSON) rules() (Rules, error) {
	r, err := in.Config.rules()
	if err != nil {
		return Rules{}, fmt.Errorf("config: %w", err)
	}
	if in.Rules != nil {
		r = Rules{}
		if err := saved.DecodeJSON(in.Rules, &r); err != nil {
			return Rules{}, fmt.Errorf("rules: %w", err)
		}
	}
	if err := r.Validate(); err != nil {
		return Rules{}, err
	}
	if n := *in.Config.NumAgents; n != r.Seats() {
		return Rules{}, fmt.Errorf("config: num_agents is %d, want %d in game type %d", n, r.Seats(), r.GameType)
	}
	at := r.Collapses()
	fits := len(at) == len(in.Config.Collapses)
	for ring := 0; fits && ring < len(at); ring++ {
		entry := in.Config.Collapses[ring]
		fits = len(entry) == 2 && entry[0] == at[ring] && entry[1] == ring
	}
	if !fits {
		return Rules{}, fmt.Errorf("config: collapses are %v, but by first_collapse and max_steps rings 0, 1, ... fall at steps %v", in.Config.Collapses, at)
	}
	return r, nil
}

// rules is the reference's rules with the numbers of the configuration.
func (c *recordConfig) rules() (Rules, error) {
	for _, need := range []struct {
		name    string
		missing bool
	}{
		{"game_type", c.GameType == nil}, {"num_agents", c.NumAgents == nil}, {"board_size", c.BoardSize == nil},
		{"num_rigid", c.NumRigid == nil}, {"num_wood", c.NumWood == nil}, {"num_items", c.NumItems == nil},
		{"max_steps", c.MaxSteps == nil}, {"partially_observable", c.Partial == nil},
		{"max_blast_strength", c.MaxBlast == nil}, {"collapses", c.Collapses == nil},
		{"agent_view_size", c.Partial != nil && bool(*c.Partial) && c.ViewSize == nil},
	} {
		if need.missing {
			return Rules{}, fmt.Errorf("%s is missing", need.name)
		}
	}
	if *c.GameType < int(FFA) || *c.GameType > int(OneVsOne) {
		return Rules{}, fmt.Errorf("game_type is %d, want 1 to 4", *c.GameType)
	}
	r := Playground(GameType(*c.GameType))
	r.GameEnv, r.BoardSize, r.MaxSteps = c.GameEnv, *c.BoardSize, *c.MaxSteps
	r.NumRigid, r.NumWood, r.NumItems = *c.NumRigid, *c.NumWood, *c.NumItems
	r.MaxBlast = *c.MaxBlast
	if *c.Partial {
		r.ViewSize = *c.ViewSize
	}
	r.RadioWords, r.RadioVocab = valueOr(c.RadioWords, 0), valueOr(c.RadioVocab, 0)
	r.FirstCollapse, r.TrainingAgent = valueOr(c.FirstCollapse, NoCollapse), valueOr(c.TrainingAgent, NoSeat)
	return r, nil
}

func valueOr(p *int, otherwise int) int {
	if p == nil {
		return otherwise
	}
	return *p
}

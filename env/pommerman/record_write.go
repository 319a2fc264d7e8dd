package pommerman

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pommego/env/record"
	"pommego/env/saved"
)

// Recorder writes one game down, step by step:
//
//	rec, err := pommerman.NewRecorder(&rules, &state, info)
//	for !rules.Status(&state).Over {
//		rules.Step(&state, actions)
//		err = rec.Step(actions, &state)
//	}
//	line, err := rec.Append(nil)
//
// It belongs to one goroutine.
type Recorder struct {
	rules Rules
	every int
	done  bool
	view  View
	out   recordJSON
}

// NewRecorder begins the record of a game that stands at s. A ring that is due
// there has fallen in the record, as in the reference between two steps.
func NewRecorder(r *Rules, s *State, info record.Info) (*Recorder, error) {
	info, err := info.Complete()
	if err != nil {
		return nil, err
	}
	start := r.Settled(*s)
	rules := *r
	rules.TrainingAgent = int(start.training) - 1
	rec := &Recorder{rules: rules, every: info.ObsEvery}
	rec.out = recordJSON{
		Format: RecordFormat, Variant: info.Variant, Name: info.Name, Note: info.Note,
		Seed: strconv.AppendUint(nil, info.Seed, 10), Setup: info.Setup, Policies: info.Policies,
		Config: rules.config(info.EnvID), ObsEvery: info.ObsEvery, Steps: []recordStep{},
	}
	if plain, err := rec.out.Config.rules(); err != nil || plain != rules {
		rec.out.Rules, _ = json.Marshal(rules) // a struct of numbers always marshals
		rec.out.RNG = saved.Hex(start.RNG.State)
	}
	initial := rules.recordOf(&start)
	if rec.every > 0 {
		initial.Obs = rec.observe(&start)
	}
	rec.out.Initial = &initial
	return rec, rec.fits(&initial)
}

// config is the reference's configuration with these rules.
func (r *Rules) config(id string) *recordConfig {
	c := &recordConfig{
		EnvID: id, GameEnv: r.GameEnv, GameType: new(int(r.GameType)), NumAgents: new(r.Seats()),
		BoardSize: &r.BoardSize, NumRigid: &r.NumRigid, NumWood: &r.NumWood, NumItems: &r.NumItems, MaxSteps: &r.MaxSteps,
		Partial: new(flag(r.ViewSize != 0)), ViewSize: unless(r.ViewSize, 0), MaxBlast: &r.MaxBlast,
		FirstCollapse: unless(r.FirstCollapse, NoCollapse), Collapses: [][]int{},
		RadioVocab: unless(r.RadioVocab, 0), RadioWords: unless(r.RadioWords, 0),
		TrainingAgent: unless(r.TrainingAgent, NoSeat),
	}
	for ring, at := range r.Collapses() {
		c.Collapses = append(c.Collapses, []int{at, ring})
	}
	return c
}

func unless(v, none int) *int {
	if v == none {
		return nil
	}
	return &v
}

// Step records one step: the actions as given to Rules.Step, and the state
// after it.
func (rec *Recorder) Step(actions []uint8, s *State) error {
	r := &rec.rules
	if rec.done {
		return errors.New("pommerman: the recorded game is over and has no further steps")
	}
	status := r.Status(s)
	settled := r.Settled(*s)
	step := recordStep{
		recordState: r.recordOf(&settled), Rewards: make([]float64, r.Seats()),
		Done: new(flag(status.Over)), Result: status.Result.String(), Winners: status.Winners.List(),
	}
	r.Rewards(s, step.Rewards)
	width := 1 + r.RadioWords
	for seat := range r.Seats() {
		own := actions[seat*width:][:width]
		step.Actions = append(step.Actions, int(own[0]))
		if r.RadioWords > 0 {
			var message [MaxWords]uint8
			copy(message[:], own[1:])
			step.Messages = append(step.Messages, r.words(&message))
		}
	}
	made := len(rec.out.Steps) + 1
	if rec.every > 0 && (made%rec.every == 0 || status.Over || s.due != 0) {
		step.Obs = rec.observe(s)
	}
	rec.done = status.Over
	rec.out.Steps = append(rec.out.Steps, step)
	return rec.fits(&step.recordState)
}

// observe is what every seat observes.
func (rec *Recorder) observe(s *State) []recordObs {
	var all []recordObs
	for seat := range rec.rules.Seats() {
		rec.rules.See(s, seat, &rec.view)
		all = append(all, rec.view.seen())
	}
	return all
}

// fits reports whether everything in the state has a digit in its maps: bombs
// that live longer than 35 steps have none.
func (rec *Recorder) fits(in *recordState) error {
	for _, o := range in.Obs {
		for _, text := range []string{o.BombBlast, o.BombLife} {
			if strings.ContainsRune(text, '?') {
				return fmt.Errorf("pommerman: step %d: a bomb's life or blast strength is over 35 and has no digit in a recorded map; record without observations", *in.StepCount)
			}
		}
	}
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
	rec, err := NewRecorder(&m.game.rules, &m.State, info)
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

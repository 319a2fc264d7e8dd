package suitebot

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"pommego/env/record"
)

// Recorder writes one game down, round by round:
//
//	rec, err := suitebot.NewRecorder(plan, &state, info)
//	for !plan.Over(&state) {
//		plan.Step(&state, actions)
//		err = rec.Step(actions, &state)
//	}
//	line, err := rec.Append(nil)
//
// It belongs to one goroutine.
type Recorder struct {
	plan  *Plan
	every int
	done  bool
	view  View
	out   recordJSON
}

// NewRecorder begins the record of a game that stands at s.
func NewRecorder(p *Plan, s *State, info record.Info) (*Recorder, error) {
	info, err := info.Complete()
	if err != nil {
		return nil, err
	}
	rules, err := json.Marshal(p.rules)
	if err != nil {
		return nil, err
	}
	rec := &Recorder{plan: p, every: info.ObsEvery, done: p.Over(s)}
	initial := p.recordOf(s)
	for _, home := range s.Homes[:p.rules.Players] {
		x, y := p.XY(home)
		initial.Homes = append(initial.Homes, []int{x, y})
	}
	if rec.every > 0 {
		initial.Obs = rec.observe(s)
	}
	rec.out = recordJSON{
		Format: RecordFormat, Variant: info.Variant, Name: info.Name, Note: info.Note,
		Seed: strconv.AppendUint(nil, info.Seed, 10), Setup: info.Setup, Policies: info.Policies,
		Rules: rules, ObsEvery: info.ObsEvery, Initial: &initial, Steps: []recordStep{},
	}
	return rec, nil
}

// Step records one round: the actions as given to Plan.Step, and the state
// after it.
func (rec *Recorder) Step(actions []uint8, s *State) error {
	p := rec.plan
	if rec.done {
		return errors.New("suitebot: the recorded game is over and has no further steps")
	}
	status := p.Status(s)
	rec.done = status.Over
	step := recordStep{
		recordState: p.recordOf(s), Rewards: make([]float64, p.rules.Players),
		Done: &status.Over, Result: status.Result.String(), Winners: status.Winners.List(),
	}
	p.Rewards(s, step.Rewards)
	for seat := range p.rules.Players {
		step.Actions = append(step.Actions, int(actions[seat]))
	}
	if made := len(rec.out.Steps) + 1; rec.every > 0 && (made%rec.every == 0 || status.Over) {
		step.Obs = rec.observe(s)
	}
	rec.out.Steps = append(rec.out.Steps, step)
	return nil
}

// Append appends the record, one line without its line feed. More steps may
// follow, and a longer record be written.
func (rec *Recorder) Append(dst []byte) ([]byte, error) {
	line, err := json.Marshal(&rec.out)
	return append(dst, line...), err
}

// recordOf writes a state down as a record does, without home bases and
// observations.
func (p *Plan) recordOf(s *State) recordState {
	steps := int(s.StepCount)
	out := recordState{StepCount: &steps, Fields: strings.Join(p.rows(s), ""), Bombs: [][]int{}}
	for seat := range p.rules.Players {
		x, y := p.XY(s.Agents[seat])
		out.Agents = append(out.Agents, []int{x, y, int(s.Scores[seat]), int(s.Collected[seat]), int(s.Kills[seat]), int(s.Deaths[seat])})
	}
	for b := range s.Bombs {
		x, y := p.XY(b.Cell)
		out.Bombs = append(out.Bombs, []int{x, y, b.Rounds, b.Owner})
	}
	return out
}

// observe is what every seat sees.
func (rec *Recorder) observe(s *State) []recordObs {
	var all []recordObs
	for seat := range rec.plan.rules.Players {
		rec.plan.See(s, seat, &rec.view)
		all = append(all, rec.view.seen())
	}
	return all
}

// seen is a view as a record shows it.
func (v *View) seen() recordObs {
	p, s := v.Plan, &v.State
	o := recordObs{Seat: v.Seat, StepCount: int(s.StepCount)}
	o.Position[0], o.Position[1] = p.XY(s.Agents[v.Seat])
	blank := strings.Repeat(".", p.cells)
	field, agent, home, rounds, owner := []byte(blank), []byte(blank), []byte(blank), []byte(blank), []byte(blank)
	for c := range field {
		field[c] = v.letter(Cell(c))
	}
	for seat := range p.rules.Players {
		o.Scores = append(o.Scores, int(s.Scores[seat]))
		home[s.Homes[seat]] = '0' + byte(seat)
		if at := s.Agents[seat]; at != NoCell {
			agent[at] = '0' + byte(seat)
		}
	}
	for b := range s.Bombs {
		rounds[b.Cell], owner[b.Cell] = '0'+byte(b.Rounds), '0'+byte(b.Owner)
	}
	o.Field, o.Agent, o.Home, o.BombRounds, o.BombOwner = string(field), string(agent), string(home), string(rounds), string(owner)
	return o
}

// Record begins the record of the match: record.Recordable.
func (m *Match) Record(info record.Info) (record.Recorder, error) {
	rec, err := NewRecorder(m.game.plan, &m.State, info)
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

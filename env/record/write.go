package record

import (
	"encoding/json"
	"fmt"
	"strconv"

	"pommego/env"
	"pommego/env/saved"
)

// recorder records one match: Recorder.
type recorder[M Match, S, O any] struct {
	form  *Form[M, S, O]
	match M
	over  bool
	out   Head
}

// Record begins the record of a match in its present state.
func (f *Form[M, S, O]) Record(m M, info Info) (Recorder, error) {
	info, err := info.Complete()
	if err != nil {
		return nil, err
	}
	r := &recorder[M, S, O]{form: f, match: m}
	r.out = Head{
		Format: f.Name, Variant: info.Variant, Name: info.Name, Note: info.Note,
		Seed: strconv.AppendUint(nil, info.Seed, 10), Setup: info.Setup, Policies: info.Policies,
		ObsEvery: info.ObsEvery, Steps: []json.RawMessage{},
	}
	f.SetRules(&r.out, m, info.EnvID)
	shown, obs := f.shown(m), seen{}
	if info.ObsEvery > 0 {
		if obs, err = r.observe(shown); err != nil {
			return nil, err
		}
	}
	r.out.Initial, err = saved.Encode(f.Show(shown), &obs)
	return r, err
}

// Step records one step of the match.
func (r *recorder[M, S, O]) Step(actions []uint8, thoughts ...env.Thought) (err error) {
	f, m := r.form, r.match
	if r.over {
		return fmt.Errorf("%s: the recorded game is over and has no further steps", f.Name)
	}
	inputs, outcome, shown, obs := f.Acted(m, actions), f.outcome(m), f.shown(m), seen{}
	r.over, inputs.Thoughts = bool(outcome.Done), thoughts
	every := r.out.ObsEvery
	if every > 0 && ((len(r.out.Steps)+1)%every == 0 || r.over || any(shown) != any(m)) {
		if obs, err = r.observe(m); err != nil {
			return err
		}
	}
	end, err := f.encode(outcome)
	if err != nil {
		return err
	}
	state := f.Show(shown)
	onlyFirst(state)
	text, err := saved.Encode(&inputs, state, &obs, end)
	r.out.Steps = append(r.out.Steps, text)
	return err
}

// onlyFirst removes from a snapshot what records show in their initial state alone.
func onlyFirst(state any) {
	if s, ok := state.(interface{ OnlyFirst() }); ok {
		s.OnlyFirst()
	}
}

// observe returns the observations of m, none if a map has no letter for something.
func (r *recorder[M, S, O]) observe(m M) (seen, error) {
	all := make([]*O, r.form.observers(m))
	for seat := range all {
		if all[seat] = r.form.Observe(m, seat); !r.form.Shape(m).Drawn(all[seat]) {
			return seen{}, nil
		}
	}
	text, err := json.Marshal(all)
	if r.form.Together {
		text, err = json.Marshal(all[0])
	}
	return seen{text}, err
}

// Append appends the record.
func (r *recorder[M, S, O]) Append(dst []byte) ([]byte, error) {
	line, err := json.Marshal(&r.out)
	return append(dst, line...), err
}

// Write returns the record of a game that began in a state and went on by these
// actions, which were based on these thoughts. It plays the game again.
func Write(game env.Game, info Info, start []byte, actions [][]byte, thoughts [][]env.Thought) ([]byte, error) {
	again := game.New(1)[0]
	if err := again.Restore(start); err != nil {
		return nil, err
	}
	m, ok := again.(Recordable)
	if !ok {
		return nil, fmt.Errorf("record: games of %s cannot be recorded", game.Spec().ID)
	}
	rec, err := m.Record(info)
	if err != nil {
		return nil, err
	}
	for i, own := range actions {
		again.Step(own)
		if err := rec.Step(own, thoughts[i]...); err != nil {
			return nil, err
		}
	}
	return rec.Append(nil)
}

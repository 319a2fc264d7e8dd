package record

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"pommego/env/saved"
)

// recorder writes down one match: Recorder.
type recorder[M Match] struct {
	form  *Form[M]
	match M
	steps []saved.Entry
	over  bool
	out   Head
}

// Record begins the record of a match as it stands.
func (f *Form[M]) Record(m M, info Info) (Recorder, error) {
	info, err := info.Complete()
	if err != nil {
		return nil, err
	}
	r := &recorder[M]{form: f, match: m, steps: f.stepEntries(m)}
	r.out = Head{
		Format: f.Name, Variant: info.Variant, Name: info.Name, Note: info.Note,
		Seed: strconv.AppendUint(nil, info.Seed, 10), Setup: info.Setup, Policies: info.Policies,
		ObsEvery: info.ObsEvery, Steps: []json.RawMessage{},
	}
	if err := f.SetRules(&r.out, m, info.EnvID); err != nil {
		return nil, err
	}
	shown := f.shown(m)
	values := f.Values(shown)
	if info.ObsEvery > 0 {
		if err := r.observe(shown, values); err != nil {
			return nil, err
		}
	}
	r.out.Initial, err = json.Marshal(saved.Object{Entries: append(f.stateEntries(m, true), obsEntry), Values: values})
	return r, err
}

// Step records one step of the match.
func (r *recorder[M]) Step(actions []uint8) error {
	f, m := r.form, r.match
	if r.over {
		return fmt.Errorf("%s: the recorded game is over and has no further steps", f.Name)
	}
	values, led := f.Acted(m, actions), f.outcomeOf(m)
	r.over = led["done"] == 1
	if f.TrueFalse {
		led["done"] = r.over
	}
	maps.Copy(values, f.Values(f.shown(m)))
	maps.Copy(values, led)
	every := r.out.ObsEvery
	if every > 0 && ((len(r.out.Steps)+1)%every == 0 || r.over || f.ObserveAlso != nil && f.ObserveAlso(m)) {
		if err := r.observe(m, values); err != nil {
			return err
		}
	}
	text, err := json.Marshal(saved.Object{Entries: r.steps, Values: values})
	r.out.Steps = append(r.out.Steps, text)
	return err
}

// observe adds what is observed of m. A map in which something has no letter
// cannot be recorded.
func (r *recorder[M]) observe(m M, to saved.Values) error {
	entries := r.form.Observed(m)
	all := make([]saved.Object, r.form.observers(m))
	for seat := range all {
		all[seat] = saved.Object{Entries: entries, Values: r.form.Observe(m, seat)}
		for i := range entries {
			if e := &entries[i]; e.Shape == saved.Map {
				if err := e.Check(all[seat].Values[e.Name]); err != nil {
					return fmt.Errorf("%s: step %d: obs[%d].%w: a number without a character of its own; record without observations", r.form.Name, len(r.out.Steps), seat, err)
				}
			}
		}
	}
	to[obsEntry.Name] = all
	if r.form.Together {
		to[obsEntry.Name] = all[0]
	}
	return nil
}

// Append appends the record.
func (r *recorder[M]) Append(dst []byte) ([]byte, error) {
	line, err := json.Marshal(&r.out)
	return append(dst, line...), err
}

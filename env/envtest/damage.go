package envtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"pommego/env"
)

// How much damage is tried, and how many steps a state that was accepted must run.
const (
	damagedFlips = 250
	damagedCuts  = 60
	damagedSteps = 40
)

// damage is the check of one form's restoring of bad states.
type damage struct {
	*kit
	form form
	rng  env.RNG
	to   env.Match // the match into which states are restored
	was  *picture  // what the match shows before that
}

func checkDamagedState(k *kit) {
	d := k.damage(binaryForm)
	for _, good := range d.samples() {
		d.mustRefuse("nothing", nil)
		d.mustRefuse("a state with a byte too many", append(slices.Clone(good), 0))
		for _, at := range spread(len(good), damagedCuts) {
			d.mustRefuse(fmt.Sprintf("a state cut to %d of %d bytes", at, len(good)), good[:at])
		}
		for range damagedFlips {
			bad := slices.Clone(good)
			var what string
			for range 1 + d.rng.IntN(3) {
				at, to := d.rng.IntN(len(bad)), uint8(d.rng.IntN(256))
				if d.rng.Coin() {
					to = bad[at] ^ 1<<d.rng.IntN(8)
				}
				bad[at] = to
				what += fmt.Sprintf(" byte %d set to %d", at, to)
			}
			d.try("a state with"+what, bad)
		}
	}
}

// checkDamagedJSON: the same with text, and with values replaced by others.
func checkDamagedJSON(k *kit) {
	d := k.damage(jsonForm)
	d.mustRefuse("nothing", nil)
	for _, bad := range []string{"null", "true", "7", `"x"`, "[]", "[[[[", "{}}", `{"x":1}`} {
		d.try(bad, []byte(bad))
	}
	for _, good := range d.samples() {
		good = bytes.TrimSpace(good)
		for _, at := range spread(len(good), damagedCuts) {
			d.mustRefuse(fmt.Sprintf("JSON cut to %d of %d bytes", at, len(good)), good[:at])
		}
		d.mustRefuse("JSON with text after it", append(slices.Clone(good), "{}"...))
		for range damagedFlips / 2 {
			bad := slices.Clone(good)
			at, to := d.rng.IntN(len(bad)), "0123456789-.eE\"[]{},:ntf"[d.rng.IntN(24)]
			bad[at] = to
			d.try(fmt.Sprintf("JSON with byte %d set to %q", at, to), bad)
		}
		d.tryValues(good)
	}
}

func (k *kit) damage(f form) *damage {
	d := &damage{kit: k, form: f, rng: env.RNG{State: 2}, to: k.match()}
	k.playTo(d.to, k.plays()[0], 3)
	d.was = k.look(d.to)
	return d
}

// samples are sound states from several games.
func (d *damage) samples() [][]byte {
	var all [][]byte
	for _, s := range d.plays()[1:5] {
		m := d.match()
		d.playTo(m, s, min(20, len(s.actions)-1))
		all = append(all, d.form.save(d.kit, m))
	}
	return all
}

// spread is count numbers in [0, n), evenly.
func spread(n, count int) []int {
	var all []int
	for i := range min(n, count) {
		all = append(all, i*n/min(n, count))
	}
	return all
}

func (d *damage) mustRefuse(what string, state []byte) {
	if d.try(what, state) {
		d.failf("%s is accepted, want an error", what)
	}
}

// try restores a state. If it is refused, nothing may have changed; if it is accepted,
// it must be playable.
func (d *damage) try(what string, state []byte) (accepted bool) {
	d.at = place{}
	defer func() {
		if v := recover(); v != nil {
			if _, failed := v.(stop); failed {
				panic(v)
			}
			d.failf("restoring %s, or playing on from it, panics: %v (state: %.2000q)", what, v, state)
		}
	}()
	if err := d.form.restore(d.to, state); err != nil {
		if diff := d.diff(d.look(d.to), d.was); diff != "" {
			d.failf("%s is refused (%v), but changed the match: %s", what, err, diff)
		}
		return false
	}
	again := d.match()
	if err := again.Restore(d.to.Append(nil)); err != nil {
		d.failf("%s is accepted, but what Append then writes is refused: %v", what, err)
	}
	for i := range damagedSteps {
		if i%10 == 0 {
			d.look(d.to)
		}
		if d.to.Status().Over {
			break
		}
		d.to.Step(d.choose(d.to, &d.rng, styles[0]))
	}
	d.to.Describe(new(env.Scene))
	d.restore(d.to, d.was.state)
	return true
}

// wrongValues is what a value in the JSON form is replaced with.
var wrongValues = []any{nil, -1, 3, 1000000, 1.5, 1e300, "x", true, []any{}, map[string]any{}}

// tryValues replaces single values of the JSON form. Of long arrays only some
// entries are tried.
func (d *damage) tryValues(good []byte) {
	var doc any
	r := json.NewDecoder(bytes.NewReader(good))
	r.UseNumber()
	if err := r.Decode(&doc); err != nil {
		d.failf("the JSON form does not decode: %v", err)
	}
	d.eachValue(doc, "", func(path string, set func(any), was any) {
		for _, wrong := range wrongValues {
			set(wrong)
			text, err := json.Marshal(doc)
			if err != nil {
				d.failf("cannot marshal the altered JSON form: %v", err)
			}
			d.try(fmt.Sprintf("JSON with %s set to %v", path, wrong), text)
		}
		set(was)
	})
}

func (d *damage) eachValue(v any, path string, visit func(path string, set func(any), was any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			was := v[key]
			visit(path+"."+key, func(to any) { v[key] = to }, was)
			d.eachValue(was, path+"."+key, visit)
		}
	case []any:
		for _, i := range spread(len(v), 3) {
			was, at := v[i], fmt.Sprintf("%s[%d]", path, i)
			visit(at, func(to any) { v[i] = to }, was)
			d.eachValue(was, at, visit)
		}
	}
}

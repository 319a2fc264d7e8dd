package envtest

import (
	"encoding/json"

	"pommego/env"
)

// form is one of the two ways to save a match.
type form struct {
	name    string
	save    func(k *kit, m env.Match) []byte
	restore func(m env.Match, state []byte) error
}

var (
	binaryForm = form{"Append", func(k *kit, m env.Match) []byte {
		state := m.Append([]byte("> "))
		if len(state) < 3 || string(state[:2]) != "> " {
			k.failf("Append to %q gives %q, want the prefix and a state after it", "> ", state)
		}
		return state[2:]
	}, env.Match.Restore}
	jsonForm = form{"AppendJSON", func(k *kit, m env.Match) []byte {
		state, err := m.AppendJSON([]byte("> "))
		if err != nil {
			k.failf("AppendJSON: %v", err)
		}
		if len(state) < 3 || string(state[:2]) != "> " || !json.Valid(state[2:]) {
			k.failf("AppendJSON to %q gives %q, want the prefix and valid JSON after it", "> ", state)
		}
		return state[2:]
	}, func(m env.Match, state []byte) error { return m.RestoreJSON(state) }}
)

func checkSaveState(k *kit) { k.checkSave(binaryForm) }
func checkSaveJSON(k *kit)  { k.checkSave(jsonForm) }

// checkSave: at many points of the games a saved match, restored into one that
// was never reset or is in the middle of another game, is the same and goes on
// identically.
func (k *kit) checkSave(f form) {
	busy := k.match()
	busy.Reset(env.Seed{Value: 4711})
	m := k.match()
	for s, n := range k.sampled(m, 10) {
		want := k.look(m)
		saved := f.save(k, m)
		if d := k.diff(k.look(m), want); d != "" {
			k.failf("%s changed the match: %s", f.name, d)
		}
		for _, to := range []env.Match{k.match(), busy} {
			if err := f.restore(to, saved); err != nil {
				k.failf("what %s wrote is refused: %v", f.name, err)
			}
			if d := k.diff(k.look(to), want); d != "" {
				k.failf("what %s wrote restores to something else: %s", f.name, d)
			}
		}
		k.checkOnwards(f, s, n, busy)
	}
}

// checkOnwards plays a restored match and one played straight through side by
// side, for some steps.
func (k *kit) checkOnwards(f form, s *script, from int, restored env.Match) {
	straight := k.match()
	k.playTo(straight, s, from)
	for n := range k.resume(straight, s, from) {
		if n > from {
			restored.Step(s.actions[n-1])
		}
		if n == from+12 || n == len(s.actions) {
			if d := k.diff(k.look(restored), k.look(straight)); d != "" {
				k.failf("%d steps after it was restored from %s the match differs: %s", n-from, f.name, d)
			}
			break
		}
	}
	k.at.step = from
}

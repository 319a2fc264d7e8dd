package vec

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pommego/env"
)

// The readable form is the match's own object with the pool's part in it; the
// match's alone is taken too.
func TestJSON(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 2, Opponents: []string{"still", "wander"}, OnDeath: Wait})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	for range 4 {
		must(t, p.Step(b, still(p)))
	}
	text, err := p.SaveJSON(0)
	must(t, err)
	match, err := p.Match(0).AppendJSON(nil)
	must(t, err)
	var got, own map[string]json.RawMessage
	must(t, json.Unmarshal(text, &got))
	must(t, json.Unmarshal(match, &own))
	for key := range own {
		if _, there := got[key]; !there {
			t.Errorf("the match's %q is missing", key)
		}
	}
	if _, there := got["pommego"]; !there || len(got) != len(own)+1 {
		t.Errorf("keys of the state are %d, want the match's %d and \"pommego\"", len(got), len(own))
	}
	must(t, p.Load(1, match))
	g := &p.games[1]
	if string(p.Match(1).Append(nil)) != string(p.Match(0).Append(nil)) {
		t.Error("a match's own JSON restores to something else")
	}
	if g.seed != (env.Seed{Value: 2}) || g.returns[0] != 0 || p.phases[1] != running || g.status.Steps != 4 {
		t.Errorf("seed %v, return %v, phase %v, steps %d, want game 1's own seed, nothing paid, running, 4", g.seed,
			g.returns[0], p.phases[1], g.status.Steps)
	}
	must(t, p.Step(b, still(p)))
	fresh := make1(t, Config{Game: solo, Games: 2, Opponents: []string{"wander", "hunter"}})
	must(t, fresh.Load(1, match))
	if seed := fresh.games[1].seed; seed.Value != fresh.entropy+1 || seed.Episode != 0 {
		t.Errorf("a game never seeded has seed %v after loading a bare match, want one drawn", seed)
	}
}

// A bare match ends at the learner's death where it is loaded if games end so there, wherever it was saved.
func TestBareMatchTrains(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 1, Opponents: []string{"still", "still"}, Seat: new(1)})
	alone := solo.New(1)[0]
	alone.Reset(env.Seed{Value: 1})
	match, err := alone.AppendJSON(nil)
	must(t, err)
	must(t, p.Load(0, match))
	alone.SetTrainingSeat(1)
	if string(p.Match(0).Append(nil)) != string(alone.Append(nil)) {
		t.Error("the match does not end with the learner at seat 1")
	}
	match, err = alone.AppendJSON(nil)
	must(t, err)
	wait := make1(t, Config{Game: solo, Games: 1})
	must(t, wait.Load(0, match))
	alone.SetTrainingSeat(-1)
	if string(wait.Match(0).Append(nil)) != string(alone.Append(nil)) {
		t.Error("where no learner's death ends the game it ends with that of the seat that learnt elsewhere")
	}
}

func TestJSONErrors(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 1, Opponents: []string{"wander", "hunter"}})
	must(t, p.Reset(p.NewBatch(nil), ResetOptions{Seed: ptr(1)}))
	text, err := p.SaveJSON(0)
	must(t, err)
	edit := func(from, to string) string {
		if !strings.Contains(string(text), from) {
			t.Fatalf("no %q in %s", from, text)
		}
		return strings.Replace(string(text), from, to, 1)
	}
	for _, c := range []struct{ reason, state, want string }{
		{"no JSON", "x", "not what Save wrote"},
		{"null", "null", "not what Save wrote"},
		{"a list", "[]", "not what Save wrote"},
		{"cut", string(text[:len(text)-1]), "no JSON object"},
		{"pommego is no object", `{"pommego":7}`, `"pommego" in it is no JSON object`},
		{"a key too many", edit(`"ended":`, `"x":1,"ended":`), `unknown field "x"`},
		{"another version", edit(`"version":1`, `"version":2`), "version 2, want 1"},
		{"other rules", edit(`"fingerprint":"`, `"fingerprint":"0`), `a game of "ToySolo-v0", want one of`},
		{"a seat too far", edit(`"learners":[`, `"learners":[7`), "its learners sit at [7"},
		{"too many returns", edit(`"returns":[`, `"returns":[0,`), "2 returns for 1 learners"},
		{"an agent too few", edit(`{"name":"wander"`, `{"name":"gone"`), `no agent "gone"`},
		{"begun later than now", edit(`"ended":`, `"begun":1,"ended":`), "began after 1 steps, but its match has made 0"},
		{"a bad match", edit(`"cell":`, `"cell":9`), "cell"},
	} {
		before := saveAll(t, p)
		var se *StateError
		if err := p.Load(0, []byte(c.state)); !errors.As(err, &se) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want a StateError with %q in it", c.reason, err, c.want)
		}
		if saveAll(t, p) != before {
			t.Errorf("%s: refused, but the pool has changed", c.reason)
		}
	}
}

package vec

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

// savedAfter are states of a pool in which all seats learn, after so many steps.
func savedAfter(t *testing.T, game env.Game, steps, n int) [][]byte {
	t.Helper()
	p := make1(t, Config{Game: game, Games: n, Autoreset: Disabled})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(77)}))
	for range steps {
		must(t, p.Step(b, still(p)))
	}
	var all [][]byte
	for i := range n {
		s, err := p.Save(i, nil)
		must(t, err)
		all = append(all, s)
	}
	return all
}

// starting is a pool whose episodes begin in saved states.
func starting(t *testing.T, cfg Config, ordinary float64) *Pool {
	t.Helper()
	p := make1(t, cfg)
	var s Starts
	for _, state := range savedAfter(t, cfg.Game, 5, 3) {
		start, err := p.NewStart(state)
		must(t, err)
		s.States = append(s.States, start)
	}
	s.Weights, s.Ordinary = []float64{1, 2, 0}, ordinary
	must(t, p.SetStarts(s))
	return p
}

// TestStarts: episodes begin where they should, whoever steps them, and a saved game
// in the middle of one goes on.
func TestStarts(t *testing.T) {
	for _, setup := range setups[:4] {
		for _, auto := range []Autoreset{NextStep, SameStep} {
			cfg := Config{Game: solo, Games: 9, Autoreset: auto, MaxEpisodeSteps: 12, Workers: 1}
			setup.set(&cfg)
			one := starting(t, cfg, 0.25)
			cfg.Workers = 3
			many := starting(t, cfg, 0.25)
			a, b := one.NewBatch(nil), many.NewBatch(nil)
			must(t, one.Reset(a, ResetOptions{Seed: ptr(5)}))
			must(t, many.Reset(b, ResetOptions{Seed: ptr(5)}))
			pl := &player{spec: solo.Spec(), rng: env.RNG{State: 1}}
			begun := map[int]int{}
			for n := range 100 {
				if digest(a) != digest(b) {
					t.Fatalf("%s, %v: the batch of step %d differs from that of 1 worker", setup.name, auto, n)
				}
				actions := pl.actions(a, resetNext(a))
				must(t, one.Step(a, actions))
				must(t, many.Step(b, actions))
				for i := range one.games {
					begun[one.games[i].begun]++
					if steps := a.Tensor("game.length").Int32s()[i]; steps > 12 {
						t.Fatalf("%s, %v: an episode of %d steps, want at most 12", setup.name, auto, steps)
					}
				}
				if n == 50 {
					for i := range many.games {
						state, err := many.SaveJSON(i)
						must(t, err)
						must(t, many.Load(i, state))
						state, err = one.Save(i, nil)
						must(t, err)
						must(t, one.Load(i, state))
					}
				}
			}
			if begun[0] == 0 || begun[5] < begun[0] || len(begun) != 2 {
				t.Errorf("%s, %v: steps before the episode, and how often: %v; want 0 and, mostly, 5", setup.name, auto, begun)
			}
		}
	}
}

// TestResetStarts: a reset can say where each game begins, once.
func TestResetStarts(t *testing.T) {
	cfg := Config{Game: teams, Games: 3, Opponents: opponents(teams)}
	p := make1(t, cfg)
	states := savedAfter(t, teams, 7, 1)
	start, err := p.NewStart(states[0])
	must(t, err)
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(5), Starts: []*Start{nil, start, nil}}))
	if got := []int{p.games[0].match.Status().Steps, p.games[1].match.Status().Steps}; !slices.Equal(got, []int{0, 7}) {
		t.Errorf("games begin after %v steps, want 0 and 7", got)
	}
	if length := b.Tensor("game.length").Int32s(); length[1] != 0 {
		t.Errorf("the episode has %d steps when it begins, want 0", length[1])
	}
	must(t, p.Reset(b, ResetOptions{}))
	if got := p.games[1].match.Status().Steps; got != 0 {
		t.Errorf("the next episode begins after %d steps, want 0", got)
	}
	other := make1(t, cfg)
	for _, starts := range [][]*Start{{start}, {start, start, start}} {
		if err := other.Reset(other.NewBatch(nil), ResetOptions{Starts: starts}); err == nil ||
			!strings.Contains(err.Error(), "Starts") {
			t.Errorf("Reset to %d starts of another pool: %v, want an error", len(starts), err)
		}
	}
}

// TestStartSeats: the learner keeps its seat in a state of the same kind, and is
// never seated where it is out.
func TestStartSeats(t *testing.T) {
	cfg := Config{Game: solo, Games: 6, Opponents: opponents(solo), OnDeath: Wait}
	from := make1(t, cfg)
	b := from.NewBatch(nil)
	must(t, from.Reset(b, ResetOptions{Seed: ptr(5)}))
	p := make1(t, cfg)
	starts, want := make([]*Start, 6), slices.Clone(b.Bytes("seat"))
	out, seats := 0, map[uint8]bool{}
	for n := range 60 {
		must(t, from.Step(b, still(from)))
		if n%10 > 0 {
			continue
		}
		for i := range starts {
			state, err := from.Save(i, nil)
			must(t, err)
			if starts[i], err = p.NewStart(state); err != nil {
				starts[i] = nil // it is over
			}
			want[i] = b.Bytes("seat")[i]
		}
		c := p.NewBatch(nil)
		must(t, p.Reset(c, ResetOptions{Starts: starts}))
		for i, start := range starts {
			seat := c.Bytes("seat")[i]
			seats[seat] = true
			switch {
			case start == nil:
			case c.Bytes("alive")[i] == 0:
				t.Errorf("after %d steps game %d seats its learner at %d, where it is out", n, i, seat)
			case b.Bytes("alive")[i] == 0:
				out++
			case seat != want[i]:
				t.Errorf("after %d steps game %d seats its learner at %d, want %d as in the saved game", n, i, seat, want[i])
			}
		}
	}
	if len(seats) < 3 || out == 0 {
		t.Errorf("seats %v were met and %d learners that were out; the test needs all and some", seats, out)
	}
}

func TestStartErrors(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 2, Opponents: opponents(solo), Seat: new(0)})
	state := savedAfter(t, solo, 5, 1)[0]
	start, err := p.NewStart(state)
	must(t, err)
	for _, s := range []Starts{
		{States: []*Start{start}, Weights: []float64{1, 2}},
		{States: []*Start{start}, Weights: []float64{math.NaN()}},
		{States: []*Start{start}, Ordinary: 1.5},
		{States: []*Start{start, nil}},
	} {
		if p.SetStarts(s) == nil {
			t.Errorf("SetStarts(%v) is accepted", s)
		}
	}
	for reason, bad := range map[string][]byte{"damaged": state[:len(state)-1],
		"of another game": savedAfter(t, teams, 2, 1)[0]} {
		if _, err := p.NewStart(bad); err == nil {
			t.Errorf("a state that is %s is accepted", reason)
		}
	}
	if _, err := p.NewStart([]byte("{}")); err == nil {
		t.Error("an empty object is accepted")
	}
}

// TestStartsAllocateNothing, once they are set.
func TestStartsAllocateNothing(t *testing.T) {
	pommerman, err := catalog.Game("PommeFFACompetition-v0")
	must(t, err)
	for _, cfg := range []Config{{Game: teams, Opponents: opponents(teams)}, {Game: pommerman, MaxEpisodeSteps: 8}} {
		cfg.Games, cfg.Workers = 20, 1
		p := starting(t, cfg, 0.1)
		b := p.NewBatch(nil)
		must(t, p.Reset(b, ResetOptions{Seed: ptr(3)}))
		actions := make([]uint8, p.Rows()*len(p.spec.Actions))
		if n := testing.AllocsPerRun(120, func() { must(t, p.Step(b, actions)) }); n != 0 {
			t.Errorf("%s: Step allocates %v times, want 0", p.spec.ID, n)
		}
	}
}

// TestStartRules: an episode that begins in a saved position ends as the rules say, whoever learnt where it was saved.
func TestStartRules(t *testing.T) {
	game, err := catalog.Variant("PommeFFACompetition-v0", json.RawMessage(`{"training_agent": 0}`))
	must(t, err)
	p := make1(t, Config{Game: game, Games: 1, Autoreset: Disabled})
	b, actions := p.NewBatch(nil), still(p)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(3)}))
	actions[0] = 5 // agent 0 stays where it lays a bomb
	var saved []byte
	for b.Bytes("game.done")[0] == 0 {
		saved, err = p.Save(0, nil)
		must(t, err)
		must(t, p.Step(b, actions))
	}
	start, err := p.NewStart(saved)
	must(t, err)
	must(t, p.Reset(b, ResetOptions{Starts: []*Start{start}}))
	if must(t, p.Step(b, actions)); b.Bytes("game.done")[0] == 0 {
		t.Errorf("agent 0 has died, and the episode goes on: %+v", p.games[0].match.Status())
	}
}

package vec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/envtest"
)

func TestStepErrors(t *testing.T) {
	p := make1(t, Config{Game: teams, Games: 2})
	other := make1(t, Config{Game: teams, Games: 2})
	b := p.NewBatch(nil)
	if err := p.Step(b, still(p)); !errors.Is(err, ErrNotReset) || !strings.Contains(err.Error(), "game 0") {
		t.Errorf("stepping before Reset: %v, want ErrNotReset for game 0", err)
	}
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	bad := still(p)
	bad[2*7+1] = 3 // row 7, deed
	for _, c := range []struct {
		reason  string
		batch   *Batch
		actions []uint8
		want    string
	}{
		{"an action out of range", b, bad, "action of row 7, component 1 (deed), is 3, want 0 to 2"},
		{"too few actions", b, still(p)[1:], "23 bytes of actions, want 24: 12 rows x 2 components"},
		{"no batch", nil, still(p), "belongs to another pool"},
		{"another pool's batch", other.NewBatch(nil), still(p), "belongs to another pool"},
	} {
		before := string(b.slab)
		err := p.Step(c.batch, c.actions)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q in it", c.reason, err, c.want)
		}
		if p.Observe(b); string(b.slab) != before {
			t.Errorf("%s: games have moved", c.reason)
		}
	}
	var ae *ActionError
	if err := p.Step(b, bad); !errors.As(err, &ae) || *ae != (ActionError{7, 1, "deed", 3, 3}) {
		t.Errorf("error is %#v, want an ActionError of row 7", err)
	}
}

// Actions nobody looks at may be anything: of rows that are out, and of games
// that the step resets. TestTwin sends such junk all the time; here the same
// action of a row that is in is refused.
func TestHeeded(t *testing.T) {
	p := make1(t, Config{Game: teams, Games: 1})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(2)}))
	out := -1
	for out < 0 {
		must(t, p.Step(b, still(p)))
		if b.done[0] == 1 {
			t.Fatal("nobody was out before the game ended; choose another seed")
		}
		out = slices.Index(b.now.alive, 0)
	}
	in := slices.Index(b.now.alive, 1)
	actions := still(p)
	actions[2*in] = 99
	if p.Step(b, actions) == nil {
		t.Errorf("action 99 of row %d, which is in, is accepted", in)
	}
	actions[2*in], actions[2*out] = 0, 99
	must(t, p.Step(b, actions))
	for b.done[0] == 0 {
		must(t, p.Step(b, still(p)))
	}
	must(t, p.Step(b, slices.Repeat([]uint8{99}, 12)))
	if p.Step(b, slices.Repeat([]uint8{99}, 12)) == nil {
		t.Error("action 99 is accepted after the reset")
	}
}

func TestResetErrors(t *testing.T) {
	p := make1(t, Config{Game: teams, Games: 2})
	b := p.NewBatch(nil)
	for _, c := range []struct {
		reason string
		o      ResetOptions
		want   string
	}{
		{"seeds twice", ResetOptions{Seed: ptr(1), Seeds: []uint64{1, 2}}, "both given"},
		{"too few seeds", ResetOptions{Seeds: []uint64{1}}, "Seeds has 1 entries, want 2"},
		{"a mask too long", ResetOptions{Mask: make([]bool, 3)}, "Mask has 3 entries, want 2"},
		{"a game left out that was never reset", ResetOptions{Mask: []bool{true, false}}, "game 1 is left out"},
	} {
		if err := p.Reset(b, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q in it", c.reason, err, c.want)
		}
	}
	if err := p.Step(b, still(p)); !errors.Is(err, ErrNotReset) {
		t.Errorf("after refused resets Step says %v, want ErrNotReset", err)
	}
}

func TestOpponentsErrors(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 1, Opponents: []string{"still", "wander"}})
	for _, names := range [][]string{{"still"}, {"still", "ghost"}, nil} {
		if err := setOpponents(p, names); err == nil {
			t.Errorf("opponents %q are accepted", names)
		}
	}
	if got := p.LineUps().Names[0]; !slices.Equal(got, []string{"still", "wander"}) {
		t.Errorf("after refused changes the opponents are %q", got)
	}
	must(t, setOpponents(p, []string{"wander", "hunter"}))
	if got := p.LineUps().Names[0]; !slices.Equal(got, []string{"wander", "hunter"}) {
		t.Errorf("opponents in force are %q, want wander and hunter", got)
	}
	q := make1(t, Config{Game: solo, Games: 1, Seats: []string{"still", Learner, "wander"}})
	must(t, setOpponents(q, []string{"hunter", "still"}))
	if got := q.LineUps().Names[0]; !slices.Equal(got, []string{"hunter", "still"}) {
		t.Errorf("opponents in force beside a learner are %q, want hunter and still", got)
	}
	if err := setOpponents(q, []string{"still", "ghost"}); !strings.HasPrefix(fmt.Sprint(err), "Opponents[1]: ") {
		t.Errorf("an opponent that there is not: %v", err)
	}
	if setOpponents(make1(t, Config{Game: solo, Games: 1}), []string{"still"}) == nil {
		t.Error("a pool without opponents takes one")
	}
}

func TestClosed(t *testing.T) {
	p, err := New(Config{Game: solo, Games: 4, Workers: 3, Opponents: opponents(solo)})
	must(t, err)
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{}))
	state, err := p.Save(0, nil)
	must(t, err)
	p.Close()
	p.Close()
	if err := p.Step(b, still(p)); !errors.Is(err, ErrClosed) {
		t.Errorf("Step after Close: %v, want ErrClosed", err)
	}
	if err := p.Reset(b, ResetOptions{}); !errors.Is(err, ErrClosed) {
		t.Errorf("Reset after Close: %v, want ErrClosed", err)
	}
	_, saved := p.Save(0, nil)
	_, inJSON := p.SaveJSON(0)
	for k, err := range []error{saved, inJSON, p.Load(0, state), setOpponents(p, opponents(solo)), p.SetStarts(Starts{}),
		p.SeatPlayers("still", 1)} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("after Close call %d returns %v, want ErrClosed", k, err)
		}
	}
	p.Watch(0, new(noted))
	if names := p.LiveGame(0).Names; !slices.Equal(names, make([]string, 3)) {
		t.Errorf("seen after Close are %q, want nobody", names)
	}
}

// TestSeeds: explicit seeds start at episode 0, resets without go on, and games
// never seeded get seeds of their own that can be used again.
func TestSeeds(t *testing.T) {
	p := make1(t, Config{Game: teams, Games: 3})
	b := p.NewBatch(nil)
	want := func(reason string, seeds, episodes []uint64) {
		t.Helper()
		if !slices.Equal(b.seed, seeds) || !slices.Equal(b.episode, episodes) {
			t.Errorf("%s: seeds %v, episodes %v, want %v, %v", reason, b.seed, b.episode, seeds, episodes)
		}
	}
	must(t, p.Reset(b, ResetOptions{}))
	drawn := slices.Clone(b.seed)
	first := slices.Clone(b.slab)
	want("never seeded: one base for all", []uint64{drawn[0], drawn[0] + 1, drawn[0] + 2}, []uint64{0, 0, 0})
	must(t, p.Reset(b, ResetOptions{}))
	want("without a seed: the next episode", drawn, []uint64{1, 1, 1})
	must(t, p.Reset(b, ResetOptions{Seed: &drawn[0]}))
	if !slices.Equal(b.slab, first) {
		t.Error("the drawn seed, given explicitly, gives other games")
	}
	must(t, p.Reset(b, ResetOptions{Seed: ptr(^uint64(0)), Mask: []bool{true, true, false}}))
	want("an explicit seed wraps around", []uint64{^uint64(0), 0, drawn[2]}, []uint64{0, 0, 0})
	must(t, p.Reset(b, ResetOptions{Seeds: []uint64{5, 6, 7}, Mask: []bool{false, true, true}}))
	want("a list of seeds, one left out", []uint64{^uint64(0), 6, 7}, []uint64{0, 0, 0})
	must(t, p.Reset(b, ResetOptions{Mask: []bool{false, true, false}}))
	want("one game goes on", []uint64{^uint64(0), 6, 7}, []uint64{0, 1, 0})

	q := make1(t, Config{Game: teams, Games: 3})
	c := q.NewBatch(nil)
	must(t, q.Reset(c, ResetOptions{}))
	if c.seed[0] == drawn[0] {
		t.Errorf("two pools drew the same seed %d", drawn[0])
	}
	if most := slices.Max(c.seed); most+1<<30 > 1<<53 {
		t.Errorf("drew %d, which JavaScript does not take exactly", most)
	}
}

// TestPanic: a panic in one game is reported with all that is needed to find it,
// the other games go on as if nothing were, and a reset repairs the game.
func TestPanic(t *testing.T) {
	for _, c := range []struct {
		in    envtest.ToyCall
		where string // in the stack
		acts  bool   // the actions are known
	}{
		{envtest.InStep, "toy_turn.go", true},
		{envtest.InObserve, "toy_view.go", false},
		{envtest.InMask, "toy_view.go", false},
		{envtest.InAct, "toy_agents.go", false},
	} {
		for _, auto := range []Autoreset{NextStep, SameStep, Disabled} {
			t.Run(c.in.String()+"/"+auto.String(), func(t *testing.T) {
				rules := envtest.ToyTeams()
				rules.Panic = envtest.ToyPanic{In: c.in, Step: 4, Seed: 52}
				cfg := Config{Game: envtest.NewToy(rules), Games: 6, Workers: 2, Autoreset: auto}
				if c.in == envtest.InAct {
					cfg.Opponents = slices.Repeat([]string{"still"}, 5)
				}
				testPanic(t, cfg, c.where, c.acts)
			})
		}
	}
}

func testPanic(t *testing.T, cfg Config, where string, acts bool) {
	p := make1(t, cfg)
	sane := cfg
	sane.Game = teams
	q := make1(t, sane)
	b, c := p.NewBatch(nil), q.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(50)})) // game 2 has seed 52
	must(t, q.Reset(c, ResetOptions{Seed: ptr(50)}))
	var err error
	for n := 0; n < 6 && err == nil; n++ {
		err = p.Step(b, still(p))
		must(t, q.Step(c, still(q)))
	}
	var ge *GameError
	if !errors.As(err, &ge) {
		t.Fatalf("error is %v, want a *GameError", err)
	}
	if ge.Game != 2 || ge.Seed != 52 || ge.Episode != 0 || !strings.Contains(string(ge.Stack), where) ||
		(ge.Actions != nil) != acts {
		t.Errorf("error is of game %d, seed %d, episode %d, actions %v, stack\n%s\nwant 2, 52, 0, %v in the stack, "+
			"actions: %v",
			ge.Game, ge.Seed, ge.Episode, ge.Actions, ge.Stack, where, acts)
	}
	if !strings.HasPrefix(ge.Error(), "game 2 (seed 52, episode 0) panicked: the toy breaks in") {
		t.Errorf("error says %q", ge)
	}
	if err := cfg.Game.New(1)[0].Restore(ge.State); err != nil {
		t.Errorf("the state in the error does not restore: %v", err)
	}
	sameBut(t, b, c, 2)
	if alive, mask := b.now.alive[2*p.Learners()], b.now.mask[2*p.Learners()*8:][:8]; alive != 0 ||
		string(mask) != "\x01\x00\x00\x00\x00\x01\x00\x00" {
		t.Errorf("the broken game's row is alive: %d, with mask %v, want 0 and choice 0 alone", alive, mask)
	}
	if err := p.Step(b, still(p)); !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "game 2") {
		t.Errorf("stepping on: %v, want ErrBroken for game 2", err)
	}
	if _, err := p.Save(2, nil); !errors.Is(err, ErrBroken) {
		t.Errorf("saving the broken game: %v, want ErrBroken", err)
	}
	mask := []bool{false, false, true, false, false, false}
	must(t, p.Reset(b, ResetOptions{Mask: mask})) // episode 1 does not panic
	must(t, q.Reset(c, ResetOptions{Mask: mask}))
	for range 5 {
		sameBut(t, b, c, -1)
		must(t, p.Step(b, still(p)))
		must(t, q.Step(c, still(q)))
	}
}

// sameBut compares two batches except for one game.
func sameBut(t *testing.T, got, want *Batch, but int) {
	t.Helper()
	games := got.pool.Games()
	for _, f := range got.pool.layout.tensors {
		n := int(f.MemSize()) / games
		for g := range games {
			if err := sameField(&f, got.Bytes(f.Name)[g*n:(g+1)*n], want.Bytes(f.Name)[g*n:(g+1)*n]); g != but && err != nil {
				t.Fatalf("game %d: %v", g, err)
			}
		}
	}
}

// A game that panics after its episode has ended, while its last position is
// being written, is broken and not finished.
func TestPanicAtTheEnd(t *testing.T) {
	rules := envtest.ToyTeams()
	rules.Panic = envtest.ToyPanic{In: envtest.InObserve, Step: 2, Seed: 11}
	for _, auto := range []Autoreset{NextStep, SameStep, Disabled} {
		p := make1(t, Config{Game: envtest.NewToy(rules), Games: 3, Autoreset: auto, MaxEpisodeSteps: 2})
		b := p.NewBatch(nil)
		must(t, p.Reset(b, ResetOptions{Seed: ptr(10)}))
		must(t, p.Step(b, still(p)))
		var ge *GameError
		if err := p.Step(b, still(p)); !errors.As(err, &ge) || ge.Game != 1 {
			t.Errorf("%v: error is %v, want a *GameError of game 1", auto, err)
		}
		if got := b.Finished(); !slices.Equal(got, []int32{0, 2}) || b.done[1] != 0 {
			t.Errorf("%v: finished are %v, done %v, want games 0 and 2", auto, got, b.done)
		}
	}
}

// Panics of several games come back together, and so do those in a reset.
func TestPanics(t *testing.T) {
	rules := envtest.ToyTeams()
	rules.Panic = envtest.ToyPanic{In: envtest.InReset, Seed: 3}
	p := make1(t, Config{Game: envtest.NewToy(rules), Games: 4, Workers: 3})
	b := p.NewBatch(nil)
	err := p.Reset(b, ResetOptions{Seeds: []uint64{3, 1, 2, 3}})
	var all interface{ Unwrap() []error }
	if !errors.As(err, &all) || len(all.Unwrap()) != 2 {
		t.Fatalf("error is %v, want two joined", err)
	}
	for i, game := range []int{0, 3} {
		var ge *GameError
		if !errors.As(all.Unwrap()[i], &ge) || ge.Game != game {
			t.Errorf("error %d is %v, want one of game %d", i, all.Unwrap()[i], game)
		}
	}
	must(t, p.Reset(b, ResetOptions{}))
	must(t, p.Step(b, still(p)))
}

// A panic while only observing is kept for the next Step.
func TestPanicInObserve(t *testing.T) {
	rules := envtest.ToyTeams()
	rules.Panic = envtest.ToyPanic{In: envtest.InObserve, Seed: 1, Step: 1}
	p := make1(t, Config{Game: envtest.NewToy(rules), Games: 2})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(0)}))
	p.Match(1).Step(make([]uint8, 12))
	p.Observe(b)
	if err := p.Step(b, still(p)); !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "the toy breaks") {
		t.Errorf("Step says %v, want ErrBroken and why", err)
	}
}

// TestErrorPanic: a panic that carries an error can be asked for it.
func TestErrorPanic(t *testing.T) {
	if e := (&GameError{Value: ErrBroken}); !errors.Is(e, ErrBroken) {
		t.Error("GameError does not unwrap to the error it carries")
	}
	if e := (&GameError{Value: env.Tie}); errors.Unwrap(e) != nil {
		t.Error("GameError unwraps to something that is no error")
	}
}

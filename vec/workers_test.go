package vec

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"pommego/env"
)

// TestWorkers: the same bytes, whatever the number of workers.
func TestWorkers(t *testing.T) {
	eachConfig(t, func(t *testing.T, cfg Config) {
		cfg = withGames(cfg, 23)
		var want []uint64
		for _, workers := range []int{1, 2, 7} {
			cfg.Workers = workers
			got := rollout(t, cfg, 60)
			if want == nil {
				want = got
			}
			for n := range got {
				if got[n] != want[n] {
					t.Fatalf("%d workers: the batch of step %d differs from that of 1 worker", workers, n)
				}
			}
		}
	})
}

// rollout returns a digest of every batch.
func rollout(t *testing.T, cfg Config, steps int) []uint64 {
	p := make1(t, cfg)
	if len(p.workers) != cfg.Workers {
		t.Fatalf("%d workers, want %d", len(p.workers), cfg.Workers)
	}
	b := p.NewBatch(nil)
	pl := &player{spec: p.Spec(), rng: env.RNG{State: 1}}
	must(t, p.Reset(b, ResetOptions{Seed: ptr(9)}))
	all := []uint64{digest(b)}
	for range steps {
		if cfg.Autoreset == Disabled && len(b.Finished()) > 0 {
			mask := make([]bool, p.Games())
			for _, g := range b.Finished() {
				mask[g] = true
			}
			must(t, p.Reset(b, ResetOptions{Mask: mask}))
		} else {
			must(t, p.Step(b, pl.actions(b, resetNext(b))))
		}
		all = append(all, digest(b))
	}
	return all
}

// TestCompany: a game does not depend on the others in its pool.
func TestCompany(t *testing.T) {
	cfg := Config{Game: teams, Games: 6, Opponents: opponents(teams)}
	many := make1(t, cfg)
	cfg.Games = 1
	one := make1(t, cfg)
	a, b := many.NewBatch(nil), one.NewBatch(nil)
	must(t, many.Reset(a, ResetOptions{Seed: ptr(30)}))
	must(t, one.Reset(b, ResetOptions{Seed: ptr(34)}))
	pl := &player{spec: teams.Spec(), rng: env.RNG{State: 1}}
	for n := range 120 {
		actions := pl.actions(a, resetNext(a))
		must(t, many.Step(a, actions))
		must(t, one.Step(b, actions[4*2:5*2]))
		for _, f := range one.layout.tensors {
			size := int(f.MemSize())
			if err := sameField(&f, a.Bytes(f.Name)[4*size:5*size], b.Bytes(f.Name)); err != nil {
				t.Fatalf("step %d: game 4 of 6 and the same game alone: %v", n, err)
			}
		}
	}
}

// TestNoAllocations: steps and resets allocate nothing, in all modes, with and
// without other workers and opponents.
func TestNoAllocations(t *testing.T) {
	for _, auto := range []Autoreset{NextStep, SameStep} {
		for _, setup := range setups {
			for _, workers := range []int{1, 3} {
				cfg := Config{Game: teams, Games: 20, Workers: workers, Autoreset: auto, State: workers == 3}
				setup.set(&cfg)
				p := make1(t, cfg)
				b := p.NewBatch(nil)
				seed := uint64(3)
				must(t, p.Reset(b, ResetOptions{Seed: &seed}))
				actions := make([]uint8, p.Rows()*2)
				var err error
				ended := 0
				// Games of the toy end within 50 steps, so this has resets in it.
				if n := testing.AllocsPerRun(120, func() {
					err = errors.Join(err, p.Step(b, actions))
					ended += len(b.Finished())
				}); n != 0 || err != nil || ended < 20 {
					t.Errorf("%v, %s, %d workers: Step allocates %v times (error %v, %d episodes ended), want 0", auto, setup.name,
						workers, n, err, ended)
				}
				mask := make([]bool, 20)
				mask[3] = true
				if n := testing.AllocsPerRun(10, func() {
					err = errors.Join(err, p.Reset(b, ResetOptions{}), p.Reset(b, ResetOptions{Seed: &seed, Mask: mask}))
				}); n != 0 || err != nil {
					t.Errorf("%v, %s, %d workers: Reset allocates %v times (error %v), want 0", auto, setup.name, workers, n, err)
				}
			}
		}
	}
}

// stopper stops the pool as it decides.
type stopper struct {
	env.Agent
	stop *atomic.Bool
}

func (s stopper) Act(m env.Match, seat int, action []uint8) {
	s.Agent.Act(m, seat, action)
	s.stop.Store(true)
}

// TestStopped: no game makes a step with the actions of agents that were stopped as they decided.
func TestStopped(t *testing.T) {
	var stop atomic.Bool
	create := func(name string) (env.Agent, error) {
		a, err := solo.NewAgent(name)
		return stopper{a, &stop}, err
	}
	for _, names := range [][]string{{"wander", "wander"}, nil} { // nil: the players stop it
		p := make1(t, Config{Game: solo, Games: 1, Autoreset: Disabled, Agent: create, Stop: &stop, Opponents: names})
		b := p.NewBatch(nil)
		must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
		must(t, p.SeatPlayers("wander", 1))
		before := p.Match(0).Append(nil)
		step := func() error { return p.Step(b, still(p)) }
		if names == nil {
			p.players[0][0], step = stopper{p.players[0][0], &stop}, func() error { return p.Play(b, nil, 3) }
		}
		if err := step(); err != ErrStopped || !slices.Equal(p.Match(0).Append(nil), before) {
			t.Errorf("opponents %q: error %v, want ErrStopped and the game as it was", names, err)
		}
		stop.Store(false)
	}
}

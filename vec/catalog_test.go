package vec

import (
	"fmt"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

// TestCatalog runs every game there is beside the twin for a while, in each
// encoding, with every agent it has and without.
func TestCatalog(t *testing.T) {
	for i, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		must(t, err)
		spec := game.Spec()
		for e, encoding := range spec.Encodings {
			cfg := Config{Game: game, Games: 4, Workers: 2, Observation: encoding.Name, Autoreset: SameStep, MaxEpisodeSteps: 40,
				Counts: i%3 > 0, StepCounts: i%3 != 1}
			if (i+e)%2 == 0 {
				cfg.Autoreset, cfg.Reward = NextStep, Reference
			}
			for k := range spec.Seats - 1 {
				cfg.Opponents = append(cfg.Opponents, spec.Agents[(i+k)%len(spec.Agents)])
			}
			steps := 60
			if testing.Short() {
				steps = 8 // some of the agents search, and are slow under the race detector
			}
			t.Run(fmt.Sprintf("%s/%s/opponents", id, encoding.Name), func(t *testing.T) { besideTwin(t, cfg, steps) })
			cfg.Opponents = nil
			t.Run(fmt.Sprintf("%s/%s/all learn", id, encoding.Name), func(t *testing.T) { besideTwin(t, cfg, 60) })
		}
	}
}

func besideTwin(t *testing.T, cfg Config, steps int) {
	p, tw := make1(t, cfg), newTwin(cfg)
	b := p.NewBatch(nil)
	pl := &player{spec: p.Spec(), rng: env.RNG{State: 6}}
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	if err := compare(b, tw.reset(ResetOptions{Seed: ptr(1)})); err != nil {
		t.Fatalf("reset: %v", err)
	}
	for n := range steps {
		actions := pl.actions(b, resetNext(b))
		must(t, p.Step(b, actions))
		if err := compare(b, tw.step(actions)); err != nil {
			t.Fatalf("step %d: %v", n+1, err)
		}
	}
}

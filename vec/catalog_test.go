package vec

import (
	"errors"
	"fmt"
	"strings"
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
				cfg.Opponents = append(cfg.Opponents, quick(game, spec.Agents[(i+k)%len(spec.Agents)]))
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

// quick is an agent of a game with a small budget, if it searches.
func quick(game env.Game, name string) string {
	for _, options := range []string{":ticks=60", ":iterations=20", ":samples=5", ":level=1"} {
		if _, err := game.NewAgent(name + options); err == nil {
			return name + options
		}
	}
	return name
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

// TestSavedWithGoneAgent: a saved game that seats an agent that there was says what to use in its place.
func TestSavedWithGoneAgent(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	must(t, err)
	p := make1(t, Config{Game: game, Games: 1, Opponents: []string{"static"}})
	must(t, p.Reset(p.NewBatch(nil), ResetOptions{Seed: ptr(1)}))
	text, err := p.SaveJSON(0)
	must(t, err)
	of := strings.Replace(string(text), `"name":"static"`, `"name":"champion-net"`, 1)
	var se *StateError
	if err := p.Load(0, []byte(of)); !errors.As(err, &se) ||
		!strings.Contains(err.Error(), `"champion-net" is gone, use ppo-ffa`) {
		t.Errorf("error is %v, want a StateError that the agent is gone", err)
	}
}

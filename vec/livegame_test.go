package vec

import (
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

// noted is a Watcher that keeps what it is told.
type noted struct {
	begun   []LiveGame
	actions [][]uint8
	steps   []int
	events  int
}

func (n *noted) Begun(g LiveGame) { n.begun = append(n.begun, g) }

func (n *noted) Stepped(actions []uint8) {
	g := n.begun[len(n.begun)-1]
	n.actions = append(n.actions, slices.Clone(actions))
	n.steps = append(n.steps, g.Match.Status().Steps)
	n.events += len(g.Tracker.Events())
}

// TestWatch watches a game beside one that nobody watches: the watcher is told of every
// step and episode, and the games are as without it.
func TestWatch(t *testing.T) {
	for _, counts := range []bool{false, true} {
		for _, batchSize := range []int{0, 1} {
			game, err := catalog.Game("OneVsOne-v0")
			must(t, err)
			cfg := Config{Game: game, Games: 2, Opponents: []string{"simple"}, Seat: new(0), Counts: counts,
				BatchSize: batchSize, Autoreset: SameStep, MaxEpisodeSteps: 30}
			plain, watched := make1(t, cfg), make1(t, cfg)
			a, b := plain.NewBatch(nil), watched.NewBatch(nil)
			seed := uint64(4)
			for p, batch := range map[*Pool]*Batch{plain: a, watched: b} {
				must(t, p.Reset(batch, ResetOptions{Seed: &seed}))
				if batchSize > 0 {
					must(t, p.Recv(batch)) // the other game
				}
			}
			var n noted
			for step := range 100 {
				switch step {
				case 10:
					watched.Watch(1, &n)
				case 90:
					watched.Watch(1, nil)
				}
				action := uint8(step % 6)
				for p, batch := range map[*Pool]*Batch{plain: a, watched: b} {
					err := error(nil)
					if batchSize == 0 {
						err = p.Step(batch, []uint8{action, action})
					} else if err = p.Send([]int32{1}, []uint8{action}); err == nil {
						err = p.Recv(batch)
					}
					must(t, err)
				}
				one, _ := plain.Save(1, nil)
				other, err := watched.Save(1, nil)
				if err != nil || !slices.Equal(one, other) {
					t.Fatalf("counts %v: after step %d the watched game is another (%v)", counts, step, err)
				}
			}
			if len(n.actions) != 80 || len(n.begun) < 3 || n.events == 0 {
				t.Errorf("counts %v: it was told of %d steps, %d episodes and %d events", counts, len(n.actions), len(n.begun),
					n.events)
			}
			for i, actions := range n.actions {
				if len(actions) != 2 || actions[0] != uint8((10+i)%6) {
					t.Errorf("step %d has the actions %v", 10+i, actions)
				}
			}
			if g := n.begun[0]; g.Names[1] != "simple" || g.Agents[1] == nil || g.Agents[0] != nil || n.steps[0] != 11 {
				t.Errorf("seen at step %d are %q", n.steps[0], g.Names)
			}
			state, err := watched.Save(0, nil)
			if err == nil {
				watched.Watch(1, &n)
				err = watched.Load(1, state)
			}
			if last := n.begun[len(n.begun)-1]; err != nil || last.Seed != (env.Seed{Value: 4, Episode: last.Seed.Episode}) {
				t.Errorf("a loaded game is told as %+v (%v)", last.Seed, err)
			}
		}
	}
}

// TestLiveGameActions: those of the last step, of agents too, until another episode begins or
// the game is loaded.
func TestLiveGameActions(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	must(t, err)
	p := make1(t, Config{Game: game, Games: 1, Opponents: []string{"static"}, Seat: new(1)})
	b, seed := p.NewBatch(nil), uint64(4)
	var n noted
	p.Watch(0, &n)
	if names := p.LiveGame(0).Names; len(n.begun) > 0 || !slices.Equal(names, []string{"", ""}) {
		t.Errorf("before it begins, the watcher is told of %d episodes, and %q are seen", len(n.begun), names)
	}
	must(t, p.Reset(b, ResetOptions{Seed: &seed}))
	if len(n.begun) != 1 || n.begun[0].Names[0] != "static" {
		t.Errorf("as it begins, the watcher is told of %+v", n.begun)
	}
	saved, err := p.Save(0, nil)
	must(t, err)
	want := func(reason string, actions ...uint8) {
		t.Helper()
		if got := p.LiveGame(0).Actions; !slices.Equal(got, actions) {
			t.Errorf("%s: actions are %v, want %v", reason, got, actions)
		}
	}
	want("it has begun")
	must(t, p.Step(b, []uint8{3}))
	want("after a step", 0, 3)
	must(t, p.Load(0, saved))
	want("it was loaded")
	must(t, p.Step(b, []uint8{4}))
	want("after another step", 0, 4)
	must(t, p.Reset(b, ResetOptions{Seed: &seed}))
	want("it begins anew")
}

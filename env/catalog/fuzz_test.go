package catalog_test

import (
	"bytes"
	"sync/atomic"
	"testing"

	"pommego/arena/picture"
	"pommego/env"
	"pommego/env/catalog"
)

// every is all games of the catalog, in its order.
func every(tb testing.TB) (games []env.Game) {
	tb.Helper()
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			tb.Fatal(err)
		}
		games = append(games, game)
	}
	return games
}

// playOn makes up to steps random moves, legal or not, and looks at all there is to see.
func playOn(m env.Match, spec *env.Spec, steps int) {
	rng := env.RNG{State: 1}
	actions, mask := make([]uint8, spec.Seats*len(spec.Actions)), make([]uint8, spec.MaskSize())
	for step := 0; step < steps && !m.Status().Over; step++ {
		for i := range actions {
			actions[i] = uint8(rng.IntN(spec.Actions[i%len(spec.Actions)].N))
		}
		m.Step(actions)
		for seat := range spec.Seats {
			m.Mask(seat, mask)
		}
		see(m, spec, func(int, []byte) {})
		picture.AppendMatch(nil, spec, m, nil, env.NoSeat, true)
	}
}

// FuzzRestore: no bytes and no JSON make a match panic, and what it takes for a state is
// one, which can be saved, and played on.
func FuzzRestore(f *testing.F) {
	games := every(f)
	for which, game := range games {
		m := game.New(1)[0]
		m.Reset(env.Seed{Value: uint64(which)})
		for _, steps := range []int{0, 12, 30} {
			playOn(m, game.Spec(), steps)
			text, err := m.AppendJSON(nil)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(which), m.Append(nil))
			f.Add(uint8(which), text)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, state []byte) {
		game := games[int(which)%len(games)]
		m, again := game.New(1)[0], game.New(1)[0]
		if m.Restore(state) != nil && m.RestoreJSON(state) != nil {
			return
		}
		kept := m.Append(nil)
		if err := again.Restore(kept); err != nil || !bytes.Equal(again.Append(nil), kept) {
			t.Fatalf("%s: a state that was restored is another after it was saved and restored (%v)", game.Spec().ID, err)
		}
		text, err := m.AppendJSON(nil)
		if err == nil {
			err = again.RestoreJSON(text)
		}
		if err != nil {
			t.Fatalf("%s: a state that was restored cannot be restored from its JSON: %v\n%s", game.Spec().ID, err, text)
		}
		playOn(m, game.Spec(), 30)
	})
}

// FuzzAgent: no name, options or memory make an agent panic, and what it takes for its
// memory is one, with which it plays. The flag stops it from searching for long.
func FuzzAgent(f *testing.F) {
	games := every(f)
	var stop atomic.Bool
	stop.Store(true)
	for which, game := range games {
		m := game.New(1)[0]
		m.Reset(env.Seed{Value: uint64(which)})
		for _, name := range game.Spec().Agents {
			agent, err := game.NewAgent(name)
			if err != nil {
				f.Fatal(err)
			}
			agent.Reset(env.RNG{State: 1})
			f.Add(uint8(which), name, agent.Append(nil))
		}
	}
	for _, name := range []string{"mcts:ticks=200,depth=9", "bfs:memory=1e6,careful=0", "champion:level=2", "fmcs-2:ms=1",
		"java-mcts:iterations=2", ":", "a:b=c"} {
		f.Add(uint8(0), name, []byte{})
	}
	f.Fuzz(func(t *testing.T, which uint8, name string, memory []byte) {
		game := games[int(which)%len(games)]
		agent, err := game.NewAgent(name)
		if err != nil {
			return
		}
		agent.Reset(env.RNG{State: 1})
		if agent.Restore(memory) == nil {
			kept := agent.Append(nil)
			if err := agent.Restore(kept); err != nil || !bytes.Equal(agent.Append(nil), kept) {
				t.Fatalf("%s, %q: a memory that was restored is another after it was saved and restored (%v)", game.Spec().ID, name,
					err)
			}
		}
		agent.StopOn(&stop)
		spec := game.Spec()
		m, action := game.New(1)[0], make([]uint8, len(spec.Actions))
		m.Reset(env.Seed{Value: 1})
		agent.Act(m, int(which)%spec.Seats, action)
		for k, a := range action {
			if int(a) >= spec.Actions[k].N {
				t.Fatalf("%s, %q: it chose %d, of %d choices", spec.ID, name, a, spec.Actions[k].N)
			}
		}
	})
}

// FuzzVariant: by rules that are accepted, however odd, games can be dealt and played.
func FuzzVariant(f *testing.F) {
	games := every(f)
	for which, changes := range []string{`{"board_size": 9, "num_rigid": 20, "num_wood": 20, "num_items": 10}`,
		`{"max_steps": 5}`, `{}`, `{"x": null}`} {
		f.Add(uint8(which), []byte(changes))
	}
	for which := range games {
		f.Add(uint8(which), []byte(`{"max_steps": 9}`))
	}
	f.Fuzz(func(t *testing.T, which uint8, changes []byte) {
		game, err := catalog.Variant(catalog.IDs()[int(which)%len(games)], changes)
		if err != nil {
			return
		}
		m := game.New(1)[0]
		m.Reset(env.Seed{Value: uint64(which)})
		playOn(m, game.Spec(), 50)
		if err := game.New(1)[0].Restore(m.Append(nil)); err != nil {
			t.Fatalf("a game by the rules %s cannot be restored: %v", changes, err)
		}
	})
}

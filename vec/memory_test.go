package vec

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/envtest"
)

// measures skips a test with -short, as under the race detector: it measures memory, in one goroutine.
func measures(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs in parallel")
	}
}

// TestMemory compares what pools are said to take with what they take, for each
// game, with and without each of its agents.
func TestMemory(t *testing.T) {
	measures(t)
	const games = 512
	for _, id := range []string{"PommeRadio-v2", "BaseWar-v0", "SuiteBot-v0"} {
		game, err := catalog.Game(id)
		must(t, err)
		for n, name := range append([]string{""}, game.Spec().Agents...) {
			cfg := Config{Game: game, Games: games, Workers: 1, Autoreset: SameStep, Counts: n%2 == 0}
			if n == 0 {
				cfg.BatchSize = games / 4
			} else {
				cfg.Opponents = slices.Repeat([]string{name}, game.Spec().Seats-1)
			}
			t.Run(fmt.Sprintf("%s/%s", id, name), func(t *testing.T) {
				_, said, err := Layout(cfg)
				must(t, err)
				before := envtest.HeapInUse()
				p, err := New(cfg)
				must(t, err)
				defer p.Close()
				made := envtest.HeapInUse()
				b := p.NewBatch(nil)
				batched := envtest.HeapInUse()
				if took := made - before; took > said.Pool ||
					said.Pool-took > VariantBytes+games*(matchBytes+int64(p.seating.agents)*agentBytes) {
					t.Errorf("the pool took %d bytes, and was said to take %d", took, said.Pool)
				}
				wantAbout(t, "a batch", batched-made, said.Batch+int64(len(b.slab)))
			})
		}
	}
}

// wantAbout allows for the sizes in which memory is handed out.
func wantAbout(t *testing.T, what string, took, said int64) {
	t.Helper()
	if ratio := float64(said) / float64(took); ratio < 0.8 || ratio > 1.2 {
		t.Errorf("%s took %d bytes, and was said to take %d", what, took, said)
	}
}

// TestSearchBytes compares what agents say that they search in with what they allocate,
// with the default budget and with more ticks than any tree has nodes.
func TestSearchBytes(t *testing.T) {
	measures(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would empty what is lent to agents
	for _, id := range []string{"PommeFFACompetition-v0", "BaseWarSides-v0", "SuiteBot-v0"} {
		game, err := catalog.Game(id)
		must(t, err)
		for _, name := range game.Spec().Agents {
			for _, options := range []string{"", ":ticks=40000"} {
				a, err := game.NewAgent(name + options)
				if err != nil {
					continue // it takes no ticks
				}
				t.Run(id+"/"+name+options, func(t *testing.T) {
					if options == "" {
						untilSearch(game, a) // what the program makes once
					}
					envtest.HeapInUse() // gives up what is lent
					took, searched := untilSearch(game, a)
					switch said := a.SearchBytes(); {
					case searched && said == 0:
						t.Error("it searches, and says that this takes nothing")
					case took > said+16<<10:
						t.Errorf("an action took %d bytes, and was said to take %d", took, said)
					case said > 1<<20 && took < said/2:
						t.Errorf("it says %d bytes, and took only %d", said, took)
					}
				})
			}
		}
	}
}

// untilSearch plays until an agent, in seat 0, has searched, and returns the most that an
// action has allocated; the others stand still.
func untilSearch(game env.Game, a env.Agent) (most int64, searched bool) {
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 3})
	a.Reset(env.RNG{State: 1})
	actions := make([]uint8, game.Spec().Seats*len(game.Spec().Actions))
	var before, after runtime.MemStats
	for !m.Status().Over && m.Status().In.Has(0) && !searched {
		runtime.ReadMemStats(&before)
		a.Act(m, 0, actions[:len(game.Spec().Actions)])
		runtime.ReadMemStats(&after)
		most, searched = max(most, int64(after.TotalAlloc-before.TotalAlloc)), a.Searched() > 0
		m.Step(actions)
	}
	return most, searched
}

// TestReserve: what agents search in is counted for each worker, and of agents that come
// later what is more; then they come only with leave.
func TestReserve(t *testing.T) {
	game, err := catalog.Game("SuiteBot-v0")
	must(t, err)
	others := func(name string) LineUps { return LineUps{Names: [][]string{slices.Repeat([]string{name}, 3)}} }
	bytes := func(name string) int64 {
		a, err := game.NewAgent(name)
		must(t, err)
		return a.SearchBytes()
	}
	var asked []int64
	var refuse error
	cfg := Config{Game: game, Games: 8, Workers: 3, Autoreset: Disabled, LineUps: others("flat"),
		Reserve: func(n int64) error { asked = append(asked, n); return refuse }}
	_, said, err := Layout(cfg)
	must(t, err)
	p, err := New(cfg)
	must(t, err)
	defer p.Close()
	if said.Searches != 3*bytes("flat") || p.Reserved() != 0 || len(asked) > 0 {
		t.Fatalf("%d bytes are said, %d counted, and asked for are %v; want three times %d", said.Searches, p.Reserved(),
			asked, bytes("flat"))
	}
	want := func(what string, more ...int64) {
		t.Helper()
		if !slices.Equal(asked, more) {
			t.Errorf("%s: asked for are %v bytes, want %v", what, asked, more)
		}
		asked = nil
	}
	must(t, p.SetLineUps(others("mcts:ticks=500")))
	want("a tree", 3*(bytes("mcts:ticks=500")-bytes("flat")))
	must(t, p.SetLineUps(others("mcts:ticks=100")))
	must(t, p.SetLineUps(others("mcts:ticks=500")))
	want("a smaller tree, beside which the larger may still be in use")

	refuse = errors.New("no more")
	if err := p.SetLineUps(others("mcts:ticks=1000000")); !errors.Is(err, refuse) {
		t.Errorf("line-ups with large trees: %v, want %v", err, refuse)
	}
	if err := p.SeatPlayers("mcts:ticks=1000000", 1); !errors.Is(err, refuse) {
		t.Errorf("players with large trees: %v, want %v", err, refuse)
	}
	large, err := New(Config{Game: game, Games: 1, LineUps: others("mcts:ticks=1000000")})
	must(t, err)
	defer large.Close()
	must(t, large.Reset(large.NewBatch(nil), ResetOptions{}))
	state, err := large.Save(0, nil)
	must(t, err)
	if err := p.Load(0, state); !errors.Is(err, refuse) {
		t.Errorf("a saved game whose agents have large trees: %v, want %v", err, refuse)
	}
	more := 3 * (bytes("mcts:ticks=1000000") - bytes("mcts:ticks=500"))
	want("three times too much", more, more, more)
	refuse = nil
	must(t, p.Load(0, state))
	want("a saved game", more)
	if n := said.Searches + p.Reserved(); n != 3*bytes("mcts:ticks=1000000") {
		t.Errorf("%d bytes are counted, want three times %d", n, bytes("mcts:ticks=1000000"))
	}
}

// TestLineUpsWithLongNames makes many line-ups, of which no game has more than one.
func TestLineUpsWithLongNames(t *testing.T) {
	game, err := catalog.Game("PommeFFACompetition-v0")
	must(t, err)
	const lineUps = 4000
	before := envtest.HeapInUse()
	names := make([][]string, lineUps)
	for n := range names {
		for k := range 3 {
			names[n] = append(names[n], fmt.Sprintf("mcts:ticks=%0245d", 1+n*3+k))
		}
	}
	cfg := Config{Game: game, Games: 1, Workers: 1, Autoreset: SameStep,
		LineUps: LineUps{Names: names, ByGame: []int32{0}}}
	_, said, err := Layout(cfg)
	must(t, err)
	p, err := New(cfg)
	must(t, err)
	defer p.Close()
	if took := envtest.HeapInUse() - before; took > said.Pool+said.Pool/8 {
		t.Errorf("%d line-ups took %d bytes, and were said to take %d", lineUps, took, said.Pool)
	}
}

// TestModelMemory: a model has memory for the agents of one line-up a game, however many line-ups there are, and makes
// none before a state is loaded.
func TestModelMemory(t *testing.T) {
	made := 0
	cfg := Config{Game: solo, Games: 50,
		Agent: func(name string) (env.Agent, error) { made++; return solo.NewAgent(name) }}
	for i := range int32(50) {
		cfg.LineUps.Names = append(cfg.LineUps.Names, []string{"still", "wander"})
		cfg.LineUps.ByGame = append(cfg.LineUps.ByGame, i)
	}
	p := make1(t, cfg)
	_, said, err := Layout(p.Model(1000))
	must(t, err)
	if most := int64(1000*2*agentBytes + 50*1000); said.Agents > most {
		t.Errorf("the agents of 1,000 games take %d bytes, want at most %d", said.Agents, most)
	}
	made = 0
	model := make1(t, p.Model(1000))
	if made > 10 {
		t.Errorf("a model of 1,000 games makes %d agents, want each name once or twice", made)
	}
	if err := model.Reset(model.NewBatch(nil), ResetOptions{}); err == nil {
		t.Error("a model begins episodes")
	}
}

// TestLargestBatch: a batch that a 32-bit program cannot hold is refused, and nothing overflows.
func TestLargestBatch(t *testing.T) {
	game, err := catalog.Game("PommeTeamCompetition-v0")
	must(t, err)
	var option *OptionError
	_, m, err := Layout(Config{Game: game, Games: MaxGames, Autoreset: SameStep})
	if bits.UintSize == 64 && m.Slab < MaxGames || bits.UintSize == 32 && !errors.As(err, &option) {
		t.Errorf("%d games take %d bytes (%v)", MaxGames, m.Slab, err)
	}
}

package vec

import (
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pommego/env"
	"pommego/env/envtest"
)

// chooser plays one game, by what it shows and nothing else.
type chooser struct{ players []*player }

func newChooser(spec *env.Spec, games int) *chooser {
	c := &chooser{}
	for i := range games {
		c.players = append(c.players, &player{spec: spec, rng: env.RNG{State: uint64(100 + i)}})
	}
	return c
}

// actions are those of one game, the rows of which are at the k-th place of b.
func (c *chooser) actions(b *Batch, game, k int) []uint8 {
	learners, pl := b.pool.Learners(), c.players[game]
	resetting := b.done[k] == 1 && b.pool.Config().Autoreset == NextStep
	var all []uint8
	for _, alive := range b.now.alive[k*learners : (k+1)*learners] {
		for _, part := range pl.spec.Actions {
			a := uint8(pl.rng.IntN(part.N))
			if alive == 0 || resetting {
				a = uint8(pl.rng.IntN(256)) // nobody looks
			}
			all = append(all, a)
		}
	}
	return all
}

// shows is a hash of all that a batch shows of the game at its k-th place.
func shows(b *Batch, k int) uint64 {
	h := fnv.New64a()
	games := len(b.done)
	for _, list := range [][]Tensor{b.tensors, b.finals} {
		for _, f := range list {
			size := len(f.Raw) / games
			final := strings.HasPrefix(f.Name, "final.")
			if f.Name == "game.index" || final && !slices.Contains(b.finished, int32(k)) {
				continue
			}
			at := k
			if final {
				at = b.FinalAt(int32(k))
			}
			h.Write(f.Raw[at*size:][:size])
		}
	}
	return h.Sum64()
}

// TestFirstReady: each game shows what it shows in lock-step, whatever the order in
// which games are ready, after resets in the middle too.
func TestFirstReady(t *testing.T) {
	eachConfig(t, func(t *testing.T, cfg Config) {
		if cfg.Autoreset == Disabled {
			t.Skip("games cannot be reset one by one")
		}
		cfg = withGames(cfg, 7)
		cfg.Workers = 3
		steps := 60
		if testing.Short() {
			steps = 20
		}
		want := make([][]uint64, cfg.Games)
		lock := make1(t, cfg)
		b, c := lock.NewBatch(nil), newChooser(lock.Spec(), cfg.Games)
		must(t, lock.Reset(b, ResetOptions{Seed: ptr(9)}))
		for range steps {
			var actions []uint8
			for i := range cfg.Games {
				want[i] = append(want[i], shows(b, i))
				actions = append(actions, c.actions(b, i, i)...)
			}
			must(t, lock.Step(b, actions))
		}
		for _, size := range []int{1, 3, 7} {
			cfg.BatchSize = size
			p := make1(t, cfg)
			b := p.NewBatch(nil)
			for range 2 {
				compareFirstReady(t, p, b, want)
			}
		}
	})
}

// compareFirstReady resets and plays on until each game has made so many steps
// as there are, or would wait for others.
func compareFirstReady(t *testing.T, p *Pool, b *Batch, want [][]uint64) {
	t.Helper()
	c, made, enough := newChooser(p.Spec(), p.Games()), make([]int, p.Games()), 0
	must(t, p.Reset(b, ResetOptions{Seed: ptr(9)}))
	for enough < p.Games()-p.Config().BatchSize+1 {
		var games []int32
		var actions []uint8
		for k, g := range b.Games() {
			if b.index[k] != g {
				t.Fatalf("game.index has %v for games %v", b.index, b.Games())
			}
			n := made[g]
			if got := shows(b, k); got != want[g][n] {
				t.Fatalf("batches of %d: step %d of game %d differs from that in lock-step", p.Config().BatchSize, n, g)
			}
			made[g]++
			if made[g] == len(want[g]) {
				enough++
				continue
			}
			games, actions = append(games, g), append(actions, c.actions(b, int(g), k)...)
		}
		must(t, p.Send(games, actions))
		if p.queue.sent < p.Config().BatchSize {
			return
		}
		must(t, p.Recv(b))
	}
}

// TestFirstReadyLoaded: a loaded game can be sent before the first Reset.
func TestFirstReadyLoaded(t *testing.T) {
	lock, p := make1(t, Config{Game: teams, Games: 2}), make1(t, Config{Game: teams, Games: 2, BatchSize: 1})
	b, c := p.NewBatch(nil), lock.NewBatch(nil)
	must(t, lock.Reset(c, ResetOptions{Seed: ptr(3)}))
	state, err := lock.Save(1, nil)
	must(t, err)
	must(t, p.Load(1, state))
	must(t, p.Send([]int32{1}, make([]uint8, p.Learners()*len(p.spec.Actions))))
	must(t, p.Recv(b))
	must(t, lock.Step(c, still(lock)))
	if shows(b, 0) != shows(c, 1) {
		t.Error("the game differs from that in lock-step")
	}
}

// TestFirstReadyDoesNotWait: games go on while one of them is still being stepped.
func TestFirstReadyDoesNotWait(t *testing.T) {
	release, late := make(chan struct{}), make(chan struct{})
	g := &guests{Game: solo, act: func(guest int) {
		if guest == 1 { // the first is made to see that there is such an agent
			close(late)
			<-release
		}
	}}
	p := make1(t, Config{Game: g, Games: 5, BatchSize: 2, Workers: 2, Seats: []string{Learner, "guest", "still"}})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	slow := false
	for range 50 {
		must(t, p.Send(b.Games(), make([]uint8, 2*len(p.spec.Actions))))
		if !slow && p.sent[0] && !slices.Contains(b.Games(), 0) {
			must(t, p.Recv(b))
			continue
		}
		slow = true
		must(t, p.Recv(b))
		if slices.Contains(b.Games(), 0) {
			t.Fatal("the game that is being stepped is in a batch")
		}
	}
	<-late
	close(release)
	p.rest()
	if !p.sent[0] {
		t.Error("the slow game is not under way")
	}
}

// TestFirstReadyMisuse: what cannot be is refused, and changes nothing.
func TestFirstReadyMisuse(t *testing.T) {
	cfg := Config{Game: teams, Games: 4, BatchSize: 2}
	p, lock := make1(t, cfg), make1(t, Config{Game: teams, Games: 4})
	b, c := p.NewBatch(nil), lock.NewBatch(nil)
	size := p.Learners() * len(p.spec.Actions)
	bad := make([]uint8, 2*size)
	bad[size+1] = 200
	refused := func(reason string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", reason, err, want)
		}
	}
	refused("never reset", p.Recv(b), ErrFew.Error())
	refused("never reset", p.Send([]int32{0}, make([]uint8, size)), ErrNotReset.Error())
	must(t, p.Reset(b, ResetOptions{Seed: ptr(3)}))
	must(t, lock.Reset(c, ResetOptions{Seed: ptr(3)}))
	held := slices.Clone(b.Games())
	under := slices.DeleteFunc([]int32{0, 1, 2, 3}, func(g int32) bool { return slices.Contains(held, g) })
	refused("Step", p.Step(b, make([]uint8, 4*size)), "use Send and Recv")
	refused("Send in lock-step", lock.Send(held, make([]uint8, 2*size)), "use Step")
	refused("Recv in lock-step", lock.Recv(c), "use Step")
	refused("another's batch", p.Recv(c), "belongs to another pool")
	refused("too few actions", p.Send(held, make([]uint8, size)), "want")
	refused("no such game", p.Send([]int32{held[0], 4}, make([]uint8, 2*size)), "no game 4, want 0 to 3")
	refused("under way", p.Send([]int32{held[0], under[0]}, make([]uint8, 2*size)), ErrSent.Error())
	refused("twice", p.Send([]int32{held[0], held[0]}, make([]uint8, 2*size)), ErrSent.Error())
	refused("a mask", p.Reset(b, ResetOptions{Mask: make([]bool, 4)}), "reset together")
	var ae *ActionError
	if err := p.Send(held, bad); !errors.As(err, &ae) || ae.Row != int(held[1])*p.Learners() || ae.Component != 1 {
		t.Errorf("error is %v, want an *ActionError of game %d", err, held[1])
	}
	state, err := p.Save(int(held[0]), nil)
	must(t, err)
	refused("loading what is under way", p.Load(int(under[0]), state), ErrSent.Error())
	must(t, p.Load(int(held[0]), state))
	must(t, p.Recv(b))
	refused("nothing is under way", p.Recv(b), ErrFew.Error())
	must(t, p.Send([]int32{1, 3, 0, 2}, make([]uint8, 4*size)))
	must(t, lock.Step(c, make([]uint8, 4*size)))
	for range 2 {
		must(t, p.Recv(b))
		for k, g := range b.Games() {
			if shows(b, k) != shows(c, int(g)) {
				t.Errorf("game %d differs from that in lock-step", g)
			}
		}
	}
	p.Close()
	if err := errors.Join(p.Send(nil, nil), p.Recv(b)); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
}

// TestFirstReadyPanic: a game that breaks comes back as an error and stays
// behind; the others go on.
func TestFirstReadyPanic(t *testing.T) {
	rules := envtest.ToyTeams()
	rules.Panic = envtest.ToyPanic{In: envtest.InStep, Step: 4, Seed: 52}
	p := make1(t, Config{Game: envtest.NewToy(rules), Games: 4, BatchSize: 2, Workers: 2})
	b := p.NewBatch(nil)
	size := p.Learners() * len(p.spec.Actions)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(50)})) // game 2 has seed 52
	broke := 0
	for n := 0; n < 100 || broke == 0; n++ { // the game may have to wait for a processor
		must(t, p.Send(b.Games(), make([]uint8, 2*size)))
		var ge *GameError
		err := p.Recv(b)
		if errors.As(err, &ge) {
			broke++
			if err := p.Send([]int32{2}, make([]uint8, size)); ge.Game != 2 || !errors.Is(err, ErrBroken) ||
				!strings.Contains(err.Error(), "load a state, or reset it") {
				t.Errorf("game %d broke, and sending game 2 again gives %v, want 2 and ErrBroken", ge.Game, err)
			}
			err = p.Recv(b)
		}
		must(t, err)
		if slices.Contains(b.Games(), 2) && broke > 0 {
			t.Fatal("the broken game is in a batch")
		}
	}
	if broke != 1 {
		t.Errorf("%d errors, want 1", broke)
	}
	must(t, p.Reset(b, ResetOptions{})) // episode 1 does not panic
	must(t, p.Send(b.Games(), make([]uint8, 2*size)))
}

// TestFirstReadyOpponents: opponents that are set play from each game's next
// episode on, with as many workers as they need.
func TestFirstReadyOpponents(t *testing.T) {
	g := &guests{Game: solo, waits: true, act: func(int) {}}
	p := make1(t, Config{Game: g, Games: 20, BatchSize: 4, MaxEpisodeSteps: 3, Seats: []string{Learner, "still", "still"}})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	few := len(p.workers)
	for range 20 {
		must(t, p.Send(b.Games(), make([]uint8, 4*len(p.spec.Actions))))
		must(t, setOpponents(p, []string{"guest", "still"}))
		must(t, p.Recv(b))
	}
	if len(p.workers) != 20 || few >= 20 {
		t.Errorf("%d workers, then %d, want 20 in the end", few, len(p.workers))
	}
	if names := p.games[0].lineup.names; !slices.Equal(names, []string{"guest", "still"}) {
		t.Errorf("game 0 is played by %v", names)
	}
}

// TestFirstReadyAllocatesNothing, in steps and resets.
func TestFirstReadyAllocatesNothing(t *testing.T) {
	for _, auto := range []Autoreset{NextStep, SameStep} {
		p := make1(t, Config{Game: teams, Games: 20, BatchSize: 6, Workers: 3, Autoreset: auto, Opponents: opponents(teams)})
		b := p.NewBatch(nil)
		must(t, p.Reset(b, ResetOptions{Seed: ptr(3)}))
		actions, ended := make([]uint8, 6*len(p.spec.Actions)), 0
		var err error
		if n := testing.AllocsPerRun(300, func() {
			err = errors.Join(err, p.Send(b.Games(), actions), p.Recv(b))
			ended += len(b.Finished())
		}); n != 0 || err != nil || ended < 6 {
			t.Errorf("%v: Send and Recv allocate %v times (error %v, %d episodes ended), want 0", auto, n, err, ended)
		}
	}
}

// TestQueueChunks: workers take no more games than leave some to the others, and
// fewer the more they cost.
func TestQueueChunks(t *testing.T) {
	var c cost
	q := newQueue(100, &c)
	var games []int32
	for g := range int32(100) {
		games = append(games, g)
	}
	q.send(games)
	if got := q.take(nil, 2); len(got) != 32 || got[31] != 31 {
		t.Errorf("took %v, want the first 32", got)
	}
	if got := q.take(nil, 10); len(got) != 6 || got[0] != 32 {
		t.Errorf("took %v, want 6 from 32 on", got)
	}
	c.mean = time.Millisecond
	if got := q.take(nil, 2); len(got) != 1 {
		t.Errorf("took %v, want one", got)
	}
	q.put(games[:40], make([]phase, 100), 40*time.Millisecond)
	if q.put(games[40:], make([]phase, 100), time.Second); c.last != 10400*time.Microsecond {
		t.Errorf("a game is said to have taken %v, want 10.4 ms", c.last)
	}
}

// TestFirstReadyStopped: once the pool is stopped, no call returns games that were not stepped or reset.
func TestFirstReadyStopped(t *testing.T) {
	var stop atomic.Bool
	p := make1(t, Config{Game: solo, Games: 4, BatchSize: 2, Stop: &stop})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	stop.Store(true)
	must(t, p.Send(b.Games(), make([]uint8, 2*p.Learners()*len(p.spec.Actions))))
	if received, reset := p.Recv(b), p.Reset(b, ResetOptions{}); received != ErrStopped || reset != ErrStopped {
		t.Errorf("Recv returns %v and Reset %v, want ErrStopped", received, reset)
	}
}

// stepped is a Watcher that passes on that a step was made.
type stepped chan bool

func (s stepped) Begun(LiveGame) {}

func (s stepped) Stepped([]uint8) { s <- true }

// TestSetSeedWaits until no game is being stepped: for the race detector.
func TestSetSeedWaits(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 1, BatchSize: 1, Autoreset: SameStep, MaxEpisodeSteps: 1})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	w := make(stepped, 1)
	p.Watch(0, w)
	for n := range uint64(20) {
		must(t, p.Send(b.Games(), still(p)))
		<-w // and goes on with the next episode
		p.SetSeed(0, env.Seed{Value: n})
		must(t, p.Recv(b))
	}
}

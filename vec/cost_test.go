package vec

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"pommego/env"
)

// TestCost: few cheap games wake nobody, and the more a step takes the more
// workers it is worth and the fewer games one takes at a time.
func TestCost(t *testing.T) {
	for _, c := range []struct {
		reason         string
		took           []time.Duration // a game, in the steps so far
		games          int
		workers, chunk int
	}{
		{"nothing is known", nil, 64, 1, 32},
		{"nothing is known of many", nil, 4096, 64, 32},
		{"cheap games", []time.Duration{600, 600, 600, 600, 600, 600}, 127, 1, 32},
		{"cheap games, enough for two", []time.Duration{600, 600, 600, 600, 600, 600}, 128, 2, 32},
		{"one step was interrupted", []time.Duration{600, time.Millisecond, 600, 600, 600}, 64, 1, 32},
		{"agents that think", []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}, 16, 140, 1},
		{"agents that think a little", []time.Duration{4e3, 4e3, 4e3, 4e3, 4e3, 4e3, 4e3, 4e3, 4e3, 4e3, 4e3}, 64, 4, 5},
	} {
		var known cost
		for _, took := range c.took {
			known.note(c.games, took*time.Duration(c.games))
		}
		if workers, chunk := known.workers(c.games), known.chunk(); workers != c.workers || chunk != c.chunk {
			t.Errorf("%s: %d workers, %d games at a time (mean %v), want %d and %d", c.reason, workers, chunk, known.mean,
				c.workers, c.chunk)
		}
	}
}

// guests is a game with one more agent, "guest", which leaves its action to act
// and knows how many guests were made before it.
type guests struct {
	env.Game
	waits bool
	made  int
	act   func(guest int)
}

type guest struct {
	env.Agent
	game   *guests
	number int
}

func (g *guests) NewAgent(name string) (env.Agent, error) {
	if name != "guest" {
		return g.Game.NewAgent(name)
	}
	a, err := g.Game.NewAgent("still")
	g.made++
	return &guest{a, g, g.made - 1}, err
}

func (g *guest) Waits() bool { return g.game.waits }

func (g *guest) Act(m env.Match, seat int, action []uint8) {
	g.game.act(g.number)
	g.Agent.Act(m, seat, action)
}

// meeting lets its members go when so many have come, or when one has waited for
// longer than it can take.
type meeting struct {
	lock   sync.Mutex
	wanted int
	all    chan struct{}
}

func newMeeting(n int) *meeting { return &meeting{wanted: n, all: make(chan struct{})} }

func (m *meeting) come(t *testing.T, wait bool) {
	m.lock.Lock()
	if m.wanted--; m.wanted == 0 {
		close(m.all)
	}
	m.lock.Unlock()
	if !wait {
		return
	}
	select {
	case <-m.all:
	case <-time.After(time.Minute):
		t.Error("a game waits for others that nobody steps")
	}
}

func guestsOf(t *testing.T, games, workers int, waits bool, act func(guest int)) (*guests, *Pool) {
	g := &guests{Game: solo, waits: waits, act: act}
	p := make1(t, Config{Game: g, Games: games, Workers: workers, Seats: []string{Learner, "guest", "still"}})
	return g, p
}

// TestWorkersAsAsked: as many games are stepped at a time as workers were asked
// for, whatever the number of cores.
func TestWorkersAsAsked(t *testing.T) {
	var m *meeting
	_, p := guestsOf(t, 16, 16, false, func(int) { m.come(t, true) })
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	for range 3 {
		m = newMeeting(16)
		must(t, p.Step(b, still(p)))
	}
}

// TestWaitingOpponents: without a number of workers, opponents that wait get more
// than one a core, until there are others, and never more than the bound.
func TestWaitingOpponents(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	games := 4 * max(cores, waitingWorkers)
	var m *meeting
	_, p := guestsOf(t, games, 0, true, func(int) { m.come(t, true) })
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	m = newMeeting(max(cores, waitingWorkers))
	must(t, p.Step(b, still(p)))
	for _, c := range []struct {
		name string
		want int
	}{{"still", cores}, {"guest", max(cores, waitingWorkers)}} {
		must(t, setOpponents(p, []string{c.name, "still"}))
		must(t, p.Reset(b, ResetOptions{}))
		m = newMeeting(1)
		must(t, p.Step(b, still(p)))
		if len(p.workers) != c.want {
			t.Errorf("%d workers with %q, want %d", len(p.workers), c.name, c.want)
		}
	}
	cfg := p.Config()
	cfg.MaxWorkers = 3
	if p := make1(t, cfg); len(p.workers) != 3 {
		t.Errorf("%d workers, want at most 3", len(p.workers))
	}
}

// TestComputingOpponents: without a number of workers there are never more than
// cores, and cheap games are stepped by the caller alone.
func TestComputingOpponents(t *testing.T) {
	_, p := guestsOf(t, 100, 0, false, func(int) {})
	if cores := runtime.GOMAXPROCS(0); len(p.workers) != min(cores, 100) {
		t.Errorf("%d workers on %d cores", len(p.workers), cores)
	}
	if n := p.split(); n != 1 {
		t.Errorf("a call wakes %d workers for cheap games, want the caller alone", n)
	}
	p.cost.mean = time.Second
	if n := p.split(); n != len(p.workers) {
		t.Errorf("a call wakes %d workers for games that take a second, want all %d", n, len(p.workers))
	}
}

// TestSlowGame: games that nobody has begun do not wait for a slow one, where
// games are known to be worth a look each.
func TestSlowGame(t *testing.T) {
	const games = 20
	var m *meeting
	g, p := guestsOf(t, games, 2, false, func(guest int) {
		m.come(t, guest%games == 0)
	})
	g.made = 0
	must(t, setOpponents(p, []string{"guest", "still"})) // game 0 has guest 0
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	for range 3 {
		p.cost.mean = time.Millisecond
		m = newMeeting(games)
		must(t, p.Step(b, still(p)))
	}
}

package benchmarks

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/vec"
)

// waitingGame is a game with an agent of the caller's own, "waiting", which answers as
// late as a program on another machine would.
type waitingGame struct {
	env.Game
	wait   func(*env.RNG) time.Duration
	waited *atomic.Int64 // nanoseconds, all agents together
}

type waitingAgent struct {
	env.Agent
	game waitingGame
	rng  env.RNG
}

func (g waitingGame) NewAgent(name string) (env.Agent, error) {
	if name != "waiting" {
		return g.Game.NewAgent(name)
	}
	a, err := g.Game.NewAgent("static")
	return &waitingAgent{Agent: a, game: g}, err
}

func (*waitingAgent) Waits() bool { return true }

func (a *waitingAgent) Reset(rng env.RNG) { a.rng = rng }

func (a *waitingAgent) Act(m env.Match, seat int, action []uint8) {
	begun := time.Now()
	time.Sleep(a.game.wait(&a.rng))
	a.game.waited.Add(int64(time.Since(begun)))
	a.Agent.Act(m, seat, action)
}

// BenchmarkWaitingOpponents steps games with three opponents that each answer
// after 2 ms. "best" is how long a step would take if every worker always had a
// game to step.
func BenchmarkWaitingOpponents(b *testing.B) {
	const wait, opponents = 2 * time.Millisecond, 3
	g, err := catalog.Game("PommeFFACompetition-v0")
	if err != nil {
		b.Fatal(err)
	}
	for _, workers := range []int{16, 0} {
		for _, games := range []int{16, 64, 128, 256} {
			b.Run(fmt.Sprintf("workers=%d/games=%d", workers, games), func(b *testing.B) {
				pool, batch := begin(b, vec.Config{
					Game: waitingGame{g, func(*env.RNG) time.Duration { return wait }, new(atomic.Int64)}, Games: games,
					Workers: workers, OnDeath: vec.Wait,
					Opponents: []string{"waiting", "waiting", "waiting"},
				})
				actions := make([]uint8, pool.Rows())
				for b.Loop() {
					if err := pool.Step(batch, actions); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/1e3/float64(b.N), "ms/step")
				if workers > 0 {
					b.ReportMetric((opponents*wait*time.Duration((games+workers-1)/workers)).Seconds()*1e3, "best-ms")
				}
			})
		}
	}
}

// BenchmarkFirstReady steps games with opponents of unequal cost, in lock-step and
// in first-ready batches of a quarter of the games. For opponents that search it
// reports the share of the cores' time in which there was something to do; for
// those that wait, the share of the workers' time in which they waited for one.
func BenchmarkFirstReady(b *testing.B) {
	g, err := catalog.Game("PommeFFACompetition-v0")
	if err != nil {
		b.Fatal(err)
	}
	const workers = 16
	waiting := waitingGame{g, func(rng *env.RNG) time.Duration {
		if rng.IntN(20) > 0 {
			return time.Millisecond
		}
		return 20 * time.Millisecond
	}, new(atomic.Int64)}
	for _, c := range []struct {
		name      string
		game      env.Game
		games     int
		opponents []string
		workers   int
	}{
		{"osla", g, 64, []string{"osla", "simple", "simple"}, 0},
		{"mcts", g, 16, []string{"mcts", "simple", "simple"}, 0},
		{"waiting", waiting, 64, []string{"waiting", "static", "static"}, workers},
	} {
		for _, size := range []int{0, c.games / 4} {
			name := c.name + "/" + map[bool]string{true: "lock-step", false: "first-ready"}[size == 0]
			b.Run(name, func(b *testing.B) {
				steps, busy, waited := playFor(b, vec.Config{
					Game: c.game, Games: c.games, BatchSize: size, Workers: c.workers, OnDeath: vec.Wait, Opponents: c.opponents,
				}, waiting.waited)
				if c.workers > 0 {
					busy = waited.Seconds() / b.Elapsed().Seconds() / workers
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
				b.ReportMetric(100*busy, "%busy")
			})
		}
	}
}

// begin makes a pool that is closed with the benchmark, and begins its games.
func begin(b *testing.B, cfg vec.Config) (*vec.Pool, *vec.Batch) {
	b.Helper()
	pool, err := vec.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	batch, seed := pool.NewBatch(nil), uint64(1)
	if err := pool.Reset(batch, vec.ResetOptions{Seed: &seed}); err != nil {
		b.Fatal(err)
	}
	return pool, batch
}

// playFor plays while b loops. It returns how many steps of games that
// were, the share of the cores' time in which there was something to do, and how
// much waited grew.
func playFor(b *testing.B, cfg vec.Config, waited *atomic.Int64) (steps int, busy float64, waits time.Duration) {
	pool, batch := begin(b, cfg)
	actions := make([]uint8, cfg.BatchGames())
	step := func() {
		var err error
		if cfg.BatchSize == 0 {
			err = pool.Step(batch, actions)
		} else {
			err = errors.Join(pool.Send(batch.Games(), actions), pool.Recv(batch))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for range 4 { // until it is known what a step takes
		step()
	}
	total, idle := processors()
	before := waited.Load()
	b.ResetTimer()
	for b.Loop() {
		step()
		steps += len(actions)
	}
	b.StopTimer()
	waits = time.Duration(waited.Load() - before)
	totalAfter, idleAfter := processors()
	return steps, 1 - (idleAfter-idle)/(totalAfter-total), waits
}

// processors is the time that Go's processors have had so far, and how much of it
// none had anything to do.
func processors() (total, idle float64) {
	runtime.GC() // it counts anew then
	samples := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(samples)
	return samples[0].Value.Float64(), samples[1].Value.Float64()
}

package benchmarks

import (
	"fmt"
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
	wait time.Duration
}

type waitingAgent struct {
	env.Agent
	wait time.Duration
}

func (g waitingGame) NewAgent(name string) (env.Agent, error) {
	if name != "waiting" {
		return g.Game.NewAgent(name)
	}
	a, err := g.Game.NewAgent("static")
	return waitingAgent{a, g.wait}, err
}

func (waitingAgent) Waits() bool { return true }

func (a waitingAgent) Act(m env.Match, seat int, action []uint8) {
	time.Sleep(a.wait)
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
				pool, err := vec.New(vec.Config{
					Game: waitingGame{g, wait}, Games: games, Workers: workers, OnDeath: vec.Wait,
					Opponents: []string{"waiting", "waiting", "waiting"},
				})
				if err != nil {
					b.Fatal(err)
				}
				defer pool.Close()
				batch, seed := pool.NewBatch(nil), uint64(1)
				if err := pool.Reset(batch, vec.ResetOptions{Seed: &seed}); err != nil {
					b.Fatal(err)
				}
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

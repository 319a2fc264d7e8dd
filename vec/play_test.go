package vec

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pommego/env"
)

// TestPlay compares Play, with one worker and with several, to games that are stepped
// alone, with agents that the test asks.
func TestPlay(t *testing.T) {
	eachConfig(t, func(t *testing.T, cfg Config) {
		if cfg.Autoreset != Disabled {
			return
		}
		home := make1(t, cfg)
		b := home.NewBatch(nil)
		must(t, home.Reset(b, ResetOptions{Seed: ptr(60)}))
		first := (&player{spec: home.Spec(), rng: env.RNG{State: 8}}).actions(b, func(int) bool { return false })
		cfg.LineUps.ByGame = nil
		for _, steps := range []int{1, 2, 40} {
			var want []string
			for game := range home.Games() {
				want = append(want, playAlone(t, home, game, first, steps))
			}
			for _, workers := range []int{1, 3} {
				cfg.Workers = workers
				p := loaded(t, home, cfg)
				b := p.NewBatch(nil)
				must(t, p.Play(b, first, steps))
				checkPlayed(t, p, b, want)
				checkEach(t, loaded(t, home, cfg), first, b, steps)
			}
		}
	})
}

// checkEach plays the games of a pool step by step, and compares that with a batch of all steps.
func checkEach(t *testing.T, p *Pool, actions []uint8, b *Batch, steps int) {
	t.Helper()
	each, sums, ends, finished := p.NewBatch(nil), make([]float64, len(b.reward)), make([]uint8, len(b.reward)), 0
	for range steps {
		must(t, p.Play(each, actions, 1))
		for row := range sums {
			sums[row] += each.reward[row]
			ends[row] += each.terminated[row] + each.truncated[row]
		}
		finished += len(each.finished)
		actions = nil
	}
	for row := range sums {
		if want := b.terminated[row] + b.truncated[row]; sums[row] != b.reward[row] || ends[row] != want {
			t.Errorf("%d steps, row %d: pays %v and ends %d times, want %v and %d", steps, row, sums[row], ends[row],
				b.reward[row], want)
		}
	}
	if !bytes.Equal(each.now.mask, b.now.mask) || !slices.Equal(each.length, b.length) {
		t.Errorf("%d steps end elsewhere", steps)
	}
	if finished != len(b.finished) {
		t.Errorf("%d steps: %d games finish, want %d", steps, finished, len(b.finished))
	}
}

// loaded is a pool with the games of another, reseeded, and players.
func loaded(t *testing.T, home *Pool, cfg Config) *Pool {
	t.Helper()
	p := make1(t, cfg)
	for i := range p.Games() {
		state, err := home.Save(i, nil)
		must(t, err)
		must(t, p.Load(i, state))
		p.Reseed(i, env.Seed{Value: 90 + uint64(i)})
	}
	must(t, p.SeatPlayers("hunter", 1)) // others, whose memory is not to stay
	must(t, p.SeatPlayers("wander", 90))
	return p
}

// played is what a game shows after its steps.
func played(p *Pool, game int, reward []float64) string {
	state, err := p.Save(game, nil)
	return fmt.Sprintf("%x %v %v ended %v", state, err, reward, p.phases[game] == ended)
}

// playAlone steps one of home's games, and asks agents for the actions after the first.
func playAlone(t *testing.T, home *Pool, game int, first []uint8, steps int) string {
	t.Helper()
	p := make1(t, home.Model(1))
	state, err := home.Save(game, nil)
	must(t, err)
	must(t, p.Load(0, state))
	seed := env.Seed{Value: 90 + uint64(game)}
	p.Reseed(0, seed)
	b, g, components := p.NewBatch(nil), &p.games[0], len(p.spec.Actions)
	actions := slices.Clone(first[game*len(g.rows)*components : (game+1)*len(g.rows)*components])
	reward := make([]float64, len(g.rows))
	var agents []env.Agent
	for _, seat := range g.rows {
		a, err := p.cfg.Game.NewAgent("wander")
		must(t, err)
		a.Reset(seed.RNG(env.StreamAgents + uint64(seat)))
		agents = append(agents, a)
	}
	for s := 0; s < steps && p.phases[0] == running; s++ {
		for k, seat := range g.rows {
			if s > 0 && g.status.In.Has(int(seat)) {
				agents[k].Act(g.match, int(seat), actions[k*components:(k+1)*components])
			}
		}
		must(t, p.Step(b, actions))
		for row, r := range b.reward {
			reward[row] += r
		}
	}
	return played(p, 0, reward)
}

func checkPlayed(t *testing.T, p *Pool, b *Batch, want []string) {
	t.Helper()
	n := p.Learners()
	for game := range p.Games() {
		if got := played(p, game, b.reward[game*n:(game+1)*n]); got != want[game] {
			t.Errorf("%d workers, game %d: %s\nwant %s", len(p.workers), game, got, want[game])
		}
	}
}

func TestPlayRefuses(t *testing.T) {
	p := make1(t, Config{Game: solo, Games: 2, Autoreset: Disabled, MaxEpisodeSteps: 1})
	b := p.NewBatch(nil)
	must(t, p.Reset(b, ResetOptions{Seed: ptr(1)}))
	if err := p.Play(b, still(p), 2); err == nil {
		t.Error("two steps without players")
	}
	if err := p.SeatPlayers("nobody", 1); err == nil {
		t.Error("players that there are not")
	}
	if err := p.SeatPlayers("", 1); err == nil {
		t.Error("players without a name")
	}
	must(t, p.SeatPlayers("still", 1))
	for _, steps := range []int{0, -5} {
		if err := p.Play(b, still(p), steps); err == nil {
			t.Errorf("%d steps", steps)
		}
	}
	if err := p.Play(make1(t, p.cfg).NewBatch(nil), nil, 1); err == nil {
		t.Error("another pool's batch")
	}
	must(t, p.Play(b, still(p), 9))
	if b.length[0] != 1 || b.truncated[0] != 1 {
		t.Errorf("length %d, truncated %d, want one step and the end", b.length[0], b.truncated[0])
	}
	must(t, p.Play(b, nil, 9))
	if b.length[0] != 1 || b.truncated[0] != 0 || len(b.Finished()) > 0 {
		t.Error("an ended game plays on")
	}
	if err := p.Play(b, still(p), 1); err == nil {
		t.Error("an ended game takes actions")
	}
	q := make1(t, Config{Game: solo, Games: 2})
	if err := q.Play(q.NewBatch(nil), nil, 1); err == nil {
		t.Error("a pool that resets")
	}
	seed := ptr(1)
	allocated := testing.AllocsPerRun(20, func() {
		must(t, p.Reset(b, ResetOptions{Seed: seed}))
		must(t, p.SeatPlayers("still", 1))
		must(t, p.Play(b, nil, 5))
	})
	if allocated > 0 {
		t.Errorf("Play allocates %v times", allocated)
	}
}

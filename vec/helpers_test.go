package vec

import (
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"pommego/env"
	"pommego/env/envtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// solo is three seats, each its own team; teams six in teams of 3, 2 and 1.
var (
	teams = envtest.Toy()
	solo  = envtest.NewToy(envtest.ToySolo())
)

func ptr(v uint64) *uint64 { return &v }

// make1 makes a pool that is closed with the test.
func make1(t testing.TB, cfg Config) *Pool {
	t.Helper()
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// player chooses actions: any in range, and junk where nobody looks.
type player struct {
	spec *env.Spec
	rng  env.RNG
}

// actions needs the batch that the pool wrote last, to see who is out. resetting
// tells of a game that the next step resets it.
func (pl *player) actions(b *Batch, resetting func(game int) bool) []uint8 {
	alive := b.Bytes("alive")
	var all []uint8
	for row := range alive {
		for _, c := range pl.spec.Actions {
			a := uint8(pl.rng.IntN(c.N))
			if pl.rng.IntN(3) == 0 {
				a = 0
			}
			if alive[row] == 0 || resetting(row/b.pool.Learners()) {
				a = uint8(pl.rng.IntN(256))
			}
			all = append(all, a)
		}
	}
	return all
}

// resetNext tells of each game whether the next step resets it.
func resetNext(b *Batch) func(int) bool {
	done := slices.Clone(b.Bytes("game.done"))
	return func(game int) bool { return done[game] == 1 && b.pool.Config().Autoreset == NextStep }
}

// digest is a hash of all that a batch shows: of the final buffers, the rows of
// finished games.
func digest(b *Batch) uint64 {
	h := fnv.New64a()
	for _, f := range b.pool.layout.tensors {
		fmt.Fprintf(h, "%s %s %v\n", f.Name, f.Dtype(), f.Shape())
		h.Write(b.Bytes(f.Name))
	}
	for _, f := range b.pool.layout.finals {
		for _, g := range b.Finished() {
			n := int(f.MemSize()) / b.pool.Games()
			h.Write(b.Bytes(f.Name)[b.FinalAt(g)*n:][:n])
		}
	}
	fmt.Fprint(h, b.Finished())
	return h.Sum64()
}

// setups are the ways to fill the seats, by name.
var setups = []struct {
	name string
	set  func(c *Config)
}{
	{"all learn", func(*Config) {}},
	{"drawn seat", func(c *Config) { c.Opponents = opponents(c.Game) }},
	{"fixed seat", func(c *Config) { c.Opponents, c.Seat = opponents(c.Game), new(1) }},
	{"wait", func(c *Config) { c.Opponents, c.OnDeath = opponents(c.Game), Wait }},
	{"mixed", func(c *Config) {
		c.Seats = slices.Repeat([]string{"wander"}, c.Game.Spec().Seats)
		c.Seats[0], c.Seats[2] = Learner, Learner
	}},
	{"one learner by Seats", func(c *Config) {
		c.Seats = slices.Repeat([]string{"hunter"}, c.Game.Spec().Seats)
		c.Seats[1] = Learner
	}},
	{"a policy by Seats", func(c *Config) {
		c.Seats = slices.Repeat([]string{"hunter"}, c.Game.Spec().Seats)
		c.Seats[0], c.Seats[1] = Policy, Learner
	}},
	{"line-ups that are drawn",
		func(c *Config) { c.LineUps = lineUps(c.Game); c.LineUps.Weights = []float64{1, 2.5, 0, 1} }},
	{"line-ups by game", func(c *Config) {
		c.LineUps = lineUps(c.Game)
		for i := range c.Games {
			c.LineUps.ByGame = append(c.LineUps.ByGame, int32(i*i%4))
		}
	}},
}

// lineUps has a policy in one seat, where others have agents.
func lineUps(g env.Game) LineUps {
	l := LineUps{Names: [][]string{opponents(g), opponents(g), opponents(g), opponents(g)}}
	l.Names[1][1], l.Names[2][0], l.Names[3][0] = Policy, "still", "wander"
	return l
}

func opponents(g env.Game) []string {
	return []string{"hunter", "wander", "still", "hunter:reach=2", "wander"}[:g.Spec().Seats-1]
}

// eachConfig calls test for games of both kinds in all setups and modes; for
// every fifth of them with -short, as under the race detector.
func eachConfig(t *testing.T, test func(t *testing.T, cfg Config)) {
	n := 0
	for _, game := range []env.Game{teams, solo} {
		for _, setup := range setups {
			for _, auto := range []Autoreset{NextStep, SameStep, Disabled} {
				for _, limit := range []int{0, 13} {
					if n++; testing.Short() && n%5 != 0 {
						continue
					}
					cfg := Config{Game: game, Games: 5, Autoreset: auto, MaxEpisodeSteps: limit}
					setup.set(&cfg)
					if limit > 0 {
						cfg.Observation, cfg.Reward, cfg.State = "list", Reference, true
					}
					t.Run(fmt.Sprintf("%s/%s/%v/limit %d", game.Spec().ID, setup.name, auto, limit),
						func(t *testing.T) { test(t, cfg) })
				}
			}
		}
	}
}

// setOpponents gives a pool one line-up.
func setOpponents(p *Pool, names []string) error {
	return p.SetLineUps(LineUps{Names: [][]string{names}})
}

// withGames is a configuration for another number of games, in lock-step, that play what their seeds draw.
func withGames(c Config, n int) Config {
	c.Games, c.BatchSize, c.LineUps.ByGame, c.Variants.ByGame = n, 0, nil, nil
	return c
}

package dataset

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pommego/vec"
)

// served is a data set whose seats 0 and 2 a client plays, against simple.
func served() Config {
	return Config{
		Agents: []string{"client:net", "simple"}, Seating: ByClient, Games: 9, FileGames: 4, Seed: 70, MaxSteps: 50,
	}
}

// playServed plays a client's next game in a vector environment, in which its agents
// always do what they did two steps ago, or else a number.
func playServed(t *testing.T, pool *vec.Pool, c *Config, game int) *Recorded {
	t.Helper()
	batch := pool.NewBatch(nil)
	parts := len(pool.Spec().Actions)
	seed := c.Seed + uint64(game)
	if err := pool.Reset(batch, vec.ResetOptions{Seed: &seed}); err != nil {
		t.Fatal(err)
	}
	r := &Recorded{Agents: []string{"client:net", "simple", "client:net", "simple"}, Extra: map[string][]byte{}}
	for step := 0; batch.Bytes("game.done")[0] == 0; step++ {
		actions := make([]uint8, 2*parts)
		actions[0], actions[parts] = uint8((step+game)%5), uint8(step%6)
		r.Actions = append(r.Actions, actions...)
		if err := pool.Step(batch, actions); err != nil {
			t.Fatal(err)
		}
	}
	for seat, won := range batch.Bytes("game.winners") {
		if won == 1 {
			r.Winners |= 1 << seat
		}
	}
	return r
}

// recordServed records the games of a client, which spoil may change.
func recordServed(t *testing.T, id string, c Config, folder string, spoil func(game int, r *Recorded)) (*Manifest,
	error) {
	t.Helper()
	pool, err := vec.New(vec.Config{
		Game: gameOf(t, id), Games: 1, Autoreset: vec.Disabled, Seats: []string{vec.Learner, "simple", vec.Learner, "simple"},
		MaxEpisodeSteps: c.MaxSteps,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	game := 0
	return Record(context.Background(), gameOf(t, id), c, folder, testOptions(1), func() (*Recorded, error) {
		r := playServed(t, pool, &c, game)
		spoil(game, r)
		game++
		return r, nil
	})
}

func asPlayed(int, *Recorded) {}

// TestServed records a client's games.
func TestServed(t *testing.T) {
	for _, id := range []string{ffa, radio} {
		folder := filepath.Join(t.TempDir(), "set")
		m, err := recordServed(t, id, served(), folder, asPlayed)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		verifyClean(t, folder)
		if len(m.Unrepeatable) != 1 || m.Games != 9 {
			t.Errorf("%s: %d games, not repeatable because %q; want 9 and one reason", id, m.Games, m.Unrepeatable)
		}
		for i, e := range episodes(t, folder) {
			if names := e.Agents; names[0] != "client:net" || names[1] != "simple" || e.Seed.Value != 70+uint64(i) {
				t.Errorf("%s: game %d is played by %q from seed %d", id, i, names, e.Seed.Value)
			}
			parts := len(m.Env.Actions)
			if e.Actions[4*parts] != uint8((1+i)%5) || e.Actions[6*parts] != 1 { // step 1, seats 0 and 2
				t.Errorf("%s: game %d: the client's second actions are %v", id, i, e.Actions[4*parts:8*parts])
			}
		}
	}
}

// TestServedRefused feeds what cannot be.
func TestServedRefused(t *testing.T) {
	for _, c := range []struct {
		reason string
		spoil  func(*Recorded)
		says   string
	}{
		{"an agent that does not exist", func(f *Recorded) { f.Agents[3] = "other" }, "seats agents"},
		{"nobody of the client's", func(f *Recorded) { f.Agents = slices.Repeat([]string{"simple"}, 4) }, "bytes of actions"},
		{"half a step", func(f *Recorded) { f.Actions = f.Actions[1:] }, "bytes of actions"},
		{"an action that does not exist", func(f *Recorded) { f.Actions[3] = 6 }, "want 0 to 5"},
		{"a step too few", func(f *Recorded) { f.Actions = f.Actions[2:] }, "differently"},
		{"other winners", func(f *Recorded) { f.Winners ^= 1 }, "differently"},
	} {
		_, err := recordServed(t, ffa, served(), filepath.Join(t.TempDir(), "set"), func(game int, r *Recorded) {
			if game == 1 {
				c.spoil(r)
			}
		})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
	for _, c := range []struct {
		reason string
		change func(*Config)
		says   string
	}{
		{"another seating", func(c *Config) { c.Seating = Drawn }, "seating told"},
		{"no client's agent", func(c *Config) { c.Agents = []string{"simple"} }, "seating told"},
		{"a program beside", func(c *Config) { c.Agents[1] = "exec:true" }, "only built-in agents"},
		{"one with a limit in time beside", func(c *Config) { c.Agents[1] = "mcts:ms=5" }, "without a limit in time"},
	} {
		config := served()
		c.change(&config)
		if _, err := config.Resolve(gameOf(t, ffa)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
	if _, _, err := Generate(context.Background(), gameOf(t, ffa), served(), filepath.Join(t.TempDir(), "set"),
		testOptions(1)); err == nil || !strings.Contains(err.Error(), "use Record for them") {
		t.Errorf("Generate: error %v", err)
	}
}

// TestServedEndsEarly leaves no data set where the client ends early, and lets the next run begin anew.
func TestServedEndsEarly(t *testing.T) {
	folder, gone := filepath.Join(t.TempDir(), "set"), errors.New("gone")
	if _, err := Record(context.Background(), gameOf(t, ffa), served(), folder, testOptions(1),
		func() (*Recorded, error) { return nil, gone }); !errors.Is(err, gone) {
		t.Errorf("error %v, want %v", err, gone)
	}
	if _, err := Open(folder); err == nil {
		t.Error("the folder holds a data set")
	}
	if _, err := recordServed(t, ffa, served(), folder, asPlayed); err != nil {
		t.Error(err)
	}
}

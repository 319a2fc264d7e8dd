package dataset

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"pommego/env"
	"pommego/vec"
)

// served is a data set whose seats 0 and 2 a client plays, against simple.
func served() Config {
	return Config{
		Agents: []string{"client:net", "simple"}, Seating: Told, Games: 9, FileGames: 4, Seed: 70, MaxSteps: 50, Unrepeatable: true,
	}
}

// playServed plays games as a client would, in a vector environment, in which
// its agents always do what they did two steps ago, or else a number.
func playServed(t *testing.T, id string, c Config, games []int, feed chan<- Fed) {
	t.Helper()
	pool, err := vec.New(vec.Config{
		Game: gameOf(t, id), Games: 1, Autoreset: vec.Disabled, Seats: []string{vec.Learner, "simple", vec.Learner, "simple"}, MaxEpisodeSteps: c.MaxSteps,
	})
	if err != nil {
		t.Error(err)
		return
	}
	defer pool.Close()
	batch := pool.NewBatch(nil)
	parts := len(pool.Spec().Actions)
	for _, game := range games {
		seed := c.Seed + uint64(game)
		if err := pool.Reset(batch, vec.ResetOptions{Seed: &seed}); err != nil {
			t.Error(err)
			return
		}
		fed := Fed{Game: game, Agents: []uint16{0, 1, 0, 1}}
		for step := 0; batch.Bytes("game.done")[0] == 0; step++ {
			actions := make([]uint8, 2*parts)
			actions[0], actions[parts] = uint8((step+game)%5), uint8(step%6)
			fed.Actions = append(fed.Actions, actions...)
			if err := pool.Step(batch, actions); err != nil {
				t.Error(err)
				return
			}
		}
		fed.Result = env.Result(batch.Bytes("game.result")[0])
		for seat, won := range batch.Bytes("game.winners") {
			if won == 1 {
				fed.Winners = fed.Winners.With(seat)
			}
		}
		feed <- fed
	}
}

// generateServed runs Generate with a client that plays at most so many games.
func generateServed(t *testing.T, id string, c Config, folder string, most int, spoil func(*Fed)) (*Manifest, error) {
	t.Helper()
	feed, done := make(chan Fed), make(chan struct{})
	out := make(chan Fed)
	ctx, cancel := context.WithCancel(context.Background())
	o := testOptions(2)
	o.Fed = out
	o.Missing = func(games []int) {
		go func() {
			defer close(feed)
			playServed(t, id, c, games[:min(most, len(games))], feed)
		}()
	}
	go func() { // hands on, until nobody takes any more
		defer close(done)
		defer close(out)
		for fed := range feed {
			spoil(&fed)
			select {
			case out <- fed:
			case <-ctx.Done():
			}
		}
	}()
	m, _, err := Generate(ctx, gameOf(t, id), c, folder, o)
	cancel()
	if errors.Is(err, ErrStopped) || err == nil {
		<-done
	}
	return m, err
}

// TestServed lets a client play, stop, and go on.
func TestServed(t *testing.T) {
	for _, id := range []string{ffa, radio} {
		folder := filepath.Join(t.TempDir(), "set")
		if _, err := generateServed(t, id, served(), folder, 5, func(*Fed) {}); !errors.Is(err, ErrStopped) {
			t.Fatalf("%s: a client that stops after 5 games: error %v, want %v", id, err, ErrStopped)
		}
		m, err := generateServed(t, id, served(), folder, 100, func(*Fed) {})
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		verifyClean(t, folder)
		if len(m.Unrepeatable) != 1 || m.Games != 9 {
			t.Errorf("%s: %d games, not repeatable because %q; want 9 and one reason", id, m.Games, m.Unrepeatable)
		}
		set := sets(t, folder)[0]
		for i, e := range episodes(t, folder) {
			if names := set.Names(e); names[0] != "client:net" || names[1] != "simple" || e.Seed.Value != 70+uint64(i) {
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
		spoil  func(*Fed)
		says   string
	}{
		{"a game that is not wanted", func(f *Fed) { f.Game = 9 }, "not wanted"},
		{"a game twice", func(f *Fed) { f.Game = 0 }, "not wanted|twice|differently"},
		{"an agent that does not exist", func(f *Fed) { f.Agents = []uint16{0, 1, 0, 2} }, "numbers below 2"},
		{"nobody of the client's", func(f *Fed) { f.Agents = []uint16{1, 1, 1, 1} }, "bytes of actions"},
		{"half a step", func(f *Fed) { f.Actions = f.Actions[1:] }, "bytes of actions"},
		{"an action that does not exist", func(f *Fed) { f.Actions[3] = 6 }, "want 0 to 5"},
		{"a step too few", func(f *Fed) { f.Actions = f.Actions[2:] }, "differently"},
		{"another result", func(f *Fed) { f.Result = env.Loss }, "differently"},
		{"other winners", func(f *Fed) { f.Winners ^= 1 }, "differently"},
	} {
		_, err := generateServed(t, ffa, served(), filepath.Join(t.TempDir(), "set"), 100, c.spoil)
		found := false
		for _, says := range strings.Split(c.says, "|") {
			found = found || err != nil && strings.Contains(err.Error(), says)
		}
		if !found {
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
		{"a program beside", func(c *Config) { c.Agents[1] = "exec:true" }, "built in"},
		{"a number of steps", func(c *Config) { c.Games, c.Steps = 0, 50 }, "number of games"},
		{"without being asked for", func(c *Config) { c.Unrepeatable = false }, "have to allow that"},
	} {
		config := served()
		c.change(&config)
		if err := config.Validate(gameOf(t, ffa)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
	if _, _, err := Generate(context.Background(), gameOf(t, ffa), served(), filepath.Join(t.TempDir(), "set"), testOptions(1)); err == nil || !strings.Contains(err.Error(), "no client") {
		t.Errorf("nobody to feed: error %v", err)
	}
}

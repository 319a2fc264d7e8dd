package bridge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pommego/env"
	"pommego/env/catalog"
	"pommego/vec"
)

// thinking is a server with a real game, and a client whose opponents think for
// minutes about the step that has been sent, and has arrived.
func thinking(t *testing.T, agent string, batchSize int, change ...func(*Config)) (*testServer, *Client) {
	t.Helper()
	server := startServer(t, func(c *Config) {
		c.IDs, c.Game = catalog.IDs, catalog.Game
		c.shutdownTimeout = 50 * time.Millisecond
		c.MaxAgentTime = time.Minute
		for _, each := range change {
			each(c)
		}
	})
	c := server.dial(t)
	fields := []any{"env_id", "PommeFFACompetition-v0", "games", 64, "opponents", slices.Repeat([]string{agent}, 3)}
	if batchSize > 0 {
		fields = append(fields, "batch_size", batchSize)
	}
	call(t, c, "make", fields...)
	call(t, c, "reset", "env", 1, "seed", 1)
	actions := Tensor{DType: env.Uint8, Shape: []int{64, 1}, Data: make([]byte, 64)}
	received := func() float64 { return scrape(t, server.Operations())[`pommego_bytes_total{way="received"}`] }
	before := received()
	if batchSize > 0 {
		call(t, c, "recv", "env", 1) // the second half of what was reset
		games := make([]int32, 64)
		for i := range games {
			games[i] = int32(i)
		}
		call(t, c, "send", "env", 1, "games", int32s(games...), "actions", actions)
	} else if _, err := c.Send("step", "env", 1, "actions", actions); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the step has arrived", func() bool { return received() > before })
	time.Sleep(50 * time.Millisecond) // so that it is at work; if not, the test is only easier
	return server, c
}

// TestVanishedClient has the client go away while its step is being made, which
// takes minutes: all that it had is free soon.
func TestVanishedClient(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"mcts:ticks=1e6", "bfs:ticks=1e6,memory=1", "fmcs-ucb1:ticks=1e6", "rhea:ms=60000",
		"osla:ms=60000,samples=1e6", "uct:ms=60000", "java-mcts:ms=60000", "java-rhea:ms=60000"} {
		server, c := thinking(t, agent, 0)
		c.ws.NetConn().Close()
		eventually(t, agent+": the connection's games are freed",
			func() bool { return server.games.Load() == 0 && server.used() == 0 })
	}
	server, c := thinking(t, "mcts:ticks=1e6", 32)
	c.ws.NetConn().Close()
	eventually(t, "with a batch size, too", func() bool { return server.games.Load() == 0 && server.used() == 0 })
}

// TestShutdownStopsSearches shuts down while a step of minutes is being made.
func TestShutdownStopsSearches(t *testing.T) {
	server, _ := thinking(t, "rhea:ms=60000", 0)
	if err := server.stop(); err != nil {
		t.Errorf("Serve returned %v, want nothing left at work", err)
	}
}

// TestAbandoned shuts down while a step of minutes is being made that nobody waits for,
// with an hour's time to finish it.
func TestAbandoned(t *testing.T) {
	server, c := thinking(t, "rhea:ms=60000", 0, func(c *Config) { c.shutdownTimeout = time.Hour })
	if err := server.abandon(); err != nil {
		t.Errorf("Serve returned %v, want nothing left at work", err)
	}
	if reply, err := c.Receive(); err == nil || errors.As(err, new(*wireError)) {
		t.Errorf("the step that was cut short is answered with %v, %v, want the end of the connection", reply, err)
	}
}

// TestVanishedMaker has the client go away while agents are made for it, which takes seconds or minutes: they are
// checked by their names, in a long message or a short one, or made for games. No more are made.
func TestVanishedMaker(t *testing.T) {
	for _, tc := range []struct {
		reason       string
		games, names int
	}{{"names", 1, 200}, {"names, in a long message", 1, 500}, {"games", 60000, 1}} {
		var made atomic.Int64
		server := startServer(t, func(c *Config) {
			c.Agent = func(game env.Game, name string, _ time.Duration) (env.Agent, bool, error) {
				if made.Add(1) > 10 {
					time.Sleep(20 * time.Millisecond)
				}
				a, err := game.NewAgent("still")
				return a, true, err
			}
		})
		c := server.dial(t)
		lineUps := make([][]string, tc.names)
		for n := range lineUps {
			lineUps[n] = []string{fmt.Sprintf("%0200d", n), "still"}
		}
		if _, err := c.Send("make", "env_id", "ToySolo-v0", "games", tc.games, "line_ups", lineUps); err != nil {
			t.Fatal(err)
		}
		eventually(t, tc.reason+": agents are made", func() bool { return made.Load() > 15 })
		c.ws.NetConn().Close()
		eventually(t, tc.reason+": all is free", func() bool { return server.connections.Load() == 0 && server.used() == 0 })
		if n := made.Load(); n >= int64(max(tc.games, tc.names)) {
			t.Errorf("%s: %d agents were made, want fewer: the client left", tc.reason, n)
		}
	}
}

// TestLongNamesInStates: a saved game whose agents have long names, which its game would keep, is refused.
func TestLongNamesInStates(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	pool, err := vec.New(vec.Config{Game: game, Games: 1, Opponents: []string{fmt.Sprintf("mcts:ticks=%01000d", 5)}})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.Reset(pool.NewBatch(nil), vec.ResetOptions{}); err != nil {
		t.Fatal(err)
	}
	state, err := pool.Save(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := liveServer(t, "").dial(t)
	call(t, c, "make", "env_id", "OneVsOne-v0", "games", 1, "opponents", []string{"static"})
	call(t, c, "reset", "env", 1, "seed", 1)
	callError(t, c, codeLimit, "set_state", "env", 1, "games", []int{0}, "states", []any{state})
}

// TestAgentLimits asks for agents that would think for too long.
func TestAgentLimits(t *testing.T) {
	server := startServer(t, func(c *Config) {
		c.IDs, c.Game = catalog.IDs, catalog.Game
	})
	c := server.dial(t)
	opponents := func(name string) []string { return []string{"static", name, "static"} }
	for _, test := range []struct{ agent, option, flag string }{
		{"mcts:ticks=1e9", "ticks is 1e+09, and may be at most 1e+06", "--max-agent-time"},
		{"mcts:c=3,ticks=1000001", "ticks is", "--max-agent-time"},
		{"java-mcts:iterations=10001,depth=100", "iterations is 10001, and may be at most 10000", "--max-agent-time"},
		{"mcts:ms=60000", "ms is 60000, and may be at most 10000", "--max-agent-time"},
		{"java-mcts:depth=3,omniscient=1", "omniscient is 1, and may be at most 0", `--allow-agents "java-mcts:depth=3,omn`},
		{"bfs:memory=2048", "memory is 2048, and may be at most 1024", "ask for less"},
	} {
		e := callError(t, c, codeLimit, "make", "env_id", "PommeFFACompetition-v0", "games", 1, "opponents",
			opponents(test.agent))
		if e.Field != "opponents" || !strings.Contains(e.Message, test.option) || !strings.Contains(e.Hint, test.flag) {
			t.Errorf("%s: %v of field %q, want %q and %s", test.agent, e, e.Field, test.option, test.flag)
		}
	}
	call(t, c, "make", "env_id", "PommeFFACompetition-v0", "games", 1, "opponents",
		[]string{"mcts:ticks=1e6", "java-rhea:iterations=10000,length=40", "static"})
	callError(t, c, codeLimit, "set_opponents", "env", 1, "opponents", opponents("mcts:ticks=1e9"))
	call(t, c, "reset", "env", 1, "seed", 1)
	states := call(t, c, "get_state", "env", 1)["states"]
	actions := Tensor{DType: env.Uint8, Shape: []int{1, 1}, Data: make([]byte, 1)}
	e := callError(t, c, codeLimit, "simulate", "env", 1, "states", states, "actions", actions, "steps", 2, "policy",
		"mcts:ticks=1e9")
	if e.Field != "policy" {
		t.Errorf("a simulation's policy: %v of field %q, want policy", e, e.Field)
	}
	for _, allowed := range []string{"java-osla:omniscient=1", "*"} {
		server := startServer(t, func(c *Config) {
			c.IDs, c.Game, c.AllowAgents = catalog.IDs, catalog.Game, []string{allowed}
		})
		call(t, server.dial(t), "make", "env_id", "PommeFFAJava-v0", "games", 1, "opponents",
			opponents("java-osla:omniscient=1"))
	}
}

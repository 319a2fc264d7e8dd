package bridge

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/envtest"
	"pommego/vec"
)

// used is what all connections have taken of the budget.
func (srv *Server) used() int64 {
	srv.memory.mu.Lock()
	defer srv.memory.mu.Unlock()
	return srv.memory.used
}

// TestBudget has one connection ask for more than its half, in each way there is; the
// half of another is there all the time.
func TestBudget(t *testing.T) {
	const budget = 32 << 20
	server := startServer(t, func(c *Config) { c.MaxMemoryBytes = budget })
	c, other := server.dial(t), server.dial(t)
	refused := func(field, kind string, fields ...any) {
		t.Helper()
		before := server.used()
		e := callError(t, c, codeLimit, kind, fields...)
		if e.Field != field || !strings.Contains(e.Message, "may have 16777216") ||
			!strings.Contains(e.Hint, "--max-memory-bytes") {
			t.Errorf("%s: %v of field %q, want field %q with the figures, and what to do", kind, e, e.Field, field)
		}
		eventually(t, "a refused "+kind+" leaves nothing reserved", func() bool { return server.used() <= before })
	}
	refused("games", "make", "env_id", "ToySolo-v0", "games", 30000)
	refused("shared_memory", "make", "env_id", "ToySolo-v0", "games", 6000, "shared_memory", 16)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 500, "opponents", slices.Repeat([]string{"still"}, 2))
	call(t, c, "reset", "env", 1, "seed", 1)
	alone := server.used()
	callError(t, c, codeBadOption, "set_opponents", "env", 1, "opponents", []string{"still", "nobody"})
	callError(t, c, codeBadState, "set_starts", "env", 1, "states", []string{"junk"})
	eventually(t, "what is wrong leaves nothing reserved", func() bool { return server.used() == alone })

	lineUps := slices.Repeat([][]string{slices.Repeat([]string{"still"}, 2)}, 100)
	refused("opponents", "set_opponents", "env", 1, "line_ups", lineUps)
	states := call(t, c, "get_state", "env", 1)["states"].([]any)
	for i := range states {
		states[i] = slices.Clone(states[i].([]byte)) // the reply's memory is used again
	}
	added := 0
	for more := true; more && added < 200; added++ {
		_, err := c.Call("set_starts", "env", 1, "states", states, "add", true)
		more = err == nil
	}
	if added == 200 {
		t.Error("100,000 starts were taken")
	}
	refused("states", "set_starts", "env", 1, "states", states, "add", true)
	call(t, c, "set_starts", "env", 1, "states", states[:1])
	refused("states", "simulate", "env", 1, "states", slices.Repeat(states, 5), "actions", toyActions(2500, 0, 0))
	refused("", "envs", "padding", strings.Repeat("x", 12<<20))
	if _, err := other.Call("make", "env_id", "ToySolo-v0", "games", 1000); err != nil {
		t.Errorf("the other connection: %v, want its own half", err)
	}
	call(t, other, "close", "env", 1)

	for range 3 { // what is replaced is given back
		call(t, c, "set_starts", "env", 1, "states", states)
		call(t, c, "set_starts", "env", 1, "states", states[:1], "add", true)
		call(t, c, "set_opponents", "env", 1, "line_ups", lineUps[:1])
		call(t, c, "simulate", "env", 1, "states", states, "actions", toyActions(500, 0, 0))
		call(t, c, "simulate", "env", 1, "states", states[:9], "actions", toyActions(9, 0, 0), "steps", 3, "policy", "still")
		for n := range keptSimulators + 2 {
			call(t, c, "simulate", "env", 1, "states", states[:n+1], "actions", toyActions(n+1, 0, 0))
		}
		call(t, c, "set_state", "env", 1, "games", []int{1}, "states", states[:1])
	}
	if n := server.used(); n > budget/2 || n <= alone {
		t.Errorf("%d bytes are counted after these, %d before them, want more and at most half of %d", n, alone, budget)
	}
	call(t, c, "close", "env", 1)
	eventually(t, "closing gives all back", func() bool { return server.used() == 0 && server.games.Load() == 0 })
}

// TestBudgetOfAll has several connections ask for more than there is together.
func TestBudgetOfAll(t *testing.T) {
	server := startServer(t, func(c *Config) { c.MaxMemoryBytes = 32 << 20 })
	var c *Client
	for range 3 {
		c = server.dial(t)
		reply, err := c.Call("make", "env_id", "ToySolo-v0", "games", 4500)
		if err == nil {
			continue
		}
		if e := wantError(t, reply, err, codeLimit); !strings.Contains(e.Message, "all connections have") {
			t.Errorf("%v, want what all connections have", e)
		}
		return
	}
	t.Errorf("three connections have %d of 32 MiB", server.used())
}

// TestBudgetOfPictures asks for more and more pixels; a picture counts until it has been sent.
func TestBudgetOfPictures(t *testing.T) {
	server := startServer(t, func(c *Config) { c.MaxMemoryBytes = 1 << 20 })
	c := server.dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 10)
	call(t, c, "reset", "env", 1, "seed", 1)
	before := server.used()
	call(t, c, "render", "env", 1, "game", 0, "tile", 8)
	if e := callError(t, c, codeLimit, "render", "env", 1, "game", 0, "tile", 64); e.Field != "tile" {
		t.Errorf("%v of field %q, want tile", e, e.Field)
	}
	eventually(t, "pictures are given back", func() bool { return server.used() <= before })
}

// TestBudgetOfRules: sets of rules are not built if there is no memory for all of them; to describe
// the first, no other is built.
func TestBudgetOfRules(t *testing.T) {
	built := 0
	server := startServer(t, func(c *Config) {
		c.MaxMemoryBytes = 8 * vec.VariantBytes
		c.Variant = func(id string, rules json.RawMessage) (env.Game, error) {
			built++
			return toyVariant(id, rules)
		}
	})
	c := server.dial(t)
	rules := slices.Repeat([]string{"{}"}, 5)
	e := callError(t, c, codeLimit, "make", "env_id", "ToySolo-v0", "games", 1, "rules", rules)
	if built > 0 || e.Field != "rules" || server.used() != 0 {
		t.Errorf("%d games were built, %d bytes are taken; %v", built, server.used(), e)
	}
	if call(t, c, "spaces", "env_id", "ToySolo-v0", "rules", rules); built != 1 {
		t.Errorf("%d games were built to describe one", built)
	}
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 1, "rules", rules[:2])
	if n := server.used(); n < 2*vec.VariantBytes {
		t.Errorf("%d bytes are counted, want two sets of rules at least", n)
	}
}

// TestBudgetOfRequests: what buffers of requests keep is little, and what they take besides is counted.
func TestBudgetOfRequests(t *testing.T) {
	server := startServer(t, nil)
	c := server.dial(t)
	ping := func(padding int) { callError(t, c, codeUnknownField, "envs", "padding", strings.Repeat("x", padding)) }
	n := server.cfg.maxInFlight
	before := envtest.HeapInUse()
	for range n {
		ping(1<<20 - 100)
		ping(keepBytes - 100)
	}
	if took := envtest.HeapInUse() - before; took > 1<<20 {
		t.Errorf("after long requests %d bytes are in use, want at most 1 MiB for %d buffers", took, n)
	}
	eventually(t, "nothing is counted any more", func() bool { return server.used() == 0 })
}

// TestBudgetOfStarts: starts take no more memory than is counted, with what was for reading them.
func TestBudgetOfStarts(t *testing.T) {
	unraced(t)
	for _, id := range []string{"PommeFFACompetition-v0", "SuiteBot-v0"} {
		server := liveServer(t, "")
		c := server.dial(t)
		call(t, c, "make", "env_id", id, "games", 1)
		call(t, c, "reset", "env", 1, "seed", 1)
		state := slices.Clone(call(t, c, "get_state", "env", 1).Binaries("states")[0])
		states := slices.Repeat([]any{state}, 1000)
		add, err := encodeRequest(entries{"type", "set_starts", "id", 9, "env", 1, "states", states, "add", true})
		if err != nil {
			t.Fatal(err)
		}
		counted, before := server.used(), envtest.HeapInUse()
		most, now := int64(0), runtime.MemStats{}
		for range 60 {
			err := c.SendRaw(add)
			if err == nil {
				_, err = c.Receive()
			}
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&now)
			most = max(most, int64(now.HeapAlloc)-before)
		}
		if counted = server.used() - counted; most > counted+before { // as much garbage as there was in use before
			t.Errorf("%s: %d bytes are counted, and up to %d were in use besides %d", id, counted, most, before)
		}
		c.Close()
		eventually(t, "the starts are given back", func() bool { return server.used() == 0 })
	}
}

// TestPicturesOfManyEnvironments: what painters have drawn is kept for all environments, not for each.
func TestPicturesOfManyEnvironments(t *testing.T) {
	unraced(t)
	c := liveServer(t, "").dial(t)
	const envs = 40
	for n := range envs {
		call(t, c, "make", "env_id", "PommeFFACompetition-v0", "games", 1)
		call(t, c, "reset", "env", n+1, "seed", n)
	}
	draw := func(n int) { call(t, c, "render", "env", n+1, "game", 0, "tile", 64) }
	draw(0)
	before := envtest.HeapInUse()
	for n := range envs {
		draw(n)
	}
	// The last answer, of 1.5 MB, may be in use a little longer than its call.
	eventually(t, fmt.Sprintf("at most 1 MiB more in use after pictures of %d environments", envs), func() bool {
		return envtest.HeapInUse()-before <= 1<<20
	})
}

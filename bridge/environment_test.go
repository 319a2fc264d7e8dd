package bridge

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pommego/env"
)

// TestOptions makes environments that cannot be.
func TestOptions(t *testing.T) {
	c := startServer(t, func(cfg *Config) { cfg.MaxGames = 10 }).dial(t)
	for _, test := range []struct {
		reason string
		fields []any
		code   errorCode
		field  string
		says   string
	}{
		{"unknown id", []any{"env_id", "Nothing-v0", "games", 1}, codeUnknownEnvID, "env_id", "ToySolo-v0"},
		{"a misspelt id", []any{"env_id", "ToySolo", "games", 1}, codeUnknownEnvID, "env_id",
			`"ToySolo" (did you mean "ToySolo-v0"?)`},
		{"too many games", []any{"env_id", "ToySolo-v0", "games", 11}, codeLimit, "games", "games is 11, want at most 10"},
		{"too many workers", []any{"env_id", "ToySolo-v0", "games", 1, "workers", 3}, codeLimit, "workers",
			"workers is 3, want at most 2"},
		{"unknown observation", []any{"env_id", "ToySolo-v0", "games", 1, "observation", "pixels"}, codeBadOption,
			"observation", `"maps" "list"`},
		{"unknown reward", []any{"env_id", "ToySolo-v0", "games", 1, "reward", "money"}, codeBadOption, "reward", "outcome"},
		{"unknown autoreset mode", []any{"env_id", "ToySolo-v0", "games", 1, "autoreset_mode", "Never"}, codeBadOption,
			"autoreset_mode", "SameStep"},
		{"unknown on_death", []any{"env_id", "ToySolo-v0", "games", 1, "on_death", "cry"}, codeBadOption, "on_death", "wait"},
		{"unknown agent", []any{"env_id", "ToySolo-v0", "games", 1, "opponents", []string{"still", "genius"}}, codeBadOption,
			"opponents", "genius"},
		{"too few opponents", []any{"env_id", "ToySolo-v0", "games", 1, "opponents", []string{"still"}}, codeBadOption,
			"opponents", "want 2"},
		{"opponents and seats",
			[]any{"env_id", "ToySolo-v0", "games", 1, "opponents", []string{"still", "still"}, "seats",
				[]string{"learner", "still", "still"}}, codeBadOption, "opponents", "seats"},
		{"line-ups and opponents",
			[]any{"env_id", "ToySolo-v0", "games", 1, "opponents", []string{"still", "still"}, "line_ups",
				[]any{[]string{"still", "still"}}}, codeBadOption, "opponents", "both given"},
		{"line-ups for another number of games",
			[]any{"env_id", "ToySolo-v0", "games", 3, "line_ups", []any{[]string{"still", "still"}}, "by_game", int32s(0)},
			codeBadOption, "by_game", "1 entries, want 3"},
		{"weights for another number of line-ups",
			[]any{"env_id", "ToySolo-v0", "games", 3, "line_ups", []any{[]string{"still", "still"}}, "weights", []any{1, 2}},
			codeBadOption, "weights", "weights has 2 entries, want 1"},
		{"a weight that is none",
			[]any{"env_id", "ToySolo-v0", "games", 3, "line_ups", []any{[]string{"still", "still"}}, "weights", []any{-0.5}},
			codeBadOption, "weights", "weights[0] is -0.5"},
		{"a limit that is too long", []any{"env_id", "ToySolo-v0", "games", 1, "agent_seconds", 1e9}, codeOutOfRange,
			"agent_seconds", "want 0 to 3600"},
		{"a seat without opponents", []any{"env_id", "ToySolo-v0", "games", 1, "seat", 0}, codeBadOption, "seat", "without"},
		{"a seat there is not", []any{"env_id", "ToySolo-v0", "games", 1, "seat", 3, "opponents", []string{"still", "still"}},
			codeBadOption, "seat", "seat is 3, want 0 to 2: ToySolo-v0 has 3 seats"},
		{"too few seats", []any{"env_id", "ToySolo-v0", "games", 1, "seats", []string{"learner"}}, codeBadOption, "seats",
			"want 3"},
		{"nobody learns", []any{"env_id", "ToySolo-v0", "games", 1, "seats", []string{"still", "still", "still"}},
			codeBadOption, "seats", "learner"},
		{"rules that are long", []any{"env_id", "ToySolo-v0", "games", 1, "rules", []string{strings.Repeat(" ", 33<<10)}},
			codeOutOfRange, "rules", "want at most 32768"},
		{"rules with a name that is none", []any{"env_id", "ToySolo-v0", "games", 1, "rules", []string{`{"gravity": 1}`}},
			codeBadOption, "rules", "gravity"},
		{"rules that break the maker", []any{"env_id", "ToySolo-v0", "games", 1, "rules", []string{`{"teams": []}`}},
			codeInternal, "", "make failed"},
	} {
		reply, err := c.Call("make", append(slices.Clone(test.fields), "max_episode_steps", 3)...)
		e := wantError(t, reply, err, test.code)
		if e.Field != test.field || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: error of field %q: %s; want %q with %q", test.reason, e.Field, e.Message, test.field, test.says)
		}
		if strings.Contains(e.Hint, "spaces") {
			t.Errorf("%s: the hint %q names a request, which users of a client do not know", test.reason, e.Hint)
		}
	}
	if made := call(t, c, "make", "env_id", "ToySolo-v0", "games", 10); made.Int("env") != 1 {
		t.Errorf("after nothing but errors the first handle is %d, want 1", made.Int("env"))
	}
}

// TestUse sends requests that an environment refuses, and sees that they have
// changed nothing.
func TestUse(t *testing.T) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 2, "autoreset_mode", "Disabled")
	for _, kind := range []string{"step", "observe", "get_state", "render"} {
		fields := map[string][]any{"step": {"actions", toyActions(6, 0, 0)}, "render": {"game", 0}}[kind]
		if e := callError(t, c, codeNotReset, kind, append([]any{"env", 1}, fields...)...); e.Hint == "" {
			t.Errorf("%s: no hint", kind)
		}
	}
	callError(t, c, codeNotReset, "reset", "env", 1, "mask", uint8s(1, 0))
	call(t, c, "reset", "env", 1, "seed", 7)
	before := observation(t, c)
	var states [][]byte
	for _, s := range call(t, c, "get_state", "env", 1).Binaries("states") {
		states = append(states, bytes.Clone(s))
	}
	seeds := Tensor{env.Uint64, []int{2}, make([]byte, 16)}
	for _, test := range []struct {
		reason string
		kind   string
		fields []any
		code   errorCode
		says   string
	}{
		{"another environment", "observe", []any{"env", 2}, codeUnknownEnv, "no environment 2, it has [1]"},
		{"an action out of range", "step", []any{"env", 1, "actions", toyActions(6, 5, 0)}, codeBadAction,
			"row 0, component 0 (move), is 5, want 0 to 4"},
		{"one component", "step", []any{"env", 1, "actions", uint8s(0, 0, 0, 0, 0, 0)}, codeWrongShape,
			"shape [6], want [6 2]"},
		{"too many rows", "step", []any{"env", 1, "actions", toyActions(7, 0, 0)}, codeWrongShape, "shape [7 2], want [6 2]"},
		{"rows and components exchanged", "step",
			[]any{"env", 1, "actions", Tensor{env.Uint8, []int{2, 6}, make([]byte, 12)}}, codeWrongShape, "shape [2 6]"},
		{"mask of rows", "reset", []any{"env", 1, "mask", uint8s(1, 1, 1, 0, 0, 0)}, codeWrongShape, "shape [6], want [2]"},
		{"mask of twos", "reset", []any{"env", 1, "mask", uint8s(0, 2)}, codeOutOfRange, "mask[1] is 2"},
		{"empty mask", "reset", []any{"env", 1, "mask", uint8s(0, 0)}, codeOutOfRange, "0 everywhere"},
		{"seed and seeds", "reset", []any{"env", 1, "seed", 1, "seeds", seeds}, codeBadOption, "both"},
		{"too few seeds", "reset", []any{"env", 1, "seeds", Tensor{env.Uint64, []int{1}, make([]byte, 8)}}, codeWrongShape,
			"shape [1], want [2]"},
		{"a game there is not", "render", []any{"env", 1, "game", 2}, codeOutOfRange, "game is 2, want 0 to 1"},
		{"states of a game there is not", "get_state", []any{"env", 1, "games", []int{0, 2}}, codeOutOfRange,
			"games[1] is 2"},
		{"states of a game twice", "get_state", []any{"env", 1, "games", []int{1, 1}}, codeBadOption, "names 1 twice"},
		{"too few states", "set_state", []any{"env", 1, "games", []int{0, 1}, "states", [][]byte{{1}}}, codeWrongShape,
			"1 entries, want 2"},
		{"a state that is none", "set_state", []any{"env", 1, "games", []int{1}, "states", [][]byte{[]byte("nonsense")}},
			codeBadState, ""},
		{"JSON that is none", "set_state", []any{"env", 1, "games", []int{1}, "states", []string{"{"}}, codeBadState, ""},
		{"opponents where there are none", "set_opponents", []any{"env", 1, "opponents", []string{"still"}}, codeBadOption,
			"want 0"},
		{"simulated states that are none", "simulate",
			[]any{"env", 1, "states", [][]byte{{}}, "actions", toyActions(3, 0, 0)}, codeBadState, ""},
		{"too few simulated actions", "simulate", []any{"env", 1, "states", [][]byte{{}, {}}, "actions", toyActions(3, 0, 0)},
			codeWrongShape, "shape [3 2], want [6 2]"},
		{"many simulated steps by nobody", "simulate",
			[]any{"env", 1, "states", [][]byte{{}}, "actions", toyActions(3, 0, 0), "steps", 2}, codeMissingField, "no policy"},
		{"no simulated steps", "simulate",
			[]any{"env", 1, "states", [][]byte{{}}, "actions", toyActions(3, 0, 0), "steps", 0}, codeOutOfRange, "steps is 0"},
		{"simulated by an agent there is not", "simulate",
			[]any{"env", 1, "states", states, "actions", toyActions(6, 0, 0), "steps", 2, "policy", "nobody"}, codeBadOption,
			"nobody"},
		{"hello again", "hello", []any{"versions", []int{Version}, "client", "x"}, codeHelloExpected, "already"},
	} {
		reply, err := c.Call(test.kind, test.fields...)
		if e := wantError(t, reply, err, test.code); !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: %s; want %q in it", test.reason, e.Message, test.says)
		}
	}
	if after := observation(t, c); !bytes.Equal(before, after) {
		t.Error("requests that failed have changed the games")
	}
}

// observation is all tensors of the environment's present batch.
func observation(t *testing.T, c *Client) []byte {
	t.Helper()
	msg, err := encodeRequest(entries{"t", call(t, c, "observe", "env", 1).Map("tensors")})
	if err != nil {
		t.Fatal(err)
	}
	return msg
}

func TestFinishedGames(t *testing.T) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 2, "autoreset_mode", "Disabled", "max_episode_steps", 1)
	call(t, c, "reset", "env", 1, "seed", 7)
	call(t, c, "step", "env", 1, "actions", toyActions(6, 0, 0))
	callError(t, c, codeGameFinished, "step", "env", 1, "actions", toyActions(6, 0, 0))
	states := slices.Clone(call(t, c, "get_state", "env", 1, "games", []int{0}).Binaries("states"))
	callError(t, c, codeGameFinished, "simulate", "env", 1, "states", states, "actions", toyActions(3, 0, 0))
	call(t, c, "reset", "env", 1, "mask", uint8s(1, 1))
	call(t, c, "step", "env", 1, "actions", toyActions(6, 0, 0))
}

func TestStates(t *testing.T) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 3, "opponents", []string{"hunter", "wander"})
	call(t, c, "reset", "env", 1, "seed", 7)
	call(t, c, "step", "env", 1, "actions", toyActions(3, 1, 0))
	want := observation(t, c)
	var states [][]byte
	for _, s := range call(t, c, "get_state", "env", 1).Binaries("states") {
		states = append(states, bytes.Clone(s))
	}
	texts := call(t, c, "get_state", "env", 1, "games", []int{2, 0}, "json", true).list("states")
	if len(states) != 3 || len(texts) != 2 || !json.Valid([]byte(texts[0].(string))) {
		t.Fatalf("%d states, texts %v", len(states), texts)
	}
	step := func() []byte {
		call(t, c, "step", "env", 1, "actions", toyActions(3, 2, 1))
		return observation(t, c)
	}
	then := step()
	if bytes.Equal(want, then) {
		t.Fatal("a step changes nothing, so the test shows nothing")
	}
	// In any order, in both forms, and after one that fails.
	bad := append(slices.Clone(states[:2]), []byte("nonsense"))
	callError(t, c, codeBadState, "set_state", "env", 1, "games", []int{0, 1, 2}, "states", bad)
	if !bytes.Equal(observation(t, c), then) {
		t.Error("set_state with one bad state has set others")
	}
	call(t, c, "set_state", "env", 1, "games", []int{1, 2, 0}, "states", []any{states[1], texts[0], texts[1]})
	if !bytes.Equal(observation(t, c), want) {
		t.Error("the states set do not show what the states got did")
	}
	if !bytes.Equal(step(), then) {
		t.Error("after set_state a step leads elsewhere")
	}
}

func TestSimulate(t *testing.T) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 2, "autoreset_mode", "SameStep")
	call(t, c, "reset", "env", 1, "seed", 7)
	var states [][]byte
	for _, s := range call(t, c, "get_state", "env", 1).Binaries("states") {
		states = append(states, bytes.Clone(s), bytes.Clone(s))
	}
	before := observation(t, c)
	simulate := func(seed any, n int) ([]byte, Message) {
		reply := call(t, c, "simulate", "env", 1, "states", states[:n], "actions", toyActions(3*n, 1, 0), "seed", seed)
		msg, err := encodeRequest(entries{"states", reply["states"], "tensors", reply["tensors"], "finished",
			reply["finished"]})
		if err != nil {
			t.Fatal(err)
		}
		return msg, reply
	}
	first, reply := simulate(5, 4)
	if reply.Int("seed") != 5 || len(reply.Binaries("states")) != 4 {
		t.Errorf("seed %d and %d states, want 5 and 4", reply.Int("seed"), len(reply.Binaries("states")))
	}
	if board := reply.Map("tensors").Tensor("obs.board"); !slices.Equal(board.Shape, []int{4, 3, 4, 3}) {
		t.Errorf("board's shape is %v", board.Shape)
	}
	if s := reply.Binaries("states"); bytes.Equal(s[0], s[1]) {
		t.Error("the same state twice has the same RNG")
	}
	again, _ := simulate(5, 4)
	if !bytes.Equal(first, again) {
		t.Error("the same seed gives another result")
	}
	for n := 4; n > 0; n-- { // as many sizes as are kept, one after another
		simulate(nil, n)
	}
	if other, _ := simulate(6, 4); bytes.Equal(first, other) {
		t.Error("another seed gives the same result")
	}
	if !bytes.Equal(observation(t, c), before) {
		t.Error("simulate has changed the environment's own games")
	}
	next := call(t, c, "simulate", "env", 1, "states", reply.Binaries("states"), "actions", toyActions(12, 0, 0))
	if got := next.Map("tensors").Tensor("game.length").Data; !bytes.Equal(got, bytes.Repeat([]byte{2, 0, 0, 0}, 4)) {
		t.Errorf("after two simulated steps the lengths are %v", got)
	}
}

// TestPlayOut has an agent play on for several steps, until the episode ends.
func TestPlayOut(t *testing.T) {
	c := startServer(t, func(cfg *Config) { cfg.MaxGames = 10 }).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 2, "autoreset_mode", "SameStep", "max_episode_steps", 4)
	call(t, c, "reset", "env", 1, "seed", 7)
	call(t, c, "step", "env", 1, "actions", toyActions(6, 0, 0))
	var states [][]byte
	for _, s := range call(t, c, "get_state", "env", 1).Binaries("states") {
		states = append(states, bytes.Clone(s))
	}
	callError(t, c, codeLimit, "simulate", "env", 1, "states", slices.Repeat(states, 6), "actions", toyActions(36, 0, 0))
	for steps := 1; steps <= 5; steps++ {
		reply := call(t, c, "simulate", "env", 1, "states", states, "actions", toyActions(6, 1, 0), "seed", 5,
			"steps", steps, "policy", "wander")
		lengths, finished := numbers(reply.Map("tensors").Tensor("game.length")), numbers(reply.Tensor("finished"))
		ended := int32(min(1+steps, 4))
		if !slices.Equal(lengths, []int32{ended, ended}) || (len(finished) > 0) != (steps >= 3) {
			t.Errorf("%d steps: lengths %v and ends %v", steps, lengths, finished)
		}
	}
}

func TestGamePanic(t *testing.T) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToyBreaks-v0", "games", 3)
	call(t, c, "reset", "env", 1, "seed", 7)
	call(t, c, "step", "env", 1, "actions", toyActions(9, 0, 0))
	call(t, c, "step", "env", 1, "actions", toyActions(9, 0, 0))
	e := callError(t, c, codeGamePanic, "step", "env", 1, "actions", toyActions(9, 0, 0))
	if want := (entries{"game", int64(1), "seed", int64(8), "episode", int64(0), "state"}); len(e.Details) != 8 ||
		!slices.Equal(e.Details[:7], want) || len(e.Details[7].([]byte)) == 0 {
		t.Errorf("fault %v, want game 1 with seed 8, episode 0 and its state", e.Details)
	}
	callError(t, c, codeGameBroken, "step", "env", 1, "actions", toyActions(9, 0, 0))
	lengths := call(t, c, "observe", "env", 1).Map("tensors").Tensor("game.length").Data
	if want := []byte{3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0}; !bytes.Equal(lengths, want) {
		t.Errorf("lengths %v, want %v: the other games have made the step", lengths, want)
	}
	call(t, c, "reset", "env", 1, "mask", uint8s(0, 1, 0)) // episode 1, in which it does not break
	for range 5 {
		call(t, c, "step", "env", 1, "actions", toyActions(9, 0, 0))
	}
}

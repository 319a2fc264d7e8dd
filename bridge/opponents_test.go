package bridge

import (
	"bytes"
	"slices"
	"testing"

	"pommego/env/gamestate"
)

// TestLineUps has games with line-ups of their own, then others.
func TestLineUps(t *testing.T) {
	c := startServer(t, nil).dial(t)
	lineUps := []any{[]string{"still", "policy"}, []string{"wander", "still"}}
	made := call(t, c, "make", "env_id", "ToySolo-v0", "games", 3, "line_ups", lineUps, "by_game", int32s(1, 0, 1))
	if made.Int("learners") != 2 || made.Int("policies") != 1 || made.Int("rows") != 6 {
		t.Errorf("%d rows a game, %d of policies, %d in all; want 2, 1 and 6", made.Int("learners"), made.Int("policies"),
			made.Int("rows"))
	}
	batch := call(t, c, "reset", "env", 1, "seed", 1)
	if got := numbers(batch.Map("tensors").Tensor("game.line_up")); !slices.Equal(got, []int32{1, 0, 1}) {
		t.Errorf("line-ups are %v, want 1 0 1", got)
	}
	call(t, c, "set_opponents", "env", 1, "line_ups", []any{[]string{"wander", "still"}, []string{"hunter", "policy"}},
		"weights", []any{0, 2.5})
	batch = call(t, c, "observe", "env", 1)
	if got := numbers(batch.Map("tensors").Tensor("game.line_up")); !slices.Equal(got, []int32{1, 0, 1}) {
		t.Errorf("line-ups under way are %v, want 1 0 1 as before", got)
	}
	batch = call(t, c, "reset", "env", 1)
	if got := numbers(batch.Map("tensors").Tensor("game.line_up")); !slices.Equal(got, []int32{3, 3, 3}) {
		t.Errorf("line-ups are %v, want 3 3 3", got)
	}
	state := call(t, c, "get_state", "env", 1, "games", []int{0}).Binaries("states")
	if got := call(t, c, "simulate", "env", 1, "states", state, "actions", toyActions(2, 0, 0), "seed",
		1); got["type"] != "simulated" {
		t.Errorf("simulate answers %v", got["type"])
	}
	callError(t, c, codeMissingField, "set_opponents", "env", 1)
	callError(t, c, codeBadOption, "set_opponents", "env", 1, "opponents", []string{"policy", "still"})
	callError(t, c, codeBadOption, "set_opponents", "env", 1, "opponents", []string{"still", "still"}, "weights", []any{1})
}

// TestStarts has episodes begin in saved positions.
func TestStarts(t *testing.T) {
	c := startServer(t, func(cfg *Config) { cfg.MaxGames = 4 }).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 2)
	call(t, c, "reset", "env", 1, "seed", 1)
	for range 3 {
		call(t, c, "step", "env", 1, "actions", toyActions(6, 0, 0))
	}
	var states []any
	for _, state := range call(t, c, "get_state", "env", 1).Binaries("states") {
		states = append(states, bytes.Clone(state))
	}
	text := call(t, c, "get_state", "env", 1, "games", []int{0}, "json", true)["states"].([]any)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 3, "opponents", []string{"still", "still"})
	board := func(kind string, fields ...any) []byte {
		batch := call(t, c, kind, append([]any{"env", 2}, fields...)...)
		return slices.Clone(batch.Map("tensors").Tensor("obs.board").Data)
	}
	plain := board("reset", "seed", 5)
	call(t, c, "set_starts", "env", 2, "states", states)
	call(t, c, "set_starts", "env", 2, "states", text, "weights", []any{2}, "add", true)
	began := board("reset", "seed", 5)
	if slices.Equal(plain, began) || !slices.Equal(began, board("reset", "seed", 5)) {
		t.Error("with starts the games begin as without, or not the same twice")
	}
	once := board("reset", "seed", 5, "states", states[:1], "starts", int32s(0, 0, 0))
	if n := len(once) / 3; !slices.Equal(once[:n], once[n:2*n]) || slices.Equal(plain, once) {
		t.Error("games that begin in the same state show different boards")
	}
	call(t, c, "set_starts", "env", 2, "states", []any{})
	if !slices.Equal(plain, board("reset", "seed", 5)) {
		t.Error("after the starts are gone the games do not begin as before")
	}
	callError(t, c, codeBadState, "set_starts", "env", 2, "states", []any{states[0], []byte("junk")})
	callError(t, c, codeLimit, "set_starts", "env", 2, "states",
		[]any{states[0], states[0], states[0], states[0], states[0]})
	callError(t, c, codeWrongShape, "set_starts", "env", 2, "states", states, "weights", []any{1})
	callError(t, c, codeBadOption, "set_starts", "env", 2, "states", states, "ordinary", 2)
	callError(t, c, codeWrongType, "set_starts", "env", 2, "states", states, "ordinary", "half")
	callError(t, c, codeOutOfRange, "reset", "env", 2, "states", states, "starts", int32s(0, 2, 0))
	callError(t, c, codeWrongShape, "reset", "env", 2, "states", states, "starts", int32s(0))
	callError(t, c, codeMissingField, "reset", "env", 2, "states", states)
	call(t, c, "step", "env", 2, "actions", toyActions(3, 0, 0))
}

// TestSimulateAfterSetOpponents: a match alone is simulated with the opponents set last.
func TestSimulateAfterSetOpponents(t *testing.T) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 1, "opponents", []string{"still", "still"}, "seat", 0)
	call(t, c, "reset", "env", 1, "seed", 1)
	state := call(t, c, "get_state", "env", 1, "json", true)["states"].([]any)[0].(string)
	match, _, err := gamestate.SplitJSON([]byte(state))
	if err != nil {
		t.Fatal(err)
	}
	after := func() []byte {
		return bytes.Clone(call(t, c, "simulate", "env", 1, "states", []string{string(match)}, "actions", toyActions(1, 0, 0),
			"seed", 7).Binaries("states")[0])
	}
	for _, name := range []string{"still", "wander", "hunter"} {
		if name == "wander" {
			call(t, c, "set_opponents", "env", 1, "line_ups", [][]string{{name, name}, {name, name}})
		} else {
			call(t, c, "set_opponents", "env", 1, "opponents", []string{name, name})
		}
		if got := after(); !bytes.Contains(got, []byte(name)) {
			t.Errorf("the state after it does not name %s: %q", name, got)
		}
	}
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 1, "line_ups", [][]string{{"still", "policy"}, {"still", "still"}})
	call(t, c, "set_opponents", "env", 2, "line_ups", [][]string{{"wander", "wander"}, {"wander", "wander"}})
	got := call(t, c, "simulate", "env", 2, "states", []string{string(match)}, "actions", toyActions(2, 0, 0))
	if !bytes.Contains(got.Binaries("states")[0], []byte("wander")) {
		t.Errorf("with a policy's row the state after it does not name wander: %q", got)
	}
}

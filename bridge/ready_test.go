package bridge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// numbers are the elements of a tensor of int32.
func numbers(t Tensor) []int32 {
	list := make([]int32, len(t.Data)/4)
	for i := range list {
		list[i] = int32(binary.LittleEndian.Uint32(t.Data[4*i:]))
	}
	return list
}

// gameBytes is what a batch says of the game at its k-th place, of so many.
func gameBytes(t *testing.T, batch Message, k, games int) []byte {
	t.Helper()
	var all []byte
	tensors := batch.Map("tensors")
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		if name == "game.index" {
			continue
		}
		data := tensors.Tensor(name).Data
		size := len(data) / games
		all = append(fmt.Append(all, name), data[k*size:(k+1)*size]...)
	}
	final := batch.Map("final")
	finished := numbers(batch.Tensor("finished"))
	if at := slices.Index(finished, int32(k)); at >= 0 && final != nil {
		data := final.Tensor("obs.board").Data
		size := len(data) / len(finished)
		all = append(append(all, "final"...), data[at*size:(at+1)*size]...)
	}
	return all
}

// TestSendAndRecv: over the socket each game shows what it shows in lock-step, for
// the same actions, episode by episode.
func TestSendAndRecv(t *testing.T) {
	const games, steps = 5, 40
	server := startServer(t, nil)
	for _, mode := range []string{"NextStep", "SameStep"} {
		made := []any{"env_id", "ToySolo-v0", "games", games, "autoreset_mode", mode, "max_episode_steps", 7, "opponents",
			[]string{"hunter", "wander"}}
		want := lockStep(t, server.dial(t), games, steps, made)
		c := server.dial(t)
		if size := call(t, c, "make", append(made, "batch_size", 2, "workers", 2)...).Int("batch_size"); size != 2 {
			t.Fatalf("batch_size is %d, want 2", size)
		}
		wantGames(t, call(t, c, "reset", "env", 1, "seed", 5), want, 2, func(games []int32, actions Tensor) Message {
			call(t, c, "send", "env", 1, "games", int32s(games...), "actions", actions)
			return call(t, c, "recv", "env", 1)
		})
	}
}

// lockStep is what each game shows, step by step.
func lockStep(t *testing.T, c *Client, games, steps int, made []any) [][][]byte {
	t.Helper()
	call(t, c, "make", made...)
	shown := make([][][]byte, games)
	batch := call(t, c, "reset", "env", 1, "seed", 5)
	for n := range steps {
		for g := range games {
			shown[g] = append(shown[g], gameBytes(t, batch, g, games))
		}
		batch = call(t, c, "step", "env", 1, "actions", toyActions(games, uint8(n%5), 0))
	}
	return shown
}

// wantGames goes on from a batch of so many games, by exchange, until one has shown
// all that is wanted of it; so must each have shown, as far as it came.
func wantGames(t *testing.T, batch Message, want [][][]byte, size int,
	exchange func(games []int32, actions Tensor) Message) {
	t.Helper()
	done := make([]int, len(want))
	for slices.Max(done) < len(want[0]) {
		index := numbers(batch.Map("tensors").Tensor("game.index"))
		sent := toyActions(size, 0, 0)
		for k, g := range index {
			n := done[g]
			if got := gameBytes(t, batch, k, size); !bytes.Equal(got, want[g][n]) {
				t.Fatalf("step %d of game %d differs from that in lock-step", n, g)
			}
			sent.Data[2*k] = uint8(n % 5)
			done[g]++
		}
		batch = exchange(index, sent)
	}
}

// TestSendRefuses: what an environment with a batch size cannot do, and one without,
// is refused and changes nothing.
func TestSendRefuses(t *testing.T) {
	c := startServer(t, nil).dial(t)
	for _, test := range []struct {
		reason string
		fields []any
		field  string
		says   string
	}{
		{"more than there are games", []any{"batch_size", 5}, "batch_size", "5, want 1 to 4"},
		{"games that are reset by hand", []any{"batch_size", 2, "autoreset_mode", "Disabled"}, "autoreset_mode",
			"want NextStep or SameStep"},
	} {
		e := callError(t, c, codeBadOption, "make", append([]any{"env_id", "ToySolo-v0", "games", 4}, test.fields...)...)
		if e.Field != test.field || !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: %s, field %q; want %q and %q", test.reason, e.Message, e.Field, test.says, test.field)
		}
	}
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 4, "batch_size", 2)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 4)
	callError(t, c, codeNotReset, "recv", "env", 1)
	held := numbers(call(t, c, "reset", "env", 1, "seed", 1).Map("tensors").Tensor("game.index"))
	under := slices.DeleteFunc([]int32{0, 1, 2, 3}, func(g int32) bool { return slices.Contains(held, g) })
	state := bytes.Clone(call(t, c, "get_state", "env", 1, "games", []int{0}).Binaries("states")[0])
	call(t, c, "reset", "env", 2, "seed", 1)
	for _, test := range []struct {
		reason string
		kind   string
		fields []any
		code   errorCode
		says   string
	}{
		{"a step of all", "step", []any{"env", 1, "actions", toyActions(12, 0, 0)}, codeBadOption, "made with batch_size 2"},
		{"observing all", "observe", []any{"env", 1}, codeBadOption, "made with batch_size 2"},
		{"setting states", "set_state", []any{"env", 1, "games", []int{0}, "states", [][]byte{state}}, codeBadOption,
			"made with batch_size 2"},
		{"a mask", "reset", []any{"env", 1, "mask", uint8s(1, 0, 0, 0)}, codeBadOption, "reset together"},
		{"send in lock-step", "send", []any{"env", 2, "games", int32s(0), "actions", toyActions(3, 0, 0)}, codeBadOption,
			"without batch_size"},
		{"recv in lock-step", "recv", []any{"env", 2}, codeBadOption, "without batch_size"},
		{"no such game", "send", []any{"env", 1, "games", int32s(held[0], 4), "actions", toyActions(6, 0, 0)}, codeOutOfRange,
			"games[1] is 4, want 0 to 3"},
		{"a negative game", "send", []any{"env", 1, "games", int32s(-1), "actions", toyActions(3, 0, 0)}, codeOutOfRange,
			"games[0] is -1"},
		{"under way", "send", []any{"env", 1, "games", int32s(under[0]), "actions", toyActions(3, 0, 0)}, codeOutOfTurn,
			"under way"},
		{"twice", "send", []any{"env", 1, "games", int32s(held[0], held[0]), "actions", toyActions(6, 0, 0)}, codeOutOfTurn,
			"under way"},
		{"too few actions", "send", []any{"env", 1, "games", int32s(held...), "actions", toyActions(3, 0, 0)}, codeWrongShape,
			"want [6 2]"},
		{"a bad action", "send", []any{"env", 1, "games", int32s(held[0]), "actions", toyActions(3, 9, 0)}, codeBadAction,
			"is 9"},
	} {
		reply, err := c.Call(test.kind, test.fields...)
		if e := wantError(t, reply, err, test.code); !strings.Contains(e.Message, test.says) {
			t.Errorf("%s: %s; want %q in it", test.reason, e.Message, test.says)
		}
	}
	call(t, c, "recv", "env", 1)
	if e := callError(t, c, codeOutOfTurn, "recv", "env", 1); !strings.Contains(e.Message, "0, want 2") {
		t.Errorf("recv with nothing under way: %s", e.Message)
	}
	call(t, c, "send", "env", 1, "games", int32s(0, 1, 2, 3), "actions", toyActions(12, 0, 0))
	call(t, c, "render", "env", 1, "game", 1)
	call(t, c, "set_opponents", "env", 1, "opponents", []string{})
	call(t, c, "simulate", "env", 1, "states", [][]byte{state}, "actions", toyActions(3, 0, 0))
	call(t, c, "reset", "env", 1) // in the middle
	call(t, c, "recv", "env", 1)
	callError(t, c, codeOutOfTurn, "recv", "env", 1)
}

// TestRecvPanic: the game that breaks is told of alone, and costs no other's batch.
func TestRecvPanic(t *testing.T) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToyBreaks-v0", "games", 3, "batch_size", 1)
	batch := call(t, c, "reset", "env", 1, "seed", 7)
	for broke := false; ; {
		index := numbers(batch.Map("tensors").Tensor("game.index"))
		call(t, c, "send", "env", 1, "games", int32s(index...), "actions",
			toyActions(len(batch.Map("tensors").Tensor("alive").Data), 0, 0))
		reply, err := c.Call("recv", "env", 1)
		if err != nil {
			e := wantError(t, reply, err, codeGamePanic)
			if broke || len(e.Details) != 8 {
				t.Fatalf("%v, want one fault, with its game", err)
			}
			broke = true
			callError(t, c, codeGameBroken, "send", "env", 1, "games", int32s(int32(reply.Int("game"))), "actions",
				toyActions(len(batch.Map("tensors").Tensor("alive").Data), 0, 0))
			call(t, c, "recv", "env", 1)
			call(t, c, "reset", "env", 1)
			return
		}
		batch = reply
	}
}

// TestSendAllocates nothing, nor does recv.
func TestSendAllocates(t *testing.T) {
	s, r := handSession(t), new(request)
	defer s.freeAll()
	ask(t, s, r, mustEncode(t,
		entries{"type", "make", "id", 1, "env_id", "ToySolo-v0", "games", 8, "batch_size", 8, "workers", 2,
			"max_episode_steps", 7}))
	ask(t, s, r, mustEncode(t, entries{"type", "reset", "id", 2, "env", 1, "seed", 1}))
	send := mustEncode(t,
		entries{"type", "send", "id", 3, "env", 1, "games", int32s(0, 1, 2, 3, 4, 5, 6, 7), "actions", toyActions(24, 1, 0)})
	recv := mustEncode(t, entries{"type", "recv", "id", 4, "env", 1})
	if n := testing.AllocsPerRun(100, func() {
		ask(t, s, r, send)
		ask(t, s, r, recv)
	}); n != 0 {
		t.Errorf("send and recv allocate %v times, want 0", n)
	}
	if e := s.envs[0]; e.pool.Config().BatchSize != 8 || len(e.messages) != messagesPerPool {
		t.Errorf("%d frames are at home, want all %d", len(e.messages), messagesPerPool)
	}
}

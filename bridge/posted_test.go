//go:build linux

package bridge

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

// begin posts a send of these games.
func (m *sharing) begin(games []int32, actions []byte) {
	slot := int(m.posted % uint64(len(m.games)))
	list := m.mem[m.games[slot]:]
	binary.LittleEndian.PutUint32(list, uint32(len(games)))
	copy(list[4:], int32s(games...).Data)
	m.postTo(-1, 0, actions)
}

// recv posts a recv into a place and waits for its message.
func (m *sharing) recv(t *testing.T, id uint64, place int) []byte {
	t.Helper()
	return m.stepTo(t, place, id, nil)
}

// TestPostedSendAndRecv: through shared memory, too, each game shows what it shows
// in lock-step.
func TestPostedSendAndRecv(t *testing.T) {
	const games, steps = 5, 40
	server := startServer(t, nil)
	for _, mode := range []string{"NextStep", "SameStep"} {
		made := []any{"env_id", "ToySolo-v0", "games", games, "autoreset_mode", mode, "max_episode_steps", 7, "opponents",
			[]string{"hunter", "wander"}}
		want := lockStep(t, server.dial(t), games, steps, made)
		c := server.dial(t)
		m := makeShared(t, c, 3, append(made, "batch_size", 2, "workers", 2)...)
		first, err := decodeReply(m.message(t, call(t, c, "reset", "env", 1, "seed", 5)))
		if err != nil {
			t.Fatal(err)
		}
		id := uint64(100)
		wantGames(t, first, want, 2, func(games []int32, actions Tensor) Message {
			m.begin(games[:1], actions.Data[:2])
			m.begin(games[1:], actions.Data[2:])
			id++
			batch, err := decodeReply(bytes.Clone(m.recv(t, id, int(id%3))))
			if err != nil || uint64(batch.Int("id")) != id {
				t.Fatalf("recv %d is answered by %v, %v", id, batch["id"], err)
			}
			return batch
		})
	}
}

// TestPostedRefusals: what is refused of a send is the answer to the next recv, and
// changes nothing.
func TestPostedRefusals(t *testing.T) {
	c := startServer(t, nil).dial(t)
	m := makeShared(t, c, 4, "env_id", "ToySolo-v0", "games", 4, "batch_size", 2)
	id := uint64(100)
	refused := func(code errorCode, says string) {
		t.Helper()
		id++
		if length := len(m.recv(t, id, 0)); length != 0 {
			t.Fatalf("recv has a batch of %d bytes, want an error", length)
		}
		reply, err := c.Receive()
		if e := wantError(t, reply, err, code); !strings.Contains(e.Message, says) || uint64(reply.Int("id")) != id {
			t.Errorf("recv %d is answered by %v: %s; want %q in it", id, reply["id"], e.Message, says)
		}
	}
	received := func() []int32 {
		t.Helper()
		id++
		batch, err := decodeReply(m.recv(t, id, 1))
		if err != nil {
			t.Fatal(err)
		}
		return numbers(batch.Map("tensors").Tensor("game.index"))
	}
	still := toyActions(12, 0, 0).Data
	m.begin([]int32{0}, still)
	refused(codeNotReset, "has not been reset")
	first, err := decodeReply(m.message(t, call(t, c, "reset", "env", 1, "seed", 1)))
	if err != nil {
		t.Fatal(err)
	}
	held := numbers(first.Map("tensors").Tensor("game.index"))
	held = append(slices.Clone(held), received()...)
	refused(codeOutOfTurn, "0, want 2")
	for _, test := range []struct {
		reason  string
		games   []int32
		actions []byte
		code    errorCode
		says    string
	}{
		{"no such game", []int32{1, 4}, still, codeOutOfRange, "games[1] is 4, want 0 to 3"},
		{"a negative game", []int32{math.MinInt32}, still, codeOutOfRange, "games[0]"},
		{"twice", []int32{2, 2}, still, codeOutOfTurn, "under way"},
		{"a bad action", []int32{0, 1}, toyActions(12, 9, 0).Data, codeBadAction, "is 9"},
	} {
		t.Log(test.reason)
		m.begin(test.games, test.actions)
		m.begin([]int32{7}, still) // the first counts
		m.begin(nil, nil)
		refused(test.code, test.says)
	}
	m.begin(held, still)
	m.begin([]int32{3}, still)
	refused(codeOutOfTurn, "game 3")
	both := append(received(), received()...)
	slices.Sort(both)
	if !slices.Equal(both, []int32{0, 1, 2, 3}) {
		t.Errorf("games %v are received, want all", both)
	}
	m.begin([]int32{4}, still)
	call(t, c, "reset", "env", 1) // forgets it
	received()
	binary.LittleEndian.PutUint32(m.mem[m.games[int(m.posted)%len(m.games)]:], 5)
	m.postTo(-1, 0, nil)
	if reply, err := c.Receive(); err == nil || !strings.Contains(err.Error(), "more than all 4 games") {
		t.Errorf("5 of 4 games: got %v, %v, want the connection closed", reply, err)
	}
}

// TestPostedSendAllocates nothing, nor does recv.
func TestPostedSendAllocates(t *testing.T) {
	s, r := handSession(t), &request{}
	ask(t, s, r, mustEncode(t,
		entries{"type", "make", "id", 1, "env_id", "ToySolo-v0", "games", 64, "batch_size", 64, "workers", 2, "shared_memory",
			3}))
	ask(t, s, r, mustEncode(t, entries{"type", "reset", "id", 2, "env", 1, "seed", 1}))
	ask(t, s, r, mustEncode(t, entries{"type", "attach", "id", 3, "env", 1}))
	e := s.envs[0]
	defer s.freeEnv(e)
	c := e.channel
	list := make([]byte, 4, 260)
	list[0] = 64
	for g := range int32(64) {
		list = binary.LittleEndian.AppendUint32(list, uint32(g))
	}
	exchange := func() {
		copy(c.mem[c.games[c.slot()]:], list)
		c.client.place[c.slot()].Store(0)
		c.client.place[(c.slot()+1)%3].Store(1)
		c.client.count.Add(2)
		if !s.stepPosted() || c.server.count.Load() != c.client.count.Load() || e.refused != nil {
			t.Fatalf("the games were not stepped: %v", e.refused)
		}
	}
	exchange()
	if n := testing.AllocsPerRun(200, exchange); n > 0 {
		t.Errorf("send and recv allocate %v times, want 0", n)
	}
}

// ask posts a request as a message and waits for the reply, or nil if it is sent.
func (m *sharing) ask(t *testing.T, message []byte) []byte {
	t.Helper()
	slot := m.posted % uint64(len(m.actions))
	copy(m.mem[m.requests:], message)
	m.postWord(math.MaxUint32, uint64(len(message)), nil)
	m.await(t)
	return m.mem[m.requests:][:m.server.each[slot].Load()]
}

// TestPostedSimulate compares simulations that are posted, between posted steps, to the
// same ones that are sent.
func TestPostedSimulate(t *testing.T) {
	server := startServer(t, nil)
	c := server.dial(t)
	m := makeShared(t, c, 3, "env_id", "ToySolo-v0", "games", 4)
	call(t, c, "reset", "env", 1, "seed", 1)
	states := call(t, c, "get_state", "env", 1).Binaries("states")
	for i := range states {
		states[i] = bytes.Clone(states[i])
	}
	still := toyActions(12, 0, 0).Data
	var used int64
	for turn := range 20 {
		if turn == 4 {
			call(t, c, "envs")   // comes after all that earlier answers held is given back
			used = server.used() // by now all simulators are made
		}
		n := 1 + turn%4
		m.step(t, uint64(500+turn), still)
		id, err := c.Send("simulate", "env", 1, "states", states[:n], "actions", toyActions(3*n, 1, uint8(turn%3)), "seed",
			turn)
		if err != nil {
			t.Fatal(err)
		}
		want, err := c.ReceiveRaw()
		if err != nil {
			t.Fatal(err)
		}
		message := mustEncode(t, entries{"type", "simulate", "id", id, "env", 1, "states", states[:n],
			"actions", toyActions(3*n, 1, uint8(turn%3)), "seed", turn})
		if got := m.ask(t, message); !bytes.Equal(got, want) {
			t.Fatalf("turn %d: the memory holds other bytes than the socket", turn)
		}
	}
	eventually(t, "answers hold nothing", func() bool { return server.used() == used })
}

// TestPostedMessages: what is refused is answered in the memory, and what is too long
// through the socket.
func TestPostedMessages(t *testing.T) {
	c := startServer(t, func(cfg *Config) { cfg.MaxGames = 1000 }).dial(t)
	m := makeShared(t, c, 2, "env_id", "ToySolo-v0", "games", 1)
	call(t, c, "reset", "env", 1, "seed", 1)
	for _, test := range []struct {
		reason  string
		message []byte
		code    errorCode
	}{
		{"nothing", nil, codeMalformed},
		{"no msgpack", []byte("\xc1"), codeMalformed},
		{"another request", mustEncode(t, entries{"type", "step", "id", 7, "env", 1, "actions", toyActions(3, 0, 0)}),
			codeUnknownType},
		{"one that would free the memory", mustEncode(t, entries{"type", "close", "id", 7, "env", 1}), codeUnknownType},
		{"a state that is none",
			mustEncode(t, entries{"type", "simulate", "id", 7, "env", 1, "states", [][]byte{{}}, "actions",
				toyActions(3, 0, 0)}), codeBadState},
	} {
		reply, err := decodeReply(bytes.Clone(m.ask(t, test.message)))
		if e := wantError(t, reply, err, test.code); reply["id"] != nil && reply.Int("id") != 7 {
			t.Errorf("%s: request %v is answered: %v", test.reason, reply["id"], e)
		}
	}
	state := bytes.Clone(call(t, c, "get_state", "env", 1).Binaries("states")[0])
	const many = 900
	message := mustEncode(t,
		entries{"type", "simulate", "id", 8, "env", 1, "states", slices.Repeat([][]byte{state}, many), "actions",
			toyActions(3*many, 0, 0)})
	if len(message) > otherBytes {
		t.Fatalf("a message of %d bytes", len(message))
	}
	if got := m.ask(t, message); len(got) != 0 {
		t.Fatalf("a reply of %d bytes in the memory", len(got))
	}
	reply, err := c.Receive()
	if err != nil || reply["type"] != "simulated" || reply.Int("id") != 8 || len(reply.Binaries("states")) != many {
		t.Errorf("request 8 is answered by %v %v, %v", reply["type"], reply["id"], err)
	}
	m.postWord(math.MaxUint32, otherBytes+1, nil)
	if reply, err := c.Receive(); err == nil || !strings.Contains(err.Error(), "more than 262144 bytes") {
		t.Errorf("too long a message: got %v, %v, want the connection closed", reply, err)
	}
}

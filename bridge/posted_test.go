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
		made := []any{"env_id", "ToySolo-v0", "games", games, "autoreset_mode", mode, "max_episode_steps", 7, "opponents", []string{"hunter", "wander"}}
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
	ask(t, s, r, mustEncode(t, entries{"type", "make", "id", 1, "env_id", "ToySolo-v0", "games", 64, "batch_size", 64, "workers", 2, "shared_memory", 3}))
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

//go:build linux && amd64

package bridge

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// box is a client's side of an environment's mailbox.
type box struct {
	*sharing
	words          *mailbox // the server's own view fits the client's memory too
	slots, actions []int
	looks, sleeps  int
	turn           int
}

// openBox makes an environment with shared memory, maps it for writing and finds
// the mailbox in it.
func openBox(t *testing.T, c *Client, fields ...any) *box {
	t.Helper()
	made := call(t, c, "make", append(fields, "shared_memory", 3)...)
	about := made.Map("shared_memory")
	file, err := os.OpenFile(about["path"].(string), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(10); err == nil {
		t.Error("the memory can be made shorter under the server")
	}
	b := &box{sharing: new(sharing)}
	if b.mem, err = unix.Mmap(int(file.Fd()), 0, about.Int("bytes"), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b.mem); err != nil {
			t.Error(err)
		}
	})
	for _, at := range about.list("batches") {
		b.batches = append(b.batches, int(number(at)))
	}
	parts := about.Map("mailbox")
	b.looks, b.sleeps = parts.Int("server_looks"), parts.Int("client_sleeps")
	for k, at := range parts.list("slots") {
		b.slots = append(b.slots, int(number(at)))
		b.actions = append(b.actions, int(number(parts.list("actions")[k])))
	}
	b.words = &mailbox{control: b.mem}
	call(t, c, "attach", "env", made.Int("env"))
	return b
}

// post writes a step and returns its slot.
func (b *box) post(id uint64, actions []byte) (slot int) {
	slot = b.turn % len(b.slots)
	b.turn++
	copy(b.mem[b.actions[slot]:], actions)
	b.words.word(b.slots[slot] + slotRequest).Store(id)
	return slot
}

// await waits for the answer in a slot.
func (b *box) await(t *testing.T, slot int, id uint64) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); b.words.word(b.slots[slot]+slotReply).Load() != id; {
		if time.Now().After(until) {
			t.Fatalf("no answer to step %d", id)
		}
		time.Sleep(10 * time.Microsecond)
	}
}

// batch is the message that answers the step in a slot, with another number.
func (b *box) batch(slot int, id uint64) []byte {
	at := b.batches[b.words.word(b.slots[slot]+slotBatch).Load()]
	msg := bytes.Clone(b.mem[at:][:b.words.word(b.slots[slot]+slotLength).Load()])
	number := bytes.Index(msg, []byte("\xa2id\xcf")) + 4
	binary.BigEndian.PutUint64(msg[number:], id)
	return msg
}

// TestMailboxMakesTheSameSteps posts steps, ringing for each, and compares the
// answers with those that another connection gets as messages.
func TestMailboxMakesTheSameSteps(t *testing.T) {
	server := startServer(t, nil)
	plain, posting := server.dial(t), server.dial(t)
	fields := []any{"env_id", "ToyTeams-v0", "games", 40, "autoreset_mode", "SameStep"}
	call(t, plain, "make", fields...)
	b := openBox(t, posting, fields...)
	call(t, plain, "reset", "env", 1, "seed", 1)
	call(t, posting, "reset", "env", 1, "seed", 1)
	id := uint64(1000)
	for turn := range 50 {
		actions := toyActions(240, byte(turn%5), byte(turn%3))
		id++
		slot := b.post(id, actions.Data)
		if b.words.word(b.looks).Load() == 0 || turn%7 == 0 { // ringing too often does no harm
			sendAs(t, posting, id, "ring", "env", 1)
		}
		b.await(t, slot, id)
		if _, err := plain.Send("step", "env", 1, "actions", actions); err != nil {
			t.Fatal(err)
		}
		want, err := plain.ReceiveRaw()
		if err != nil {
			t.Fatal(err)
		}
		number := binary.BigEndian.Uint64(want[bytes.Index(want, []byte("\xa2id\xcf"))+4:])
		if got := b.batch(slot, number); !bytes.Equal(got, want) {
			t.Fatalf("step %d: %d bytes in the mailbox differ from the message of %d", turn, len(got), len(want))
		}
		if turn%10 == 9 {
			time.Sleep(2 * attention) // the server goes to sleep
		}
	}
}

// sendAs sends a request with a number of the test's own choice.
func sendAs(t *testing.T, c *Client, id uint64, kind string, fields ...any) {
	t.Helper()
	if err := c.SendRaw(mustEncode(t, append(entries{"type", kind, "id", id}, fields...))); err != nil {
		t.Fatal(err)
	}
}

// TestMailboxWakesTheClient has steps answered while the client says that it
// sleeps: then the bell comes through the socket too.
func TestMailboxWakesTheClient(t *testing.T) {
	c := startServer(t, nil).dial(t)
	b := openBox(t, c, "env_id", "ToySolo-v0", "games", 8)
	call(t, c, "reset", "env", 1, "seed", 1)
	b.words.word(b.sleeps).Store(1)
	for id := uint64(100); id < 110; id++ {
		slot := b.post(id, toyActions(24, 1, 1).Data)
		sendAs(t, c, id, "ring", "env", 1)
		reply, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if reply["type"] != "shared" || uint64(reply.Int("id")) != id {
			t.Fatalf("the bell is %v, want shared for %d", reply, id)
		}
		if got := b.words.word(b.slots[slot] + slotReply).Load(); got != id {
			t.Fatalf("the slot says %d, want %d", got, id)
		}
	}
}

// TestMailboxErrors posts what cannot be done: the slot says that the answer
// comes through the socket, and the next step works.
func TestMailboxErrors(t *testing.T) {
	c := startServer(t, nil).dial(t)
	b := openBox(t, c, "env_id", "ToySolo-v0", "games", 8)
	refused := func(id uint64, actions []byte, code Code) {
		t.Helper()
		slot := b.post(id, actions)
		sendAs(t, c, id, "ring", "env", 1)
		reply, err := c.Receive()
		wantError(t, reply, err, code)
		if batch := b.words.word(b.slots[slot] + slotBatch).Load(); batch != onSocket {
			t.Errorf("the slot says batch %d, want the answer to come through the socket", batch)
		}
	}
	refused(50, toyActions(24, 1, 1).Data, CodeNotReset)
	call(t, c, "reset", "env", 1, "seed", 1)
	refused(51, toyActions(24, 77, 1).Data, CodeBadAction)
	slot := b.post(52, toyActions(24, 1, 1).Data)
	sendAs(t, c, 52, "ring", "env", 1)
	b.await(t, slot, 52)

	sendAs(t, c, 60, "ring", "env", 1) // no step of this number was posted
	reply, err := c.Receive()
	wantError(t, reply, err, CodeMissingField)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 1)
	callError(t, c, CodeBadOption, "ring", "env", 2)
	callError(t, c, CodeUnknownEnv, "ring", "env", 9)
}

// TestMailboxFullOfNonsense scribbles over all of it while steps are made. What
// comes of the games is the client's own fault, but the server goes on.
func TestMailboxFullOfNonsense(t *testing.T) {
	server := startServer(t, nil)
	c := server.dial(t)
	b := openBox(t, c, "env_id", "ToyTeams-v0", "games", 8)
	call(t, c, "reset", "env", 1, "seed", 1)
	numbers := []uint64{math.MaxUint64, 0, maxID + 1, 1 << 60, 7}
	for round := range 200 {
		for at := 0; at+8 <= b.batches[0]-sharedPage; at += 8 {
			b.words.word(sharedPage + at).Store(numbers[(round+at/8)%len(numbers)])
		}
		if err := c.SendRaw(mustEncode(t, entries{"type", "ring", "id", round + 1000, "env", 1})); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	other := server.dial(t)
	call(t, other, "make", "env_id", "ToyTeams-v0", "games", 8)
	call(t, other, "reset", "env", 1, "seed", 1)
	call(t, other, "step", "env", 1, "actions", toyActions(48, 1, 1))
}

// TestMailboxStepsComeBeforeOtherRequests posts steps without ringing, and then
// asks for what they lead to.
func TestMailboxStepsComeBeforeOtherRequests(t *testing.T) {
	server := startServer(t, nil)
	c, twin := server.dial(t), server.dial(t)
	b := openBox(t, c, "env_id", "ToySolo-v0", "games", 8)
	call(t, twin, "make", "env_id", "ToySolo-v0", "games", 8)
	for _, each := range []*Client{c, twin} {
		call(t, each, "reset", "env", 1, "seed", 1)
	}
	for id := uint64(1); id <= 2; id++ {
		b.post(1000+id, toyActions(24, 1, 1).Data)
		call(t, twin, "step", "env", 1, "actions", toyActions(24, 1, 1))
	}
	got, want := call(t, c, "get_state", "env", 1).Binaries("states"), call(t, twin, "get_state", "env", 1).Binaries("states")
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("game %d stands elsewhere than after two steps", i)
		}
	}
	b.post(2000, toyActions(24, 1, 1).Data)
	call(t, c, "close", "env", 1) // with a step made that nobody waits for
}

// TestMailboxStepDoesNotAllocate makes posted steps without a connection.
func TestMailboxStepDoesNotAllocate(t *testing.T) {
	s := handSession(t)
	r := &request{}
	ask(t, s, r, mustEncode(t, entries{"type", "make", "id", 1, "env_id", "ToySolo-v0", "games", 64, "workers", 1, "shared_memory", 3}))
	ask(t, s, r, mustEncode(t, entries{"type", "reset", "id", 2, "env", 1, "seed", 1}))
	e := s.envs[0]
	defer s.freeEnv(e)
	id := uint64(10)
	step := func() {
		slot := e.mailbox.turn % e.mailbox.slots
		id++
		e.mailbox.word(firstSlot + slot*slotBytes + slotRequest).Store(id)
		if !s.stepPosted() || e.mailbox.word(firstSlot+slot*slotBytes+slotReply).Load() != id {
			t.Fatal("the step was not made")
		}
	}
	step()
	if n := testing.AllocsPerRun(200, step); n > 0 {
		t.Errorf("a step allocates %v times, want 0", n)
	}
}

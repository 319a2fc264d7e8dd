//go:build linux

package bridge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sharing is a client's side of an environment's shared memory.
type sharing struct {
	mem             []byte
	own, server     *words
	actions, places []int // where those of each slot begin, and each place for batches
	games           []int // with a batch size, where each slot's numbers of games begin
	other           int   // where batches for other requests than posted steps lie
	requests        int   // where requests that are posted as messages lie
	posted          uint64
	place           int // where the batch of the step posted last goes
}

// makeShared makes an environment with shared memory and maps that.
func makeShared(t *testing.T, c *Client, slots int, fields ...any) *sharing {
	t.Helper()
	made := call(t, c, "make", append(fields, "shared_memory", slots)...)
	about := made.Map("shared_memory")
	path := about["path"].(string)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(10); err == nil {
		t.Error("the memory can be made shorter under the server")
	}
	m := new(sharing)
	if m.mem, err = unix.Mmap(int(file.Fd()), 0, about.Int("bytes"), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(m.mem); err != nil {
			t.Error(err)
		}
	})
	if key := about["key"].([]byte); len(key) != keyBytes || !bytes.Equal(m.mem[:keyBytes], key) {
		t.Fatalf("the memory begins with %x, want the key %x", m.mem[:keyBytes], key)
	}
	m.own, m.server = (*words)(unsafe.Pointer(&m.mem[128])), (*words)(unsafe.Pointer(&m.mem[512]))
	for _, at := range about.list("actions") {
		m.actions = append(m.actions, int(number(at)))
	}
	for _, at := range about.list("batches") {
		m.places = append(m.places, int(number(at)))
	}
	for _, at := range about.list("games") {
		m.games = append(m.games, int(number(at)))
	}
	if len(m.actions) != slots || len(m.places) <= slots {
		t.Fatalf("%d places for actions and %d for batches, want %d and at least one more", len(m.actions), len(m.places),
			slots)
	}
	m.places, m.other = m.places[:len(m.places)-1], m.places[len(m.places)-1]
	m.requests = about.Int("requests")
	call(t, c, "attach", "env", made.Int("env"))
	if _, err := os.Open(path); err == nil {
		t.Error("the memory can still be opened after attach")
	}
	return m
}

// post hands a step over whose batch is to go to its slot's own place.
func (m *sharing) post(id uint64, actions []byte) { m.postTo(-1, id, actions) }

// postTo hands over one whose batch is to go to another place. Like any client it
// wakes the server only if that says that it waits.
func (m *sharing) postTo(place int, id uint64, actions []byte) {
	if m.place = place; place < 0 {
		m.place = int(m.posted % uint64(len(m.actions)))
	}
	m.postWord(uint32(place+1), id, actions)
}

// postWord hands over what the words of its slot say.
func (m *sharing) postWord(place uint32, id uint64, actions []byte) {
	slot := int(m.posted % uint64(len(m.actions)))
	m.own.place[slot].Store(place)
	m.posted++
	copy(m.mem[m.actions[slot]:], actions)
	m.own.each[slot].Store(id)
	m.own.count.Store(uint32(m.posted))
	if m.server.waits.Load() != 0 {
		futexWake(&m.own.count)
	}
}

// await sleeps until all steps posted have been answered, woken by the server alone.
func (m *sharing) await(t *testing.T) {
	t.Helper()
	alarm := time.AfterFunc(hangs, func() { panic("a step is not answered, or the wake-up is lost") })
	defer alarm.Stop()
	for seen := m.server.count.Load(); seen != uint32(m.posted); seen = m.server.count.Load() {
		m.own.waits.Store(1)
		futexWait(&m.server.count, seen)
		m.own.waits.Store(0)
	}
}

// step posts a step and waits for its message.
func (m *sharing) step(t *testing.T, id uint64, actions []byte) []byte {
	t.Helper()
	return m.stepTo(t, -1, id, actions)
}

func (m *sharing) stepTo(t *testing.T, place int, id uint64, actions []byte) []byte {
	t.Helper()
	m.postTo(place, id, actions)
	m.await(t)
	slot := (m.posted - 1) % uint64(len(m.actions))
	return m.mem[m.places[m.place]:][:m.server.each[slot].Load()]
}

// message is the message a reply of type shared stands for.
func (m *sharing) message(t *testing.T, reply Message) []byte {
	t.Helper()
	if reply["type"] != "shared" {
		t.Fatalf("a reply of type %v, want shared", reply["type"])
	}
	return m.mem[m.other:][:reply.Int("bytes")]
}

// TestSharedMemoryHoldsTheMessages does the same in two environments, one of
// which shares its memory, and compares the messages byte for byte. Now and then
// it pauses for so long that the server stops spinning.
func TestSharedMemoryHoldsTheMessages(t *testing.T) {
	for _, mode := range []string{"NextStep", "SameStep"} {
		server := startServer(t, nil)
		plain, shared := server.dial(t), server.dial(t)
		fields := []any{"env_id", "ToyTeams-v0", "games", 40, "autoreset_mode", mode}
		call(t, plain, "make", fields...)
		memory := makeShared(t, shared, 3, fields...)
		call(t, plain, "envs") // as many requests as the other has had
		viaPlain := func(kind string, fields ...any) []byte {
			t.Helper()
			if _, err := plain.Send(kind, append(fields, "env", 1)...); err != nil {
				t.Fatal(err)
			}
			message, err := plain.ReceiveRaw()
			if err != nil {
				t.Fatal(err)
			}
			return message
		}
		same := func(kind string, got, want []byte) {
			t.Helper()
			if !bytes.Equal(got, want) {
				t.Fatalf("%s, %s: the memory holds other bytes than the socket", mode, kind)
			}
		}
		viaSocket := func(kind string, fields ...any) {
			t.Helper()
			want := viaPlain(kind, fields...)
			same(kind, memory.message(t, call(t, shared, kind, append(fields, "env", 1)...)), want)
		}
		viaSocket("reset", "seed", 5)
		for turn := range 60 {
			actions := toyActions(240, uint8(turn%5), uint8(turn%3))
			want := viaPlain("step", "actions", actions)
			id := binary.BigEndian.Uint64(want[bytes.Index(want, []byte("\xa2id\xcf"))+4:])
			same("step", memory.step(t, id, actions.Data), want)
			call(t, shared, "envs")
			if turn%10 == 9 {
				time.Sleep(2 * stepSpin)
			}
		}
		viaSocket("observe")
		viaSocket("step", "actions", toyActions(240, 1, 1))
		states := call(t, plain, "get_state", "env", 1, "games", []int{3}).Binaries("states")
		call(t, shared, "envs")
		viaSocket("set_state", "games", []int{7}, "states", [][]byte{bytes.Clone(states[0])})
	}
}

// TestSharedBatchesStand has as many steps in flight as it may, and looks at
// the last batch it received while the server writes the next ones.
func TestSharedBatchesStand(t *testing.T) {
	c := startServer(t, nil).dial(t)
	m := makeShared(t, c, 3, "env_id", "ToySolo-v0", "games", 8)
	call(t, c, "reset", "env", 1, "seed", 1)
	actions, id := toyActions(24, 1, 1).Data, uint64(100)
	for range 50 {
		last := m.step(t, id, actions)
		seen := bytes.Clone(last)
		m.post(id+1, actions)
		m.post(id+2, actions)
		m.await(t)
		if !bytes.Equal(last, seen) {
			t.Fatal("a batch was written over by the second after it, want the third at the earliest")
		}
		id += 3
	}
}

// TestChannelSleepsOnBothSides makes steps with pauses of all lengths around the
// moment at which the server stops spinning: no wake-up may be lost, on systems
// with membarrier and without.
func TestChannelSleepsOnBothSides(t *testing.T) {
	found := restingWaits
	for _, waits := range []uint32{0, 1} {
		restingWaits = waits
		t.Run(fmt.Sprint("waits is ", waits), sleepOnBothSides)
	}
	restingWaits = found
}

func sleepOnBothSides(t *testing.T) {
	c := startServer(t, nil).dial(t)
	m := makeShared(t, c, 2, "env_id", "ToySolo-v0", "games", 1)
	call(t, c, "reset", "env", 1, "seed", 1)
	actions := toyActions(3, 1, 1).Data
	for k := range uint64(300) {
		if m.step(t, k+100, actions); restingWaits == 1 && m.server.waits.Load() == 0 {
			t.Fatal("without membarrier the client has to wake the server after every step")
		}
		for until := time.Now().Add(stepSpin/2 + time.Duration(k)*stepSpin/150); time.Now().Before(until); {
		}
	}
}

// TestSharedMemoryEnds frees environments before and after attach, by close and
// by hanging up, while the server waits for a step, and wants no file left open.
// (That no goroutine is left is seen at the end of all tests.)
func TestSharedMemoryEnds(t *testing.T) {
	server := startServer(t, nil)
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	c := server.dial(t)
	before := open()
	for range 20 {
		made := call(t, c, "make", "env_id", "ToySolo-v0", "games", 4, "shared_memory", 2)
		call(t, c, "close", "env", made.Int("env"))
	}
	for k := range 20 {
		peer := server.dial(t)
		m := makeShared(t, peer, 2, "env_id", "ToySolo-v0", "games", 4)
		eventually(t, "the server waits", func() bool { return m.server.waits.Load() == 1 })
		if k%2 == 0 {
			call(t, peer, "close", "env", 1)
		}
		peer.Close()
	}
	eventually(t, fmt.Sprintf("as many files are open as before, %d", before), func() bool { return open() <= before })
}

// TestSharedMemoryLimit: so many environments of all clients share memory, each until it is freed.
func TestSharedMemoryLimit(t *testing.T) {
	server := startServer(t, func(c *Config) { c.maxShared = 2 })
	c, other := server.dial(t), server.dial(t)
	fields := []any{"env_id", "ToySolo-v0", "games", 1, "shared_memory", 2}
	call(t, other, "make", fields...)
	for range 3 {
		made := call(t, c, "make", fields...)
		if e := callError(t, c, codeBadOption, "make", fields...); e.Field != "shared_memory" {
			t.Errorf("the third one: %v, want the field shared_memory", e)
		}
		call(t, c, "close", "env", made.Int("env"))
	}
}

// TestPostedErrors posts what cannot be done: the slot says that the answer
// comes through the socket, and the next step works.
func TestPostedErrors(t *testing.T) {
	c := startServer(t, nil).dial(t)
	m := makeShared(t, c, 3, "env_id", "ToySolo-v0", "games", 8)
	refused := func(id uint64, actions []byte, code errorCode) {
		t.Helper()
		if length := len(m.step(t, id, actions)); length != 0 {
			t.Errorf("the slot has a batch of %d bytes, want the answer to come through the socket", length)
		}
		reply, err := c.Receive()
		wantError(t, reply, err, code)
		if uint64(reply.Int("id")) != id {
			t.Errorf("the answer is to request %d, want %d", reply.Int("id"), id)
		}
	}
	refused(50, toyActions(24, 1, 1).Data, codeNotReset)
	call(t, c, "reset", "env", 1, "seed", 1)
	refused(51, toyActions(24, 77, 1).Data, codeBadAction)
	if len(m.step(t, 52, toyActions(24, 1, 1).Data)) == 0 {
		t.Error("the step after an error is not made")
	}
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 1)
	callError(t, c, codeBadOption, "attach", "env", 2)
	callError(t, c, codeBadOption, "make", "env_id", "ToySolo-v0", "games", 1, "places", 3)
	callError(t, c, codeUnknownEnv, "attach", "env", 9)
}

// TestChannelFullOfNonsense scribbles over all of it while steps are made. What
// comes of the games is the client's own fault, but the server goes on.
func TestChannelFullOfNonsense(t *testing.T) {
	server := startServer(t, nil)
	for _, nonsense := range []uint32{1, 2, 4, math.MaxUint32} { // steps that are posted
		c := server.dial(t)
		m := makeShared(t, c, 3, "env_id", "ToyTeams-v0", "games", 8)
		call(t, c, "reset", "env", 1, "seed", 1)
		// But for the count, which the server may read at any time and which is to be this nonsense.
		scribbled := m.mem[clientWords+unsafe.Sizeof(m.own.count) : m.places[0]]
		for k := range scribbled {
			scribbled[k] = 0xee
		}
		m.server.count.Store(77)
		for k := range m.own.place {
			m.own.place[k].Store(uint32(k))
		}
		m.own.count.Store(nonsense)
		futexWake(&m.own.count)
		reply, err := c.Receive()
		if nonsense <= 3 {
			wantError(t, reply, err, codeBadAction)
		} else if err == nil {
			t.Errorf("%d steps in 3 slots: got %v, want the connection closed", nonsense, reply)
		}
	}
	for _, place := range []uint32{3, 64, math.MaxInt32, math.MaxUint32 - 2} {
		c := server.dial(t)
		m := makeShared(t, c, 2, "env_id", "ToySolo-v0", "games", 8, "places", 3)
		call(t, c, "reset", "env", 1, "seed", 1)
		m.own.place[0].Store(place + 1)
		m.own.count.Store(1)
		futexWake(&m.own.count)
		if reply, err := c.Receive(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("place %d of 3", place)) {
			t.Errorf("a batch for place %d of 3: got %v, %v, want the connection closed", place, reply, err)
		}
	}
	other := server.dial(t)
	call(t, other, "make", "env_id", "ToyTeams-v0", "games", 8)
	call(t, other, "reset", "env", 1, "seed", 1)
	call(t, other, "step", "env", 1, "actions", toyActions(48, 1, 1))
}

// TestPostedStepsComeBeforeOtherRequests posts steps, without waiting for them,
// and then asks for what they lead to.
func TestPostedStepsComeBeforeOtherRequests(t *testing.T) {
	server := startServer(t, nil)
	c, twin := server.dial(t), server.dial(t)
	m := makeShared(t, c, 3, "env_id", "ToySolo-v0", "games", 8)
	call(t, twin, "make", "env_id", "ToySolo-v0", "games", 8)
	for _, each := range []*Client{c, twin} {
		call(t, each, "reset", "env", 1, "seed", 1)
	}
	for id := uint64(1); id <= 2; id++ {
		m.post(1000+id, toyActions(24, 1, 1).Data)
		call(t, twin, "step", "env", 1, "actions", toyActions(24, 1, 1))
	}
	got, want := call(t, c, "get_state", "env", 1).Binaries("states"), call(t, twin, "get_state", "env",
		1).Binaries("states")
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("game %d stands elsewhere than after two steps", i)
		}
	}
	m.post(2000, toyActions(24, 1, 1).Data)
	call(t, c, "close", "env", 1) // with a step made that nobody waits for
}

// TestPostedStepDoesNotAllocate makes posted steps without a connection.
func TestPostedStepDoesNotAllocate(t *testing.T) {
	s := handSession(t)
	r := &request{}
	ask(t, s, r, mustEncode(t,
		entries{"type", "make", "id", 1, "env_id", "ToySolo-v0", "games", 64, "workers", 1, "shared_memory", 3}))
	ask(t, s, r, mustEncode(t, entries{"type", "reset", "id", 2, "env", 1, "seed", 1}))
	ask(t, s, r, mustEncode(t, entries{"type", "attach", "id", 3, "env", 1}))
	c := s.envs[0].channel
	defer s.freeEnv(s.envs[0])
	step := func() {
		c.client.count.Add(1)
		if !s.stepPosted() || c.server.count.Load() != c.client.count.Load() {
			t.Fatal("the step was not made")
		}
	}
	step()
	if n := testing.AllocsPerRun(200, step); n > 0 {
		t.Errorf("a step allocates %v times, want 0", n)
	}
}

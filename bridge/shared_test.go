//go:build linux

package bridge

import (
	"bytes"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// sharing is an environment whose batches a test has mapped.
type sharing struct {
	mem     []byte
	batches []int
	path    string
}

// makeShared makes an environment with shared memory and maps that.
func makeShared(t *testing.T, c *Client, batches int, fields ...any) (Message, *sharing) {
	t.Helper()
	made := call(t, c, "make", append(fields, "shared_memory", batches)...)
	about := made.Map("shared_memory")
	s := &sharing{path: about["path"].(string)}
	file, err := os.Open(s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if s.mem, err = unix.Mmap(int(file.Fd()), 0, about.Int("bytes"), unix.PROT_READ, unix.MAP_SHARED); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(s.mem); err != nil {
			t.Error(err)
		}
	})
	if key := about["key"].([]byte); len(key) != keyBytes || !bytes.Equal(s.mem[:keyBytes], key) {
		t.Fatalf("the memory begins with %x, want the key %x", s.mem[:keyBytes], key)
	}
	for _, at := range about.list("batches") {
		s.batches = append(s.batches, int(number(at)))
	}
	if len(s.batches) != batches {
		t.Fatalf("%d batches, want %d", len(s.batches), batches)
	}
	call(t, c, "attach", "env", made.Int("env"))
	if _, err := os.Open(s.path); err == nil {
		t.Error("the memory can still be opened after attach")
	}
	return made, s
}

// message is the message a reply of type shared stands for.
func (s *sharing) message(t *testing.T, reply Message) []byte {
	t.Helper()
	if reply["type"] != "shared" {
		t.Fatalf("a reply of type %v, want shared", reply["type"])
	}
	return s.mem[s.batches[reply.Int("batch")]:][:reply.Int("bytes")]
}

// TestSharedMemoryHoldsTheMessages does the same in two environments, one of
// which shares its memory, and compares the messages byte for byte.
func TestSharedMemoryHoldsTheMessages(t *testing.T) {
	for _, mode := range []string{"NextStep", "SameStep"} {
		server := startServer(t, nil)
		plain, shared := server.dial(t), server.dial(t)
		fields := []any{"env_id", "ToyTeams-v0", "games", 40, "autoreset_mode", mode}
		call(t, plain, "make", fields...)
		_, memory := makeShared(t, shared, 3, fields...)
		call(t, shared, "ping") // as many requests as the other has had: attach
		call(t, plain, "ping")
		call(t, plain, "ping")
		same := func(kind string, fields ...any) {
			t.Helper()
			fields = append(fields, "env", 1)
			if _, err := plain.Send(kind, fields...); err != nil {
				t.Fatal(err)
			}
			want, err := plain.ReceiveRaw()
			if err != nil {
				t.Fatal(err)
			}
			if got := memory.message(t, call(t, shared, kind, fields...)); !bytes.Equal(got, want) {
				t.Fatalf("%s, %s: the memory holds other bytes than the socket", mode, kind)
			}
		}
		same("reset", "seed", 5)
		for step := range 60 {
			same("step", "actions", toyActions(240, uint8(step%5), uint8(step%3)))
		}
		same("observe")
		states := call(t, plain, "get_state", "env", 1, "games", []int{3}).Binaries("states")
		call(t, shared, "ping")
		same("set_state", "games", []int{7}, "states", [][]byte{bytes.Clone(states[0])})
	}
}

// TestSharedBatchesStand has as many requests in flight as it may, and looks at
// the last batch it received while the server writes the next ones.
func TestSharedBatchesStand(t *testing.T) {
	c := startServer(t, nil).dial(t)
	_, memory := makeShared(t, c, 3, "env_id", "ToySolo-v0", "games", 8)
	call(t, c, "reset", "env", 1, "seed", 1)
	step := func() {
		t.Helper()
		if _, err := c.Send("step", "env", 1, "actions", toyActions(24, 1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	receive := func() []byte {
		t.Helper()
		reply, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		return memory.message(t, reply)
	}
	step()
	for range 50 {
		step()
		last := receive()
		seen := bytes.Clone(last)
		step() // two are in flight
		if _, err := c.Send("ping"); err != nil {
			t.Fatal(err)
		}
		receive()
		receive()
		if pong, err := c.Receive(); err != nil || pong["type"] != "pong" {
			t.Fatalf("%v (%v), want pong", pong, err)
		}
		if !bytes.Equal(last, seen) {
			t.Fatal("a batch was written over by the second after it, want the third at the earliest")
		}
		step()
	}
}

// TestSharedMemoryEnds frees environments with and without attach, by close and
// by hanging up, and wants no file left open.
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
	if after := open(); after > before {
		t.Errorf("%d files are open, want %d as before", after, before)
	}
}

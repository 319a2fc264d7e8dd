package bridge

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// A client on the server's machine can have its batches in memory that both
// map, instead of through the socket. Then each frame lies in that memory, and
// the reply that would have carried it only says which and how long it is: a
// bell. What the client finds there is byte for byte what it would have
// received, so nothing else changes.
//
// A frame is written again when as many replies with batches have followed it
// as there are other frames. A client that has at most one request fewer in
// flight than there are frames can therefore look at the last batch it has
// received for as long as it likes.

// The memory begins with a key by which the client knows it has mapped the
// right one; the mailbox and the frames follow, each at the start of a page.
const (
	sharedPage = 4096
	keyBytes   = 16
)

// sharedMemory is memory that a client can map.
type sharedMemory struct {
	mem     []byte
	file    *os.File // nil once the client has mapped it
	mailbox int      // where the mailbox begins
	frames  []int    // where each begins
	stride  int
}

// share makes memory for n frames of the given size and a mailbox.
func share(n, size, mailbox int) (*sharedMemory, error) {
	m := &sharedMemory{mailbox: sharedPage, stride: pages(size)}
	first := m.mailbox + pages(mailbox)
	for k := range n {
		m.frames = append(m.frames, first+k*m.stride)
	}
	var err error
	if m.file, m.mem, err = mapShared(first + n*m.stride); err != nil {
		return nil, err
	}
	rand.Read(m.mem[:keyBytes]) // never fails
	return m, nil
}

// pages is size rounded up to whole pages.
func pages(size int) int { return (size + sharedPage - 1) / sharedPage * sharedPage }

// frame is the memory of frame k.
func (m *sharedMemory) frame(k int) []byte { return m.mem[m.frames[k]:][:m.stride] }

// describe is what the client needs to map it: a path that only processes of
// this machine can open, and only those of the server's user.
func (m *sharedMemory) describe(box *mailbox) entries {
	about := entries{
		"path", fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), m.file.Fd()),
		"bytes", len(m.mem), "key", append([]byte{}, m.mem[:keyBytes]...), "batches", m.frames,
	}
	if box != nil {
		about = append(about, "mailbox", box.describe(m.mailbox))
	}
	return about
}

// attached lets go of the file: the client has mapped it, and nobody else is to.
func (m *sharedMemory) attached() error {
	if m.file == nil {
		return nil
	}
	file := m.file
	m.file = nil
	return file.Close()
}

// free unmaps the memory. The client's own mapping stays.
func (m *sharedMemory) free() {
	_ = m.attached() // nothing can be done about a file that does not close
	unmapShared(m.mem)
	m.mem = nil
}

// makeFrames makes the environment's frames: shared of them in memory that the
// client can map, or, if that is 0, the usual ones, which are perhaps compressed
// to be sent.
func (e *environment) makeFrames(shared int, packs bool) error {
	if shared == 0 {
		e.frames = newFrames(e.layout, e.pool, packs)
		return nil
	}
	var err error
	actions := e.pool.Rows() * len(e.pool.Spec().Actions)
	if e.shared, err = share(shared, e.layout.size+e.layout.tail, mailboxBytes(shared, actions)); err != nil {
		return fail(CodeBadOption, "shared_memory", "leave it out: batches then come through the socket", "memory cannot be shared: %v", err)
	}
	if mailboxes {
		e.mailbox = newMailbox(e.shared.mem[e.shared.mailbox:e.shared.frames[0]], shared, actions)
	}
	e.frames = make(chan *frame, shared)
	for k := range shared {
		f := newFrame(e.layout, e.pool, e.frames, e.shared.frame(k))
		f.number, f.bell = k, newBell(e.handle, k)
		e.frames <- f
	}
	return nil
}

// newBell prepares the reply that stands for frame k: of fixed size, with the
// request's number and the message's length to be filled in.
func newBell(handle uint32, k int) []byte {
	bell := append([]byte{}, msgpcode.FixedMapLow|5)
	bell = appendKey(appendKey(bell, "type"), "shared")
	bell = appendUint32(appendKey(bell, "env"), handle)
	bell = appendUint32(appendKey(bell, "batch"), uint32(k))
	bell = appendUint64(appendKey(bell, "bytes"), 0)
	return appendUint64(appendKey(bell, "id"), 0)
}

// ring fills a bell in.
func ring(bell []byte, id uint64, length int) []byte {
	end := len(bell)
	binary.BigEndian.PutUint64(bell[end-8:], id)
	binary.BigEndian.PutUint64(bell[end-8-len("?id?")-8:], uint64(length))
	return bell
}

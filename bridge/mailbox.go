package bridge

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// mailbox is the part of an environment's shared memory through which steps go
// without a message: the client writes a step's actions and then its number
// there, the server the batch and then that it is ready. Each side tells the
// other whether it is looking; where it is not, a message wakes it: the client
// rings, and the server sends the bell it has instead of a batch. PROTOCOL.md
// has the layout.
//
// The client can write anything here at any time. So the server takes nothing
// from it but a number and actions, of which it makes its own copy before it
// looks at them.
type mailbox struct {
	control []byte
	slots   int
	actions []byte // those of slot k begin at k*stride
	stride  int
	own     []byte // a copy of one slot's

	request request // the step being made
	turn    int     // steps taken from here so far; the next one is in slot turn%slots
	last    uint64  // the number of the last one
}

// What the parts of a mailbox begin at: the words of one side and of one slot
// never share a pair of cache lines with another's.
const (
	serverLooks  = 0   // 1 while the server looks at the slots without being told
	clientSleeps = 128 // how the client waits: see below
	firstSlot    = 256
	slotBytes    = 256
	slotRequest  = 0   // the number of the step whose actions lie in the slot
	slotReply    = 128 // the number of the step that has been answered
	slotBatch    = 136 // which batch the answer is, or onSocket
	slotLength   = 144 // how long its message is
)

// How the client waits for an answer.
const (
	clientLooks   = 0 // in the slot
	clientListens = 1 // at its socket: the bell wakes it
	clientDozes   = 2 // in a futex on the slot's word
)

// onSocket stands for an answer that is no batch, and comes as a message.
const onSocket = math.MaxUint64

// attention is for how long a session looks at its mailboxes after a step,
// before it sleeps. It lets go of the processor between looks if somebody else
// wants it.
const attention = 200 * time.Microsecond

// mailboxes tells whether this machine can have them. What one side writes
// first the other must see first, without either doing anything for it: clients
// are not all written in languages that could.
const mailboxes = runtime.GOARCH == "amd64"

// mailboxBytes is the memory that a mailbox takes.
func mailboxBytes(slots, actions int) int {
	return firstSlot + slots*slotBytes + slots*actionStride(actions)
}

// actionStride is how far the actions of two slots are apart.
func actionStride(actions int) int { return (actions + 127) / 128 * 128 }

// newMailbox makes one in memory that is zero.
func newMailbox(mem []byte, slots, actions int) *mailbox {
	at := firstSlot + slots*slotBytes
	return &mailbox{control: mem[:at], slots: slots, actions: mem[at:], stride: actionStride(actions), own: make([]byte, actions)}
}

// describe tells a client where everything is; base is where the mailbox begins.
func (m *mailbox) describe(base int) entries {
	slots, actions := make([]int, m.slots), make([]int, m.slots)
	for k := range m.slots {
		slots[k] = base + firstSlot + k*slotBytes
		actions[k] = base + len(m.control) + k*m.stride
	}
	return entries{"server_looks", base + serverLooks, "client_sleeps", base + clientSleeps, "slots", slots, "actions", actions}
}

// word is one of the words that both sides use.
func (m *mailbox) word(at int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&m.control[at : at+8][0]))
}

// look tells the client whether the server is looking.
func (m *mailbox) look(now bool) {
	n := uint64(0)
	if now {
		n = 1
	}
	m.word(serverLooks).Store(n)
}

// posted takes the next step out of its slot: its number, and its actions into
// own, which nobody else writes to.
func (m *mailbox) posted() (id uint64, ok bool) {
	slot := m.turn % m.slots
	id = m.word(firstSlot + slot*slotBytes + slotRequest).Load()
	if id <= m.last || id > maxID {
		return 0, false
	}
	copy(m.own, m.actions[slot*m.stride:])
	m.turn++
	m.last = id
	return id, true
}

// answer says that the step last taken is done. It wakes a client that dozes,
// and tells whether it is one that listens.
func (m *mailbox) answer(batch uint64, length int) (listens bool) {
	slot := firstSlot + (m.turn-1)%m.slots*slotBytes
	m.word(slot + slotBatch).Store(batch)
	m.word(slot + slotLength).Store(uint64(length))
	reply := m.word(slot + slotReply)
	reply.Store(m.last)
	how := m.word(clientSleeps).Load()
	if how == clientDozes {
		wake(reply)
	}
	return how == clientListens
}

// next waits for a request. While steps come through mailboxes it makes them,
// and looks there for a while longer before it sleeps.
func (s *session) next() (r *request, more bool) {
	for s.attentive {
		s.attentive = false
		s.look(true)
		queued := false
		s.patience.Look(attention, func() bool {
			select {
			case r, more = <-s.queue:
				queued = true
			default:
				s.attentive = !s.stopped() && s.stepPosted()
			}
			return queued || s.attentive
		})
		if queued || !s.attentive {
			s.look(false)
		}
		if queued {
			return r, more
		}
		s.attentive = s.attentive || s.stepPosted() // before the client could see that nobody looks
	}
	r, more = <-s.queue
	return r, more
}

// look tells all clients' mailboxes whether the server is looking.
func (s *session) look(now bool) {
	for _, e := range s.envs {
		if e.mailbox != nil {
			e.mailbox.look(now)
		}
	}
}

// stepPosted makes the steps that lie in mailboxes and tells whether there were
// any.
func (s *session) stepPosted() (any bool) {
	for _, e := range s.envs {
		if e.mailbox == nil {
			continue
		}
		for {
			id, ok := e.mailbox.posted()
			if !ok {
				break
			}
			s.postedStep(e, id)
			any = true
		}
	}
	return any
}

// postedStep makes one of them and answers it where it came from, and through
// the socket if the client sleeps there or if it is an error.
func (s *session) postedStep(e *environment, id uint64) {
	s.busy.Add(1)
	r := &e.mailbox.request
	*r = request{name: "step", id: id, hasID: true, posted: e}
	rep := s.answer(r, (*session).makePosted)
	f := rep.frame
	if f == nil {
		e.mailbox.answer(onSocket, 0)
		s.out <- rep
		return
	}
	if e.mailbox.answer(uint64(f.number), f.length) {
		s.out <- rep
		return
	}
	f.home <- f
	s.busy.Add(-1)
	s.touch()
}

func (s *session) makePosted(r *request) (reply, error) {
	if err := r.posted.wantRunning(); err != nil {
		return reply{}, err
	}
	return s.stepWith(r.posted, r.id, r.posted.mailbox.own)
}

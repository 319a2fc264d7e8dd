package bridge

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"pommego/env"
	"pommego/vec"
)

// channel is the memory that an environment shares with a client on the same
// machine. Steps go through it in both directions without a message: the client
// writes actions into a slot and lends the server a place for the batch, and each
// side counts what it has handed over in a word on which the other can wait in a
// futex. PROTOCOL.md has the layout and the rules, and channel_model_test.go shows
// that under them no wake-up is lost and that nobody writes what the other side
// looks at. A simulation can go the same way, as a message that lies in the memory,
// and so does its reply. All other requests go through the socket; a batch that answers
// one of them lies in the memory too, in a place of its own, and a short reply says so.
//
// The client can write anything into all of it at any time. So the server takes
// nothing from it but a count, a request's number, that of a place, and actions,
// of which it makes a copy of its own before it checks them.
//
// A channel belongs to its session's worker. One more goroutine waits in the
// futex, and only while the worker has asked it to.
type channel struct {
	mem      []byte
	size     int      // of mem, in bytes
	file     *os.File // nil once the client has mapped it
	client   *words
	server   *words
	actions  []int           // where the actions of each slot begin
	batches  []int           // where each place for a batch begins; the last is for other requests
	games    []int           // with a batch size, where each slot's numbers of games begin
	other    int             // where requests that are posted as messages, and their replies, begin
	messages []*batchMessage // one for each place for steps, made at its first use

	request request // the step being made, or the request being answered
	asked   []byte  // the message of request, if it has one
	own     []byte  // the actions of request
	sent    []byte  // with a batch size, the games that request begins: four bytes each
	place   int64   // where the batch of request goes; below 0: it has none, or its batch goes elsewhere
	turn    uint64  // steps answered so far; the next one is in slot turn % slots

	waiting atomic.Bool   // the listener was asked to wait and has not yet sent stepSignal
	wait    chan uint32   // tells the listener to wait until the count is no longer this; nil before attach
	closing atomic.Bool   // tells the listener to end
	gone    chan struct{} // closed when the listener has ended
}

// words is what one side writes and the other only reads.
type words struct {
	count atomic.Uint32           // how many steps were posted or answered; the other side waits on this word
	waits atomic.Uint32           // not 0: this side waits, or is about to wait, and the other must wake it
	each  [maxSlots]atomic.Uint64 // by slot: the request's number, or the length of its batch
	place [maxSlots]atomic.Uint32 // by slot, written by the client: one more than the place for its batch; see take
}

// asMessage stands in a slot, instead of a place, for a request that lies in the memory
// as a message. Then the slot has the message's length instead of the request's number.
const asMessage = math.MaxUint32

// The memory begins with a key by which the client knows that it has mapped the
// right one. The words of the two sides never share a pair of cache lines.
const (
	sharedPage  = 64 << 10 // the largest page of any processor: each place can be mapped by itself
	wordsEnd    = 4096     // where the actions begin
	keyBytes    = 16
	clientWords = 128
	serverWords = 512
	apart       = 128 // the actions of a slot begin at a multiple of it
	maxSlots    = 16
)

// keptBytes bounds the memory of the places for batches. A client that asks for many
// places gets as many as fit into keptBytes, but at least two more than slots: so its
// caller can look at one batch while the server writes another.
const keptBytes = 256 << 20

// otherBytes is the room for a request that is posted as a message, and for its reply.
const otherBytes = 256 << 10

// newChannel plans memory for some slots and for places for their batches. actions and batch are
// the sizes of a step's actions and of a batch in bytes; each slot has room for the numbers of
// so many games. If the places would take more than keptBytes, there are fewer than asked for.
func newChannel(slots, places, actions, batch, games int) *channel {
	batch = roundUp(batch, sharedPage)
	places = max(slots, min(places, max(slots+2, keptBytes/batch)))
	c := &channel{own: make([]byte, actions), sent: make([]byte, 4*games), place: -1,
		messages: make([]*batchMessage, places)}
	end := wordsEnd
	for range slots {
		c.actions = append(c.actions, end)
		end += roundUp(actions, apart)
		if games > 0 {
			c.games = append(c.games, end)
			end += roundUp(4+4*games, apart)
		}
	}
	end = roundUp(end, sharedPage)
	for range places + 1 {
		c.batches = append(c.batches, end)
		end += batch
	}
	c.other = end
	c.size = end + otherBytes
	return c
}

func (c *channel) open() (err error) {
	if c.file, c.mem, err = mapShared(c.size); err != nil {
		return err
	}
	rand.Read(c.mem[:keyBytes]) // never fails
	c.client = (*words)(unsafe.Pointer(&c.mem[clientWords]))
	c.server = (*words)(unsafe.Pointer(&c.mem[serverWords]))
	c.server.waits.Store(restingWaits)
	return nil
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// shareMemory makes memory that the client can map; the environment then writes its batches into it.
func (s *session) shareMemory(e *environment, slots, places int) error {
	games := 0
	if e.pool.Config().BatchSize > 0 {
		games = e.pool.Games()
	}
	c := newChannel(slots, places, e.pool.Rows()*len(e.pool.Spec().Actions), e.size+e.tail, games)
	each := int64(c.batches[1]-c.batches[0]) + e.besides // the sum, c.size, can overflow on 32 bits
	bytes := int64(c.batches[0]) + int64(len(c.messages)+1)*each + otherBytes
	what := fmt.Sprintf("shared memory for %d batches", len(c.messages)+1)
	if err := s.memory.reserve(bytes, "shared_memory", what); err != nil {
		return err
	}
	e.bytes += bytes
	most := s.server.cfg.maxShared
	err := fmt.Errorf("%d environments of this server share theirs, which is as many as may", most)
	if s.server.sharing.Add(1) <= int64(most) {
		err = c.open()
	}
	if err != nil {
		s.server.sharing.Add(-1)
		return fail(codeBadOption, "shared_memory", "leave it out: batches then come through the socket",
			"memory cannot be shared: %v", err)
	}
	e.channel = c
	other := e.messageAt(len(c.messages), e.messages)
	other.shares = true
	e.messages <- other
	return nil
}

// message is the batch message at the place that the client gave for the step's batch.
func (c *channel) message(e *environment) *batchMessage {
	if c.messages[c.place] == nil {
		c.messages[c.place] = e.messageAt(int(c.place), nil)
	}
	return c.messages[c.place]
}

func (e *environment) messageAt(place int, home chan *batchMessage) *batchMessage {
	mem := e.channel.mem[e.channel.batches[place]:]
	return e.newMessage(home, mem)
}

// describe is what the client needs to map the memory: a path that only processes of
// this machine and of the server's user can open.
func (c *channel) describe() entries {
	about := entries{
		"path", fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), c.file.Fd()),
		"bytes", len(c.mem), "key", append([]byte{}, c.mem[:keyBytes]...), "actions", c.actions, "batches", c.batches,
		"requests", c.other,
	}
	if c.games != nil {
		about = append(about, "games", c.games)
	}
	return about
}

// attach begins to look for steps, once the client has mapped the memory; from then on
// nobody else can map it.
func (s *session) attach(e *environment, id uint64, _ nothing) (reply, error) {
	c := e.channel
	if c == nil {
		return reply{}, fail(codeBadOption, "env", "make it with shared_memory", "environment %d shares no memory", e.handle)
	}
	if c.file != nil {
		c.file.Close() // as in free
		c.file, c.wait, c.gone = nil, make(chan uint32, 1), make(chan struct{})
		go c.listen(s.stepSignal)
	}
	return e.ok(id)
}

// listen waits for steps whenever the worker asks it to. That takes a thread, but only
// as long as nothing happens. Whenever a step is posted while the worker waits, it
// sends to stepSignal, unless that is full.
func (c *channel) listen(stepSignal chan<- struct{}) {
	defer close(c.gone)
	for seen := range c.wait {
		c.server.waits.Store(1)
		fenceClients() // from here on, either the client sees waits, or listen sees its count
		for c.client.count.Load() == seen && !c.closing.Load() {
			futexWait(&c.client.count, seen)
		}
		c.server.waits.Store(restingWaits)
		c.waiting.Store(false)
		select {
		case stepSignal <- struct{}{}:
		default:
		}
	}
}

// awaitStep asks the listener to signal the next step that is posted.
func (c *channel) awaitStep() {
	if c != nil && c.wait != nil && !c.waiting.Swap(true) {
		c.wait <- uint32(c.turn)
	}
}

// posted counts the steps that were posted and not yet made.
func (c *channel) posted() int {
	if c == nil || c.wait == nil {
		return 0
	}
	return int(c.client.count.Load() - uint32(c.turn))
}

// slot is the slot of the next step, or of the one being made.
func (c *channel) slot() int { return int(c.turn % uint64(len(c.actions))) }

// take makes a request of what lies in the next slot: a message, or a step, whose games and actions
// it copies to where the client cannot write. The batch goes to the place that the step
// names, or without one to the slot's own; with a batch size a step without a place begins
// games. n is the number of posted steps. If they make no sense, take returns the reason.
func (c *channel) take(e *environment, n int) (r *request, nonsense string) {
	if n > len(c.actions) {
		return nil, fmt.Sprintf("%d steps posted in %d slots", n, len(c.actions))
	}
	slot := c.slot()
	place, id := c.client.place[slot].Load(), c.client.each[slot].Load()
	c.place, c.request = int64(place)-1, request{name: "step", id: id, hasID: true, posted: e}
	switch {
	case place == asMessage && id > otherBytes: // the message's length
		return nil, fmt.Sprintf("a request of more than %d bytes", otherBytes)
	case place == asMessage:
		c.place, c.asked = -1, append(c.asked[:0], c.mem[c.other:][:id]...)
		c.request = request{buf: c.asked, length: int64(id), simulates: true}
		return &c.request, ""
	case c.place >= int64(len(c.messages)):
		return nil, fmt.Sprintf("a step whose batch goes to place %d of %d", c.place, len(c.messages))
	case c.place < 0 && c.games == nil:
		c.place = int64(slot)
	case c.place < 0:
		list := c.mem[c.games[slot]:]
		n := 4 * uint64(binary.LittleEndian.Uint32(list))
		if n > uint64(cap(c.sent)) {
			return nil, fmt.Sprintf("a step of more than all %d games", cap(c.sent)/4)
		}
		c.request.name, c.sent = "send", append(c.sent[:0], list[4:4+n]...)
	case c.games != nil:
		c.request.name = "recv"
	}
	copy(c.own, c.mem[c.actions[slot]:])
	return &c.request, ""
}

// give writes the reply to a request that came as a message to the place of that
// message. It reports whether the reply fitted.
func (c *channel) give(rep reply) bool {
	if len(rep.msg) > otherBytes {
		return false
	}
	copy(c.mem[c.other:], rep.msg)
	if rep.batch != nil {
		rep.batch.home <- rep.batch
	}
	return true
}

// begins returns the games of the step that take has made a request of. moves returns its actions.
func (c *channel) begins() tensor {
	return tensor{dtype: env.Int32, dims: [maxDims]int{len(c.sent) / 4}, rank: 1, data: c.sent}
}

func (c *channel) moves(pool *vec.Pool) tensor {
	rows, components := pool.Rows(), len(pool.Spec().Actions)
	if c.place < 0 {
		rows = len(c.sent) / 4 * pool.Learners()
	}
	return tensor{dtype: env.Uint8, dims: [maxDims]int{rows, components}, rank: 2, data: c.own[:rows*components]}
}

// answer hands the slot back to the client with the length of its batch's message; 0
// says that the answer comes through the socket.
func (c *channel) answer(length int) {
	c.server.each[c.slot()].Store(uint64(length))
	c.place = -1
	c.turn++
	c.server.count.Store(uint32(c.turn))
	if c.client.waits.Load() != 0 {
		futexWake(&c.server.count)
	}
}

// free ends the listener and unmaps the memory. The client's own mapping stays.
func (c *channel) free() {
	if c.wait != nil {
		c.closing.Store(true)
		close(c.wait)
		for gone := false; !gone; {
			futexWake(&c.client.count)
			select {
			case <-c.gone:
				gone = true
			case <-time.After(time.Millisecond): // the listener may have been about to sleep
			}
		}
	}
	if c.file != nil {
		c.file.Close() // nothing can be done about a file that does not close
	}
	unmapShared(c.mem)
}

// point makes the reply that says how long the message in shared memory is.
func (f *batchMessage) point(id uint64, length int) []byte {
	f.notice = appendHead(f.notice[:0], 4, "shared", id, f.handle)
	f.notice = appendUint64(appendKey(f.notice, "bytes"), uint64(length))
	return f.notice
}

package bridge

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"pommego/env"
	"pommego/vec"
)

// batches is a pool and the messages that its batches lie in. All are laid out alike:
//
//	head | key, header | data of field 0 | key, header | data of field 1 | ... | tail
//
// Package vec keeps Headroom bytes free before each field, and the msgpack
// around the field goes there, once: message and batch are the same memory.
// What changes from step to step is the request's number, whose size is fixed,
// and the tail: the list of finished games and their last observations.
type batches struct {
	pool     *vec.Pool
	messages chan *batchMessage // those that are free

	kind   string // the reply's type
	handle uint32
	fields []vec.Tensor // the fields of the message, without memory
	final  []finalField
	games  int // how many games are in a message

	idAt   int // where the request's number lies
	seedAt int // where the RNG's seed lies, 0 if the reply has none
	size   int // up to the end of the batch's slab, which begins at byte align
	tail   int // the most bytes the tail can take

	besides int64 // the memory that a batch takes besides the message
	bytes   int64 // the memory budget that all take, besides agents
	agents  int64 // the same for the agents of the games
}

// finalField is a field of which the message also has the rows of a finished game's last position.
type finalField struct {
	name  string
	dtype env.DType
	shape []int // scratch
	rows  int   // rows of one game
	bytes int   // bytes of one game's rows
}

// The types of the replies that carry a batch.
const (
	kindBatch     = "batch"
	kindSimulated = "simulated"
)

// headroom is the most space that the msgpack around a field takes.
func headroom(fields []vec.Tensor) int {
	most := 0
	for i := range fields {
		f := &fields[i]
		most = max(most, 2+len(f.Name)+tensorHeaderSize(dtype(f), f.Dims()))
	}
	return most
}

// dtype is the name of a tensor's type in messages.
func dtype(t *vec.Tensor) env.DType { return env.DType(t.Dtype().String()) }

// newBatches lays out the messages of a pool that is not made yet.
func newBatches(kind string, handle uint32, cfg *vec.Config, fields []vec.Tensor, own vec.Memory) *batches {
	l := &batches{kind: kind, handle: handle, fields: fields, games: cfg.BatchGames(), size: align + int(own.Slab),
		besides: own.Batch, agents: own.Agents}
	l.tail = len("finished") + 2 + 2*align + 4*l.games
	if cfg.Autoreset != vec.SameStep {
		return l
	}
	l.tail += len("final") + 4
	for i := range fields {
		f := &fields[i]
		if !strings.HasPrefix(f.Name, "obs.") && !strings.HasPrefix(f.Name, "state.") &&
			!slices.Contains([]string{"action_mask", "alive", "seat", "rules"}, f.Name) {
			continue
		}
		size := int(f.MemSize())
		l.final = append(l.final, finalField{f.Name, dtype(f), f.Shape().Clone(), f.Shape()[0] / l.games, size / l.games})
		l.tail += 2 + len(f.Name) + 3*align + size
	}
	return l
}

// messagesPerPool is how many batches a pool has: one can be on its way to the
// client while the next is written.
const messagesPerPool = 2

// batchMessage is one batch and the message around it, in the same memory.
type batchMessage struct {
	*batches
	mem   []byte
	batch *vec.Batch
	last  [][]byte           // for each of final, the batch's final rows
	home  chan *batchMessage // where the writer puts it once the message is sent; nil in a channel's slot

	shares bool   // the client reads the message in shared memory, and the socket carries only a notice
	notice []byte // the message that is sent instead
}

// newMessage makes a batch message, in memory that has at least size
// and tail bytes and begins at a multiple of align.
func (b *batches) newMessage(home chan *batchMessage, mem []byte) *batchMessage {
	f := &batchMessage{batches: b, mem: mem[: b.size : b.size+b.tail], home: home}
	f.batch = b.pool.NewBatch(f.mem[align:])
	for i := range b.final {
		f.last = append(f.last, f.batch.Bytes("final."+b.final[i].name))
	}
	msg := f.appendStart(f.mem[:0])
	for _, t := range f.batch.Tensors() {
		msg = appendKey(msg, t.Name)
		msg = appendTensorHeader(msg, align+t.Offset, dtype(&t), t.Shape(), len(t.Raw))
		msg = msg[:align+t.Offset+len(t.Raw)]
	}
	return f
}

// appendStart writes what comes before the first tensor.
func (f *batchMessage) appendStart(msg []byte) []byte {
	msg = appendHead(msg, 0, f.kind, 0, f.handle) // message sets the number of entries
	f.idAt = len(msg) - envBytes - 8
	if f.kind == kindSimulated {
		msg = appendKey(msg, "seed")
		f.seedAt = len(msg) + 1
		msg = appendUint64(msg, 0)
	}
	return appendMapHeader(appendKey(msg, "tensors"), len(f.fields))
}

func (f *batchMessage) reply(id uint64) reply {
	msg := f.message(id)
	if f.shares {
		msg = f.point(id, len(msg))
	}
	return reply{msg: msg, batch: f}
}

// message makes the message of what the batch holds, as the reply to request id. It is
// valid until f is used again.
func (f *batchMessage) message(id uint64) []byte {
	binary.BigEndian.PutUint64(f.mem[f.idAt:], id)
	finished := f.batch.Finished()
	entries := byte(5) // type, id, env, tensors, finished
	msg := f.appendFinished(f.mem[:f.size], finished)
	if f.final != nil && len(finished) > 0 {
		msg = f.appendFinal(msg, finished)
		entries++
	}
	msg[0] = msgpcode.FixedMapLow | entries
	return msg
}

// simulated makes the message of a simulation: with the seed of its RNG, and the
// encoded states of the games after its steps.
func (f *batchMessage) simulated(id, seed uint64, states []byte) []byte {
	msg := f.message(id)
	msg[0] += 2 // seed and states
	binary.BigEndian.PutUint64(msg[f.seedAt:], seed)
	msg = appendArrayHeader(appendKey(msg, "states"), f.games)
	return append(msg, states...)
}

func appendState(msg []byte, pool *vec.Pool, game int) ([]byte, error) {
	msg = binary.BigEndian.AppendUint32(append(msg, msgpcode.Bin32), 0)
	from := len(msg)
	msg, err := pool.Save(game, msg)
	if err == nil {
		binary.BigEndian.PutUint32(msg[from-4:], uint32(len(msg)-from))
	}
	return msg, err
}

func (f *batchMessage) appendFinished(msg []byte, finished []int32) []byte {
	msg = appendKey(msg, "finished")
	shape := [1]int{len(finished)}
	msg = appendAligned(msg, "int32", shape[:], 4*len(finished))
	for _, game := range finished {
		msg = binary.LittleEndian.AppendUint32(msg, uint32(game))
	}
	return msg
}

// appendFinal puts the last rows of the finished games in order.
func (f *batchMessage) appendFinal(msg []byte, finished []int32) []byte {
	msg = appendMapHeader(appendKey(msg, "final"), len(f.final))
	for i := range f.final {
		field := &f.final[i]
		field.shape[0] = len(finished) * field.rows
		msg = appendKey(msg, field.name)
		msg = appendAligned(msg, field.dtype, field.shape, len(finished)*field.bytes)
		for _, game := range finished {
			msg = append(msg, f.last[i][f.batch.FinalAt(game)*field.bytes:][:field.bytes]...)
		}
	}
	return msg
}

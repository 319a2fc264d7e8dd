package vec

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/tensor"
)

// Batch is the memory that a pool writes to. It belongs to the pool that made
// it; a pool may have several, so that one is filled while another is read.
type Batch struct {
	pool    *Pool
	slab    []byte
	tensors []Tensor // in the slab
	finals  []Tensor // elsewhere

	now  shown // the present position
	last shown // the final positions, with SameStep

	reward, returns       []float64
	terminated, truncated []uint8
	done, result, winners []uint8
	length                []int32
	counts, stepCounts    []int32 // nil if not configured, or if the game counts nothing
	lineUp                []int32 // nil without Config.LineUps
	late, failed          []int32 // nil without agents outside this program
	void                  []uint8 // the same
	seed, episode         []uint64

	finished []int32
	games    []int32      // the games in the batch, with Config.BatchSize
	index    []int32      // the tensor game.index, the numbers of games
	lasts    atomic.Int32 // final positions written in this step
	lastAt   []int32      // by finished game: the place of its final position
}

// shown is the memory for a position.
type shown struct {
	obs, state        []fieldMemory
	mask, alive, seat []uint8
	rules             []int32 // nil without Config.Variants
}

// fieldMemory is the memory of a field of an observation or a global state.
type fieldMemory struct {
	mem  []byte
	size int // bytes of one game, all its rows
}

// ofGame is the part that belongs to game i.
func (f *fieldMemory) ofGame(i int) []byte { return f.mem[i*f.size : (i+1)*f.size] }

// NewBatch makes a batch in mem, which must have as many bytes as Layout says
// and start at a multiple of 8 (better of 64), or in memory of its own if mem is
// nil. It panics if mem does not fit. The memory is cleared; Reset fills it.
func (p *Pool) NewBatch(mem []byte) *Batch { return p.newBatch(p.layout, p.cfg.BatchGames(), mem) }

func (p *Pool) newBatch(l *layout, games int, mem []byte) *Batch {
	size := l.size
	if mem == nil {
		mem = Aligned(size)
	}
	if len(mem) < size || uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%8 != 0 {
		panic(fmt.Sprintf("vec: NewBatch in %d bytes at %p, want %d bytes at a multiple of 8", len(mem), mem, size))
	}
	b := &Batch{pool: p, slab: mem[:size:size], finished: make([]int32, 0, games), games: make([]int32, 0, games),
		lastAt: make([]int32, games)}
	clear(b.slab)
	b.tensors = over(b.slab, l.tensors)
	b.now = b.shown("")
	if l.finals != nil {
		b.finals = over(Aligned(l.final), l.finals)
		b.last = b.shown("final.")
	}
	b.reward, b.returns = b.Tensor("reward").Float64s(), b.Tensor("game.return").Float64s()
	b.terminated, b.truncated = b.Bytes("terminated"), b.Bytes("truncated")
	b.done, b.result, b.winners = b.Bytes("game.done"), b.Bytes("game.result"), b.Bytes("game.winners")
	b.length, b.counts, b.stepCounts = b.int32s("game.length"), b.int32s("game.counts"), b.int32s("counts")
	b.late, b.failed, b.void = b.int32s("game.late"), b.int32s("game.failed"), b.Bytes("game.void")
	b.lineUp, b.index = b.int32s("game.line_up"), b.int32s("game.index")
	b.seed, b.episode = b.Tensor("game.seed").Uint64s(), b.Tensor("game.episode").Uint64s()
	return b
}

// int32s is the data of the tensor with a name, nil if there is none.
func (b *Batch) int32s(name string) []int32 {
	if t := b.Tensor(name); t != nil {
		return t.Int32s()
	}
	return nil
}

// Aligned makes memory of size bytes that starts at a multiple of 64.
func Aligned(size int) []byte {
	mem := make([]byte, size+align-1)
	at := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) & (align - 1)
	return mem[at : at+size : at+size]
}

func over(mem []byte, layout []Tensor) []Tensor {
	all := slices.Clone(layout)
	for i := range all {
		t := &all[i]
		at := uintptr(unsafe.Pointer(&mem[t.Offset]))
		t.Dense = tensor.New(tensor.WithShape(t.Shape()...), tensor.Of(t.Dtype()), tensor.FromMemory(at, t.MemSize()))
	}
	runtime.KeepAlive(mem) // from here on the tensors keep mem alive
	return all
}

func (b *Batch) shown(prefix string) shown {
	return shown{mask: b.Bytes(prefix + "action_mask"), alive: b.Bytes(prefix + "alive"), seat: b.Bytes(prefix + "seat"),
		rules: b.int32s(prefix + "rules"), obs: b.fields(prefix + "obs."), state: b.fields(prefix + "state.")}
}

// fields lists the fields whose tensors have names with a prefix, in their order.
func (b *Batch) fields(prefix string) (all []fieldMemory) {
	for _, t := range slices.Concat(b.tensors, b.finals) {
		if strings.HasPrefix(t.Name, prefix) {
			all = append(all, fieldMemory{t.Raw, len(t.Raw) / len(b.lastAt)})
		}
	}
	return all
}

// Tensors are all tensors of the batch, in the order of their memory.
// The caller must not change the list.
func (b *Batch) Tensors() []Tensor { return b.tensors }

// Tensor is the tensor of that name, nil if there is none. If the pool resets
// in the same step there are also "final.obs.NAME", "final.state.NAME",
// "final.action_mask", "final.alive", "final.seat" and, with several rules, "final.rules", in memory of their own: the
// last position of the episodes that ended in this step, where FinalAt says.
func (b *Batch) Tensor(name string) *tensor.Dense {
	for _, all := range [...][]Tensor{b.tensors, b.finals} {
		for i := range all {
			if all[i].Name == name {
				return all[i].Dense
			}
		}
	}
	return nil
}

// Bytes is the memory of the tensor of that name, nil if there is none.
func (b *Batch) Bytes(name string) []byte {
	if t := b.Tensor(name); t != nil {
		return t.Raw
	}
	return nil
}

// Finished lists the games whose episode ended in this step, in order: by their
// number, or by their place in Games if the pool has a BatchSize. It is valid until
// the batch is written to again.
func (b *Batch) Finished() []int32 { return b.finished }

// Games lists the games in the batch, in the order of its rows. It is empty if
// the pool has no BatchSize: then the batch has all games. It is valid until the batch
// is written to again.
func (b *Batch) Games() []int32 { return b.games }

// gather copies the rows of these games from a batch of all games, with the final
// positions of those marked in over, and clears their marks.
func (b *Batch) gather(all *Batch, games []int32, over []uint8) {
	b.games, b.finished = append(b.games[:0], games...), b.finished[:0]
	b.lasts.Store(0)
	copy(b.index, games)
	for i := range all.tensors {
		to, from := b.tensors[i].Raw, all.tensors[i].Raw
		size := len(from) / len(all.done)
		for k, g := range games {
			copy(to[k*size:(k+1)*size], from[int(g)*size:])
		}
	}
	for k, g := range games {
		if over[g] == 0 {
			continue
		}
		over[g] = 0
		b.finished = append(b.finished, int32(k))
		at := b.nextFinal(k)
		for i := range all.finals {
			to, from := b.finals[i].Raw, all.finals[i].Raw
			size := len(from) / len(all.done)
			copy(to[at*size:(at+1)*size], from[int(g)*size:])
		}
	}
}

// finish lists the games marked in over, and clears the marks.
func (b *Batch) finish(over []uint8) {
	b.finished = b.finished[:0]
	for from := 0; ; {
		k := bytes.IndexByte(over[from:], 1)
		if k < 0 {
			return
		}
		over[from+k] = 0
		b.finished = append(b.finished, int32(from+k))
		from += k + 1
	}
}

// FinalAt returns the place of a Finished game in the final tensors. Its last position is
// there in the rows that the game of this place has in the other tensors.
func (b *Batch) FinalAt(game int32) int { return int(b.lastAt[game]) }

// nextFinal takes the next free place for the final position of game i. Places are
// taken from the front, so that few final positions always use the same memory.
func (b *Batch) nextFinal(i int) int {
	b.lastAt[i] = b.lasts.Add(1) - 1
	return int(b.lastAt[i])
}

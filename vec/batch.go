package vec

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"gorgonia.org/tensor"
)

// Batch is the memory that a pool writes to. It belongs to the pool that made
// it; a pool may have several, to fill one while another is being read.
type Batch struct {
	pool    *Pool
	slab    []byte
	tensors []Tensor // in the slab
	finals  []Tensor // elsewhere

	now  shown // the position shown
	last shown // the final one, with SameStep

	reward, returns       []float64
	terminated, truncated []uint8
	done, result, winners []uint8
	length                []int32
	seed, episode         []uint64

	ended    []int32 // scratch: each worker's finished games, from its first on
	finished []int32
	lasts    atomic.Int32 // final positions written in this step
	lastAt   []int32      // of each finished game, where its own is
}

// shown is where a position goes.
type shown struct {
	obs               [][]byte
	mask, alive, seat []uint8
}

// NewBatch makes a batch in mem, which must have as many bytes as Layout says
// and start at a multiple of 8 (better of 64), or in memory of its own if mem is
// nil. It panics if mem does not fit. The memory is cleared; Reset fills it.
func (p *Pool) NewBatch(mem []byte) *Batch {
	size := p.layout.size
	if mem == nil {
		mem = aligned(size)
	}
	if len(mem) < size || uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%8 != 0 {
		panic(fmt.Sprintf("vec: NewBatch in %d bytes at %p, want %d bytes at a multiple of 8", len(mem), mem, size))
	}
	b := &Batch{pool: p, slab: mem[:size:size], ended: make([]int32, p.cfg.Games), lastAt: make([]int32, p.cfg.Games)}
	clear(b.slab)
	b.tensors = over(b.slab, p.layout.tensors)
	b.now = b.shown("")
	if p.layout.finals != nil {
		b.finals = over(aligned(p.layout.final), p.layout.finals)
		b.last = b.shown("final.")
	}
	b.reward, b.returns = b.Tensor("reward").Float64s(), b.Tensor("game.return").Float64s()
	b.terminated, b.truncated = b.Bytes("terminated"), b.Bytes("truncated")
	b.done, b.result, b.winners = b.Bytes("game.done"), b.Bytes("game.result"), b.Bytes("game.winners")
	b.length = b.Tensor("game.length").Int32s()
	b.seed, b.episode = b.Tensor("game.seed").Uint64s(), b.Tensor("game.episode").Uint64s()
	return b
}

// aligned is size bytes that start at a multiple of align.
func aligned(size int) []byte {
	mem := make([]byte, size+align-1)
	at := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) & (align - 1)
	return mem[at : at+size : at+size]
}

// over is the tensors of a layout, over memory.
func over(mem []byte, layout []Tensor) []Tensor {
	all := slices.Clone(layout)
	for i := range all {
		t := &all[i]
		at := uintptr(unsafe.Pointer(&mem[t.Offset]))
		t.Dense = tensor.New(tensor.WithShape(t.Shape()...), tensor.Of(t.Dtype()), tensor.FromMemory(at, t.MemSize()))
	}
	runtime.KeepAlive(mem) // from now on the tensors do
	return all
}

// shown collects where a position goes.
func (b *Batch) shown(prefix string) shown {
	s := shown{mask: b.Bytes(prefix + "action_mask"), alive: b.Bytes(prefix + "alive"), seat: b.Bytes(prefix + "seat")}
	for i := range b.pool.fields {
		s.obs = append(s.obs, b.Bytes(prefix+"obs."+b.pool.fields[i].name))
	}
	return s
}

// Tensors are all of the batch, in the order in which they lie in its memory.
// The caller must not change the list.
func (b *Batch) Tensors() []Tensor { return b.tensors }

// Tensor is one of them, nil if there is none of that name. If the pool resets
// in the same step there are also "final.obs.NAME", "final.action_mask",
// "final.alive" and "final.seat", in memory of their own: the last position of
// the episodes that ended in this step, where FinalAt says.
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

// Bytes is a tensor's memory, nil if there is none of that name.
func (b *Batch) Bytes(name string) []byte {
	if t := b.Tensor(name); t != nil {
		return t.Raw
	}
	return nil
}

// Finished lists the games whose episode ended in this step, in order. It is
// valid until the batch is written to again.
func (b *Batch) Finished() []int32 { return b.finished }

// FinalAt is where a Finished game has its final position: the final tensors have
// it where the batch's own have the game of the number returned.
func (b *Batch) FinalAt(game int32) int { return int(b.lastAt[game]) }

// nextFinal is where the final position of game i goes. As few games end in a
// step, those that do use the same memory in every step, from the front on.
func (b *Batch) nextFinal(i int) int {
	b.lastAt[i] = b.lasts.Add(1) - 1
	return int(b.lastAt[i])
}

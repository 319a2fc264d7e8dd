package vec

import (
	"fmt"
	"strings"
	"unsafe"

	"gorgonia.org/tensor"

	"pommego/env"
)

// Batch is the memory that a pool writes to. It belongs to the pool that made
// it; a pool may have several, to fill one while another is being read.
type Batch struct {
	pool  *Pool
	slab  []byte
	views map[string]view

	now  shown // the position shown
	last shown // the final one, with SameStep

	reward, returns       []float64
	terminated, truncated []uint8
	done, result, winners []uint8
	length                []int32
	seed, episode         []uint64

	ended    []int32 // scratch: each worker's finished games, from its first on
	finished []int32
}

// view is one field of a batch.
type view struct {
	bytes  []byte
	tensor *tensor.Dense
}

// shown is where a position goes.
type shown struct {
	obs               [][]byte
	mask, alive, seat []uint8
}

// NewBatch makes a batch in mem, which must have BatchSize bytes and start at a
// multiple of 8 (better of 64), or in memory of its own if mem is nil. It panics
// if mem does not fit. The memory is cleared; Reset fills it.
func (p *Pool) NewBatch(mem []byte) *Batch {
	size := p.layout.size
	if mem == nil {
		mem = aligned(size)
	}
	if len(mem) < size || uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%8 != 0 {
		panic(fmt.Sprintf("vec: NewBatch in %d bytes at %p, want %d bytes at a multiple of 8", len(mem), mem, size))
	}
	b := &Batch{pool: p, slab: mem[:size:size], views: make(map[string]view), ended: make([]int32, p.cfg.Games)}
	clear(b.slab)
	b.view(b.slab, p.layout.fields)
	b.now = b.shown("", len(p.fields))
	if p.layout.finals != nil {
		b.view(aligned(p.layout.final), p.layout.finals)
		b.last = b.shown("final.", len(p.fields))
	}
	b.reward, b.returns = typed[float64](b, "reward"), typed[float64](b, "game.return")
	b.terminated, b.truncated = b.Bytes("terminated"), b.Bytes("truncated")
	b.done, b.result, b.winners = b.Bytes("game.done"), b.Bytes("game.result"), b.Bytes("game.winners")
	b.length = typed[int32](b, "game.length")
	b.seed, b.episode = typed[uint64](b, "game.seed"), typed[uint64](b, "game.episode")
	return b
}

// aligned is size bytes that start at a multiple of align.
func aligned(size int) []byte {
	mem := make([]byte, size+align-1)
	at := -int(uintptr(unsafe.Pointer(unsafe.SliceData(mem)))) & (align - 1)
	return mem[at : at+size : at+size]
}

// view makes the views of some fields.
func (b *Batch) view(mem []byte, fields []Field) {
	for i := range fields {
		f := &fields[i]
		end := f.Offset + f.Size()
		data := mem[f.Offset:end:end]
		b.views[f.Name] = view{data, dense(f, data)}
	}
}

// dense wraps a field as a tensor over the same memory.
func dense(f *Field, data []byte) *tensor.Dense {
	of, backing := tensor.Uint8, any(data)
	switch f.DType {
	case env.Int16:
		of, backing = tensor.Int16, cast[int16](data)
	case env.Int32:
		of, backing = tensor.Int32, cast[int32](data)
	case env.Uint64:
		of, backing = tensor.Uint64, cast[uint64](data)
	case env.Float32:
		of, backing = tensor.Float32, cast[float32](data)
	case env.Float64:
		of, backing = tensor.Float64, cast[float64](data)
	}
	return tensor.New(tensor.WithShape(f.Shape...), tensor.Of(of), tensor.WithBacking(backing))
}

// cast looks at bytes as numbers. Offsets are multiples of 64, so only the
// slab's own start, which NewBatch checks, could be out of line.
func cast[N any](data []byte) []N {
	var n N
	return unsafe.Slice((*N)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(n)))
}

func typed[N any](b *Batch, name string) []N { return cast[N](b.Bytes(name)) }

// shown collects where a position goes.
func (b *Batch) shown(prefix string, fields int) shown {
	s := shown{mask: b.Bytes(prefix + "action_mask"), alive: b.Bytes(prefix + "alive"), seat: b.Bytes(prefix + "seat")}
	for i := range fields {
		s.obs = append(s.obs, b.Bytes(prefix+"obs."+b.pool.fields[i].name))
	}
	return s
}

// Slab is the whole batch.
func (b *Batch) Slab() []byte { return b.slab }

// Bytes is one field's bytes, nil if there is no such field. With SameStep the
// names with "final." before them exist too; those are not part of the slab.
func (b *Batch) Bytes(name string) []byte { return b.views[name].bytes }

// Tensor is one field as a tensor over the same memory, nil if there is no such
// field.
func (b *Batch) Tensor(name string) *tensor.Dense { return b.views[name].tensor }

// Final is what Bytes is, of the last position of the episodes that ended in
// this step: of "obs.NAME", "action_mask", "alive" or "seat". It has a place for
// every row; only those of Finished games mean something. It is nil unless the
// pool resets in the same step.
func (b *Batch) Final(name string) []byte {
	return b.Bytes("final." + strings.TrimPrefix(name, "final."))
}

// Finished lists the games whose episode ended in this step, in order. It is
// valid until the batch is written to again.
func (b *Batch) Finished() []int32 { return b.finished }

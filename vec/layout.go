package vec

import (
	"gorgonia.org/tensor"

	"pommego/env"
)

// align is the alignment of every tensor: a cache line.
const align = 64

// Tensor is one array of a batch: its name, and a tensor over the batch's own
// memory, whose bytes are Raw.
type Tensor struct {
	Name    string
	PerGame bool // whether its first dimension is the games; else it is the rows
	Offset  int  // where it begins in the batch's memory
	*tensor.Dense
}

// dtypes has the tensor package's types for the types that games use.
var dtypes = map[env.DType]tensor.Dtype{
	env.Uint8: tensor.Uint8, env.Int16: tensor.Int16, env.Int32: tensor.Int32, env.Uint64: tensor.Uint64,
	env.Float32: tensor.Float32, env.Float64: tensor.Float64,
}

// nowhere is the engine of tensors without memory.
type nowhere struct{ tensor.StdEng }

func (nowhere) NonStdAlloc() {}

func (nowhere) AllocAccessible() bool { return false }

func (nowhere) Alloc(size int64) (tensor.Memory, error) { return noMemory(size), nil }

type noMemory uintptr

func (noMemory) Uintptr() uintptr { return 0 }

func (m noMemory) MemSize() uintptr { return uintptr(m) }

// layout describes the tensors of a batch, without memory.
type layout struct {
	tensors []Tensor
	size    int      // the size of their memory in bytes
	finals  []Tensor // the tensors of final positions, which have memory of their own; nil unless SameStep
	final   int      // the size of that memory in bytes
}

func newLayout(p *plan) *layout {
	slab := builder{plan: p, headroom: p.cfg.Headroom}
	slab.position()
	slab.flags()
	l := &layout{tensors: slab.tensors, size: slab.end}
	if p.cfg.Autoreset == SameStep {
		last := builder{plan: p, prefix: "final."}
		last.position()
		l.finals, l.final = last.tensors, last.end
	}
	return l
}

// builder lays tensors out one after another.
type builder struct {
	*plan
	prefix   string // the prefix of their names
	headroom int    // the free bytes before each
	tensors  []Tensor
	end      int
}

// rows adds a tensor whose first dimension is the rows, games one whose first dimension is the games.
func (b *builder) rows(name string, dtype env.DType, shape ...int) {
	b.add(name, false, dtype, append([]int{b.cfg.BatchGames() * b.seating.learners}, shape...))
}

func (b *builder) games(name string, dtype env.DType, shape ...int) {
	b.add(name, true, dtype, append([]int{b.cfg.BatchGames()}, shape...))
}

func (b *builder) add(name string, perGame bool, dtype env.DType, shape []int) {
	t := Tensor{Name: b.prefix + name, PerGame: perGame, Offset: (b.end + b.headroom + align - 1) / align * align}
	t.Dense = tensor.New(tensor.WithShape(shape...), tensor.Of(dtypes[dtype]), tensor.WithEngine(nowhere{}))
	b.tensors, b.end = append(b.tensors, t), t.Offset+int(t.MemSize())
}

// position adds the tensors of a position. They exist a second time for final
// positions.
func (b *builder) position() {
	for _, f := range b.spec.Encodings[b.encoding].Fields {
		if f.Shared {
			b.games("obs."+f.Name, f.DType, f.Shape...)
		} else {
			b.rows("obs."+f.Name, f.DType, f.Shape...)
		}
	}
	if b.cfg.State {
		for _, f := range b.spec.State {
			b.games("state."+f.Name, f.DType, f.Shape...)
		}
	}
	b.rows("action_mask", env.Uint8, b.spec.MaskSize())
	b.rows("alive", env.Uint8)
	b.rows("seat", env.Uint8)
	if len(b.cfg.Variants.Games) > 1 {
		b.rows("rules", env.Int32)
	}
}

// flags adds the other tensors of a step.
func (b *builder) flags() {
	b.rows("reward", env.Float64)
	b.rows("terminated", env.Uint8)
	b.rows("truncated", env.Uint8)
	b.games("game.done", env.Uint8)
	b.rows("game.return", env.Float64)
	if b.counts > 0 && b.cfg.StepCounts {
		b.rows("counts", env.Int32, b.counts)
	}
	if b.counts > 0 && b.cfg.Counts {
		b.rows("game.counts", env.Int32, b.counts)
	}
	b.games("game.length", env.Int32)
	b.rows("game.result", env.Uint8)
	b.games("game.winners", env.Uint8, b.spec.Seats)
	if b.outside {
		b.games("game.late", env.Int32)
		b.games("game.failed", env.Int32)
		b.games("game.void", env.Uint8)
	}
	b.games("game.seed", env.Uint64)
	b.games("game.episode", env.Uint64)
	if len(b.cfg.LineUps.Names) > 0 || len(b.seating.policies) > 0 {
		b.games("game.line_up", env.Int32)
	}
	if b.cfg.BatchSize > 0 {
		b.games("game.index", env.Int32)
	}
}

// Layout returns the tensors, without memory, of the batches of a pool with this
// configuration, and the memory that the pool takes. It makes no pool.
func Layout(c Config) ([]Tensor, Memory, error) {
	p, err := resolve(c)
	if err != nil {
		return nil, Memory{}, err
	}
	l := newLayout(p)
	return l.tensors, p.memory(l), nil
}

package vec

import (
	"pommego/env"
)

// align is what every field's offset is a multiple of: a cache line.
const align = 64

// Field is one array of a batch.
type Field struct {
	Name    string
	DType   env.DType
	Shape   []int // the leading dimension is rows, or games
	PerGame bool
	Offset  int // in the batch's slab
}

// Size is the field's length in bytes.
func (f *Field) Size() int {
	n := f.DType.Bytes()
	for _, d := range f.Shape {
		n *= d
	}
	return n
}

// layout is where everything lies in a batch.
type layout struct {
	fields []Field
	size   int
	finals []Field // of the final buffers, which are no part of the slab; nil unless SameStep
	final  int     // their size
}

func newLayout(p *plan) *layout {
	l := new(layout)
	shown := shownFields(p)
	all := append(shown, flagFields(p)...)
	l.fields, l.size = place(all, p.cfg.Headroom)
	if p.cfg.Autoreset == SameStep {
		finals := shownFields(p)
		for i := range finals {
			finals[i].Name = "final." + finals[i].Name
		}
		l.finals, l.final = place(finals, 0)
	}
	return l
}

// shownFields are what a position shows: the fields that exist a second time
// where final observations do.
func shownFields(p *plan) []Field {
	rows := p.cfg.Games * p.seating.learners
	var all []Field
	for _, f := range p.spec.Encodings[p.encoding].Fields {
		lead := rows
		if f.Shared {
			lead = p.cfg.Games
		}
		all = append(all, Field{Name: "obs." + f.Name, DType: f.DType, Shape: append([]int{lead}, f.Shape...), PerGame: f.Shared})
	}
	return append(all,
		Field{Name: "action_mask", DType: env.Uint8, Shape: []int{rows, p.spec.MaskSize()}},
		Field{Name: "alive", DType: env.Uint8, Shape: []int{rows}},
		Field{Name: "seat", DType: env.Uint8, Shape: []int{rows}},
	)
}

// flagFields are what a step says besides.
func flagFields(p *plan) []Field {
	rows, games := p.cfg.Games*p.seating.learners, p.cfg.Games
	return []Field{
		{Name: "reward", DType: env.Float64, Shape: []int{rows}},
		{Name: "terminated", DType: env.Uint8, Shape: []int{rows}},
		{Name: "truncated", DType: env.Uint8, Shape: []int{rows}},
		{Name: "game.done", DType: env.Uint8, Shape: []int{games}, PerGame: true},
		{Name: "game.return", DType: env.Float64, Shape: []int{rows}},
		{Name: "game.length", DType: env.Int32, Shape: []int{games}, PerGame: true},
		{Name: "game.result", DType: env.Uint8, Shape: []int{games}, PerGame: true},
		{Name: "game.winners", DType: env.Uint8, Shape: []int{games, p.spec.Seats}, PerGame: true},
		{Name: "game.seed", DType: env.Uint64, Shape: []int{games}, PerGame: true},
		{Name: "game.episode", DType: env.Uint64, Shape: []int{games}, PerGame: true},
	}
}

// place gives each field its offset, with headroom free bytes before it.
func place(fields []Field, headroom int) ([]Field, int) {
	end := 0
	for i := range fields {
		fields[i].Offset = (end + headroom + align - 1) / align * align
		end = fields[i].Offset + fields[i].Size()
	}
	return fields, end
}

// Layout is the layout of the batches of a pool with this configuration, and
// the size of one, without making the pool.
func Layout(c Config) ([]Field, int, error) {
	p, err := resolve(c)
	if err != nil {
		return nil, 0, err
	}
	l := newLayout(p)
	return l.fields, l.size, nil
}

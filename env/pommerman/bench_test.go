package pommerman

import (
	"testing"

	"pommego/env"
)

// BenchmarkRandom is whole games of random moves, a fresh board each.
func BenchmarkRandom(b *testing.B) {
	g := mustGame(b, Playground(FFA))
	r := g.Rules()
	var s State
	rng := env.RNG{}
	seed := env.Seed{}
	g.Deal(&s, seed)
	actions := make([]uint8, 4)
	b.ReportAllocs()
	for b.Loop() {
		if r.Status(&s).Over {
			seed.Episode++
			g.Deal(&s, seed)
		}
		x := rng.Uint64()
		for i := range actions {
			actions[i] = uint8(x & 0xffff * 6 >> 16)
			x >>= 16
		}
		r.Step(&s, actions)
	}
}

func BenchmarkDeal(b *testing.B) {
	g := mustGame(b, Playground(FFA))
	var s State
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		g.Deal(&s, env.Seed{Episode: i})
	}
}

// BenchmarkObserve is all four seats' observations of a fogged team game.
func BenchmarkObserve(b *testing.B) {
	g := mustGame(b, Playground(Team).Fogged(4))
	m := g.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	for range 30 {
		m.Step([]uint8{0, 0, 0, 0})
	}
	for e, enc := range g.Spec().Encodings {
		b.Run(enc.Name, func(b *testing.B) {
			var dst [][]byte
			for i := range enc.Fields {
				dst = append(dst, make([]byte, 4*enc.Fields[i].Size()))
			}
			b.ReportAllocs()
			for b.Loop() {
				m.Observe(e, []uint8{0, 1, 2, 3}, dst)
			}
		})
	}
}

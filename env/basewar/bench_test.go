package basewar

import (
	"testing"

	"pommego/env"
)

// BenchmarkRandom is whole games of random moves, a fresh map each.
func BenchmarkRandom(b *testing.B) {
	g := mustGame(b, Standard())
	r := g.Rules()
	var s State
	rng := env.RNG{}
	seed := env.Seed{}
	g.Deal(&s, seed)
	actions := make([]uint8, NumBombers)
	b.ReportAllocs()
	for b.Loop() {
		if r.Over(&s) {
			seed.Episode++
			g.Deal(&s, seed)
		}
		x := rng.Uint64()
		for i := range actions {
			actions[i] = uint8(x & 0x3ff * 6 >> 10)
			x >>= 10
		}
		g.Step(&s, actions)
	}
}

func BenchmarkDeal(b *testing.B) {
	g := mustGame(b, Standard())
	var s State
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		g.Deal(&s, env.Seed{Episode: i})
	}
}

// BenchmarkObserve is all six seats' observations.
func BenchmarkObserve(b *testing.B) {
	g := mustGame(b, Standard())
	m := g.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	for range 20 {
		m.Step([]uint8{5, 1, 5, 2, 5, 3})
	}
	for e, enc := range g.Spec().Encodings {
		b.Run(enc.Name, func(b *testing.B) {
			var dst [][]byte
			for i := range enc.Fields {
				dst = append(dst, make([]byte, NumBombers*enc.Fields[i].Size()))
			}
			b.ReportAllocs()
			for b.Loop() {
				m.Observe(e, []uint8{0, 1, 2, 3, 4, 5}, dst)
			}
		})
	}
}

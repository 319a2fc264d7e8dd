package suitebot

import (
	"fmt"
	"testing"

	"pommego/env"
)

// walk is states of random games, and a way to play on.
func walk(p *Game, n int) []State {
	states := make([]State, n)
	actions := make([]uint8, p.rules.Players)
	for i := range states {
		seed := env.Seed{Value: uint64(i)}
		p.Deal(&states[i], seed)
		rng := seed.RNG(env.StreamPolicy)
		for range i % p.rules.Rounds {
			randomActions(&rng, actions)
			p.Step(&states[i], actions)
		}
	}
	return states
}

// BenchmarkStep is the rules alone, random actions.
func BenchmarkStep(b *testing.B) {
	for _, players := range []int{2, 4, 8} {
		b.Run(fmt.Sprint(players), func(b *testing.B) {
			r := Standard()
			r.Players = players
			p := mustGame(b, r)
			states := walk(p, 64)
			rng := env.RNG{State: 1}
			moves := make([]uint8, players*1024)
			randomActions(&rng, moves)
			seed := env.Seed{}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s := &states[i%64]
				if p.Over(s) {
					seed.Episode++
					p.Deal(s, seed)
				}
				at := i % 1024 * players
				p.Step(s, moves[at:at+players])
			}
		})
	}
}

// BenchmarkObserve is observing a game for all four seats.
func BenchmarkObserve(b *testing.B) {
	g := mustGame(b, Standard())
	m := g.New(1)[0].(*Match)
	states := walk(g, 64)
	for e, encoding := range g.Spec().Encodings {
		b.Run(encoding.Name, func(b *testing.B) {
			var dst [][]byte
			for i := range encoding.Fields {
				dst = append(dst, make([]byte, 4*encoding.Fields[i].Size()))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.State = states[i%64]
				m.Observe(e, []uint8{0, 1, 2, 3}, dst)
			}
		})
	}
}

// BenchmarkDeal is a new game.
func BenchmarkDeal(b *testing.B) {
	p := mustGame(b, Standard())
	var s State
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Deal(&s, env.Seed{Episode: uint64(i)})
	}
}

package java

import "pommego/env"

// Generator is where chance comes from: an agent's own RNG in play, Java's generator
// where recorded decisions are made again.
type Generator interface {
	IntN(n int) int   // from 0 to n-1
	Float64() float64 // from 0 up to 1
	Float32() float32 // from 0 up to 1
	Discard(n int)    // what the original draws n times for nothing
}

// ownRNG is an agent's own RNG.
type ownRNG struct{ env.RNG }

func (r *ownRNG) Float32() float32 { return float32(r.Uint64()>>40) / (1 << 24) }

func (r *ownRNG) Discard(int) {}

// epsilon is what the original breaks ties by, and keeps from dividing by 0 with.
const epsilon = 1e-6

// noisy is a value with a little noise, so that ties are broken at random. Products
// are rounded before sums, so that no machine fuses them.
func noisy(value float64, rng Generator) float64 {
	return (value + epsilon) * (1 + float64(epsilon*(rng.Float64()-0.5)))
}

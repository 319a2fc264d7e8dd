package main

import (
	"encoding/json"
	"fmt"
)

// javaRandom is the generator of java.util.Random, a linear congruential generator of
// 48 bits. It repeats what was drawn there.
type javaRandom struct{ state uint64 }

const (
	javaFactor = 0x5DEECE66D
	javaMask   = 1<<48 - 1
)

// newJavaRandom makes a generator with a seed.
func newJavaRandom(seed int64) *javaRandom {
	return &javaRandom{(uint64(seed) ^ javaFactor) & javaMask}
}

// javaSeed returns the seed that a recorded game names.
func javaSeed(text json.RawMessage) (seed int64, err error) {
	if err = json.Unmarshal(text, &seed); err != nil {
		err = fmt.Errorf("seed: %w", err)
	}
	return seed, err
}

// bits returns the next number of up to 32 bits.
func (r *javaRandom) bits(n int) int32 {
	r.state = (r.state*javaFactor + 11) & javaMask
	return int32(r.state >> (48 - n))
}

// IntN returns a number from 0 to n-1.
func (r *javaRandom) IntN(n int) int {
	for {
		u := r.bits(31)
		v := int(u) % n
		if n&(n-1) == 0 {
			return int(int64(n) * int64(u) >> 31)
		}
		if int64(u)-int64(v)+int64(n) <= 1<<31 {
			return v
		}
	}
}

// Float64 is a number from 0 up to 1.
func (r *javaRandom) Float64() float64 {
	high := int64(r.bits(26)) << 27
	return float64(high+int64(r.bits(27))) / (1 << 53)
}

// Float32 is a number from 0 up to 1.
func (r *javaRandom) Float32() float32 { return float32(r.bits(24)) / (1 << 24) }

// Discard draws n numbers for nothing, as the original does in its heuristics.
func (r *javaRandom) Discard(n int) {
	for range n {
		r.Float32()
	}
}

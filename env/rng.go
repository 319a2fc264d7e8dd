package env

import "math/bits"

// SeedVersion is the version of how a Seed becomes RNGs. It increases whenever the same
// seed gives another game than before; the changelog then says so.
const SeedVersion = 1

// Seed decides all random draws in one episode of one game. It consists of the value
// that the user gave the game, and the number of episodes begun since then (0 for the
// first).
//
// Version 1: the RNG of stream s is SplitMix64 started at
//
//	mix(mix(mix(Value) + Episode) + s)
//
// where mix is SplitMix64's output function applied to its argument plus the
// golden gamma. The streams are those of the Stream constants; the agent in
// seat k has stream StreamAgents + k.
type Seed struct {
	Value   uint64 `json:"seed"`
	Episode uint64 `json:"episode"`
}

// The streams of a seed: each part of a game draws from its own, so that no part affects another.
const (
	StreamBoard  = 0 // the starting position
	StreamGame   = 1 // draws inside the rules, such as a skull's effect
	StreamSeats  = 2 // the seat of a learner
	StreamPolicy = 3 // random actions of a driver, such as the benchmark's
	// 4 is no longer used: it gave seeds to games that were played again after a tie.
	StreamLineUps = 5  // the line-up of opponents
	StreamStarts  = 6  // the saved position in which an episode begins
	StreamRules   = 7  // the rules of an episode
	StreamAgents  = 16 // 16+k: the built-in agent in seat k
)

// RNG returns the RNG of one stream.
func (s Seed) RNG(stream uint64) RNG {
	return RNG{mix(mix(mix(s.Value)+s.Episode) + stream)}
}

// RNG is a random number generator: SplitMix64, eight bytes of state, so that
// a game's state stays small and comparable. The zero value is usable.
type RNG struct{ State uint64 }

const gamma = 0x9e3779b97f4a7c15

func mix(x uint64) uint64 {
	x += gamma
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Uint64 draws 64 random bits.
func (d *RNG) Uint64() uint64 {
	x := mix(d.State)
	d.State += gamma
	return x
}

// IntN draws a number in [0, n). The numbers' probabilities differ by less than n in
// 2^64. It panics if n is not positive.
func (d *RNG) IntN(n int) int {
	if n <= 0 {
		panic("env: IntN of a number that is not positive")
	}
	hi, _ := bits.Mul64(d.Uint64(), uint64(n))
	return int(hi)
}

// Float64 draws a number in [0, 1), a multiple of 2^-53.
func (d *RNG) Float64() float64 { return float64(d.Uint64()>>11) / (1 << 53) }

// Coin draws true half the time.
func (d *RNG) Coin() bool { return d.Uint64()>>63 != 0 }

package simple

import "pommego/env"

// draws is the chance in a decision: coins, and at the very end perhaps one
// choice. It comes from an RNG, or from a script that prescribes it.
type draws struct {
	rng    env.RNG
	coins  uint64 // drawn in one go, used up from the lowest bit
	left   uint8  // how many of them
	script Script // nil: the RNG
}

// Script prescribes draws, to replay a recorded decision or to go through all
// that could have been.
type Script interface {
	Coin() bool
	Choice(n int) int // from 0 to n-1
	// Whole reports whether the search tosses every coin that the reference tosses,
	// also coins that do not change the decision.
	Whole() bool
}

// begin starts a decision: coins left over from the last one are dropped,
// so that the RNG is all there is to save.
func (d *draws) begin() { d.left = 0 }

// whole reports whether coins that do not change the decision are tossed too.
func (d *draws) whole() bool { return d.script != nil && d.script.Whole() }

// coin is true half the time.
func (d *draws) coin() bool {
	if d.script != nil {
		return d.script.Coin()
	}
	if d.left == 0 {
		d.coins, d.left = d.rng.Uint64(), 64
	}
	c := d.coins&1 != 0
	d.coins >>= 1
	d.left--
	return c
}

// choice is a number in [0, n), each equally likely.
func (d *draws) choice(n int) int {
	if d.script != nil {
		return d.script.Choice(n)
	}
	return d.rng.IntN(n)
}

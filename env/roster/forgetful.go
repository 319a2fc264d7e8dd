package roster

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
)

// Forgetful is what an agent has that remembers nothing but its RNG, to be
// embedded.
type Forgetful struct{ RNG env.RNG }

// Reset gives the agent an RNG for the episode.
func (a *Forgetful) Reset(rng env.RNG) { a.RNG = rng }

// Reseed replaces the RNG.
func (a *Forgetful) Reseed(rng env.RNG) { a.RNG = rng }

// Append appends the RNG to dst.
func (a *Forgetful) Append(dst []byte) []byte {
	return binary.LittleEndian.AppendUint64(dst, a.RNG.State)
}

// Restore sets the RNG from what Append wrote.
func (a *Forgetful) Restore(state []byte) error {
	if len(state) != 8 {
		return fmt.Errorf("state of an agent without memory has %d bytes, want the 8 of its RNG", len(state))
	}
	a.RNG.State = binary.LittleEndian.Uint64(state)
	return nil
}

// Mindless is what an agent has that has nothing to remember at all.
type Mindless struct{}

// Reset does nothing.
func (Mindless) Reset(env.RNG) {}

// Reseed does nothing.
func (Mindless) Reseed(env.RNG) {}

// Append appends nothing.
func (Mindless) Append(dst []byte) []byte { return dst }

// Restore accepts nothing but the nothing that Append wrote.
func (Mindless) Restore(state []byte) error {
	if len(state) != 0 {
		return fmt.Errorf("state of an agent without an RNG has %d bytes, want none", len(state))
	}
	return nil
}

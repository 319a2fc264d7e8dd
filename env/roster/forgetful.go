package roster

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
)

// Forgetful is what an agent has that remembers nothing but its dice, to be
// embedded.
type Forgetful struct{ Dice env.Dice }

// Reset gives the agent dice for the episode.
func (a *Forgetful) Reset(dice env.Dice) { a.Dice = dice }

// Reseed replaces the dice.
func (a *Forgetful) Reseed(dice env.Dice) { a.Dice = dice }

// Append appends the dice to dst.
func (a *Forgetful) Append(dst []byte) []byte {
	return binary.LittleEndian.AppendUint64(dst, a.Dice.State)
}

// Restore sets the dice from what Append wrote.
func (a *Forgetful) Restore(state []byte) error {
	if len(state) != 8 {
		return fmt.Errorf("state of an agent without memory has %d bytes, want the 8 of its dice", len(state))
	}
	a.Dice.State = binary.LittleEndian.Uint64(state)
	return nil
}

// Mindless is what an agent has that has nothing to remember at all.
type Mindless struct{}

// Reset does nothing.
func (Mindless) Reset(env.Dice) {}

// Reseed does nothing.
func (Mindless) Reseed(env.Dice) {}

// Append appends nothing.
func (Mindless) Append(dst []byte) []byte { return dst }

// Restore accepts nothing but the nothing that Append wrote.
func (Mindless) Restore(state []byte) error {
	if len(state) != 0 {
		return fmt.Errorf("state of an agent without dice has %d bytes, want none", len(state))
	}
	return nil
}

package bots

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
	"pommego/env/basewar"
)

// static does nothing.
type static struct{}

func (static) Reset(env.Dice) {}

func (static) Reseed(env.Dice) {}

func (static) Act(_ *basewar.View, action []uint8) { clear(action) }

func (static) Append(dst []byte) []byte { return dst }

func (static) Restore(state []byte) error {
	if len(state) != 0 {
		return fmt.Errorf("bots: state of static has %d bytes, want none", len(state))
	}
	return nil
}

// forgetful is what an agent has that remembers nothing but its dice.
type forgetful struct{ dice env.Dice }

func (a *forgetful) Reset(dice env.Dice) { a.dice = dice }

func (a *forgetful) Reseed(dice env.Dice) { a.dice = dice }

func (a *forgetful) Append(dst []byte) []byte {
	return binary.LittleEndian.AppendUint64(dst, a.dice.State)
}

func (a *forgetful) Restore(state []byte) error {
	if len(state) != 8 {
		return fmt.Errorf("bots: state of an agent without memory has %d bytes, want the 8 of its dice", len(state))
	}
	a.dice.State = binary.LittleEndian.Uint64(state)
	return nil
}

// random draws each action from all six.
type random struct{ forgetful }

func (a *random) Act(_ *basewar.View, action []uint8) {
	for i := range action {
		action[i] = uint8(a.dice.IntN(int(basewar.LayBomb) + 1))
	}
}

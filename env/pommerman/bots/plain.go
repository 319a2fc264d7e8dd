package bots

import (
	"encoding/binary"
	"fmt"

	"pommego/env"
	"pommego/env/pommerman"
)

// static always stops and says nothing.
type static struct{}

func (static) Reset(env.Dice) {}

func (static) Reseed(env.Dice) {}

func (static) Act(_ *pommerman.View, action []uint8) { clear(action) }

func (static) Append(dst []byte) []byte { return dst }

func (static) Restore(state []byte) error {
	if len(state) != 0 {
		return fmt.Errorf("bots: state of static has %d bytes, want none", len(state))
	}
	return nil
}

// random draws the move from all six, and each word of a radio message from
// all words and none.
type random struct{ dice env.Dice }

func (a *random) Reset(dice env.Dice) { a.dice = dice }

func (a *random) Reseed(dice env.Dice) { a.dice = dice }

func (a *random) Act(v *pommerman.View, action []uint8) {
	action[0] = uint8(a.dice.IntN(int(pommerman.LayBomb) + 1))
	for i := range action[1:] {
		action[1+i] = uint8(a.dice.IntN(v.Rules.RadioVocab + 1))
	}
}

func (a *random) Append(dst []byte) []byte {
	return binary.LittleEndian.AppendUint64(dst, a.dice.State)
}

func (a *random) Restore(state []byte) error {
	if len(state) != 8 {
		return fmt.Errorf("bots: state of random has %d bytes, want 8", len(state))
	}
	a.dice.State = binary.LittleEndian.Uint64(state)
	return nil
}

package bots

import (
	"pommego/env/pommerman"
	"pommego/env/roster"
)

// static always stops and says nothing.
type static struct{ roster.Mindless }

func (static) Act(_ *pommerman.View, action []uint8) { clear(action) }

// random draws the move from all six, and each word of a radio message from
// all words and none.
type random struct{ roster.Forgetful }

func (a *random) Act(v *pommerman.View, action []uint8) {
	action[0] = uint8(a.RNG.IntN(int(pommerman.LayBomb) + 1))
	for i := range action[1:] {
		action[1+i] = uint8(a.RNG.IntN(v.Rules.RadioVocab + 1))
	}
}

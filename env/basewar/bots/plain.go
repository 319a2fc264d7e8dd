package bots

import (
	"pommego/env/basewar"
	"pommego/env/roster"
)

// static does nothing.
type static struct{ roster.Mindless }

func (static) Act(_ *basewar.View, action []uint8) { clear(action) }

// random draws each action from all six.
type random struct{ roster.Forgetful }

func (a *random) Act(_ *basewar.View, action []uint8) {
	for i := range action {
		action[i] = uint8(a.RNG.IntN(int(basewar.NumActions)))
	}
}

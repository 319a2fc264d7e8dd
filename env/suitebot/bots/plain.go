package bots

import (
	"pommego/env/roster"
	"pommego/env/suitebot"
)

// static always holds.
type static struct{ roster.Mindless }

func (static) Act(_ *suitebot.View, action []uint8) { action[0] = uint8(suitebot.Hold) }

// random draws its action from all six.
type random struct{ roster.Forgetful }

func (a *random) Act(_ *suitebot.View, action []uint8) {
	action[0] = uint8(a.RNG.IntN(int(suitebot.PlantBomb) + 1))
}

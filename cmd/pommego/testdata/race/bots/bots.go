// Package bots holds the runners of the race.
package bots

import (
	"pommego/env/race"
	"pommego/env/seat"
)

// Roster lists every built-in agent, the simplest first.
var Roster = seat.Roster[race.View]{
	seat.Static[race.View](),
	seat.Random(func(*race.View, int) int { return 3 }),
	seat.Plain("simple", func() seat.Bot[race.View] { return new(simple) }),
}

// simple walks as long as it is ahead, else runs.
type simple struct{ seat.Forgetful }

func (simple) Act(v *race.View, action []uint8) {
	action[0] = 2
	if v.Own > v.Other {
		action[0] = 1
	}
}

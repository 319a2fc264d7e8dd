package dataset

import (
	"fmt"
	"slices"

	"pommego/arena/ledger"
)

// Episode is one game of a data set. Lists are by seat.
type Episode struct {
	ledger.Played
	ledger.Ending // nil lists before a replay

	Dealt  bool    `json:"-"`      // the seed dealt the start; else the seed has no meaning
	Missed []int32 `json:"missed"` // how many moves stop replaced, because they were late, invalid or not asked for
}

// fits says why the episode cannot belong to a game with this many bytes of actions per step.
func (e *Episode) fits(step int) error {
	if slices.ContainsFunc(e.Lived, func(n int32) bool { return n < 0 || int(n) > e.Steps }) {
		return fmt.Errorf("its seats were in for %[2]d steps, want 0 to %[1]d, its number of steps", e.Steps, e.Lived)
	}
	return e.Fits(step)
}

func toByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

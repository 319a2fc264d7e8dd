package pommerman

import (
	"fmt"
	"strings"

	"pommego/env"
)

// Collapsing is the game on a board that collapses from the step on at which the
// reference's does, 500 of 800, or the same share of another limit. It is the game itself if
// its board does, or is over too soon for rings to fall, and else known as "custom:" and the
// game's id.
func (g *Game) Collapsing() env.Game {
	rules := g.rules.Collapsing(g.rules.MaxSteps * 5 / 8)
	if g.rules.FirstCollapse != NoCollapse || rules.CollapseStep() == 0 {
		return g
	}
	id := "custom:" + strings.TrimPrefix(g.Spec().ID, "custom:")
	twin, err := New(id, g.Spec().Description+", collapsing", rules, g.Bots())
	if err != nil {
		panic(fmt.Sprintf("pommerman: the rules of %s hold, but not on a collapsing board: %v", g.Spec().ID, err))
	}
	return twin
}

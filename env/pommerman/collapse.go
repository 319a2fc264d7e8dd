package pommerman

import (
	"fmt"
	"strings"

	"pommego/env"
)

// collapseFrom is the step at which the board of a game that is played again after
// a tie begins to collapse: the reference's 500 of 800 steps, or the same share of
// another limit.
func (r *Rules) collapseFrom() int { return r.MaxSteps * 5 / 8 }

// Collapsing is the game on a board that collapses, or the game itself if its
// board does, or is over too soon for rings to fall. It is known as "custom:"
// and the game's id.
func (g *Game) Collapsing() env.Game {
	rules := g.rules.Collapsing(g.rules.collapseFrom())
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

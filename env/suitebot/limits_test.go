package suitebot

import (
	"testing"

	"pommego/env/envtest"
)

// A state has places for what the limits in the tags of Rules allow, and for no more.
func TestLimitsFitTheState(t *testing.T) {
	envtest.CheckLimits(t, Standard(), map[string]func(*Rules){
		"width":        func(r *Rules) { r.Width = MaxSide + 1 },
		"height":       func(r *Rules) { r.Height = MaxSide + 1 },
		"players":      func(r *Rules) { r.Players = MaxPlayers + 1 },
		"bomb_delay":   func(r *Rules) { r.BombDelay = MaxDelay + 1 },
		"blast_radius": func(r *Rules) { r.BlastRadius = MaxSide/2 + 1 },
		"view_radius":  func(r *Rules) { r.ViewRadius = MaxSide + 1 },
	})
}

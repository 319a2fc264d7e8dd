package pommerman

import (
	"testing"

	"pommego/env/envtest"
	"pommego/env/grid"
)

// A state has places for what the limits in the tags of Rules allow, and for no more.
func TestLimitsFitTheState(t *testing.T) {
	envtest.CheckLimits(t, Playground(FFA), map[string]func(*Rules){
		"board_size":           func(r *Rules) { r.BoardSize = grid.MaxSide + 1 },
		"max_ammo":             func(r *Rules) { r.MaxAmmo = MaxBombs + 1 },
		"flame_life":           func(r *Rules) { r.FlameLife = maxFlameLife + 1 },
		"radio_num_words":      func(r *Rules) { r.RadioWords = MaxWords + 1 },
		"start_blast_strength": func(r *Rules) { r.StartBlast = grid.MaxSide + 1 },
	})
}

package basewar

import (
	"testing"

	"pommego/env/envtest"
	"pommego/env/grid"
)

// A state has places for what the limits in the tags of Rules allow, and for no more.
func TestLimitsFitTheState(t *testing.T) {
	envtest.CheckLimits(t, Standard(), map[string]func(*Rules){
		"board_size":  func(r *Rules) { r.BoardSize = grid.MaxSharedSide + 2 },
		"bombs":       func(r *Rules) { r.Bombs = MaxBombs/NumBombers + 1 },
		"blast_range": func(r *Rules) { r.BlastRange = grid.MaxSharedSide },
	})
}

package basewar

import (
	"strings"
	"testing"

	"pommego/env/grid"
)

// A state has places for what the limits in the tags of Rules allow, and for no more.
func TestLimitsFitTheState(t *testing.T) {
	for _, tc := range []struct {
		field string
		over  func(r *Rules)
	}{
		{"board_size", func(r *Rules) { r.BoardSize = grid.MaxSharedSide + 2 }},
		{"bombs", func(r *Rules) { r.Bombs = MaxBombs/NumBombers + 1 }},
		{"blast_range", func(r *Rules) { r.BlastRange = grid.MaxSharedSide }},
	} {
		r := Standard()
		tc.over(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), tc.field) {
			t.Errorf("%s above what a state has places for: error %v, want one that names it", tc.field, err)
		}
	}
}

package pommerman

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
		{"board_size", func(r *Rules) { r.BoardSize = grid.MaxSide + 1 }},
		{"max_ammo", func(r *Rules) { r.MaxAmmo = MaxBombs + 1 }},
		{"flame_life", func(r *Rules) { r.FlameLife = maxFlameLife + 1 }},
		{"radio_num_words", func(r *Rules) { r.RadioWords = MaxWords + 1 }},
		{"start_blast_strength", func(r *Rules) { r.StartBlast = grid.MaxSide + 1 }},
	} {
		r := Playground(FFA)
		tc.over(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), tc.field) {
			t.Errorf("%s above what a state has places for: error %v, want one that names it", tc.field, err)
		}
	}
}

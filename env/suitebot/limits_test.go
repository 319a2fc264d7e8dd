package suitebot

import (
	"strings"
	"testing"
)

// A state has places for what the limits in the tags of Rules allow, and for no more.
func TestLimitsFitTheState(t *testing.T) {
	for _, tc := range []struct {
		field string
		over  func(r *Rules)
	}{
		{"width", func(r *Rules) { r.Width = MaxSide + 1 }},
		{"height", func(r *Rules) { r.Height = MaxSide + 1 }},
		{"players", func(r *Rules) { r.Players = MaxPlayers + 1 }},
		{"bomb_delay", func(r *Rules) { r.BombDelay = MaxDelay + 1 }},
		{"blast_radius", func(r *Rules) { r.BlastRadius = MaxSide/2 + 1 }},
		{"view_radius", func(r *Rules) { r.ViewRadius = MaxSide + 1 }},
	} {
		r := Standard()
		tc.over(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), tc.field) {
			t.Errorf("%s above what a state has places for: error %v, want one that names it", tc.field, err)
		}
	}
}

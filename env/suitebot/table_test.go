package suitebot

import (
	"testing"

	"pommego/env"
)

// TestFields shows fields of any bits at all, and takes those of the board back: a field
// that was reached in the last round has lost its points.
func TestFields(t *testing.T) {
	for _, width := range []int{8, 16, 21} {
		r := Standard()
		r.Width = width
		p := mustGame(t, r)
		rng := env.RNG{State: uint64(width)}
		for range 50 {
			var s, want State
			for w := range s.Spent {
				s.Spent[w], s.Blast[w] = rng.Uint64(), rng.Uint64()
			}
			for c := range Cell(p.cells) {
				if s.Blast.Has(c) {
					want.Blast.Add(c)
				}
				if s.Blast.Has(c) || s.Spent.Has(c) {
					want.Spent.Add(c)
				}
			}
			shown := Snapshot{}
			p.show(&s, &shown)
			if got := p.take(&Snapshot{Fields: shown.Fields}); got != want {
				t.Fatalf("width %d: %s is taken as %+v, want %+v", width, shown.Fields, got, want)
			}
		}
	}
}

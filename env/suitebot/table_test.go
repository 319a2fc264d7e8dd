package suitebot

import (
	"testing"

	"pommego/env"
)

// TestCopyGround copies the fields of any bits at all as setting one after another
// does.
func TestCopyGround(t *testing.T) {
	for _, width := range []int{8, 16, 21} {
		r := Standard()
		r.Width = width
		p := mustPlan(t, r)
		rng := env.RNG{State: uint64(width)}
		for range 50 {
			var s, copied, set State
			for w := range s.Spent {
				s.Spent[w], s.Blast[w] = rng.Uint64(), rng.Uint64()
			}
			if err := p.copyGround(&s, &copied); err != nil {
				t.Fatal(err)
			}
			for i := range p.cells {
				if err := set.setField(i, s.field(i)); err != nil {
					t.Fatal(err)
				}
			}
			if copied != set {
				t.Fatalf("width %d: %+v is copied as %+v, want %+v", width, s, copied, set)
			}
		}
	}
}

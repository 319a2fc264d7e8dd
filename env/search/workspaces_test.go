package search

import "testing"

// TestRoundUp: sizes are rounded up by a quarter at most, and those that have been stay.
func TestRoundUp(t *testing.T) {
	for bytes := int64(1); bytes < 1<<40; bytes += 1 + bytes/7 {
		up := RoundUp(bytes)
		if up < bytes || up > bytes+bytes/4 || RoundUp(up) != up {
			t.Errorf("%d is rounded up to %d, and that to %d", bytes, up, RoundUp(up))
		}
	}
}

// TestWorkspaces: what one size has used serves no other.
func TestWorkspaces(t *testing.T) {
	var lent Workspaces[[]byte]
	sizes := []int64{RoundUp(1000), RoundUp(1200), RoundUp(1500), 1 << 20, RoundUp(1<<20 + 1), RoundUp(1 << 62)}
	for range 20 {
		for _, size := range sizes {
			w := lent.Lend(size)
			if len(*w) > 0 && int64(len(*w)) != size%1000 {
				t.Fatalf("memory of %d bytes was lent for %d", len(*w), size)
			}
			*w = make([]byte, size%1000)
			lent.GiveBack(size, w)
		}
	}
}

package vec

import (
	"testing"
	"time"
)

// TestSpinnerGivesUp checks that waits for what always comes too late spin ever less often.
func TestSpinnerGivesUp(t *testing.T) {
	var s Spinner
	polled := false
	late := func() bool { polled = true; return false }
	spun := 0
	for range 300 {
		begun := time.Now()
		if s.Spin(time.Millisecond, late) || !polled {
			t.Fatal("Spin did not ask, or says that it has seen what was not there")
		}
		if time.Since(begun) >= time.Millisecond {
			spun++
		}
	}
	if spun < 6 || spun > 20 { // after 0, 1, 3, 7, 15, 31 and 63 others, and a few that were interrupted
		t.Errorf("%d of 300 waits spun for what came too late, want about 9", spun)
	}
}

package vec

import (
	"testing"
	"time"
)

// TestSpinnerGivesUp checks that waits for what always comes too late spin ever less often.
func TestSpinnerGivesUp(t *testing.T) {
	var s Spinner
	spun := 0
	for range 300 {
		polls := 0
		if s.Spin(time.Millisecond, func() bool { polls++; return false }) || polls == 0 {
			t.Fatal("Spin did not ask, or says that it has seen what was not there")
		}
		if polls > 1 {
			spun++
		}
	}
	if spun != 9 { // after 0, 1, 3, 7, 15, 31, 63, 63 and 63 others
		t.Errorf("%d of 300 waits spun for what came too late, want 9", spun)
	}
}

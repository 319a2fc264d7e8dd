//go:build unix && !linux

package match

import "time"

// awaitExit gives a child time to end. On this system only reaping it would show
// whether it has ended.
func awaitExit(_ int, d time.Duration) { time.Sleep(min(d, 50*time.Millisecond)) }

// measuresMemory reports whether type family works on this system.
const (
	measuresMemory = false
	reaper         = ""
)

type family map[int]int

func (family) memory(int) int64 { return 0 }

func becoming(int) bool { return false }

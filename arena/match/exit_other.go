//go:build unix && !linux

package match

import "time"

// awaitExit gives a child time to end. Here there is no way to see whether it
// has ended without reaping it.
func awaitExit(_ int, d time.Duration) { time.Sleep(min(d, 50*time.Millisecond)) }

// measuresMemory says that family works here.
const (
	measuresMemory = false
	reaper         = ""
)

type family map[int]int

func (family) memory(int) int64 { return 0 }

func becoming(int) bool { return false }

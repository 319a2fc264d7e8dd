//go:build unix && !linux

package match

import "time"

// awaitExit gives a child time to end. Here there is no way to see whether it
// has ended without reaping it.
func awaitExit(_ int, d time.Duration) { time.Sleep(min(d, 50*time.Millisecond)) }

// measuresMemory says that memoryOf works here.
const measuresMemory = false

func memoryOf(int) (resident int64, pids []int) { return 0, nil }

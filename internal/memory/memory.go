// Package memory says how much memory this process may use.
package memory

import (
	"math"
	"slices"
)

// unknown is the memory that is assumed if the system does not say how much there is.
const unknown = 4 << 30

// Available returns the least of the machine's memory, the limit of the process's control group, the address space that
// its resource limit (RLIMIT_AS) leaves, and 2 GiB on 32 bits. It does not subtract what other processes use.
func Available() int64 {
	all := limits()
	if len(all) == 0 {
		all = []int64{unknown}
	}
	return max(min(slices.Min(all), math.MaxInt), 0)
}

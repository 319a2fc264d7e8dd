// Package memory says how much memory this process may use.
package memory

import "slices"

// unknown is what is assumed to be there where the system does not say.
const unknown = 4 << 30

// Available is the least of the machine's memory, the limit of the control group
// that the process is in, and the address space that its resource limit
// (RLIMIT_AS) leaves. It counts no other process's use.
func Available() int64 {
	all := limits()
	if len(all) == 0 {
		return unknown
	}
	return max(slices.Min(all), 0)
}

// Package memory says how much memory this process may use.
package memory

// unknown is what is assumed to be there where the system does not say.
const unknown = 4 << 30

// Available is the least of the machine's memory, the limit of the control group
// that the process is in, and the address space that its resource limit
// (RLIMIT_AS) leaves. It counts no other process's use.
func Available() int64 {
	least := int64(unknown)
	for i, limit := range limits() {
		if i == 0 || limit < least {
			least = limit
		}
	}
	return max(least, 0)
}

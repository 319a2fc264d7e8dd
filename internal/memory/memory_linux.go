package memory

import (
	"math"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func limits() (all []int64) {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		all = append(all, int64(uint64(info.Totalram)*uint64(info.Unit)))
	}
	if groups, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		all = append(all, groupLimits(string(groups), "/sys/fs/cgroup")...)
	}
	var space unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &space) == nil && space.Cur < math.MaxInt64 {
		all = append(all, int64(space.Cur)-mapped())
	}
	return all
}

// mapped returns how much address space the process has taken already. A Go program
// reserves hundreds of megabytes when it starts.
func mapped() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseInt(pages, 10, 64)
	return n * int64(os.Getpagesize())
}

// groupLimits returns the limits of the control groups in /proc/self/cgroup and of the
// groups around them, below root: of version 2 ("0::/path"), or of version 1's memory
// controller ("9:memory:/path"). A container sees its own group as the root.
func groupLimits(groups, root string) (all []int64) {
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		folder, name := root, "memory.max"
		switch {
		case strings.Contains(","+parts[1]+",", ",memory,"):
			folder, name = path.Join(root, "memory"), "memory.limit_in_bytes"
		case parts[1] != "":
			continue
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			if text, err := os.ReadFile(path.Join(folder, at, name)); err == nil {
				if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil { // else it is "max"
					all = append(all, limit)
				}
			}
			if at == "/" {
				break
			}
		}
	}
	return all
}

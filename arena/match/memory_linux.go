package match

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"time"
)

const (
	measuresMemory = true
	deepest        = 100 // generations; the table may have a circle, as it is not read at once
)

// table has the system's processes as they were a moment ago, for all watchers.
var table struct {
	sync.Mutex
	at        time.Time
	processes map[int]process
}

type process struct {
	parent, group int
	resident      int64 // bytes
}

// memoryOf is how many bytes a group of processes and all that they have started have in
// memory, and their numbers.
func memoryOf(group int) (resident int64, pids []int) {
	table.Lock()
	defer table.Unlock()
	if time.Since(table.at) > memoryPause/2 {
		table.processes, table.at = processes(), time.Now()
	}
	for pid, p := range table.processes {
		up := p
		for steps := 0; up.group != group && steps < deepest; steps++ {
			up = table.processes[up.parent]
		}
		if up.group == group {
			resident, pids = resident+p.resident, append(pids, pid)
		}
	}
	return resident, pids
}

// processes reads what there are. Those that end meanwhile are left out.
func processes() map[int]process {
	all := map[int]process{}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		stat, _ := os.ReadFile("/proc/" + entry.Name() + "/stat")
		// Behind the name, which may hold anything: state, parent, group, ... and pages as the 22nd.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || len(fields) < 22 {
			continue
		}
		number := func(i int) int { n, _ := strconv.Atoi(string(fields[i])); return n }
		all[pid] = process{number(1), number(2), int64(number(21)) * int64(os.Getpagesize())}
	}
	return all
}

package match

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	measuresMemory = true
	deepest        = 100 // generations: the table is not read atomically, so parents may form a circle
)

// table has the system's processes of a moment ago, for all watchers.
var table struct {
	sync.Mutex
	at        time.Time
	processes map[int]process
}

type process struct {
	parent, group int
	began         int   // when the process began, in ticks of the system's clock
	resident      int64 // bytes
}

// family is when each process of a program began, by the process's number.
type family map[int]int

// memory is how many bytes the processes of a group have in memory, with all processes that they
// have started. Those stay in the family when they leave the group or lose their parent.
func (f family) memory(group int) (resident int64) {
	table.Lock()
	defer table.Unlock()
	if time.Since(table.at) > memoryPause/2 {
		table.processes, table.at = processes(), time.Now()
	}
	ours := func(pid int) bool {
		p := table.processes[pid]
		return p.group == group || f[pid] != 0 && f[pid] == p.began
	}
	for pid, p := range table.processes {
		up := pid
		for steps := 0; !ours(up) && steps < deepest; steps++ {
			up = table.processes[up].parent
		}
		if ours(up) {
			resident, f[pid] = resident+p.resident, p.began
		}
	}
	maps.DeleteFunc(f, func(pid, began int) bool { return table.processes[pid].began != began })
	return resident
}

// reaper is the name under which this program starts before it becomes the shell that
// runs a player. A process that loses its parent then becomes a child of that shell.
const reaper = "pommego: a program with limited memory"

func init() {
	if os.Args[0] == reaper {
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
		fmt.Fprintln(os.Stderr, syscall.Exec(shell, append([]string{shell}, os.Args[1:]...), os.Environ()))
		os.Exit(127)
	}
}

// becoming reports whether a process is not yet the shell, but this program.
func becoming(pid int) bool {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // other processes can have this name, too
	its, _ := os.Stat(fmt.Sprintf("/proc/%d/exe", pid))
	own, _ := os.Stat("/proc/self/exe")
	return bytes.HasPrefix(line, []byte(reaper)) && os.SameFile(its, own)
}

// processes reads the system's processes. It leaves out those that end meanwhile.
func processes() map[int]process {
	all := map[int]process{}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		stat, _ := os.ReadFile("/proc/" + entry.Name() + "/stat")
		// After the name, which may hold anything: state, parent, group, ...; field 20 is when it began, then its pages.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || len(fields) < 22 {
			continue
		}
		number := func(i int) int { n, _ := strconv.Atoi(string(fields[i])); return n }
		all[pid] = process{number(1), number(2), number(19), int64(number(21)) * int64(os.Getpagesize())}
	}
	return all
}

// awaitExit waits until a child has ended, for d at most. It does not reap the
// child.
func awaitExit(pid int, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
		if err == nil && info.Signo != 0 || err != nil && err != unix.EINTR {
			return
		}
	}
}

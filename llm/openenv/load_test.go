package openenv_test

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// The load measurement runs if it is asked for:
//
//	go test ./llm/openenv -run Load -v -sessions 10000 -binary $PWD/bin/pommego
var (
	sessions = flag.Int("sessions", 0, "how many sessions TestLoad opens; 0 skips it")
	binary   = flag.String("binary", "", "the program pommego")
	seconds  = flag.Int("seconds", 30, "for how long TestLoad measures")
)

// usage is what a process takes.
type usage struct {
	resident int     // KiB
	cpu      float64 // seconds
}

func used(t *testing.T, pid int) (u usage) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		fmt.Sscanf(line, "VmRSS: %d kB", &u.resident)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	var user, system float64
	fmt.Sscan(strings.Join(strings.Fields(string(stat))[13:15], " "), &user, &system)
	u.cpu = (user + system) / 100
	return u
}

// TestLoad opens many sessions that each move once in five seconds.
func TestLoad(t *testing.T) {
	if *sessions == 0 {
		t.Skip("no -sessions")
	}
	cmd := exec.Command(*binary, "serve", "--openenv", "--listen", "127.0.0.1:0", "--max-connections", "100000")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s := &server{address: line[strings.LastIndex(line, "/")+1 : len(line)-1]}
	empty := used(t, cmd.Process.Pid)
	var open, all sync.WaitGroup
	begin, took := make(chan bool), make([][]time.Duration, *sessions)
	lost := make([]int, *sessions)
	limit := make(chan bool, 64) // connecting at a time
	for i := range *sessions {
		open.Add(1)
		all.Go(func() {
			limit <- true
			c := s.dial(t)
			c.ws.SetReadDeadline(time.Time{})
			c.reset(fmt.Sprintf(`{"seed":%d}`, i))
			<-limit
			open.Done()
			<-begin
			took[i], lost[i] = think(c)
		})
	}
	open.Wait()
	time.Sleep(2 * time.Second)
	full := used(t, cmd.Process.Pid)
	close(begin)
	all.Wait()
	after := used(t, cmd.Process.Pid)
	times := slices.Concat(took...)
	slices.Sort(times)
	missing := 0
	for _, n := range lost {
		missing += n
	}
	t.Logf("%d sessions: %d KiB resident each when opened, %d after %d s; %.1f ms of processor time a session a minute",
		*sessions, (full.resident-empty.resident) / *sessions, (after.resident-empty.resident) / *sessions, *seconds,
		(after.cpu-full.cpu)*1000/float64(*sessions)*60/float64(*seconds))
	t.Logf("%d answers, p50 %v, p99 %v, longest %v, %d lost", len(times), times[len(times)/2], times[len(times)*99/100],
		times[len(times)-1], missing)
	if missing > 0 {
		t.Errorf("%d sessions were lost", missing)
	}
}

// think plays as a model that takes five seconds a move.
func think(c *client) (took []time.Duration, lost int) {
	const pause = 5 * time.Second
	time.Sleep(rand.N(pause))
	for end := time.Now().Add(time.Duration(*seconds) * time.Second); time.Now().Before(end); {
		begun := time.Now()
		err := c.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"step","data":{"action":"stop"}}`))
		if err == nil {
			_, _, err = c.ws.ReadMessage()
		}
		if err != nil {
			return took, 1
		}
		took = append(took, time.Since(begun))
		time.Sleep(pause - time.Since(begun))
	}
	return took, 0
}

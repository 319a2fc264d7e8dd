package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"pommego/bridge"
)

// operated is a server with an address for its metrics.
type operated struct {
	cmd              *exec.Cmd
	Address, Metrics string
	log              *bytes.Buffer
}

func operate(t *testing.T, args ...string) *operated {
	t.Helper()
	w := &operated{log: &bytes.Buffer{}}
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--json", "--metrics-address", ":0", "--log-format", "json",
		"--log-level", "info"}, args...)
	w.cmd = exec.Command(program(), args...)
	w.cmd.Stderr = w.log
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // fails if it has ended, as it should have
		_ = w.cmd.Wait()
	})
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(w); err != nil {
		t.Fatal(err)
	}
	return w
}

// get asks at the address for metrics.
func (w *operated) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	answer, err := http.Get(strings.TrimSuffix(w.Metrics, "/metrics") + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// connect opens a connection to the server.
func (w *operated) connect() (*websocket.Conn, error) {
	dialer := websocket.Dialer{Subprotocols: []string{bridge.Subprotocol}}
	ws, _, err := dialer.Dial(w.Address, nil)
	return ws, err
}

// logged finds an entry of the log, once the server has ended.
func (w *operated) logged(t *testing.T, msg string) map[string]any {
	t.Helper()
	for line := range strings.Lines(w.log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("the log has a line that is no JSON: %s", line)
		}
		if entry["msg"] == msg {
			return entry
		}
	}
	t.Fatalf("the log has no entry %q:\n%s", msg, w.log)
	return nil
}

// TestServeDrains ends a server by SIGTERM: it is not ready, takes no new
// connection, lets the open one end, and says how long that took.
func TestServeDrains(t *testing.T) {
	w := operate(t, "--drain-timeout", "1m")
	if status, body := w.get(t, "/metrics"); status != 200 || !strings.Contains(body, "pommego_ready 1") {
		t.Errorf("/metrics: status %d and\n%s", status, body)
	}
	if status, _ := w.get(t, "/debug/pprof/"); status != 404 {
		t.Errorf("profiles that nobody has asked for: status %d, want 404", status)
	}
	ws, err := w.connect()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for status := 0; status != 503; status, _ = w.get(t, "/readyz") {
		time.Sleep(time.Millisecond)
	}
	if _, err := w.connect(); err == nil {
		t.Error("a connection was taken while draining")
	}
	if status, _ := w.get(t, "/healthz"); status != 200 {
		t.Errorf("/healthz while draining: status %d, want 200", status)
	}
	ws.Close()
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if e := w.logged(t, "drained"); e["connections_left"] != 0.0 || e["seconds"].(float64) <= 0 {
		t.Errorf("it logged %v, want no connection and the time it took", e)
	}
	w.logged(t, "stopped")
}

// TestServeDrainsNoLonger cuts draining short, by its time-out and by a second signal.
func TestServeDrainsNoLonger(t *testing.T) {
	t.Parallel() // it waits for servers that close
	for _, c := range []struct {
		timeout string
		again   bool
	}{{"50ms", false}, {"1h", true}} {
		w := operate(t, "--drain-timeout", c.timeout)
		ws, err := w.connect()
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if c.again {
			for status := 0; status != 503; status, _ = w.get(t, "/readyz") {
				time.Sleep(time.Millisecond)
			}
			if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.cmd.Wait(); err != nil {
			t.Errorf("%v: the server ended with %v", c, err)
		}
		if e := w.logged(t, "drained"); e["connections_left"] != 1.0 {
			t.Errorf("%v: it logged %v, want one connection left", c, e)
		}
	}
}

// TestConnectionsForMetrics opens more connections to the address for metrics than the 512 that it keeps: it answers,
// and has closed some of them.
func TestConnectionsForMetrics(t *testing.T) {
	w := operate(t)
	for range 800 {
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(w.Metrics, "http://"), "/metrics"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	status, body := w.get(t, "/metrics")
	open := 0 // where the system does not tell
	if told := regexp.MustCompile(`(?m)^process_open_fds (\d+)`).FindStringSubmatch(body); told != nil {
		open, _ = strconv.Atoi(told[1])
	}
	if status != 200 || open > 700 {
		t.Errorf("status %d and %d open files beside 800 connections, want 200 and 512 with the server's own", status, open)
	}
}

// TestOperationsRefuse names options that cannot be.
func TestOperationsRefuse(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--metrics-address", "9090"}, `"9090", want host:port`},
		{[]string{"--log-format", "xml"}, `--log-format is "xml", want one of text, json`},
		{[]string{"--log-level", "loud"}, `--log-level is "loud", want debug`},
		{[]string{"--drain-timeout", "-1s"}, "--drain-timeout is -1s, want 0 or more"},
	} {
		if r := pommego(t, append([]string{"serve"}, c.args...)...); r.code != exitUsage ||
			!strings.Contains(r.errors, c.says) {
			t.Errorf("%v: exit code %d and %q, want %d and %q", c.args, r.code, r.errors, exitUsage, c.says)
		}
	}
}

// TestDeployment reads the files in deploy/: the flags that they give to serve exist, and after draining there are 4 s
// to finish replies before whatever runs the server kills it.
func TestDeployment(t *testing.T) {
	comments, flags := regexp.MustCompile(`(?m)^\s*#.*\n`), newServe().Flags()
	grace := regexp.MustCompile(`(?:stop_grace_period: |TimeoutStopSec=)(\d+)`)
	for file, want := range map[string]int{"Containerfile": 6, "compose.yaml": 9, "pommego.service": 5} {
		text, err := os.ReadFile(filepath.Join("../../deploy", file))
		if err != nil {
			t.Fatal(err)
		}
		command := regexp.MustCompile(`(?s)\bserve\b.*?(\n\n|\z)`).FindString(comments.ReplaceAllString(string(text), ""))
		given := regexp.MustCompile(`--([a-z-]+)`).FindAllStringSubmatch(command, -1)
		if len(given) != want {
			t.Errorf("%s gives the flags %v to serve, want %d: does this test still find them?", file, given, want)
		}
		for _, flag := range given {
			if flags.Lookup(flag[1]) == nil {
				t.Errorf("%s: serve has no flag --%s", file, flag[1])
			}
		}
		most := 10 // of a container runtime
		if m := grace.FindSubmatch(text); m != nil {
			most, _ = strconv.Atoi(string(m[1]))
		}
		m := regexp.MustCompile(`--drain-timeout[", ]+(\d+)s`).FindStringSubmatch(command)
		if drain, err := strconv.Atoi(m[1]); err != nil || drain+4 >= most {
			t.Errorf("%s: it drains for %s s and has %d s to end", file, m[1], most)
		}
	}
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pommego/bridge"
)

// serving is a running server process.
type serving struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	address string
}

// serve starts a server and waits for its address.
func serve(t *testing.T, args ...string) *serving {
	t.Helper()
	program() // so that building it takes none of the server's time
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	s := &serving{cmd: exec.CommandContext(ctx, program(), append([]string{"serve"}, args...)...)}
	stdin, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdin = stdin
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // fails if it has ended, as it should have
		_ = s.cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server printed %q and then: %v", line, err)
	}
	words := strings.Fields(line)
	s.address = words[len(words)-1]
	return s
}

// answers reports whether somebody listens at the address.
func answers(t *testing.T, address string) bool {
	t.Helper()
	network, at := "unix", strings.TrimPrefix(address, "unix:")
	if host, isTCP := strings.CutPrefix(address, "ws://"); isTCP {
		network, at = "tcp", host
	}
	conn, err := net.DialTimeout(network, at, 5*time.Second)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// TestServeEnds ends the server in each of the ways it can be asked to: it goes
// with status 0 and leaves no socket behind.
func TestServeEnds(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		args         []string
		end          func(*serving) error
	}{
		{"SIGINT", "Ctrl-C", nil, func(s *serving) error { return s.cmd.Process.Signal(os.Interrupt) }},
		{"SIGHUP", "its terminal is gone", nil, func(s *serving) error { return s.cmd.Process.Signal(syscall.SIGHUP) }},
		{"SIGTERM", "a service manager", nil, func(s *serving) error { return s.cmd.Process.Signal(syscall.SIGTERM) }},
		{"stdin", "the parent is gone", []string{"--exit-on-stdin-close"}, func(s *serving) error { return s.stdin.Close() }},
	} {
		if c.name == "SIGHUP" && signal.Ignored(syscall.SIGHUP) {
			continue // the tests run under nohup
		}
		for _, listen := range []string{"127.0.0.1:0", "unix:" + filepath.Join(t.TempDir(), "socket")} {
			s := serve(t, append([]string{"--listen", listen}, c.args...)...)
			if !answers(t, s.address) {
				t.Fatalf("%s: nobody answers at %s", c.name, s.address)
			}
			if err := c.end(s); err != nil {
				t.Fatal(err)
			}
			if err := s.cmd.Wait(); err != nil {
				t.Errorf("%s (%s): the server ended with %v", c.name, c.reason, err)
			}
			if path, isUnix := strings.CutPrefix(s.address, "unix:"); isUnix {
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s (%s): %s was left behind (%v)", c.name, c.reason, path, err)
				}
			}
		}
	}
}

// TestServeUnderNohup goes on when its terminal closes.
func TestServeUnderNohup(t *testing.T) {
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" serve --listen 127.0.0.1:0 --exit-on-stdin-close`, program())
	stdin, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if address := strings.TrimSpace(strings.TrimPrefix(line, "pommego listens on ")); !answers(t, address) {
		t.Errorf("after SIGHUP nobody answers at %q", address)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestServeReadyFD reads the address from a descriptor of our choice.
func TestServeReadyFD(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := exec.Command(program(), "serve", "--listen", "127.0.0.1:0", "--ready-fd", "3", "--exit-on-stdin-close",
		"--json", "--metrics-address", ":0", "--web", "--allow-agents", "*", "--allow-agents", "champion:omniscient=1",
		"--allow-agents", "http://localhost:1", "--allow-agents", "exec:true")
	var printed strings.Builder
	cmd.ExtraFiles, cmd.Stdout = []*os.File{write}, &printed
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	line, err := io.ReadAll(read) // ends because the server closes its end
	if err != nil || !answers(t, strings.TrimSpace(string(line))) {
		t.Errorf("the server said %q (%v), want an address that answers", line, err)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	var said map[string]string
	err = json.Unmarshal([]byte(printed.String()), &said)
	if err != nil || said["address"] != strings.TrimSpace(string(line)) ||
		!strings.HasSuffix(said["metrics"], "/metrics") || said["web"] == "" {
		t.Errorf("with --json it printed %q (%v), want all addresses", printed.String(), err)
	}
}

// TestServeUnixSocket takes over a socket that a killed server left, and not
// one that is in use, nor anything else.
func TestServeUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	first := serve(t, "--listen", "unix:"+path)
	if r := pommego(t, "serve", "--listen", "unix:"+path); r.code != exitError || !strings.Contains(r.errors, "already") {
		t.Errorf("a second server exits with %d and %q, want %d and a word about the first", r.code, r.errors, exitError)
	}
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait() // killed
	if second := serve(t, "--listen", "unix:"+path); !answers(t, second.address) {
		t.Error("a new server does not answer on the socket a killed one left")
	}
	old, err := listenUnix(filepath.Join(t.TempDir(), "shared"))
	if err != nil {
		t.Fatal(err)
	}
	shared := old.Addr().String()
	if err := os.Remove(shared); err != nil {
		t.Fatal(err)
	}
	successor, err := listenUnix(shared)
	if err != nil {
		t.Fatal(err)
	}
	defer successor.Close()
	if err := old.Close(); err != nil || !answers(t, "unix:"+shared) {
		t.Errorf("a server that ends (%v) removes the socket of the one that took its path", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{file, t.TempDir()} {
		_, err := listenUnix(other)
		if _, gone := os.Stat(other); gone != nil || err == nil || !strings.Contains(err.Error(), "that is no socket") {
			t.Errorf("listening where %s is: %v, and then it is there or %v", other, err, gone)
		}
	}
}

// TestLimits: another machine has a quarter of the connections, and one at least.
func TestLimits(t *testing.T) {
	for most, want := range map[int]int{0: 0, 1: 1, 2: 1, 64: 16, 256: 64} {
		o := serveOptions{cfg: bridge.Config{MaxConnections: most}}
		if o.limits(); o.cfg.MaxPerAddress != want {
			t.Errorf("of %d connections an address has %d, want %d", most, o.cfg.MaxPerAddress, want)
		}
	}
}

// TestServeRefusesStrangers wants a token before it listens to other machines.
func TestServeRefusesStrangers(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		if r := pommego(t, "serve", "--listen", listen); r.code != exitUsage || !strings.Contains(r.errors, "token") {
			t.Errorf("--listen %s without a token exits with %d and %q, want %d and a word about tokens", listen, r.code,
				r.errors, exitUsage)
		}
	}
	if r := pommego(t, "serve", "--allow-agents", "python agent.py"); r.code != exitUsage ||
		!strings.Contains(r.errors, `--allow-agents is "python agent.py"`) {
		t.Errorf("an agent that is none: exit code %d, %q", r.code, r.errors)
	}
	if r := pommego(t, "serve", "--token-file", filepath.Join(t.TempDir(), "none")); r.code != exitUsage {
		t.Errorf("a missing token file exits with %d, want %d", r.code, exitUsage)
	}
	empty := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(empty, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := pommego(t, "serve", "--token-file", empty, "--listen", "127.0.0.1:0"); r.code != exitUsage ||
		!strings.Contains(r.errors, "is empty") {
		t.Errorf("an empty token file exits with %d and %q, want %d and that it is empty", r.code, r.errors, exitUsage)
	}
	long := "unix:/tmp/" + strings.Repeat("x", 120)
	r := pommego(t, "serve", "--listen", long)
	if !strings.Contains(r.errors, "--listen "+long+": want a path of some 100") {
		t.Errorf("a long path of a socket: %q", r.errors)
	}
	r = pommego(t, "serve", "--listen", "127.0.0.1:0", "--ready-fd", "77")
	if !strings.Contains(r.errors, "--ready-fd 77: want") {
		t.Errorf("a descriptor that is not open: %q", r.errors)
	}
	spaced := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(spaced, []byte("a b"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range [][3]string{
		{"--token-file", spaced, "the token of --token-file or POMMEGO_TOKEN has white space"},
		{"--max-connections", "-1", "--max-connections is -1, want 1 to"},
		{"--max-memory-bytes", "-1", "--max-memory-bytes is -1, want"},
		{"--max-agent-time", "-1s", "serve: --max-agent-time is -1s, want"},
		{"--host", "a:1", `--host is "a:1", want a bare host name`},
		{"--listen", "foo", `--listen is "foo", want host:port or unix:PATH`},
		{"--program-memory", "-1", "0 for no limit (--program-memory)"},
		{"--allow-agents", "exec:", `--allow-agents: match: player "exec:", want exec:COMMAND`},
		{"--allow-agents", "llm:x", "--allow-agents: match: a language model, llm:ADDRESS,model=NAME: its address is wrong"},
		{"--allow-agents", "http://", `--allow-agents: match: player "http://", want`},
		{"--listen", "unix:", `--listen is "unix:", want host:port or unix:PATH`},
	} {
		if r := pommego(t, "serve", tc[0], tc[1]); r.code != exitUsage || !strings.Contains(r.errors, tc[2]) ||
			strings.Contains(r.errors, "Config") {
			t.Errorf("%s %s exits with %d and %q, want %d and %q", tc[0], tc[1], r.code, r.errors, exitUsage, tc[2])
		}
	}
}

// TestBench runs the bench command as a script would.
func TestBench(t *testing.T) {
	r := pommego(t, "bench", "--json", "--only", "copy/", "--seconds", "0.01", "--games", "32", "--workers", "1")
	r.want(t, 0)
	var report struct {
		Games, Workers int
		Results        []struct {
			Name   string
			Median float64 `json:"env_steps_per_second"`
			Min    float64
			Max    float64
			Allocs *float64 `json:"allocs_per_step"`
		}
	}
	r.decodes(t, &report)
	if report.Games != 32 || report.Workers != 1 || len(report.Results) != 3 {
		t.Fatalf("report is %+v, want 3 results of 32 games and 1 worker", report)
	}
	for _, x := range report.Results {
		if !strings.HasPrefix(x.Name, "copy/") || x.Median <= 0 || x.Min > x.Max || x.Allocs == nil {
			t.Errorf("result %+v is not complete", x)
		}
	}
	for _, wrong := range [][]string{{"--only", "nothing"}, {"--games", "0"}, {"--seconds", "0"}, {"--workers", "-1"},
		{"extra"}} {
		if r := pommego(t, append([]string{"bench"}, wrong...)...); r.code != exitUsage {
			t.Errorf("bench %v exits with %d, want %d", wrong, r.code, exitUsage)
		}
	}
}

// TestBenchSignature: a signature is a hash and ticks, the same as on file where the
// decisions of suites are; limits in time and flags without a meaning are refused.
func TestBenchSignature(t *testing.T) {
	var signature struct {
		Signature string
		Ticks     int
	}
	r := pommego(t, "bench", "--signature", "mcts:ticks=500", "--json")
	r.want(t, 0)
	r.decodes(t, &signature)
	if signature.Signature != "1e39939555c1405a" || signature.Ticks < 10_000 {
		t.Errorf("%+v, want the hash on file, and ticks", signature)
	}
	r = pommego(t, "bench", "--signature", "simple", "--env", "SuiteBot-v0", "--workers", "2")
	r.want(t, 0)
	if len(r.out) != len("1e39939555c1405a, 0 ticks\n") {
		t.Errorf("printed %q", r.out)
	}
	for _, wrong := range []struct{ flags, want string }{
		{"--signature mcts:ms=5", "limit ticks instead: mcts:ticks=100"},
		{"--signature mcts:ticks=9,ms=5", "limit ticks instead: mcts:ticks=100"},
		{"--signature exec:x", "no agent is called"},
		{"--signature simple --env Pomme", "unknown environment"},
		{"--signature simple --games 5", "--games"},
		{"--signature simple --workers -1", "--workers is -1"},
	} {
		r := pommego(t, append([]string{"bench"}, strings.Fields(wrong.flags)...)...)
		if r.code != exitUsage || !strings.Contains(r.errors, wrong.want) {
			t.Errorf("bench %s exits with %d and %q, want %d and %q", wrong.flags, r.code, r.errors, exitUsage, wrong.want)
		}
	}
}

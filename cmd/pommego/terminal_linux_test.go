package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pty is a pseudo-terminal on which the program runs.
type pty struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	cmd    *exec.Cmd

	mu   sync.Mutex
	text bytes.Buffer // what the program has written
}

// onPTY starts the program on a terminal of its own.
func onPTY(t *testing.T, args ...string) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &pty{t: t, master: master, slave: slave, cmd: exec.Command(program, args...)}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.Env = append(os.Environ(), "TERM=xterm")
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill(); master.Close(); slave.Close() })
	go p.read()
	return p
}

func (p *pty) read() {
	buf := make([]byte, 4096)
	for {
		n, err := p.master.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.text.Write(buf[:n])
		p.mu.Unlock()
	}
}

// written is what the program has written so far.
func (p *pty) written() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// await waits until the program has written a text so many times.
func (p *pty) await(text string, times int) {
	p.t.Helper()
	for range 3000 {
		if strings.Count(p.written(), text) >= times {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.t.Fatalf("it did not write %q %d times:\n%q", text, times, p.written())
}

// ended waits for the end and checks the exit code.
func (p *pty) ended(code int) {
	p.t.Helper()
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d:\n%s", got, code, p.written())
	}
}

// On a terminal pictures replace each other.
func TestTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "game.jsonl")
	pommego(t, "play", "--env", "OneVsOne-v0", "--agents", "static", "--rules", `{"max_steps": 2}`, "--seed", "1",
		"--record", file, "--quiet").want(t, exitOK)
	p := onPTY(t, "replay", file, "--fps", "0")
	p.ended(exitOK)
	p.await("step 2 of 2", 1)
	if shown := strings.Count(p.written(), "\x1b[2J"); shown != 3 {
		t.Errorf("%d pictures were shown, want 3:\n%q", shown, p.written())
	}
}

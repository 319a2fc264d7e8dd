package main

import (
	"bytes"
	"compress/gzip"
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

// onPTY starts the program on a terminal of its own, which has 24 rows.
func onPTY(t *testing.T, args ...string) *pty {
	t.Helper()
	return onSuchPTY(t, 24, nil, args...)
}

// onSuchPTY is onPTY with other rows and settings of the environment.
func onSuchPTY(t *testing.T, rows uint16, environ []string, args ...string) *pty {
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
	p := &pty{t: t, master: master, slave: slave, cmd: exec.Command(program(), args...)}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.Env = append(append(os.Environ(), "TERM=xterm", "COLORTERM=", "NO_COLOR="), environ...)
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: 80}); err != nil {
		t.Fatal(err)
	}
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

// duel records a game of as many steps.
func duel(t *testing.T, steps int) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "game.jsonl")
	pommego(t, "play", "--env", "OneVsOne-v0", "--agents", "static", "--rules", fmt.Sprintf(`{"max_steps": %d}`, steps),
		"--seed", "1", "--record", file, "--quiet").want(t, exitOK)
	return file
}

// On a terminal pictures replace each other line by line: nothing is cleared before it is
// written anew, and what does not fit is cut off.
func TestTerminal(t *testing.T) {
	file := duel(t, 2)
	for rows, lines := range map[uint16]int{24: 12, 8: 7} {
		p := onSuchPTY(t, rows, nil, "replay", file, "--fps", "0")
		p.ended(exitOK)
		p.await("Tie after 2 steps", 1)
		frames := strings.Split(p.written(), "\x1b[H")[1:]
		if len(frames) != 3 || strings.Contains(p.written(), "\x1b[2J") {
			t.Errorf("%d pictures were written over each other, want 3:\n%q", len(frames), p.written())
		}
		for i, frame := range frames {
			picture, _, _ := strings.Cut(frame, "\x1b[J")
			if strings.Count(picture, "\x1b[K\r\n") != lines || !strings.Contains(picture, fmt.Sprintf("step %d of 2", i)) {
				t.Errorf("of %d rows picture %d takes %q, want %d lines", rows, i, picture, lines)
			}
		}
	}
}

// The board has colours near the page's, unless they are not wanted.
func TestTerminalColours(t *testing.T) {
	file := duel(t, 1)
	const page = "\x1b[38;5;231;48;5;25mA0" // of #0072b2
	for _, tc := range []struct {
		environ []string
		want    string
	}{
		{[]string{"COLORTERM=truecolor"}, page},
		{[]string{"TERM=xterm-256color"}, page},
		{nil, page},
		{[]string{"COLORTERM=truecolor", "NO_COLOR=1"}, ""},
		{[]string{"COLORTERM=truecolor", "TERM=dumb"}, ""},
	} {
		play := []string{"play", "--env", "OneVsOne-v0", "--agents", "static"}
		for _, args := range [][]string{{"replay", file, "--fps", "0"}, play} {
			p := onSuchPTY(t, 24, tc.environ, args...)
			p.ended(exitOK)
			p.await("Tie after", 1)
			if text := p.written(); !strings.Contains(text, tc.want) || (tc.want == "") == strings.Contains(text, "\x1b[0m") {
				t.Errorf("%s with %q: want agent 0 as %q in\n%q", args[0], tc.environ, tc.want, text)
			}
		}
	}
}

// TestTerminalTitle: names out of files do not control the terminal that shows their game.
func TestTerminalTitle(t *testing.T) {
	file := duel(t, 3)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(`"static"`), []byte(`"\u001b]0;x\u0007\u202e"`))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p := onPTY(t, "replay", file, "--fps", "0")
	p.await("\\u001b]0;x\\u0007\\u202e", 2)
	if strings.Contains(p.written(), "\x1b]") || strings.Contains(p.written(), "\u202e") {
		t.Errorf("it writes %q", p.written())
	}
}

// TestTerminalTellsOfReading: a file that takes seconds to be listed is no silent one.
func TestTerminalTellsOfReading(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "long.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zip, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(`{"format":"pommerman-trace/1","pad":[` + strings.Repeat("0,", 4<<20) + "0]}\n")
	for range 100 {
		if _, err := zip.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	onPTY(t, "view", file.Name()).await("reading "+file.Name(), 1)
}

// TestTerminalInterrupted: a replay that has been seen enough of says how the game stands.
func TestTerminalInterrupted(t *testing.T) {
	p := onPTY(t, "replay", duel(t, 9), "--fps", "0.001")
	p.await("step 0 of 9", 1)
	p.cmd.Process.Signal(syscall.SIGINT)
	p.ended(exitOK)
	p.await("after 0 steps", 1)
}

// TestTournamentOnTerminal: the tables fit the terminal, and it is said how to look at the games.
func TestTournamentOnTerminal(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results")
	p := onPTY(t, "tournament", "--env", "OneVsOne-v0", "--format", "round-robin", "--agents", "simple,random,static",
		"--games", "4", "--out", out)
	p.await("Every game, in the browser: pommego view "+out, 1)
	p.ended(exitOK)
	for line := range strings.Lines(p.written()) {
		if line = strings.TrimRight(line, "\r\n"); strings.HasPrefix(line, "|") && len(line) > 80 {
			t.Errorf("a line has %d letters: %s", len(line), line)
		}
	}
}

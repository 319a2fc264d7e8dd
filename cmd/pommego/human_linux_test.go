package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
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
	return onPTYOf(t, nil, args...)
}

// onPTYOf starts it on one of a size, nil: of none that is known.
func onPTYOf(t *testing.T, size *unix.Winsize, args ...string) *pty {
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
	if size != nil {
		if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, size); err != nil {
			t.Fatal(err)
		}
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

// press presses keys.
func (p *pty) press(keys string) {
	p.t.Helper()
	if _, err := p.master.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// ended waits for the end and checks the exit code, and that the terminal shows what
// is typed again.
func (p *pty) ended(code int) {
	p.t.Helper()
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d:\n%s", got, code, p.written())
	}
	mode, err := unix.IoctlGetTermios(int(p.slave.Fd()), unix.TCGETS)
	if err != nil || mode.Lflag&unix.ECHO == 0 || mode.Lflag&unix.ICANON == 0 {
		p.t.Errorf("the terminal is left without echo or lines (error %v)", err)
	}
}

// On a terminal each key is a move, without Enter: letters, arrows, space and dot.
func TestHumanKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "game.jsonl")
	p := onPTY(t, "play", "--env", "OneVsOne-v0", "--rules", `{"max_steps": 6}`, "--agents", "human,static", "--seed", "1", "--record", file)
	for i, key := range []string{"w", "\x1b[B", "\x1bOD", "zd", " ", "."} {
		p.await("you have seat 0", i+1)
		p.press(key)
	}
	p.ended(exitOK)
	want := []any{[]any{1., 0.}, []any{2., 0.}, []any{3., 0.}, []any{4., 0.}, []any{5., 0.}, []any{0., 0.}}
	if got := recordedSteps(t, file, "actions", 6); !reflect.DeepEqual(got, want) {
		t.Errorf("actions are %v, want %v", got, want)
	}
	pommego(t, "verify", file).want(t, exitOK)
	if text := p.written(); !strings.Contains(text, "\x1b[2J") || !strings.Contains(text, "arrows or w a s d move") {
		t.Errorf("it showed\n%q", text)
	}
}

// A side of BaseWar takes a key for each bomber, radio digits before the move.
func TestHumanKeysOfParts(t *testing.T) {
	for _, tc := range []struct {
		id, rules, agents string
		keys              []string
		key               string
		want              []any
	}{
		{"BaseWarSides-v0", `{"max_steps": 2}`, "human,static", []string{"w\x1b[D ", "..d"}, "actions", []any{[]any{1., 0., 3., 0., 5., 0.}, []any{0., 0., 0., 0., 4., 0.}}},
		{"PommeRadio-v2", `{"max_steps": 1}`, "human,static,static,static", []string{"9" + "37s"}, "messages",
			[]any{[]any{[]any{3., 7.}, []any{0., 0.}, []any{0., 0.}, []any{0., 0.}}}},
		{"SuiteBot-v0", `{"rounds": 2}`, "human,static,static,static", []string{"b", "a"}, "actions", []any{[]any{5., 0., 0., 0.}, []any{3., 0., 0., 0.}}},
	} {
		file := filepath.Join(t.TempDir(), "game.jsonl")
		p := onPTY(t, "play", "--env", tc.id, "--rules", tc.rules, "--agents", tc.agents, "--seed", "1", "--record", file)
		for i, keys := range tc.keys {
			p.await("you have seat 0", i+1)
			p.press(keys)
		}
		p.ended(exitOK)
		if got := recordedSteps(t, file, tc.key, len(tc.want)); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %s are %v, want %v", tc.id, tc.key, got, tc.want)
		}
		pommego(t, "verify", file).want(t, exitOK)
	}
}

// At a speed nobody is waited for: without a key the agent stays.
func TestHumanKeysAtSpeed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "game.jsonl")
	p := onPTY(t, "play", "--env", "SuiteBot-v0", "--rules", `{"rounds": 8}`, "--agents", "human:speed=20,static,static,static", "--seed", "1", "--record", file)
	p.ended(exitOK)
	for i, got := range recordedSteps(t, file, "actions", 8) {
		if !reflect.DeepEqual(got, []any{0., 0., 0., 0.}) {
			t.Errorf("round %d has actions %v without a key", i+1, got)
		}
	}
	p = onPTY(t, "play", "--env", "SuiteBot-v0", "--agents", "human:speed=20,static,static,static", "--seed", "1", "--record", file)
	p.await("you have seat 0", 1)
	p.press("ad")
	p.await("you have seat 0", 100)
	p.ended(exitOK)
	moved := 0
	for _, got := range recordedSteps(t, file, "actions", 100) {
		switch move := got.([]any)[0]; move {
		case 4., 3.: // right alone, if both keys came in one window
			moved++
		case 0.:
		default:
			t.Errorf("a move %v came of the keys a and d", move)
		}
	}
	if moved < 1 || moved > 2 {
		t.Errorf("two keys made %d moves", moved)
	}
}

// q, Ctrl-D and Ctrl-C end the match, and the terminal is as it was.
func TestHumanKeysLeave(t *testing.T) {
	for key, want := range map[string]string{"q": "human has left", "\x04": "the input has ended", "\x03": "interrupted before the match was over"} {
		p := onPTY(t, "play", "--agents", "human,simple,simple,simple", "--seed", "1")
		p.await("you have seat 0", 1)
		p.press(key)
		p.ended(exitError)
		p.await(want, 1)
	}
}

// On a terminal that is too small for a game, pictures are cut and say so, the
// player's and those of replay.
func TestSmallTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "game.jsonl")
	pommego(t, "play", "--env", "OneVsOne-v0", "--agents", "static", "--rules", `{"max_steps": 2}`, "--seed", "1", "--record", file, "--quiet").want(t, exitOK)
	for _, args := range [][]string{
		{"replay", file, "--fps", "0"},
		{"play", "--env", "OneVsOne-v0", "--agents", "human,static", "--rules", `{"max_steps": 1}`, "--seed", "1", "--quiet"},
	} {
		for _, size := range []unix.Winsize{{Col: 12, Row: 8}, {Col: 200, Row: 100}} {
			p := onPTYOf(t, &size, args...)
			if args[0] == "play" {
				p.await("\x1b[2J", 1)
				p.press(".")
			}
			p.ended(exitOK)
			p.await(map[string]string{"replay": "step 2 of 2", "play": "Tie after 1 step"}[args[0]], 1)
			small := size.Row < 20
			if cut := strings.Contains(p.written(), "(cut: needs "); cut != small {
				t.Errorf("%s on a terminal of %d by %d: cut off %v, want %v:\n%q", args[0], size.Col, size.Row, cut, small, p.written())
			}
			shown := strings.Split(p.written(), "\x1b[2J")
			picture, _, _ := strings.Cut(shown[1], "custom:OneVsOne-v0, seed 1: ") // how it ended comes below
			if lines := strings.Split(picture, "\n"); small && len(lines) > 8 {
				t.Errorf("%s shows %d lines on 8", args[0], len(lines))
			}
		}
	}
}

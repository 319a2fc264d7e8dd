//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopped runs the program, sends it a signal once it has written a text so many
// times, and waits for its end.
func stopped(t *testing.T, signal os.Signal, text string, times int, args ...string) ran {
	t.Helper()
	cmd := exec.Command(program(), args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	var all strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if all.WriteString(lines.Text() + "\n"); strings.Contains(lines.Text(), text) {
			if times--; times == 0 {
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	cmd.Wait()
	if times > 0 {
		t.Fatalf("it ended before it wrote %q so often:\n%.2000s\n%s", text, all.String(), errs.String())
	}
	return ran{cmd.ProcessState.ExitCode(), all.String(), errs.String()}
}

// A match that a signal stops leaves the game up to there, in every game; that of a
// tie played again, and all games before it. The games are long, so that none is over
// before the signal has arrived.
func TestPlayStopped(t *testing.T) {
	const long = `{"max_steps": 30000}`
	for _, tc := range []struct {
		id     string
		signal os.Signal
		rules  string
	}{
		{"PommeFFACompetition-v0", syscall.SIGINT, long},
		{"PommeTeamCompetition-v0", syscall.SIGTERM, long},
		{"PommeFFA2018-v0", syscall.SIGINT, long},
		{"PommeFFAJava-v0", syscall.SIGTERM, long},
		{"BaseWarSides-v0", syscall.SIGINT, long},
		{"SuiteBot-v0", syscall.SIGTERM, `{"rounds": 5000}`},
	} {
		t.Run(tc.id, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "game.jsonl.gz")
			args := []string{"play", "--env", tc.id, "--rules", tc.rules, "--agents", "static", "--seed", "1", "--show",
				"--record", file}
			r := stopped(t, tc.signal, tc.id+", seed 1", 20, args...)
			said := regexp.MustCompile(`^pommego play: interrupted before the match was over; the (\d+) steps until then are recorded in (.*)\n$`).FindStringSubmatch(r.errors)
			if r.code != exitError || said == nil || said[2] != file {
				t.Fatalf("exit code %d and %q, want %d and how many steps are recorded in %s", r.code, r.errors, exitError, file)
			}
			steps, err := strconv.Atoi(said[1])
			if err != nil || steps < 19 {
				t.Fatalf("%d steps are recorded, want 19 or more", steps)
			}
			readsStopped(t, file, steps)
		})
	}
}

// A match that is over when it is stopped, its last picture still on the screen, ends
// as any other.
func TestPlayStoppedWhenOver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "game.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	out := &watched{want: "step 2 of 2", seen: cancel}
	root := newRoot()
	root.SetOut(out)
	root.SetArgs([]string{"play", "--env", "OneVsOne-v0", "--rules", `{"max_steps": 2}`, "--agents", "static", "--seed",
		"1", "--show", "--record", file})
	if err := root.ExecuteContext(ctx); err != nil || ctx.Err() == nil ||
		!strings.HasSuffix(out.text, "Tie after 2 steps\n") {
		t.Errorf("it ended with %v (stopped: %v) and wrote\n%s", err, ctx.Err(), out.text)
	}
	pommego(t, "verify", file).want(t, exitOK)
}

// A video that is being written is given up at a signal, and leaves no half file.
func TestReplayVideoStopped(t *testing.T) {
	dir := t.TempDir()
	record, video := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "a.gif")
	pommego(t, "play", "--agents", "static", "--seed", "3", "--record", record, "--quiet").want(t, exitOK)
	cmd := exec.Command(program(), "replay", record, "--gif", video, "--tile", "128")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	for range 3000 { // until it draws
		if left, _ := filepath.Glob(video + "*"); len(left) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if want := "pommego replay: interrupted: " + video + " was not written\n"; cmd.ProcessState.ExitCode() != exitError ||
		errs.String() != want {
		t.Errorf("exit code %d and %q, want %d and %q", cmd.ProcessState.ExitCode(), errs.String(), exitError, want)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("there are %v (error %v), want the record alone", left, err)
	}
}

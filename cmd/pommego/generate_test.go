package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pommego/arena/dataset"
	"pommego/env/catalog"
)

// generated is what --json prints.
type generated struct {
	Out         string  `json:"out"`
	Games       int     `json:"games"`
	Steps       int     `json:"steps"`
	Rows        int     `json:"rows"`
	Files       int     `json:"files"`
	Bytes       int64   `json:"bytes"`
	Played      int     `json:"games_played"` // in this run
	PlayedSteps int     `json:"steps_played"`
	Seconds     float64 `json:"seconds"`
}

// generateKills is how often TestGenerateKilled kills: the more, the surer.
var generateKills = flag.Int("generate-kills", 5, "SIGKILLs that TestGenerateKilled makes, for each layout")

func TestGenerateUsage(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{"", "want --out DIR"},
		{"--out x extra", "got 1 arguments [extra]"},
		{"--out x --env Pomme-v9", `unknown environment "Pomme-v9"`},
		{"--out x --agents nobody", `no agent is called "nobody"`},
		{"--out x --agents client:mine", "pommego.data.record"},
		{"--out x --games 0", "games is 0, want 1 to"},
		{"--out x --observation smell", "planes, raw"},
		{"--out " + folder, "name another folder"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			r := pommego(t, with([]string{"generate"}, strings.Fields(tc.args)...)...)
			r.want(t, exitUsage)
			if !strings.Contains(r.errors, tc.want) || strings.Count(r.errors, "\n") != 1 || r.out != "" {
				t.Errorf("stderr %q, stdout %.200q; want one line with %q on stderr", r.errors, r.out, tc.want)
			}
		})
	}
}

// TestGenerateOutput generates, checks and shows, and damages what it has made.
func TestGenerateOutput(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "set")
	args := strings.Fields("generate --games 12 --games-per-file 5 --agents simple,random --json --out " + folder)
	r := pommego(t, args...)
	r.want(t, exitOK)
	var made generated
	if err := json.Unmarshal([]byte(r.out), &made); err != nil || made.Games != 12 || made.Files != 3 ||
		made.Played != 12 {
		t.Errorf("%s (%v), want 12 games in 3 files", r.out, err)
	}
	again := pommego(t, args...)
	again.want(t, exitOK)
	if err := json.Unmarshal([]byte(again.out), &made); err != nil || made.Games != 12 || made.Played != 0 {
		t.Errorf("the same again: %s (%v), want 12 games and none played", again.out, err)
	}
	r = pommego(t, "data", "verify", "--replay", folder)
	r.want(t, exitOK)
	if !strings.Contains(r.out, "3 files, 12 games,") || !strings.Contains(r.out, " 0 problems") {
		t.Errorf("verify says %q, want 3 files, 12 games, 0 problems", r.out)
	}
	path := filepath.Join(folder, "data", "games-00001.parquet")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 4
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	r = pommego(t, "data", "verify", folder)
	if r.code != exitError || !strings.Contains(r.out, "games-00001.parquet: the file is damaged") {
		t.Errorf("verify of a flipped bit: exit code %d, %q, want %d and the file's name", r.code, r.out, exitError)
	}
}

// stored is the flags for a layout.
func stored(layout string) string {
	if layout == "steps" {
		return "--observation planes"
	}
	return ""
}

// lengthy is a data set that takes long enough to be killed a few times.
func lengthy(layout string) []string {
	games := "1500"
	if layout == "steps" {
		games = "250"
	}
	return strings.Fields(`generate --games-per-file 70 --agents simple,random --rules {"max_steps":100} ` +
		stored(layout) + " --games " + games)
}

// TestGenerateKilled kills without warning, again and again, and goes on.
func TestGenerateKilled(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	for _, layout := range []string{"games", "steps"} {
		want := filepath.Join(t.TempDir(), "want")
		begun := time.Now()
		pommego(t, append(lengthy(layout), "--out", want)...).want(t, exitOK)
		whole := time.Since(begun)
		kills, finished := 0, 0
		for kills < *generateKills {
			got := filepath.Join(t.TempDir(), "got")
			for kills < *generateKills {
				cmd := exec.Command(program(), append(lengthy(layout), "--out", got)...)
				cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", 1+kills%3))
				var errs bytes.Buffer
				cmd.Stderr = &errs
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(time.Duration(rng.Int64N(int64(whole)/2)), func() { cmd.Process.Kill() })
				if err := cmd.Wait(); err == nil {
					finished++
					break
				} else if cmd.ProcessState.ExitCode() != -1 {
					t.Fatalf("%s: after %d kills: %v: %s", layout, kills, err, errs.String())
				}
				kills++
			}
			pommego(t, append(lengthy(layout), "--out", got)...).want(t, exitOK)
			sameTree(t, fmt.Sprintf("%s, %d kills", layout, kills), got, want)
		}
		t.Logf("%s: %d kills, %d runs that were finished before", layout, kills, finished)
	}
}

// TestGenerateOtherLayout asks for another layout, or another observation, than the data set has.
func TestGenerateOtherLayout(t *testing.T) {
	for _, c := range []struct{ made, asked, want string }{
		{"", "--observation planes", `it has layout games and observation "", want layout steps and observation "planes"`},
		{"--observation planes", "", `want layout games and observation ""`},
		{"--observation planes", "--observation raw", `observation "planes", want layout steps and observation "raw"`},
	} {
		args := strings.Fields(`generate --agents random --rules {"max_steps":5} --games 2 --out ` + t.TempDir())
		pommego(t, with(args, strings.Fields(c.made)...)...).want(t, exitOK)
		r := pommego(t, with(args, strings.Fields(c.asked)...)...)
		r.want(t, exitUsage)
		if !strings.Contains(r.errors, c.want) || strings.Count(r.errors, "\n") != 1 || len(r.errors) > 400 {
			t.Errorf("made with %q, asked for %q: stderr %q, want one short line with %q", c.made, c.asked, r.errors, c.want)
		}
	}
}

// sameTree fails the test unless two folders hold the same files.
func sameTree(t *testing.T, what, got, want string) {
	t.Helper()
	out, err := exec.Command("diff", "-r", got, want).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %.2000s", what, err, out)
	}
}

// TestGenerateDiskTrouble fills a small disk, makes it read-only, and then lets
// the work be finished, all in a file system of the test's own.
func TestGenerateDiskTrouble(t *testing.T) {
	if err := exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").Run(); err != nil {
		t.Skipf("there are no namespaces to mount a disk in: %v", err)
	}
	disk, want := t.TempDir(), filepath.Join(t.TempDir(), "want")
	args := strings.Fields(`generate --games 400 --games-per-file 100 --rules {"max_steps":300}`)
	pommego(t, append(args, "--out", want)...).want(t, exitOK)
	generate := fmt.Sprintf("%s %s --out %s/set", program(), strings.ReplaceAll(strings.Join(args, " "), `"`, `\"`), disk)
	script := strings.NewReplacer("DISK", disk, "WANT", want, "PROGRAM", program(), "GENERATE", generate).Replace(`
		mount -t tmpfs -o size=200k none DISK
		GENERATE; echo "full: $?"
		ls DISK/set/data DISK/set/manifest.json
		mount -o remount,ro DISK
		GENERATE; echo "read-only: $?"
		mount -o remount,rw,size=100m DISK
		GENERATE >DISK/said; echo "after that: $?"
		diff -r DISK/set WANT; echo "differs: $?"
		mkdir DISK/other; mount -o remount,ro DISK
		PROGRAM generate --games 1 --out DISK/other/set; echo "new and read-only: $?"`)
	out, err := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script).CombinedOutput()
	if err != nil && !bytes.Contains(out, []byte("new and read-only")) {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range []string{
		"no space left on device", "full: 1", "read-only file system", "read-only: 1", "after that: 0", "differs: 0",
		"new and read-only: 1",
	} {
		if !strings.Contains(string(out), line) {
			t.Errorf("%q is missing in:\n%s", line, out)
		}
	}
	if strings.Contains(string(out), "panic") {
		t.Errorf("it panicked:\n%s", out)
	}
}

// TestGenerateWithAProgram seats an agent outside this program.
func TestGenerateWithAProgram(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	agent := filepath.Join(t.TempDir(), "agent.py")
	source := "import json, sys\nfor line in sys.stdin:\n q = json.loads(line)\n if 'id' in q: print(json.dumps({'id': " +
		"q['id'], 'action': 9 if q.get('obs', {}).get('step_count') == 3 else 0}), flush=True)\n"
	if err := os.WriteFile(agent, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "set")
	name := "exec:python3 " + agent
	r := pommego(t, "generate", "--out", folder, "--games", "3", "--rules", `{"max_steps": 12}`,
		"--agents", name+",simple,simple,simple")
	r.want(t, exitOK)
	if want := "agent " + name + ": 3 moves missed, for which stop was played; step 4: "; !strings.HasPrefix(r.out, want) {
		t.Errorf("it printed %q, want %q first", r.out, want)
	}
	pommego(t, "data", "verify", "--replay", folder).want(t, exitOK)
	m, err := dataset.ReadManifest(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Unrepeatable) != 1 || !strings.Contains(m.Unrepeatable[0], "outside") {
		t.Errorf("the manifest says %q, want why it is not repeatable", m.Unrepeatable)
	}
	if len(m.Files) != 3 {
		t.Errorf("the games are in %d files, want a file for each", len(m.Files))
	}
	set, err := dataset.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	folder = filepath.Join(t.TempDir(), "steps")
	r = pommego(t, "generate", "--out", folder, "--games", "1", "--rules", `{"max_steps": 12}`,
		"--observation", "planes", "--agents", name+",osla:ticks=20,simple,simple")
	r.want(t, exitOK)
	searched(t, folder)
	err = set.Episodes(func(e *dataset.Episode) error {
		const seat = 0
		if e.Agents[seat] != name || e.Steps > 3 && e.Missed[seat] != 1 {
			t.Errorf("game %d: seat %d is %q and missed %d moves, want the program and 1", e.Game, seat,
				e.Agents[seat], e.Missed[seat])
		}
		for step := range e.Steps {
			if e.Actions[4*step+seat] != 0 {
				t.Errorf("game %d, step %d: the program's move is %d, want 0", e.Game, step, e.Actions[4*step+seat])
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// searched fails the test unless a data set has what agents chose by.
func searched(t *testing.T, folder string) {
	t.Helper()
	set, err := dataset.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	err = set.Episodes(func(e *dataset.Episode) error {
		if len(e.Decisions) == 0 {
			t.Errorf("game %d of %q has nothing of what a search chose by", e.Game, set.Manifest.Agents)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPlayedIn finds the game of every id, and of changed rules.
func TestPlayedIn(t *testing.T) {
	var m dataset.Manifest
	m.Env.ID = "PommeFFACompetition-v0"
	game, err := playedIn(&m)
	if err != nil || game.Spec().ID != m.Env.ID {
		t.Errorf("game %v (%v), want %s", game, err, m.Env.ID)
	}
	own, err := catalog.Variant("OneVsOne-v0", json.RawMessage(`{"max_steps": 77}`))
	if err != nil {
		t.Fatal(err)
	}
	m.Env.ID = own.Spec().ID
	if m.Env.Rules, err = json.Marshal(own.Spec().Rules); err != nil {
		t.Fatal(err)
	}
	if game, err = playedIn(&m); err != nil || game.Spec().MaxSteps != 77 {
		t.Errorf("game %v (%v), want one of 77 steps", game, err)
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerateParts makes a data set in parts, one of which is missing, one there twice
// and one only begun: together they are what one run makes.
func TestGenerateParts(t *testing.T) {
	for _, layout := range []string{"games", "steps"} {
		args := strings.Fields(`generate --games 95 --games-per-file 10 --agents simple,random --rules {"max_steps":100} --json ` + stored(layout))
		dir := t.TempDir()
		want := filepath.Join(dir, "want")
		pommego(t, with(args, "--out", want)...).want(t, exitOK)
		takes := []string{"--out", filepath.Join(dir, "got")}
		for i, part := range []string{"30-39", "0-19", "0-9", "40-94"} {
			folder := filepath.Join(dir, fmt.Sprint(i))
			r := pommego(t, with(args, "--out", folder, "--part", part)...)
			r.want(t, exitOK)
			var made struct{ Games int }
			if r.decodes(t, &made); i == 1 && made.Games != 20 {
				t.Errorf("part %s: %+v, want 20 games", part, made)
			}
			if _, err := os.Stat(filepath.Join(folder, "manifest.json")); err == nil {
				t.Errorf("part %s has a manifest, as if it were all", part)
			}
			takes = append(takes, "--take", folder)
		}
		r := pommego(t, with(args, takes...)...)
		r.want(t, exitOK)
		var made generated
		if r.decodes(t, &made); made.Played != 10 {
			t.Errorf("%d of %d games were played at the end, want the 10 from 20 on", made.Played, made.Games)
		}
		sameTree(t, layout, takes[1], want)
		pommego(t, with(args, takes...)...).want(t, exitOK) // all is there: nothing is taken
	}
}

// TestTournamentParts plays a tournament in parts.
func TestTournamentParts(t *testing.T) {
	args := strings.Fields("tournament --agents simple,random,static --games 20 --seed 3")
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	r := pommego(t, with(args, "--out", whole)...)
	r.want(t, exitOK)
	want, takes := outcome(t, r.out, whole), []string{}
	for i, part := range []string{"0-19", "10-29", "50-59"} {
		log := filepath.Join(dir, fmt.Sprint(i))
		r := pommego(t, with(args, "--out", log, "--part", part)...)
		r.want(t, exitOK)
		if !strings.Contains(r.out,
			": "+map[bool]string{true: "10", false: "20"}[i == 2]+" games, of "+strings.Replace(part, "-", " to ", 1)) {
			t.Errorf("part %s says %q", part, r.out)
		}
		takes = append(takes, "--take", log)
	}
	folder := filepath.Join(dir, "out")
	r = pommego(t, with(with(args, takes...), "--out", folder)...)
	r.want(t, exitOK)
	if got := outcome(t, r.out, folder); got != want {
		t.Errorf("in parts: other results\n%.3000s\nwant\n%.3000s", got, want)
	}
	if n := gamesKept(filepath.Join(folder, "games.jsonl")); n != 60 {
		t.Errorf("the log holds %d games, want 60", n)
	}
}

func TestPartUsage(t *testing.T) {
	dir := t.TempDir()
	data, log := filepath.Join(dir, "data"), filepath.Join(dir, "log")
	pommego(t, "generate", "--games", "30", "--games-per-file", "10", "--part", "10-19", "--out", data).want(t, exitOK)
	pommego(t, "tournament", "--games", "10", "--part", "3-4", "--out", log).want(t, exitOK)
	for _, tc := range []struct {
		args, want string
		code       int
	}{
		{"generate --out x --part 5-3", `--part is "5-3", want FIRST-LAST`, exitUsage},
		{"generate --out x --part a", `--part is "a"`, exitUsage},
		{"generate --out " + dir + "/x --games 30 --games-per-file 10 --part 20-30",
			`--part is "20-30", want FIRST-LAST, of the games 0 to 29`, exitUsage},
		{"generate --out " + dir + "/y --games 30 --games-per-file 10 --take " + dir,
			"there is no log of a part", exitError},
		{"generate --out " + dir + "/z --games 40 --games-per-file 10 --take " + data,
			"", exitOK}, // a part is of any number of games
		{"generate --out " + dir + "/z2 --games 30 --games-per-file 10 --seed 2 --take " + data,
			"with these settings: seed is 1, not 2", exitUsage},
		{"generate --out " + dir + "/z --games 40 --games-per-file 10 --part 0-4",
			"it holds the finished data set; name another folder", exitUsage},
		{"generate --out " + dir + "/z4 --games 30 --games-per-file 10 --take " + dir + "/z",
			"there is no log of a part (a finished data set is no part)", exitError},
		{"tournament --part 3", "--part needs --out DIR", exitUsage},
		{"tournament --games 10 --part 3-10 --out " + dir + "/l", `--part is "3-10", want FIRST-LAST, of the games 0 to 9`,
			exitUsage},
		{"tournament --games 10 --take " + dir + "/none", "there is no log of a part", exitError},
		{"tournament --games 4 --take " + log, "this run asks for 4 games", exitUsage},
		{"tournament --games 10 --seed 5 --take " + log, "seed is 1, not 5; name another folder", exitUsage},
	} {
		r := pommego(t, strings.Fields(tc.args)...)
		if r.code != tc.code || !strings.Contains(r.errors, tc.want) {
			t.Errorf("%s: exit code %d, %q, want %d and %q", tc.args, r.code, r.errors, tc.code, tc.want)
		}
	}
}

// TestPartCount says how many parts there can be.
func TestPartCount(t *testing.T) {
	for args, want := range map[string]int{
		"generate --part count --json --games 25001":                       25001,
		"tournament --part count --json --agents simple,random --games 50": 100,
	} {
		r := pommego(t, strings.Fields(args)...)
		r.want(t, exitOK)
		var got struct{ Parts int }
		if err := json.Unmarshal([]byte(r.out), &got); err != nil || got.Parts != want {
			t.Errorf("%s: %s (%v), want %d", args, r.out, err, want)
		}
	}
}

// TestPartEndsWithParent: work stops when the process that wants it is gone.
func TestPartEndsWithParent(t *testing.T) {
	cmd := exec.Command(program(), "tournament", "--games", "1000000", "--agents", "simple", "--out", t.TempDir(),
		"--part",
		"-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, "5-99999")
	in.Close()
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != exitError {
		t.Errorf("it ended with %v, want exit code %d", err, exitError)
	}
}

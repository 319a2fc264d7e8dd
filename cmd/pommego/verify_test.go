package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testdata is the path of a file of recorded games.
func testdata(name string) string {
	return filepath.Join("..", "..", "env", "pommerman", "testdata", "traces", name)
}

// unpacked is the text of a compressed file.
func unpacked(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(testdata(name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Who cannot print what was found does not succeed.
func TestVerifyIntoNothing(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	set := filepath.Join(t.TempDir(), "set")
	pommego(t, "generate", "--games", "2", "--agents", "random", "--out", set).want(t, exitOK)
	for _, args := range [][]string{{"verify", testdata("crafted.jsonl.gz")}, {"data", "verify", set}, {"envs"}} {
		cmd, said := exec.Command(program(), args...), new(bytes.Buffer)
		cmd.Stdout, cmd.Stderr = full, said
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitError || !strings.Contains(said.String(), "no space left") {
			t.Errorf("%v: %v, %q, want exit code %d and why", args, err, said, exitError)
		}
	}
	record, said := filepath.Join(t.TempDir(), "match.jsonl"), new(bytes.Buffer)
	show := exec.Command(program(), "play", "--show", "--record", record)
	show.Stdout, show.Stderr = full, said
	if show.Run(); !strings.Contains(said.String(), "no space left on device; nothing was played") {
		t.Errorf("%q, want why the match was stopped", said)
	}
	read, write, err := os.Pipe()
	if err := errors.Join(err, read.Close()); err != nil {
		t.Fatal(err)
	}
	play := exec.Command(program(), "play", "--env", "OneVsOne-v0", "--agents", "static", "--record", record)
	play.Stdout = write
	if play.Run(); play.ProcessState.ExitCode() != exitError {
		t.Errorf("%v, want exit code %d", play.ProcessState, exitError)
	}
	write.Close()
	pommego(t, "verify", record).want(t, exitOK)
}

// Recorded games of the reference agree with ours, and are counted in total. `make verify`
// checks all of them, and so do the tests of each game.
func TestVerifySeveral(t *testing.T) {
	files := []string{testdata("crafted.jsonl.gz"), testdata("micro.jsonl.gz"), testdata("team-collapse.jsonl.gz")}
	r := pommego(t, append([]string{"verify"}, files...)...)
	r.want(t, exitOK)
	lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
	if len(lines) != 4 || lines[3] != "750 games, 3966 steps, 0 mismatches" {
		t.Errorf("printed\n%s\nwant three files, 750 games, 3966 steps, 0 mismatches", r.out)
	}
	for i, file := range files {
		if !strings.HasPrefix(lines[i], file+": ") || !strings.HasSuffix(lines[i], ", 0 mismatches") {
			t.Errorf("line %d is %q, want one about %s", i+1, lines[i], file)
		}
	}
}

// TestVerifyFolder checks the files of a folder and of those in it, and no others. The folder and files may be links.
// A date is no number of the original's states.
func TestVerifyFolder(t *testing.T) {
	folder := t.TempDir()
	text := unpacked(t, "crafted.jsonl.gz")
	one := writeFile(t, "one.jsonl", text[:strings.Index(text, "\n")+1])
	for _, name := range []string{"b.jsonl", "a/c.jsonl", "notes.md", "2026-12-01.json"} {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Link(one, path)); err != nil {
			t.Fatal(err)
		}
	}
	empty := t.TempDir()
	linked := filepath.Join(empty, "linked")
	if err := errors.Join(os.Symlink(one, filepath.Join(folder, "d.jsonl")), os.Symlink(folder, linked)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, linked} {
		r := pommego(t, "verify", path)
		r.want(t, exitOK)
		want := fmt.Sprintf("%[1]s/a/c.jsonl: %[2]s%[1]s/b.jsonl: %[2]s%[1]s/d.jsonl: %[2]s3 games, 39 steps, 0 mismatches\n",
			path, "1 games, 13 steps, 0 mismatches\n")
		if r.out != want {
			t.Errorf("printed\n%s\nwant\n%s", r.out, want)
		}
	}
	r := pommego(t, "verify", empty)
	r.want(t, exitError)
	if !strings.Contains(r.errors, empty) || !strings.Contains(r.errors, "*.jsonl") {
		t.Errorf("says %q, want the folder and what was looked for", r.errors)
	}
}

func TestVerifyGamesAlone(t *testing.T) {
	r := pommego(t, "verify", testdata("crafted.jsonl.gz"))
	r.want(t, exitOK)
	want := testdata("crafted.jsonl.gz") + ": 120 games, 479 steps, 0 mismatches\n120 games, 479 steps, 0 mismatches\n"
	if r.out != want {
		t.Errorf("printed %q, want %q", r.out, want)
	}
}

// alteredGames is a file of a dozen games of which those on the given lines, from 1, claim
// another result in their first step.
func alteredGames(t *testing.T, games ...int) string {
	t.Helper()
	lines := strings.SplitAfter(unpacked(t, "crafted.jsonl.gz"), "\n")[:12]
	for _, game := range games {
		altered := strings.Replace(lines[game-1], `"result":"Incomplete"`, `"result":"Loss"`, 1)
		if altered == lines[game-1] {
			t.Fatalf("game %d has no step that could be altered", game)
		}
		lines[game-1] = altered
	}
	return writeFile(t, "altered.jsonl", strings.Join(lines, ""))
}

func TestVerifyMismatches(t *testing.T) {
	path := alteredGames(t, 4, 9, 11)
	r := pommego(t, "verify", "--show", "2", path)
	r.want(t, exitError)
	want := fmt.Sprintf("%[1]s: 12 games, 73 steps, 3 mismatches\n"+
		"  %[1]s: game 4, step 1, result: expected Loss, got Incomplete\n"+
		"  %[1]s: game 9, step 1, result: expected Loss, got Incomplete\n"+
		"12 games, 73 steps, 3 mismatches\n", path)
	if r.out != want || r.errors != "" {
		t.Errorf("printed\n%s%s\nwant\n%s", r.out, r.errors, want)
	}
	t.Setenv("GOMAXPROCS", "1")
	if again := pommego(t, "verify", "--show", "2", path); again != r {
		t.Errorf("on one core it printed\n%s\nwant\n%s", again.out, r.out)
	}
	if r := pommego(t, "verify", "--show", "0", path); strings.Contains(r.out, "expected") {
		t.Errorf("--show 0 listed mismatches:\n%s", r.out)
	}
}

func TestVerifyJSON(t *testing.T) {
	bad, good := alteredGames(t, 4), testdata("onevsone.jsonl.gz")
	r := pommego(t, "verify", "--json", bad, good, "nowhere.jsonl")
	r.want(t, exitError)
	var got struct {
		OK                               bool
		Games, Steps, Mismatches, Errors int
		Files                            []struct {
			File, Format, Error string
			Games, Mismatches   int
			Differences         []struct {
				Game, Step           int
				Field, Expected, Got string
			}
		}
	}
	r.decodes(t, &got)
	if got.OK || got.Games != 32 || got.Steps != 1666 || got.Mismatches != 1 || got.Errors != 1 || len(got.Files) != 3 {
		t.Fatalf("got %+v, want 32 games, 1666 steps, 1 mismatch and 1 error in 3 files", got)
	}
	if f := got.Files[0]; f.File != bad || f.Format != "pommerman-trace/1" || len(f.Differences) != 1 ||
		f.Differences[0].Game != 4 || f.Differences[0].Field != "result" || f.Differences[0].Expected != "Loss" {
		t.Errorf("the altered file is reported as %+v", f)
	}
	if f := got.Files[2]; !strings.Contains(f.Error, "nowhere.jsonl") {
		t.Errorf("the missing file is reported as %+v", f)
	}
	r = pommego(t, "verify", "--json", good)
	r.want(t, exitOK)
	if r.decodes(t, &got); !got.OK {
		t.Errorf("a good file is reported as %+v", got)
	}
}

// A file that cannot be checked to its end is an error, however good the rest.
func TestVerifyDamage(t *testing.T) {
	packed, err := os.ReadFile(testdata("crafted.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	plain := unpacked(t, "crafted.jsonl.gz")
	first := plain[:strings.Index(plain, "\n")+1]
	good := writeFile(t, "good.jsonl", first)
	noSteps := first[:strings.Index(first, `"steps":[`)] + `"steps":[]}` + "\n"
	for _, tc := range []struct {
		reason, name, text, want string
	}{
		{"compressed, cut", "a.jsonl.gz", string(packed[:len(packed)-5]), "cut short"},
		{"plain, cut", "b.jsonl", plain[:len(plain)-10], "b.jsonl: line 120: the file is cut short"},
		{"empty", "c.jsonl", "", "c.jsonl: the file is empty"},
		{"blank line", "d.jsonl", first + "\n" + first, "d.jsonl: line 2: blank line"},
		{"unknown format", "e.jsonl", `{"format":"chess/1"}` + "\n",
			`e.jsonl: line 1: no known format: "chess/1", want one of `},
		{"not JSON", "f.jsonl", "hello\n", "f.jsonl: line 1: not a JSON object"},
		{"key missing", "g.jsonl", strings.Replace(first, `"rewards"`, `"reward"`, 1), `step 1: rewards is missing`},
		{"nothing to compare", "h.jsonl", noSteps, "1 games, 0 steps, 0 mismatches"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			path := writeFile(t, tc.name, tc.text)
			r := pommego(t, "verify", good, path)
			if tc.name == "h.jsonl" {
				r = pommego(t, "verify", path)
			}
			r.want(t, exitError)
			if !strings.Contains(r.out, tc.want) {
				t.Errorf("printed\n%s\nwant %q in it", r.out, tc.want)
			}
			if !strings.HasSuffix(lastLine(r.out), " mismatches") {
				t.Errorf("the last line is %q, want the counts", lastLine(r.out))
			}
		})
	}
	if r := pommego(t, "verify", "nowhere.jsonl"); r.code != exitError || !strings.Contains(r.out, "nowhere.jsonl") {
		t.Errorf("for a missing file: %+v", r)
	}
}

// A file is read as it comes: it need not be a regular one.
func TestVerifyPipe(t *testing.T) {
	var small bytes.Buffer
	zip := gzip.NewWriter(&small)
	text := unpacked(t, "crafted.jsonl.gz")
	io.WriteString(zip, text[:strings.Index(text, "\n")+1])
	zip.Close()
	r := pommegoReading(t, small.String(), "verify", "/dev/stdin")
	r.want(t, exitOK)
	if lastLine(r.out) != "1 games, 13 steps, 0 mismatches" {
		t.Errorf("printed %q, want 1 games, 13 steps, 0 mismatches", r.out)
	}
}

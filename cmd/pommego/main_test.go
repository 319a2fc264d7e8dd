package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pommego/env"
	"pommego/env/catalog"
)

// programFolder is where the program is built, if a test asks for it.
var programFolder string

// program builds the real program at its first call, as `make build` does it: then all
// but linking is in the cache. It returns the path.
var program = sync.OnceValue(func() string {
	path := filepath.Join(programFolder, "pommego")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", path, ".").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("building pommego: %v\n%s", err, out))
	}
	return path
})

func TestMain(m *testing.M) {
	var err error
	if programFolder, err = os.MkdirTemp("", "pommego-test"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(programFolder)
	os.Exit(code)
}

// ran is what one run of the program came to.
type ran struct {
	code        int
	out, errors string
}

// pommego runs the program with nothing on its standard input.
func pommego(t *testing.T, args ...string) ran {
	t.Helper()
	return pommegoReading(t, "", args...)
}

func pommegoReading(t *testing.T, input string, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(program(), args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("pommego %v: %v", args, err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), progressLines.ReplaceAllString(errs.String(), "")}
}

// progressLines are what long work says of itself every ten seconds, which depends on
// how busy the machine is.
var progressLines = regexp.MustCompile(`(?m)^progress: .*\n`)

// want checks the exit code and, when it is 0, that nothing was complained of.
func (r ran) want(t *testing.T, code int) {
	t.Helper()
	if r.code != code || code == 0 && r.errors != "" {
		t.Fatalf("exit code %d, want %d\nstdout:\n%.2000s\nstderr:\n%.2000s", r.code, code, r.out, r.errors)
	}
}

// decodes reads what the program printed as one JSON value.
func (r ran) decodes(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.out), v); err != nil {
		t.Fatalf("stdout is not JSON: %v\n%.2000s", err, r.out)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// Every command explains itself, with examples that call it.
func TestHelp(t *testing.T) {
	for _, make := range commands {
		name := make().Name()
		t.Run(name, func(t *testing.T) {
			r := pommego(t, name, "--help")
			r.want(t, exitOK)
			for _, text := range []string{"Usage:", "Examples:", "\n  pommego " + name, "--json"} {
				if !strings.Contains(r.out, text) && !(name == "mcp" && text == "--json") { // it speaks nothing but JSON
					t.Errorf("help does not hold %q:\n%s", text, r.out)
				}
			}
			if strings.Contains(r.out, "(default [])") {
				t.Errorf("help names an empty default:\n%s", r.out)
			}
		})
	}
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		r := pommego(t, args...)
		r.want(t, exitOK)
		if !strings.Contains(r.out, "Available Commands:") {
			t.Errorf("pommego %v printed no list of commands:\n%s", args, r.out)
		}
	}
}

// A wrong call exits with 2 and says why in one line.
func TestWrongUsage(t *testing.T) {
	games := testdata("crafted.jsonl.gz")
	for _, tc := range []struct {
		args string
		want string
	}{
		{"paly", `there is no command "paly", want one of `},
		{"help paly", `unknown command "paly"`},
		{"help data show", `unknown command "show"`},
		{"completion fsh", `unknown command "fsh"`},
		{"completion bash extra", `unknown command "extra"`},
		{"--nope", "unknown flag: --nope"},
		{"envs --nope", "unknown flag: --nope"},
		{"envs a b", "got 2 arguments, want at most one id"},
		{"envs Pomme-v9", `unknown environment "Pomme-v9", want one of PommeFFACompetition-v0`},
		{"verify", "no file is named"},
		{"verify --show -1 x", "--show is -1, want 0 or more"},
		{"verify --show many x", `--show is "many", want a whole number`},
		{"replay", "want FILE"},
		{"replay a b", "got 2 arguments [a b], want FILE"},
		{"replay --game 0 " + games, "--game is 0, want 1 or more"},
		{"replay --game 121 " + games, "no such game in the file: it has 120 games, want game 121"},
		{"replay --seat 5 " + testdata("onevsone.jsonl.gz"), "--seat is 5, want 0 to 1 for OneVsOne-v0"},
		{"replay --fps -1 " + games, "--fps is -1"},
		{"replay --fps nan " + games, "--fps is NaN"},
		{"replay --json --gif x " + games, "--json prints the game and writes no file"},
		{"replay --gif x --html ./x " + games, "./x is named for two files"},
		{"play --record x --record-dialogues x", "x is named for two files: name another for one of them"},
		{"play --record-dialogues x.gz", "dialogues are not compressed, want a name without .gz"},
		{"tournament --record-dialogues x.gz", "dialogues are not compressed"},
		{"serve --openenv --record-dialogues x.gz", "dialogues are not compressed"},
		{"bench --seconds nan", "--seconds is NaN, want more than 0 and at most"},
		{"bench --seconds 1e12", "--seconds is 1e+12, want more than 0 and at most"},
		{"play extra", "got 1 arguments [extra]"},
		{"play --env Pomme-v9", `unknown environment "Pomme-v9"`},
		{"play --agents nobody", `no agent is called "nobody", there are: static, random, simple`},
		{"play --agents simple,simple", "names 2 agents, want 4"},
		{"play --agents simple,,simple,simple", `no agent is called ""`},
		{"play --agents simple:x=1", "takes no options"},
		{"play --show --quiet", "--show and --quiet exclude each other"},
		{"play --seed -1", `--seed is "-1", want a whole number from 0 to`},
		{"generate --out x --games ten", `--games is "ten", want a whole number (see`},
		{"replay --fps fast x", `--fps is "fast", want a number`},
		{"play --fps 3", "unknown flag: --fps (see"},
		{"play --limit -1s", "the limit for a move is -1s"},
		{"play --limit soon", `--limit is "soon", want a time with its unit, such as 500ms`},
		{"play --wait -1s", "the wait for a player is -1s"},
		{"play --web --wait -1s", "the wait for a player is -1s"},
		{"play --web --env Pomme-v9", `unknown environment "Pomme-v9"`},
		{"play --agents exec:", "want exec:COMMAND"},
		{"play --agents http://127.0.0.1:1/x", "want http://host:port"},
		{"play --agents http://127.0.0.1:1", "has a seat already"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			r := pommego(t, strings.Fields(tc.args)...)
			r.want(t, exitUsage)
			if !strings.Contains(r.errors, tc.want) || strings.Count(r.errors, "\n") != 1 || r.out != "" {
				t.Errorf("stderr %q, stdout %.200q; want one line with %q on stderr", r.errors, r.out, tc.want)
			}
		})
	}
}

// TestEntries: entries of one meaning that follow each other are one line. They are named by numbers that count on.
func TestEntries(t *testing.T) {
	got := entries([]env.Name{{Name: "a", Meaning: "m"}, {Name: "b0", Meaning: "n"}, {Name: "b1", Meaning: "n"},
		{Name: "c", Meaning: "m"}})
	if want := []string{"0 `a`: m", "1 `b0` to 2 `b1`: n", "3 `c`: m"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	last := regexp.MustCompile(`^(.*?)(\d+)(\D*)$`)
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range (described{Spec: game.Spec()}).Observed() {
			for _, f := range e.Fields {
				for i := range f.Names[1:] {
					a, b := f.Names[i], f.Names[i+1]
					parts := append(last.FindStringSubmatch(a.Name), "", "", "")
					n, _ := strconv.Atoi(parts[2])
					if a.Meaning == b.Meaning && parts[1]+strconv.Itoa(n+1)+parts[3] != b.Name {
						t.Errorf("%s: %s: %q and %q mean the same", id, f.Name, a.Name, b.Name)
					}
				}
			}
		}
	}
}

func TestEnvs(t *testing.T) {
	var specs []struct {
		ID        string
		Seats     int
		Actions   []struct{ N int }
		Encodings []struct{ Name string }
		Rules     map[string]any
	}
	r := pommego(t, "envs", "--json")
	r.want(t, exitOK)
	r.decodes(t, &specs)
	table := pommego(t, "envs")
	table.want(t, exitOK)
	if lines := strings.Count(table.out, "\n"); lines != len(specs)+1 {
		t.Errorf("the table has %d lines for %d environments", lines, len(specs))
	}
	radio := false
	for _, s := range specs {
		if !strings.Contains(table.out, s.ID+" ") {
			t.Errorf("%s is not in the table", s.ID)
		}
		if s.Seats == 0 || len(s.Actions) == 0 || len(s.Encodings) == 0 || len(s.Rules) == 0 {
			t.Errorf("%s is described without seats, actions, encodings or rules: %+v", s.ID, s)
		}
		radio = radio || s.ID == "PommeRadioCompetition-v2" && len(s.Actions) == 3 && s.Actions[2].N == 9
	}
	if !radio {
		t.Error("PommeRadioCompetition-v2 with actions of 6, 9, 9 is missing")
	}
	one := pommego(t, "envs", "PommeFFA-v1")
	one.want(t, exitOK)
	for _, text := range []string{"PommeFFA-v1", "- `move`, 6 choices from 0: stop, up, down, left, right, bomb\n", "`bomb_moving_direction`",
		"- `first_collapse`: `500`; ", "; version 1, 4 seats, teams `[[0] [1] [2] [3]]`, 800 steps", "decisions: `static` 1, `random` 1, `simple` 1, ",
		", `heuristic` 2, ", ", `champion` 5, ", "- 7 `enemies_block0` to 15 `enemies_block8`: "} {
		if !strings.Contains(one.out, text) {
			t.Errorf("the description does not hold %q:\n%s", text, one.out)
		}
	}
}

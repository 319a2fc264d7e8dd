package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pommego/env/catalog"
)

// people is a match that is played in the browser, by its pages' requests.
type people struct {
	t         *testing.T
	cmd       *exec.Cmd
	out, errs bytes.Buffer // errs has the addresses with --json
	lines     *bufio.Scanner
	base      *url.URL
	token     string
}

// begin starts a match and opens the page of the first person.
func begin(t *testing.T, args ...string) *people {
	t.Helper()
	p := &people{t: t, cmd: exec.Command(program(), append([]string{"play", "--json"}, args...)...)}
	errs, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout = &p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.cmd.Process.Kill() })
	p.lines = bufio.NewScanner(errs)
	if !p.lines.Scan() {
		t.Fatal("no address was printed")
	}
	_, address, _ := strings.Cut(p.lines.Text(), "in the browser: ")
	if p.base, err = url.Parse(address); err != nil {
		t.Fatal(err)
	}
	fragment, err := url.ParseQuery(p.base.Fragment)
	if err != nil {
		t.Fatal(err)
	}
	p.token = fragment.Get("token")
	return p
}

// ask makes a request of the page of a seat.
func (p *people) ask(method, path string, body any) *http.Response {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequest(method, p.base.Scheme+"://"+p.base.Host+"/api/"+path, bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer
}

// plays makes the moves of a seat, and leaves after them if the match goes on.
func (p *people) plays(seat int, moves ...[]int) {
	p.t.Helper()
	stream := p.ask("GET", fmt.Sprint("play?seat=", seat), nil)
	defer stream.Body.Close()
	var line struct {
		Ask *struct{ Step int }
		End string
	}
	for in := json.NewDecoder(stream.Body); line.End == ""; {
		line.Ask = nil
		if err := in.Decode(&line); err != nil {
			p.t.Fatal(err)
		}
		switch {
		case line.Ask == nil:
		case len(moves) == 0:
			p.ask("POST", "play", map[string]any{"seat": seat, "leave": true}).Body.Close()
		default:
			body := map[string]any{"seat": seat, "step": line.Ask.Step, "action": moves[0]}
			moves = moves[1:]
			answer := p.ask("POST", "play", body)
			answer.Body.Close()
			if answer.StatusCode != http.StatusNoContent {
				p.t.Fatalf("the move %v is answered %s", body, answer.Status)
			}
		}
	}
}

// ended waits for the end, once no page is open any more.
func (p *people) ended(code int) {
	p.t.Helper()
	for p.lines.Scan() {
		p.errs.WriteString(p.lines.Text() + "\n")
	}
	p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Fatalf("exit code %d, want %d:\n%s%s", got, code, p.out.String(), p.errs.String())
	}
}

// recordedSteps is what the first steps of a recorded game have under a key.
func recordedSteps(t *testing.T, path, key string, n int) []any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var game struct{ Steps []map[string]any }
	if err := json.Unmarshal(text, &game); err != nil || len(game.Steps) < n {
		t.Fatalf("%s: %d steps (error %v), want %d", path, len(game.Steps), err, n)
	}
	var all []any
	for _, step := range game.Steps[:n] {
		all = append(all, step[key])
	}
	return all
}

// Moves from the page are played and recorded, in every game.
func TestHumanPlays(t *testing.T) {
	for _, tc := range []struct {
		id, rules, agents string
		moves             [][]int
		key               string
		want              []any // in the first steps
	}{
		{"PommeFFACompetition-v0", `{"max_steps": 3}`, "human,static,static,static", [][]int{{1}, {5}, {0}}, "actions",
			[]any{[]any{1., 0., 0., 0.}, []any{5., 0., 0., 0.}, []any{0., 0., 0., 0.}}},
		{"PommeRadio-v2", `{"max_steps": 1}`, "human,static,static,static", [][]int{{3, 3, 8}}, "messages",
			[]any{[]any{[]any{3., 8.}, []any{0., 0.}, []any{0., 0.}, []any{0., 0.}}}},
		{"BaseWarSides-v0", `{"max_steps": 2}`, "human,static", [][]int{{1, 3, 5}, {0, 2, 0}}, "actions",
			[]any{[]any{1., 0., 3., 0., 5., 0.}, []any{0., 0., 2., 0., 0., 0.}}},
		{"SuiteBot-v0", `{"rounds": 2}`, "human,static,static,static", [][]int{{5}, {3}}, "actions",
			[]any{[]any{5., 0., 0., 0.}, []any{3., 0., 0., 0.}}},
	} {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel() // it waits for who may come back
			file := filepath.Join(t.TempDir(), "game.jsonl")
			p := begin(t, "--env", tc.id, "--rules", tc.rules, "--agents", tc.agents, "--seed", "1",
				"--record", file, "--show")
			p.plays(0, tc.moves...)
			p.ended(exitOK)
			var result struct{ Steps int }
			if err := json.Unmarshal(p.out.Bytes(), &result); err != nil || result.Steps != len(tc.moves) {
				t.Errorf("printed %s (error %v), want JSON alone and %d steps", p.out.String(), err, len(tc.moves))
			}
			if got := recordedSteps(t, file, tc.key, len(tc.want)); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("%s are %v, want %v", tc.key, got, tc.want)
			}
			pommego(t, "verify", file).want(t, exitOK)
		})
	}
}

// At a speed the match goes on without any move, once the page is open.
func TestHumanSpeed(t *testing.T) {
	t.Parallel() // it waits for who may come back
	p := begin(t, "--env", "SuiteBot-v0", "--rules", `{"rounds": 3}`, "--agents", "human:speed=50,static,static,static",
		"--seed", "1")
	stream := p.ask("GET", "play?seat=0", nil)
	text := bufio.NewScanner(stream.Body)
	text.Buffer(nil, 1<<20)
	for text.Scan() && !strings.HasPrefix(text.Text(), `{"end"`) {
	}
	stream.Body.Close()
	p.ended(exitOK)
}

// A person who leaves ends the match: what was played until then is recorded.
func TestHumanLeaves(t *testing.T) {
	t.Parallel() // it waits for who may come back
	for steps, want := range []string{
		"human has left before the match was over; nothing was played",
		"human has left before the match was over; the 1 steps until then are recorded in ",
	} {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "game.jsonl")
			p := begin(t, "--agents", "simple,human,simple,simple", "--seed", "1", "--record", file)
			p.plays(1, [][]int{{0}}[:steps]...)
			p.ended(exitError)
			if !strings.Contains(p.errs.String(), want) {
				t.Errorf("after %d steps it says %q, want %q", steps, p.errs.String(), want)
			}
			if steps == 0 {
				if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("nothing was played and there are files: %v (error %v)", left, err)
				}
				return
			}
			readsStopped(t, file, steps)
		})
	}
}

// readsStopped checks that verify and replay read the record of a match that was
// stopped after so many steps.
func readsStopped(t *testing.T, file string, steps int) {
	t.Helper()
	r := pommego(t, "verify", file)
	r.want(t, exitOK)
	if want := fmt.Sprintf("1 games, %d steps", steps); !strings.HasPrefix(lastLine(r.out), want) {
		t.Errorf("verify says\n%s\nwant %s", r.out, want)
	}
	r = pommego(t, "replay", file)
	r.want(t, exitOK)
	if want := fmt.Sprintf("Incomplete after %d steps", steps); lastLine(r.out) != want {
		t.Errorf("replay ends with %q, want %q", lastLine(r.out), want)
	}
}

// human plays in play, and nowhere else.
func TestHumanElsewhere(t *testing.T) {
	for _, tc := range []struct {
		args string
		want string
	}{
		{"tournament --agents human,simple --games 1", "human plays in pommego play alone"},
		{"generate --agents human --games 1 --out x", "human plays in pommego play alone"},
		{"play --agents human:sped=1", `option "sped" does not exist, human takes: speed`},
		{"play --agents human:speed=0", `speed is "0", want more than 0 and at most 60`},
		{"play --agents human:speed=fast", `speed is "fast"`},
		{"play --web --rules {}", "give --agents with --rules or --start"},
	} {
		r := pommego(t, strings.Fields(tc.args)...)
		if r.code != exitUsage || !strings.Contains(r.errors, tc.want) || strings.Count(r.errors, "\n") != 1 {
			t.Errorf("%s: %+v, want one line with %q", tc.args, r, tc.want)
		}
	}
}

// TestGoals: for every game the page says what a seat plays for, by steps and not ticks.
func TestGoals(t *testing.T) {
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		if got := goal(game); len(got) < 20 || strings.Contains(strings.ToLower(got), "tick ") ||
			strings.HasPrefix(got, "Goal") {
			t.Errorf("the goal of %s is %q", id, got)
		}
	}
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pommego/arena/scene"
	"pommego/arena/web"
	"pommego/env"
)

// winners is the seats that have won.
func winners(results []env.SeatResult) (seats []int) {
	for seat, result := range results {
		if result == env.Won {
			seats = append(seats, seat)
		}
	}
	return seats
}

// viewed starts view and returns the address of its page. At the test's end it must
// end cleanly when it is interrupted.
func viewed(t *testing.T, args ...string) *url.URL {
	t.Helper()
	cmd := exec.Command(program(), append([]string{"view"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Errorf("pommego view %v ended with %v", args, err)
		}
	})
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("pommego view %v printed no address: %v", args, err)
		}
		if strings.HasPrefix(line, "http://") {
			address, err := url.Parse(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			return address
		}
	}
}

// answered asks the page's server for something.
func answered(t *testing.T, page *url.URL, path string) (status int, body []byte) {
	t.Helper()
	fragment, err := url.ParseQuery(page.Fragment)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest("GET", "http://"+page.Host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+fragment.Get("token"))
	r.Header.Set("View-Key", fragment.Get("key"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err = io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

// asked asks the page's server for JSON.
func asked(t *testing.T, page *url.URL, path string, into any) {
	t.Helper()
	status, body := answered(t, page, path)
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s is answered %d %.500s: %v", path, status, body, err)
	}
}

func TestView(t *testing.T) {
	record := filepath.Join(t.TempDir(), "a.jsonl")
	pommego(t, "play", "--env", "OneVsOne-v0", "--agents", "random", "--seed", "3", "--record", record, "--quiet").want(t,
		0)
	page := viewed(t, record, "--game", "1", "--step", "7")
	if !strings.Contains(page.Fragment, "game=1&step=7&token=") {
		t.Errorf("the address is %v", page)
	}
	var list web.Listing
	if asked(t, page, "/api/listing", &list); len(list.Games) != 1 || list.Env != "OneVsOne-v0" {
		t.Errorf("the listing is %+v", list.Games)
	}
}

// TestPages: what a page of one file holds is not read back, by any command; it is said what to do.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	record, page := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "a.html")
	pommego(t, "play", "--env", "OneVsOne-v0", "--agents", "random", "--record", record, "--quiet").want(t, exitOK)
	pommego(t, "replay", record, "--html", page).want(t, 0)
	for _, command := range []string{"view", "verify", "replay", "data states --at 1",
		"play --env OneVsOne-v0 --agents random --quiet --start"} {
		r := pommego(t, append(strings.Fields(command), page)...)
		want := page + ": this is a web page: open it in a browser, and name the file that it was made from"
		if r.want(t, exitError); !strings.Contains(r.out+r.errors, want) {
			t.Errorf("%s says %s%s, want %s", command, r.out, r.errors, want)
		}
	}
}

// TestViewKept looks at a data set and at a tournament, whose games are played again.
func TestViewKept(t *testing.T) {
	dir := t.TempDir()
	set, results := filepath.Join(dir, "set"), filepath.Join(dir, "results")
	pommego(t, "generate", "--agents", "simple,random", "--games", "3", "--seed", "4", "--out", set).want(t, 0)
	pommego(t, "tournament", "--env", "OneVsOne-v0", "--format", "round-robin", "--agents", "simple,random", "--games",
		"4", "--out", results).want(t, 0)
	for _, tc := range []struct {
		path, kind string
		games      int
	}{
		{set, "dataset", 3}, {results, "tournament", 4}, {filepath.Join(results, "games.jsonl"), "tournament", 4},
	} {
		page := viewed(t, tc.path, "--step", "1")
		var list web.Listing
		asked(t, page, "/api/listing", &list)
		if !strings.HasPrefix(page.Fragment, fmt.Sprintf("game=%d&step=1&", list.Games[0].Game)) {
			t.Errorf("%s: the first game is %d, and the address is %v", tc.path, list.Games[0].Game, page)
		}
		if list.Kind != tc.kind || len(list.Games) != tc.games || tc.kind == "tournament" &&
			(list.Ratings == nil || list.Pairs == nil) {
			t.Errorf("%s is listed as %+v", tc.path, list.Games)
		}
		for _, entry := range list.Games {
			var g scene.Timeline
			asked(t, page, fmt.Sprintf("/api/game/%d", entry.Game), &g)
			if end := g.Steps[len(g.Steps)-1]; end.Step != entry.Steps || !slices.Equal(g.Names, entry.Agents) ||
				!slices.Equal(end.Status.Winners, winners(entry.Results)) {
				t.Errorf("%s: game %+v ends as %+v", tc.path, entry, end)
			}
		}
	}
	log := filepath.Join(results, "games.jsonl")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for line, at := range []int{50, bytes.IndexByte(text, '\n') + 50} {
		damaged := bytes.Clone(text)
		damaged[at] ^= 1
		if err := os.WriteFile(log, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range []string{"view", "replay"} {
			if r := pommego(t, command, results); r.code != exitError ||
				!strings.Contains(r.errors, fmt.Sprintf("games.jsonl: line %d is damaged", line+1)) {
				t.Errorf("%s of a damaged log: %+v", command, r)
			}
		}
	}
	if r := pommego(t, "view", dir); r.code != exitUsage ||
		!strings.Contains(r.errors, "neither a data set nor a tournament") {
		t.Errorf("a folder with nothing in it: exit code %d, %q", r.code, r.errors)
	}
}

// TestViewFolder looks at a folder of recorded games in several files, beside which other files lie.
func TestViewFolder(t *testing.T) {
	dir := t.TempDir()
	for file, agent := range map[string]string{"a.jsonl": "random", "b.jsonl.gz": "simple"} {
		pommego(t, "play", "--env", "OneVsOne-v0", "--agents", agent+",static", "--record", filepath.Join(dir, file),
			"--quiet").want(t, 0)
	}
	pommego(t, "tournament", "--env", "OneVsOne-v0", "--format", "round-robin", "--agents", "simple,random", "--games",
		"4", "--out", filepath.Join(dir, "results")).want(t, 0)
	page := viewed(t, dir)
	var list web.Listing
	if asked(t, page, "/api/listing", &list); len(list.Games) != 2 || list.Env != "OneVsOne-v0" {
		t.Fatalf("listed is %+v", list.Games)
	}
	for i, agent := range []string{"random", "simple"} {
		e, g := list.Games[i], scene.Timeline{}
		asked(t, page, fmt.Sprintf("/api/game/%d", i+1), &g)
		if end := g.Steps[len(g.Steps)-1]; e.Game != i+1 || end.Step != e.Steps || g.Names[0] != agent ||
			!slices.Equal(g.Names, e.Agents) || !strings.HasPrefix(e.Note, []string{"a.jsonl", "b.jsonl.gz"}[i]) {
			t.Errorf("game %d is %+v, of %q", i+1, e, g.Names)
		}
	}
	if status, body := answered(t, page, "/api/game/3"); status != http.StatusNotFound ||
		!strings.Contains(string(body), "want 1 to 2") {
		t.Errorf("game 3 is answered %d %s", status, body)
	}
}

// TestViewAddress looks at the list of a server's environments: on the page that serve offers, and on
// another, to which the key comes in the address or in the environment.
func TestViewAddress(t *testing.T) {
	cmd := exec.Command(program(), "serve", "--listen", "127.0.0.1:0", "--web", "--exit-on-stdin-close", "--json")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer stdin.Close()
	var said struct{ Address, Web string }
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(said.Web)
	if err != nil {
		t.Fatal(err)
	}
	fragment, err := url.ParseQuery(page.Fragment)
	if err != nil || len(fragment.Get("key")) < 26 || fragment.Get("key") == fragment.Get("token") {
		t.Fatalf("the page is %v (%v)", page, err)
	}
	keyed := viewed(t, said.Address+"#"+fragment.Get("key"))
	t.Setenv(keyVariable, fragment.Get("key"))
	for _, page := range []*url.URL{page, keyed, viewed(t, said.Address)} {
		var list []struct{}
		if asked(t, page, "/api/live", &list); list == nil {
			t.Errorf("%v lists nothing", page)
		}
		page.Fragment = strings.Replace(page.Fragment, "key=", "key=X", 1)
		if status, body := answered(t, page, "/api/live"); status != http.StatusNotFound {
			t.Errorf("with another key %v is answered %d %s", page, status, body)
		}
	}
}

func TestViewMistakes(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	turns := writeFile(t, "turns.jsonl", `{"format":"pommego-dialogue/2"}`+"\n")
	for _, tc := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{turns}, exitError, `turns.jsonl: line 1: no known format: "pommego-dialogue/2"`},
		{[]string{"../../codemeta.json"}, exitError, "line 1: no known format"},
		{[]string{}, exitUsage, "want FILE, DATASET, TOURNAMENT or ADDRESS"},
		{[]string{"none.jsonl"}, exitUsage, "stat none.jsonl: no such file or directory: want an existing file"},
		{[]string{"http://127.0.0.1:1"}, exitUsage, "or an address, ws://HOST:PORT#KEY"},
		{[]string{"/dev/stdin"}, exitUsage, "/dev/stdin is no regular file"},
		{[]string{testdata("team.jsonl.gz"), "--game", "-3"}, exitUsage, "team.jsonl.gz has no game -3, want 1 to"},
		{[]string{testdata("team.jsonl.gz"), "--step", "-5"}, exitUsage, `--step is "-5", want a whole number`},
		{[]string{empty}, exitError, "is empty"},
		{[]string{"ws://127.0.0.1:1"}, exitUsage, "want ws://127.0.0.1:1#KEY"},
		{[]string{"view_test.go", "--listen", "0.0.0.0:0"}, exitUsage, "this machine alone"},
		{[]string{"view_test.go", "--listen", "nowhere"}, exitUsage, "--listen"},
	} {
		if r := pommego(t, append([]string{"view"}, tc.args...)...); r.code != tc.code ||
			!strings.Contains(r.errors, tc.says) {
			t.Errorf("view %v: exit code %d, %q; want %d, %q", tc.args, r.code, r.errors, tc.code, tc.says)
		}
	}
}

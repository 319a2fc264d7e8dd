package web

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/arena/trace"
	"pommego/arena/trace/tracetest"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/record"
)

var formats = trace.Formats(catalog.Formats())

// recordings writes a file of a game of each of the three games.
func recordings(t *testing.T) string {
	t.Helper()
	var all []byte
	for _, id := range []string{"pommerman/testdata/golden/OneVsOne-v0", "basewar/testdata/golden/BaseWar-v0",
		"suitebot/testdata/golden/SuiteBot-v0"} {
		all = append(append(all, tracetest.Lines(t, "../../env/"+id+".jsonl.gz")[0]...), '\n')
	}
	path := filepath.Join(t.TempDir(), "games.jsonl")
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func serving(t *testing.T) (handler http.Handler, path string) {
	t.Helper()
	path = recordings(t)
	games := Recorded(path, formats)
	return New(Config{Listing: games.Listing, Game: games.Game, Token: "secret"}), path
}

func ask(h http.Handler, change func(*http.Request), method, path string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, body)
	r.Host = "127.0.0.1:8765"
	r.Header.Set("Authorization", "Bearer secret")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestWhoMayAsk(t *testing.T) {
	h, _ := serving(t)
	for _, tc := range []struct {
		reason string
		path   string
		change func(*http.Request)
		want   int
	}{
		{"the page", "/", nil, 200},
		{"the page needs no token: it holds nothing", "/", func(r *http.Request) { r.Header.Del("Authorization") }, 200},
		{"the page on which people play", "/play.html", nil, 200},
		{"no module by itself", "/main.js", nil, 404},
		{"nothing but the page's files", "/web.go", nil, 404},
		{"no folder", "/app", nil, 404},
		{"the games", "/api/listing", nil, 200},
		{"by the page itself", "/api/listing", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:8765") },
			200},
		{"by localhost", "/api/listing", func(r *http.Request) { r.Host = "localhost:1" }, 200},
		{"by IPv6", "/api/listing", func(r *http.Request) { r.Host = "[::1]" }, 200},
		{"by another loopback address", "/api/listing", func(r *http.Request) { r.Host = "127.0.0.2:1" }, 200},
		{"by an address of others", "/", func(r *http.Request) { r.Host = "192.0.2.1:8765" }, 403},
		{"without a token", "/api/listing", func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"with another token", "/api/game/1", func(r *http.Request) { r.Header.Set("Authorization", "Bearer secre") }, 401},
		{"by a name that was bound to this machine", "/", func(r *http.Request) { r.Host = "evil.example:8765" }, 403},
		{"by another page", "/api/listing", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403},
		{"by a page on another port", "/api/listing", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
			403},
		{"by a page of a file", "/api/listing", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"a game that is not there", "/api/game/4", nil, 404},
		{"game 0", "/api/game/0", nil, 404},
		{"no number", "/api/game/x", nil, 404},
	} {
		w := ask(h, tc.change, "GET", tc.path, nil)
		if w.Code != tc.want {
			t.Errorf("%s: %s is answered %d %s, want %d", tc.reason, tc.path, w.Code, w.Body, tc.want)
		}
		own, ok := shells()[tc.path]
		if !ok {
			own = shells()["/"]
		}
		csp := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, own.policy) || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: the policy is %q", tc.reason, csp)
		}
	}
	without := func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }
	if w := ask(New(Config{Listing: func() (*Listing, error) { return nil, nil }}), without, "GET", "/api/listing",
		nil); w.Code != http.StatusUnauthorized {
		t.Errorf("without a token the list is answered %d", w.Code)
	}
}

// TestFrames: of all pages, only that of recorded games can be shown in a frame, and only if it is asked for.
func TestFrames(t *testing.T) {
	h, _ := serving(t)
	for path, want := range map[string]string{
		"/": "'none'", "/?embed": "http://127.0.0.1:* http://localhost:*", "/play.html?embed": "'none'",
		"/live.html?embed": "'none'", "/api/listing?embed": "'none'",
	} {
		csp := ask(h, nil, "GET", path, nil).Header().Get("Content-Security-Policy")
		if _, framers, _ := strings.Cut(csp, "frame-ancestors "); framers != want {
			t.Errorf("%s can be framed by %q, want %q", path, framers, want)
		}
	}
}

func unzipped(t *testing.T, w *httptest.ResponseRecorder, into any) {
	t.Helper()
	in, err := gzip.NewReader(w.Body)
	if err == nil {
		err = json.NewDecoder(in).Decode(into)
	}
	if err != nil {
		t.Fatalf("answered %d: %v", w.Code, err)
	}
}

// winners is the seats that have won.
func winners(e *Entry) (seats []int) {
	for seat, result := range e.Results {
		if result == env.Won {
			seats = append(seats, seat)
		}
	}
	return seats
}

// TestEndings: who is out before the others of a free-for-all game tie has lost.
func TestEndings(t *testing.T) {
	for paid, results := range map[string]string{"-1": `null`, "0": `[2,2,1,2]`} { // the second by Java's rules
		h := &record.Head{Steps: []json.RawMessage{
			[]byte(`{"rewards":[0,0,` + paid + `,0],"done":0,"result":"Incomplete"}`),
			[]byte(`{"rewards":[-1,-1,-1,-1],"done":1,"result":"Tie","results":` + results + `}`),
		}}
		if got := fmt.Sprint(endings(h)); got != "[tied tied lost tied]" {
			t.Errorf("with results %s the seats' are %s", results, got)
		}
	}
}

func TestRecordedGames(t *testing.T) {
	h, _ := serving(t)
	var list Listing
	unzipped(t, ask(h, nil, "GET", "/api/listing", nil), &list)
	if len(list.Games) != 3 || list.Title != "games.jsonl" || list.Env != "several environments" {
		t.Fatalf("the listing is %+v", list.Games)
	}
	for i, entry := range list.Games {
		var g scene.Timeline
		unzipped(t, ask(h, nil, "GET", fmt.Sprintf("/api/game/%d", entry.Game), nil), &g)
		end := g.Steps[len(g.Steps)-1]
		if entry.Game != i+1 || entry.Steps != end.Step || !slices.Equal(winners(&entry), end.Status.Winners) ||
			!slices.Equal(entry.Agents, g.Names) || entry.Seed != g.Seed {
			t.Errorf("game %d is listed as %+v, and is %d steps of %v, %+v", i+1, entry, end.Step, g.Names, end.Status)
		}
	}
}

// TestOneFile: the page of one file asks for nothing, its policy allows exactly its
// own script and style, and it holds the game.
func TestOneFile(t *testing.T) {
	g, err := Recorded(recordings(t), formats).Game(2)
	if err != nil {
		t.Fatal(err)
	}
	g.Names[0] = "</script><script>alert(1)</script>"
	var out bytes.Buffer
	if err := WriteFile(&out, `x</title><script>`, g, 1); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	if strings.Contains(page, "alert(1)") || strings.Contains(page, "x</title>") {
		t.Error("what a game says is markup")
	}
	for _, not := range []string{`src="`, "http://", "https://", "import ", "\nexport "} {
		if strings.Contains(page, not) {
			t.Errorf("the page contains %q", not)
		}
	}
	for _, part := range []string{"script", "style"} {
		text := regexp.MustCompile(`(?s)<` + part + `(?: type="module")?>(.*?)</` + part + `>`).FindStringSubmatch(page)[1]
		if !strings.Contains(page, part+"-src '"+digest(text)+"'") {
			t.Errorf("the policy does not allow the page's own %s", part)
		}
	}
	held := regexp.MustCompile(`(?s)<script id="held" type="text/plain">(.*?)</script>`).FindStringSubmatch(page)[1]
	zipped, err := base64.StdEncoding.DecodeString(held)
	if err != nil {
		t.Fatal(err)
	}
	in, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	var content struct {
		Title string
		View  int
		Game  scene.Timeline
	}
	if err := json.NewDecoder(in).Decode(&content); err != nil || content.Title != `x</title><script>` ||
		content.View != 1 || len(content.Game.Steps) != len(g.Steps) {
		t.Errorf("the page holds %q with %d steps (%v)", content.Title, len(content.Game.Steps), err)
	}
}

// TestModules: the pages have all modules, each after those that it imports.
func TestModules(t *testing.T) {
	files, err := embedded.ReadDir("app")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, entry := range []string{"main", "live", "play"} {
		script := joined(entry)
		for _, f := range files {
			name, isModule := strings.CutSuffix(f.Name(), ".js")
			at := strings.Index(script, "\npommego."+name+" = ")
			if !isModule || at < 0 {
				continue
			}
			found[f.Name()] = true
			for _, line := range importLine.FindAllStringSubmatch(asset(f.Name()), -1) {
				if before := strings.Index(script, "\npommego."+line[2]+" = "); before < 0 || before > at {
					t.Errorf("%s imports %s.js, which stands after it", f.Name(), line[2])
				}
			}
		}
		if left := regexp.MustCompile(`(?m)^(import|export)\b.*`).FindString(script); left != "" {
			t.Errorf("a page's script has the line %q, which no script may have", left)
		}
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".js") && !found[f.Name()] {
			t.Errorf("no page has %s", f.Name())
		}
	}
}

// TestPagesAreKept: each page is one file, compressed, and is sent once.
func TestPagesAreKept(t *testing.T) {
	h, _ := serving(t)
	for path, shell := range shells() {
		first := ask(h, nil, "GET", path, nil)
		tag, size := first.Header().Get("ETag"), first.Body.Len()
		in, err := gzip.NewReader(first.Body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil || string(text) != shell.page {
			t.Errorf("%s is %d bytes (%v), want the %d of the shell", path, len(text), err, len(shell.page))
		}
		if regexp.MustCompile(`<link rel="stylesheet"|<script[^>]* src=`).Match(text) || size > 45_000 {
			t.Errorf("%s, %d bytes, asks for other files, or is larger than 45 kB", path, size)
		}
		if csp := first.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, shell.policy) {
			t.Errorf("%s has the policy %s", path, csp)
		}
		again := func(r *http.Request) { r.Header.Set("If-None-Match", tag) }
		if w := ask(h, again, "GET", path, nil); tag == "" || w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("%s, had as %s, is answered %d with %d bytes, want 304 and none", path, tag, w.Code, w.Body.Len())
		}
		t.Logf("%s: %d bytes", path, size)
	}
}

// TestRemembered: a file is read once, until it changes.
func TestRemembered(t *testing.T) {
	path, reads := filepath.Join(t.TempDir(), "file"), 0
	read := remembered(path, func() (string, error) {
		reads++
		content, err := os.ReadFile(path)
		return string(content), err
	})
	get := func() string {
		text, err := read()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if _, err := read(); !os.IsNotExist(err) {
		t.Errorf("of a file that is not there: %v", err)
	}
	reads = 0
	for i, text := range []string{"one", "three"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		first, again := get(), get()
		if first != text || again != text || reads != i+1 {
			t.Errorf("%q is %q and %q after %d reads", text, first, again, reads)
		}
	}
}

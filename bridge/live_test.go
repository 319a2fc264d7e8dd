package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/env/envtest"
)

// liveServer is a server of the real games.
func liveServer(t *testing.T, token string) *testServer {
	t.Helper()
	return startServer(t, func(cfg *Config) {
		cfg.IDs, cfg.Game, cfg.Variant, cfg.Token = catalog.IDs, catalog.Game, catalog.Variant, token
	})
}

// headers sets headers of a request, given as names and values.
func headers(pairs ...string) func(*http.Request) {
	return func(r *http.Request) {
		for i := 0; i < len(pairs); i += 2 {
			if r.Header.Set(pairs[i], pairs[i+1]); pairs[i] == "Host" {
				r.Host = pairs[i+1]
			}
		}
	}
}

// viewer is one who has a key.
type viewer struct {
	*testServer
	key string
}

// viewer is one who has the key in a reply to make.
func (s *testServer) viewer(made Message) viewer { return viewer{s, made["view_key"].(string)} }

// ask asks with the key.
func (v viewer) ask(t *testing.T, method, path string) (status int, body string) {
	t.Helper()
	return v.testServer.ask(t, method, path, headers(viewKey, v.key))
}

// watching is a game that a viewer looks at, as a page knows it that knows the documentation alone.
type watching struct {
	in       *json.Decoder
	leave    func() // may be called twice
	games    int    // begun so far
	Head     scene.Head
	Step     scene.Step
	End      string
	position map[string]json.RawMessage
}

// watch begins to look at a game, at the position that it stands at.
func (v viewer) watch(t *testing.T, path string) *watching {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+v.host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(viewKey, v.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d", path, answer.StatusCode)
	}
	leave := func() { answer.Body.Close() }
	t.Cleanup(leave)
	w := &watching{in: json.NewDecoder(answer.Body), leave: leave}
	w.next(t)
	return w
}

// next waits for another position, or the end.
func (w *watching) next(t *testing.T) {
	t.Helper()
	var line struct {
		Head *scene.Head
		Step map[string]json.RawMessage
		End  string
	}
	if err := w.in.Decode(&line); err != nil {
		t.Fatal(err)
	}
	if line.Head != nil {
		w.games, w.Head, w.position = w.games+1, *line.Head, map[string]json.RawMessage{}
		w.next(t)
		return
	}
	if w.End = line.End; w.End != "" {
		return
	}
	for _, key := range []string{"changed", "actions", "rewards", "events", "thoughts"} {
		delete(w.position, key)
	}
	maps.Copy(w.position, line.Step)
	text, err := json.Marshal(w.position)
	if err != nil {
		t.Fatal(err)
	}
	w.Step = scene.Step{}
	if err := json.Unmarshal(text, &w.Step); err != nil {
		t.Fatal(err)
	}
	for cell, kind := range w.Step.Changed {
		w.Step.Ground[cell] = kind[0]
	}
	if w.position["ground"], err = json.Marshal(w.Step.Ground); err != nil {
		t.Fatal(err)
	}
}

// until waits for the position after a step.
func (w *watching) until(t *testing.T, step int) {
	t.Helper()
	for w.Step.Step != step {
		w.next(t)
	}
}

func float32s(values ...float32) []byte {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// TestLive looks at a running environment from outside its connection: at rest, while it
// steps, and when it is gone.
func TestLive(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "PommeTeamCompetition-v0", "games", 3, "opponents",
		[]string{"simple", "simple", "simple"}, "seat", 1))
	if status, body := v.ask(t, "GET", "/live/0"); status != http.StatusConflict {
		t.Errorf("before reset: status %d, %s", status, body)
	}
	call(t, c, "reset", "env", 1, "seed", 5)
	var about LiveEnv
	_, body := v.ask(t, "GET", "/live")
	if err := json.Unmarshal([]byte(body), &about); err != nil || about.Games != 3 || about.Learners != 1 ||
		about.Env != "PommeTeamCompetition-v0" || !about.Running {
		t.Errorf("the environment is %s (%v)", body, err)
	}
	at := v.watch(t, "/live/2")
	if at.Step.Step != 0 || at.Head.Seed != 7 || at.Head.Env != "PommeTeamCompetition-v0" ||
		at.Head.Names[1] != "learner" || at.Head.Names[0] != "simple" || len(at.Step.Sight) != 4 {
		t.Errorf("at the start: %+v", at.Head)
	}
	for step := 1; step <= 3; step++ {
		call(t, c, "show", "env", 1, "values", []any{"float32", []int{3}, []byte{}, float32s(0, 0.5, float32(step))})
		call(t, c, "step", "env", 1, "actions", []any{"uint8", []int{3}, []byte{}, []byte{0, 0, 0}})
		at.next(t)
		if at.Step.Step != step || len(at.Step.Rewards) != 4 || len(at.Step.Thoughts) != 1 || at.Step.Thoughts[0].Seat != 1 ||
			*at.Step.Thoughts[0].Value != float64(step) {
			t.Errorf("after step %d: %+v", step, at.Step)
		}
	}
	call(t, c, "show", "env", 1, "values", []any{"float32", []int{3}, []byte{}, float32s(0, 0, float32(math.NaN()))})
	call(t, c, "step", "env", 1, "actions", []any{"uint8", []int{3}, []byte{}, []byte{0, 0, 0}})
	if at.next(t); len(at.Step.Thoughts) != 1 || at.Step.Thoughts[0].Value != nil {
		t.Errorf("the value is not a number, and %+v is shown", at.Step.Thoughts)
	}
	call(t, c, "step", "env", 1, "actions", []any{"uint8", []int{3}, []byte{}, []byte{0, 0, 0}})
	at.until(t, 5) // though the game rests, and nothing was shown
	if shown := call(t, c, "show", "env", 1); shown["watched"] != true {
		t.Errorf("somebody looks, and the client is told %v", shown)
	}
	for _, path := range []string{"/live/3", "/live/-1", "/live/x", "/live/0/0", "/live/", "/lively"} {
		if status, body := v.ask(t, "GET", path); status != http.StatusNotFound {
			t.Errorf("%s: status %d, want %d: %s", path, status, http.StatusNotFound, body)
		}
	}
}

// TestLiveKeys: whoever has no key, another's, a part of one or that of an environment that is gone
// gets one and the same answer, and learns and stops nothing. No key is logged.
func TestLiveKeys(t *testing.T) {
	var log bytes.Buffer
	server := startServer(t, func(cfg *Config) {
		cfg.IDs, cfg.Game, cfg.ListKey, cfg.Token = catalog.IDs, catalog.Game, "LIST", "secret"
		cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	begin := func(c *Client) viewer {
		made := call(t, c, "make", "env_id", "SuiteBot-v0", "games", 1)
		call(t, c, "reset", "env", made.Int("env"), "seed", 1)
		return server.viewer(made)
	}
	mine, c := server.dial(t), server.dial(t)
	own, other, gone := begin(mine), begin(c), begin(c)
	call(t, c, "close", "env", 2)
	token := func(key ...string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header["View-Key"] = key
			r.Header.Set("Authorization", "Bearer secret")
		}
	}
	_, want := server.ask(t, "GET", "/live", token())
	for _, keys := range [][]string{nil, {""}, {gone.key}, {own.key[1:]}, {own.key + "A"}, {strings.ToLower(own.key)},
		{"1"}, {"LIS"}, {"", own.key}} {
		for _, asked := range []string{"GET /live", "GET /live/0", "GET /live/9"} {
			method, path, _ := strings.Cut(asked, " ")
			if status, body := server.ask(t, method, path, token(keys...)); status != http.StatusNotFound || body != want {
				t.Errorf("%s with %q: %d %q, want 404 %q", asked, keys, status, body, want)
			}
		}
	}
	if len(own.key) < 26 || own.key == other.key || own.key == gone.key {
		t.Errorf("the keys are %q, %q and %q", own.key, other.key, gone.key)
	}
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	for _, secret := range []string{own.key, other.key, gone.key, "LIST", "secret"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%s is in the log: %s", secret, log.String())
		}
	}
}

// TestLiveList: the list of all environments has a key of its own, which opens nothing else, and which
// nobody has by default.
func TestLiveList(t *testing.T) {
	for _, listKey := range []string{"", "LIST"} {
		server := startServer(t, func(cfg *Config) { cfg.IDs, cfg.Game, cfg.ListKey = catalog.IDs, catalog.Game, listKey })
		v := viewer{server, listKey}
		if status, body := v.ask(t, "GET", "/live"); listKey == "" && status != http.StatusNotFound ||
			listKey != "" && strings.TrimSpace(body) != "[]" {
			t.Errorf("key %q without environments: %d %s", listKey, status, body)
		}
		c := server.dial(t)
		call(t, c, "make", "env_id", "SuiteBot-v0", "games", 2)
		call(t, c, "make", "env_id", "OneVsOne-v0", "games", 1)
		call(t, c, "reset", "env", 2, "seed", 1)
		if status, body := v.ask(t, "GET", "/live/0"); status != http.StatusNotFound {
			t.Errorf("key %q: a game is answered %d %s", listKey, status, body)
		}
		if listKey == "" {
			continue
		}
		var list []LiveEnv
		_, body := v.ask(t, "GET", "/live")
		if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) != 2 || list[0].Env != "SuiteBot-v0" ||
			list[0].Games != 2 || list[0].Running || !list[1].Running {
			t.Errorf("the list is %s (%v)", body, err)
		}
	}
}

// TestLiveWhileStepping looks at games that are stepped without a pause: what is seen is
// whole positions, and the actions that led to them.
func TestLiveWhileStepping(t *testing.T) {
	t.Parallel()
	server := liveServer(t, "")
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "SuiteBot-v0", "games", 2))
	call(t, c, "reset", "env", 1, "seed", 1)
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for k := 0; ; k++ {
			select {
			case <-done:
				return
			default:
			}
			a := byte(k % 5)
			call(t, c, "step", "env", 1, "actions", []any{"uint8", []int{8}, []byte{}, []byte{a, a, a, a, a, a, a, a}})
		}
	}()
	at := v.watch(t, "/live/1")
	for range 30 {
		at.next(t)
		if at.Step.Actions != nil && (len(at.Step.Actions) != 4 || at.Step.Actions[0][0] != (at.Step.Actions[3][0])) {
			t.Errorf("actions are %v", at.Step.Actions)
		}
		if len(at.Step.Agents) != 4 || len(at.Step.Ground) != at.Head.Rows*at.Head.Cols {
			t.Fatalf("step %d is not whole: %+v", at.Step.Step, at.Step)
		}
	}
	close(done)
	<-stopped
}

// TestLiveFollows looks at a game as the page does: each position once, with the actions
// of all seats and what happened, to the end of an episode and on in the next.
func TestLiveFollows(t *testing.T) {
	for _, batchSize := range []any{nil, 1} {
		t.Run(fmt.Sprint("batch size ", batchSize), func(t *testing.T) {
			t.Parallel()
			liveFollows(t, batchSize)
		})
	}
}

func liveFollows(t *testing.T, batchSize any) {
	server := liveServer(t, "")
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "OneVsOne-v0", "games", 2, "opponents", []string{"mcts:ticks=60"},
		"seat", 0, "batch_size", batchSize, "autoreset_mode", "SameStep"))
	call(t, c, "reset", "env", 1, "seed", 3)
	if batchSize != nil {
		call(t, c, "recv", "env", 1) // the other game
	}
	at, laid, ended, searched := v.watch(t, "/live/0"), 0, 0, 0
	for step := range 400 {
		if step > 0 {
			at.next(t)
		}
		if at.games != ended+1 {
			t.Fatalf("game %d begins at step %d, and %d have ended", at.games, at.Step.Step, ended)
		}
		for _, e := range at.Step.Events {
			switch e.Kind {
			case env.Laid:
				laid++
			case env.Ended:
				ended++
			}
		}
		if s := at.Step; s.Step > 0 && (len(s.Actions) != 2 || len(s.Actions[1]) != 1 || len(s.Rewards) != 2) {
			t.Errorf("step %d has the actions %v and the rewards %v", s.Step, s.Actions, s.Rewards)
		}
		if s := at.Step; len(s.Thoughts) > 0 && s.Thoughts[0].Seat == 1 && s.Thoughts[0].Visits != nil {
			searched++
		}
		if at.Step.Status.Over {
			at.next(t) // the next game has begun with the same step
		}
		action := byte(step*7%4 + 1)
		if step%5 == 0 {
			action = 5
		}
		if step%10 > 0 { // else the position is kept because the game rests
			call(t, c, "show", "env", 1)
		}
		if batchSize == nil {
			call(t, c, "step", "env", 1, "actions", []any{"uint8", []int{2}, []byte{}, []byte{action, action}})
		} else {
			call(t, c, "send", "env", 1, "games", []any{"int32", []int{1}, []byte{}, []byte{0, 0, 0, 0}}, "actions",
				[]any{"uint8", []int{1}, []byte{}, []byte{action}})
			call(t, c, "recv", "env", 1)
		}
		if ended > 2 {
			break
		}
	}
	if laid < 5 || ended < 2 || searched < 5 {
		t.Errorf("batch size %v: %d bombs were laid, %d games ended, and an agent searched %d times", batchSize, laid, ended,
			searched)
	}
}

// TestRewardsOfStepsLeftOut: a position has the rewards of all steps since the one before.
func TestRewardsOfStepsLeftOut(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "SuiteBot-v0", "games", 1, "opponents",
		[]string{"random", "random", "random"}))
	call(t, c, "reset", "env", 1, "seed", 1)
	at, got := v.watch(t, "/live/0"), make([]float64, 4)
	const steps = 60 // faster than anybody can see
	for range steps {
		call(t, c, "step", "env", 1, "actions", Tensor{env.Uint8, []int{1}, []byte{4}})
	}
	for at.Step.Step < steps {
		at.next(t)
		for seat, reward := range at.Step.Rewards {
			got[seat] += reward
		}
	}
	points := at.Step.Counts["points"]
	for seat, n := range points {
		if got[seat] != float64(n) || slices.Max(points) == 0 {
			t.Errorf("seat %d has %d points, and the rewards shown are %v in sum", seat, n, got[seat])
		}
	}
}

// TestKeptPositionsAreCounted keeps all positions of as many games as are followed at a time, on the boards
// that take the most, with probabilities and with searches.
func TestKeptPositionsAreCounted(t *testing.T) {
	unraced(t)
	server := liveServer(t, "")
	c := server.dial(t)
	large := `{"board_size": 14, "num_rigid": 20, "num_wood": 60, "num_items": 60}`
	blasts := `{"width": 32, "height": 32, "players": 8, "blast_radius": 16, "blast_shape": "square", "bomb_delay": 8, ` +
		`"view_radius": 8}`
	cases := []struct {
		id, rules         string
		opponents         []string
		learners, choices int
		words             []byte
	}{
		{"PommeRadio-v2", large, slices.Repeat([]string{"static"}, 3), 1, 24, []byte{1, 2}},
		{"PommeRadio-v2", large, slices.Repeat([]string{"mcts:ticks=20"}, 3), 1, 24, []byte{1, 2}},
		{"SuiteBot-v0", blasts, []string{}, 8, 6, nil},
	}
	var viewers []viewer
	for _, tc := range cases {
		viewers = append(viewers, server.viewer(call(t, c, "make", "env_id", tc.id, "games", mostLooks,
			"opponents", tc.opponents, "autoreset_mode", "SameStep", "rules", []string{tc.rules})))
		call(t, c, "reset", "env", len(viewers), "seed", 1)
	}
	alone, before := server.used(), envtest.HeapInUse()
	for n, v := range viewers {
		var watched []*watching
		for game := range mostLooks {
			watched = append(watched, v.watch(t, fmt.Sprintf("/live/%d", game)))
		}
		rows, choices, words := mostLooks*cases[n].learners, cases[n].choices, cases[n].words
		shape := []int{rows, 1 + len(words)}[:1+min(len(words), 1)]
		for step := range mostKept {
			call(t, c, "show", "env", n+1, "probabilities",
				Tensor{env.Float32, []int{rows, choices}, make([]byte, 4*rows*choices)})
			action := append([]byte{byte(step*7%6) * byte(step%2)}, words...)
			call(t, c, "step", "env", n+1, "actions", Tensor{env.Uint8, shape, slices.Repeat(action, rows)})
		}
		took, counted := envtest.HeapInUse()-before, server.used()-alone
		if took > counted || took < counted/8 {
			t.Errorf("%d games of %s are followed: %d bytes are counted, %d in use", mostLooks, cases[n].id, counted, took)
		}
		for _, at := range watched {
			at.leave()
		}
		eventually(t, "what is followed is given back", func() bool { return server.used() == alone })
	}
}

// TestLookWithoutMemory: a game that there is no memory to follow is not followed, and its environment goes on.
func TestLookWithoutMemory(t *testing.T) {
	server := startServer(t, nil)
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "ToySolo-v0", "games", 2))
	call(t, c, "reset", "env", 1, "seed", 1)
	alone := server.used()
	at := v.watch(t, "/live/0")
	server.memory.mu.Lock()
	server.memory.most = 2 * server.memory.used // the connection has its half
	server.memory.mu.Unlock()
	if status, body := v.ask(t, "GET", "/live/1"); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, "--max-memory-bytes") {
		t.Errorf("a second game: status %d, %s; want 503, and what to do", status, body)
	}
	call(t, c, "step", "env", 1, "actions", toyActions(6, 0, 0))
	at.until(t, 1)
	at.leave()
	eventually(t, "its memory is free for another", func() bool {
		return server.used() == alone
	})
	v.watch(t, "/live/1")
	call(t, c, "close", "env", 1)
}

// TestLooksAreBounded: so many looks at the games of a client can wait for a step, and no more, even if those
// who look go away.
func TestLooksAreBounded(t *testing.T) {
	begun, busy := make(chan struct{}), make(chan struct{})
	server := startServer(t, func(cfg *Config) {
		cfg.Variant = func(id string, rules json.RawMessage) (env.Game, error) {
			close(begun)
			<-busy
			return toyVariant(id, rules)
		}
	})
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "ToySolo-v0", "games", 1))
	call(t, c, "reset", "env", 1, "seed", 1)
	if _, err := c.Send("spaces", "env_id", "ToySolo-v0", "rules", []string{"{}"}); err != nil {
		t.Fatal(err)
	}
	<-begun // until then looks are answered at once
	owner := server.gallery.find(v.key).owner
	ctx, leave := context.WithCancel(context.Background())
	var looks sync.WaitGroup
	for range mostLooks {
		looks.Go(func() {
			r, err := http.NewRequestWithContext(ctx, "GET", "http://"+server.host+"/live/0", nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set(viewKey, v.key)
			if answer, err := http.DefaultClient.Do(r); err == nil {
				answer.Body.Close()
			}
		})
	}
	eventually(t, "looks wait", func() bool { return owner.looks.Load() == mostLooks })
	leave()
	looks.Wait()
	if status, body := v.ask(t, "GET", "/live/0"); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, fmt.Sprint(mostLooks)) {
		t.Errorf("one more: status %d, %s", status, body)
	}
	close(busy)
	eventually(t, "nothing waits any more", func() bool { return owner.looks.Load() == 0 })
}

// TestLiveEnds: viewers learn that the environment is closed, or that its client has gone.
func TestLiveEnds(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	for env, end := range []func(){func() { call(t, c, "close", "env", 1) }, func() { c.Close() }} {
		v := server.viewer(call(t, c, "make", "env_id", "SuiteBot-v0", "games", 1))
		call(t, c, "reset", "env", env+1, "seed", 1)
		at := v.watch(t, "/live/0")
		end()
		if at.next(t); at.End == "" {
			t.Errorf("step %d comes, want the end", at.Step.Step)
		}
	}
}

// TestLiveIsForThoseWhoMayConnect: host, origin and token are checked as for the socket.
func TestLiveIsForThoseWhoMayConnect(t *testing.T) {
	server := liveServer(t, "secret")
	key := server.viewer(call(t, server.dial(t), "make", "env_id", "SuiteBot-v0", "games", 1)).key
	for _, tc := range []struct {
		reason string
		want   int
		header []string
	}{
		{"no token", 401, nil},
		{"another token", 401, []string{"Authorization", "Bearer other"}},
		{"the token", 200, []string{"Authorization", "Bearer secret"}},
		{"another page", 403, []string{"Authorization", "Bearer secret", "Origin", "http://example.org"}},
		{"another name", 403, []string{"Authorization", "Bearer secret", "Host", "example.org"}},
	} {
		tc.header = append(tc.header, viewKey, key)
		if status, body := server.get(t, "/live", headers(tc.header...)); status != tc.want {
			t.Errorf("%s: status %d, want %d: %s", tc.reason, status, tc.want, body)
		}
		want := tc.want
		if want == http.StatusOK {
			want = http.StatusConflict // it was not reset
		}
		if status, body := server.get(t, "/live/0", headers(tc.header...)); status != want {
			t.Errorf("%s: a game has status %d, want %d: %s", tc.reason, status, want, body)
		}
	}
}

// TestLooksShareAConnection sends more looks over one connection than a handshake may have
// bytes; what asks for anything else gets a connection of its own.
func TestLooksShareAConnection(t *testing.T) {
	server := liveServer(t, "")
	for path, want := range map[string]bool{"/live": true, "/healthz": false} {
		server.get(t, path, nil)
		for range handshakeBytes / 3000 {
			reused := false
			trace := &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused }}
			server.get(t, path, func(r *http.Request) {
				r.Header.Set("Padding", strings.Repeat("x", 3000))
				*r = *r.WithContext(httptrace.WithClientTrace(r.Context(), trace))
			})
			if reused != want {
				t.Errorf("%s over the connection of the one before: %t, want %t", path, reused, want)
			}
		}
	}
}

// TestNobodyLooks: a step that nobody looks at costs no allocation more.
func TestNobodyLooks(t *testing.T) {
	s := &session{visits: make(chan func())}
	if n := testing.AllocsPerRun(100, s.admitVisit); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestViewersMakeNoRoom: a viewer's stream goes on when many connections are opened that say nothing.
func TestViewersMakeNoRoom(t *testing.T) {
	server := startServer(t, nil)
	c := server.dial(t)
	v := server.viewer(call(t, c, "make", "env_id", "ToySolo-v0", "games", 1))
	call(t, c, "reset", "env", 1, "seed", 1)
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+server.host+"/live/0", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(viewKey, v.key)
	answer, err := (&http.Transport{}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for range spareConnections + 20 {
		dialTCP(t, server.host)
	}
	server.get(t, "/healthz", nil) // by now all have been accepted
	call(t, c, "step", "env", 1, "actions", toyActions(3, 1, 0))
	if _, err := lines.ReadString('\n'); err != nil {
		t.Errorf("the viewer's stream ended: %v", err)
	}
}

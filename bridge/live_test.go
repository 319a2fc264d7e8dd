package bridge

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"pommego/env"
	"pommego/env/catalog"
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

// looked is a look at a game.
func viewSignal(t *testing.T, server *testServer, path string) (l Look) {
	t.Helper()
	status, body := server.get(t, path, nil)
	if status != http.StatusOK {
		t.Fatalf("%s: status %d, %s", path, status, body)
	}
	if err := json.Unmarshal([]byte(body), &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// post orders something, and returns the status.
func (s *testServer) post(t *testing.T, path string) (status int, body string) {
	t.Helper()
	return s.ask(t, "POST", path, nil)
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
	if _, body := server.get(t, "/live", nil); strings.TrimSpace(body) != "[]" {
		t.Errorf("a server without environments lists %s", body)
	}
	c := server.dial(t)
	call(t, c, "make", "env_id", "PommeTeamCompetition-v0", "games", 3, "opponents",
		[]string{"simple", "simple", "simple"}, "seat", 1)
	if status, body := server.get(t, "/live/1/0", nil); status != http.StatusConflict {
		t.Errorf("before reset: status %d, %s", status, body)
	}
	call(t, c, "reset", "env", 1, "seed", 5)
	var list []LiveEnv
	_, body := server.get(t, "/live", nil)
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) != 1 || list[0].Games != 3 ||
		list[0].Learners != 1 || !list[0].Running {
		t.Errorf("the list is %s (%v)", body, err)
	}
	at := viewSignal(t, server, "/live/1/2")
	if at.Step.Step != 0 || at.Head.Seed != 7 || at.Head.Env != "PommeTeamCompetition-v0" ||
		at.Head.Names[1] != "learner" || at.Head.Names[0] != "simple" || len(at.Step.Sight) != 4 {
		t.Errorf("at the start: %+v", at.Head)
	}
	for step := 1; step <= 3; step++ {
		call(t, c, "show", "env", 1, "values", []any{"float32", []int{3}, []byte{}, float32s(0, 0.5, float32(step))})
		call(t, c, "step", "env", 1, "actions", []any{"uint8", []int{3}, []byte{}, []byte{0, 0, 0}})
		at = viewSignal(t, server, "/live/1/2")
		if at.Step.Step != step || len(at.Step.Rewards) != 4 || len(at.Step.Thoughts) != 1 || at.Step.Thoughts[0].Seat != 1 ||
			*at.Step.Thoughts[0].Value != float64(step) {
			t.Errorf("after step %d: %+v", step, at.Step)
		}
	}
	if shown := call(t, c, "show", "env", 1); shown["watched"] != true {
		t.Errorf("somebody has just viewSignal, and the client is told %v", shown)
	}
	for path, want := range map[string]int{"/live/1/3": 404, "/live/1/-1": 404, "/live/2/0": 404, "/live/x/y": 404,
		"/live/": 404, "/lively": 404} {
		if status, body := server.get(t, path, nil); status != want {
			t.Errorf("%s: status %d, want %d: %s", path, status, want, body)
		}
	}
	call(t, c, "close", "env", 1)
	if status, _ := server.get(t, "/live/1/0", nil); status != http.StatusNotFound {
		t.Errorf("the closed environment: status %d", status)
	}
}

// TestLiveWhileStepping looks at games that are stepped without a pause: what is seen is
// whole positions, and the actions that led to them.
func TestLiveWhileStepping(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	call(t, c, "make", "env_id", "SuiteBot-v0", "games", 2)
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
	last, moved := -1, 0
	for looks := 0; looks < 30 || moved < 10; looks++ {
		at := viewSignal(t, server, "/live/1/1")
		if at.Step.Step != last {
			moved++
		}
		if looks == 10_000 {
			t.Fatalf("%d looks have seen %d positions", looks, moved)
		}
		last = at.Step.Step
		if at.Step.Actions != nil && (len(at.Step.Actions) != 4 || at.Step.Actions[0][0] != (at.Step.Actions[3][0])) {
			t.Errorf("actions are %v", at.Step.Actions)
		}
		if len(at.Step.Agents) != 4 || len(at.Step.Ground) != at.Head.Rows*at.Head.Cols {
			t.Fatalf("step %d is not whole: %+v", last, at.Step)
		}
		time.Sleep(time.Millisecond)
	}
	close(done)
	<-stopped
}

// TestLiveFollows looks at a game as the page does: each position once, with the actions
// of all seats and what happened, to the end of an episode and on in the next.
func TestLiveFollows(t *testing.T) {
	for _, batchSize := range []any{nil, 1} {
		server := liveServer(t, "")
		c := server.dial(t)
		call(t, c, "make", "env_id", "OneVsOne-v0", "games", 2, "opponents", []string{"mcts:ticks=60"}, "seat", 0,
			"batch_size", batchSize, "autoreset_mode", "SameStep")
		call(t, c, "reset", "env", 1, "seed", 3)
		if batchSize != nil {
			call(t, c, "recv", "env", 1) // the other game
		}
		number, episode, laid, ended, searched := 0, 1, 0, 0, 0
		for step := range 400 {
			look := viewSignal(t, server, fmt.Sprintf("/live/1/0?since=%d", number))
			if look.Episode != episode {
				if look.Episode != episode+1 || ended != episode || look.Steps[0].Step != 0 {
					t.Fatalf("after episode %d comes %d, at step %d", episode, look.Episode, look.Steps[0].Step)
				}
				episode = look.Episode
			}
			for _, s := range look.Steps {
				for _, e := range s.Events {
					switch e.Kind {
					case env.Laid:
						laid++
					case env.Ended:
						ended++
					}
				}
				if s.Step > 0 && (len(s.Actions) != 2 || len(s.Actions[1]) != 1 || len(s.Rewards) != 2) {
					t.Errorf("step %d has the actions %v and the rewards %v", s.Step, s.Actions, s.Rewards)
				}
				if len(s.Thoughts) > 0 && s.Thoughts[0].Seat == 1 && s.Thoughts[0].Visits != nil {
					searched++
				}
			}
			number = look.Number
			if again := viewSignal(t, server, fmt.Sprintf("/live/1/0?since=%d", number)); len(again.Steps) > 0 &&
				again.Episode == episode {
				t.Fatalf("positions %d to %d are told twice", number, again.Number)
			}
			action := byte(step*7%4 + 1)
			if step%5 == 0 {
				action = 5
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
}

// TestLivePause: no step is answered until viewers let it, one at a time or all.
func TestLivePause(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	call(t, c, "make", "env_id", "SuiteBot-v0", "games", 1)
	call(t, c, "make", "env_id", "SuiteBot-v0", "games", 1, "pause", true)
	order := func(path string, want int) {
		t.Helper()
		if status, body := server.post(t, path); status != want {
			t.Errorf("%s: status %d, want %d: %s", path, status, want, body)
		}
	}
	order("/live/1/pause", http.StatusConflict)
	order("/live/3/pause", http.StatusNotFound)
	order("/live/2/wait", http.StatusNotFound)
	call(t, c, "reset", "env", 2, "seed", 1)
	order("/live/2/pause", http.StatusNoContent)
	answered := make(chan int)
	go func() {
		defer close(answered)
		for step := range 40 {
			call(t, c, "step", "env", 2, "actions", []any{"uint8", []int{4}, []byte{}, []byte{0, 0, 0, 0}})
			answered <- step + 1
		}
	}()
	for step := 1; step <= 4; step++ {
		at := viewSignal(t, server, "/live/2/0")
		for ; at.Step.Step < step; at = viewSignal(t, server, "/live/2/0") {
			time.Sleep(time.Millisecond)
		}
		if at.Step.Step != step || !at.Paused {
			t.Errorf("paused is %v at step %d, want step %d", at.Paused, at.Step.Step, step)
		}
		select {
		case got := <-answered:
			t.Errorf("step %d was answered while paused", got)
		case <-time.After(10 * time.Millisecond):
		}
		order("/live/2/step", http.StatusNoContent)
		if got := <-answered; got != step {
			t.Errorf("step %d was answered, want %d", got, step)
		}
	}
	order("/live/2/go", http.StatusNoContent)
	for range answered {
	}
}

// TestLivePauseEnds: a client that goes away while it is paused is gone.
func TestLivePauseEnds(t *testing.T) {
	server := liveServer(t, "")
	c := server.dial(t)
	call(t, c, "make", "env_id", "SuiteBot-v0", "games", 1, "pause", true)
	call(t, c, "reset", "env", 1, "seed", 1)
	if status, _ := server.post(t, "/live/1/pause"); status != http.StatusNoContent {
		t.Fatalf("status %d", status)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Call("step", "env", 1, "actions", []any{"uint8", []int{4}, []byte{}, []byte{0, 0, 0, 0}})
	}()
	for viewSignal(t, server, "/live/1/0").Step.Step == 0 {
		time.Sleep(time.Millisecond)
	}
	c.Close()
	<-done
	for body := "?"; strings.TrimSpace(body) != "[]"; _, body = server.get(t, "/live", nil) {
		time.Sleep(time.Millisecond)
	}
}

// TestLiveIsForThoseWhoMayConnect: host, origin and token are checked as for the socket.
func TestLiveIsForThoseWhoMayConnect(t *testing.T) {
	server := liveServer(t, "secret")
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
		if status, body := server.get(t, "/live", headers(tc.header...)); status != tc.want {
			t.Errorf("%s: status %d, want %d: %s", tc.reason, status, tc.want, body)
		}
		order := func(r *http.Request) {
			headers(tc.header...)(r)
			r.Method = "POST"
		}
		if status, body := server.get(t, "/live/1/pause", order); status != tc.want && status != http.StatusNotFound ||
			(status == 404) != (tc.want == 200) {
			t.Errorf("%s: an order has status %d, want %d: %s", tc.reason, status, tc.want, body)
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
	e, s := &environment{}, &session{}
	if n := testing.AllocsPerRun(100, func() { s.serveViewers(e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

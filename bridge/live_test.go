package bridge

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"pommego/env/catalog"
)

// liveServer is a server of the real games, as the toy cannot be drawn.
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
func looked(t *testing.T, server *testServer, path string) (l Look) {
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
	call(t, c, "make", "env_id", "PommeTeamCompetition-v0", "games", 3, "opponents", []string{"simple", "simple", "simple"}, "seat", 1)
	if status, body := server.get(t, "/live/1/0", nil); status != http.StatusConflict {
		t.Errorf("before reset: status %d, %s", status, body)
	}
	call(t, c, "reset", "env", 1, "seed", 5)
	var list []LiveEnv
	_, body := server.get(t, "/live", nil)
	if err := json.Unmarshal([]byte(body), &list); err != nil || len(list) != 1 || list[0].Games != 3 || list[0].Learners != 1 || !list[0].Running {
		t.Errorf("the list is %s (%v)", body, err)
	}
	at := looked(t, server, "/live/1/2")
	if at.Step.Step != 0 || at.Head.Seed != 7 || at.Head.Env != "PommeTeamCompetition-v0" || at.Head.Names[1] != "learner" || at.Head.Names[0] != "simple" || len(at.Step.Sight) != 4 {
		t.Errorf("at the start: %+v", at.Head)
	}
	for step := 1; step <= 3; step++ {
		call(t, c, "show", "env", 1, "values", []any{"float32", []int{3}, []byte{}, float32s(0, 0.5, float32(step))})
		call(t, c, "step", "env", 1, "actions", []any{"uint8", []int{3}, []byte{}, []byte{0, 0, 0}})
		at = looked(t, server, "/live/1/2")
		if at.Step.Step != step || len(at.Step.Rewards) != 4 || len(at.Step.Thoughts) != 1 || at.Step.Thoughts[0].Seat != 1 || *at.Step.Thoughts[0].Value != float64(step) {
			t.Errorf("after step %d: %+v", step, at.Step)
		}
	}
	if shown := call(t, c, "show", "env", 1); shown["watched"] != true {
		t.Errorf("somebody has just looked, and the client is told %v", shown)
	}
	for path, want := range map[string]int{"/live/1/3": 404, "/live/1/-1": 404, "/live/2/0": 404, "/live/x/y": 404, "/live/": 404, "/lively": 404} {
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
	for range 30 {
		at := looked(t, server, "/live/1/1")
		if at.Step.Step != last {
			moved++
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
	if moved < 10 {
		t.Errorf("30 looks have seen %d positions", moved)
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
	e := &environment{}
	if n := testing.AllocsPerRun(100, func() { e.lookOn([]byte{1}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

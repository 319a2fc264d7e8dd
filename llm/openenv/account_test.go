package openenv_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pommego/bridge"
	"pommego/env/catalog"
	"pommego/env/envtest"
	"pommego/llm/openenv"
)

// long is a game in which a step takes a quarter of an hour unless it is ended.
const long = `"opponents":"mcts:ms=9000"`

// TestLeftGames: of a game that all have left nothing stays, whatever it was to wait for.
func TestLeftGames(t *testing.T) {
	s := serve(t, nil)
	reset := func(pad int) answer {
		c := s.dial(t)
		defer c.ws.Close()
		return c.send(`{"type":"reset","data":{"opponents":"open","wait_s":3600,"rules":{` + strings.Repeat(" ", pad) + `"max_steps":50}}}`)
	}
	if a := reset(100_000); a.Data.Code != "VALIDATION_ERROR" || !strings.Contains(a.Data.Message, "32768") {
		t.Errorf("a reset of 100,000 bytes: %s", a.raw)
	}
	reset(30_000)
	waitFor(t, s, "the first to leave")
	before := envtest.HeapInUse()
	for range 100 {
		if a := reset(30_000); a.Type != "observation" {
			t.Fatal(a.raw)
		}
	}
	waitFor(t, s, "all to leave")
	if took := envtest.HeapInUse() - before; took > 2<<20 {
		t.Errorf("%d bytes of games stay that all have left", took)
	}
}

// TestNoWait: a game that waits for nobody is released as others are.
func TestNoWait(t *testing.T) {
	s := serve(t, nil)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				c := s.dial(t)
				c.reset(`{"opponents":"open","wait_s":0,"stand_in":"stop"}`)
				c.ws.Close()
			}
		})
	}
	all.Wait()
	waitFor(t, s, "the end of all games")
}

// TestLeaveTogether: a game that its sessions leave at once is released once.
func TestLeaveTogether(t *testing.T) {
	s := serve(t, nil)
	for n := range 100 {
		a, b, name := s.dial(t), s.dial(t), fmt.Sprintf(`{"episode_id":"%032d","opponents":"open"}`, n)
		a.reset(name)
		b.reset(name)
		go a.ws.Close()
		b.ws.Close()
	}
	waitFor(t, s, "the end of all games")
}

// TestSkipped: fields that are not read cost nothing.
func TestSkipped(t *testing.T) {
	junk := `[` + strings.Repeat(`{"":0},`, 50_000) + `0]`
	if n := testing.AllocsPerRun(3, func() { openenv.ReadAction([]byte(`{"action":"up","metadata":` + junk + `}`)) }); n > 100 {
		t.Errorf("a step's metadata: %v allocations", n)
	}
	if n := testing.AllocsPerRun(3, func() { json.Unmarshal([]byte(`{"id":`+junk+`}`), new(openenv.Rpc)) }); n > 100 {
		t.Errorf("a call's id: %v allocations", n)
	}
}

// TestToolInTool: a tool's arguments name no further tool, however deep.
func TestToolInTool(t *testing.T) {
	c, in := serve(t, nil).dial(t), `{"tool_name":"act","arguments":`
	text := `{"type":"step","data":` + strings.Repeat(in, 2_000) + `{"action":"up"}` + strings.Repeat("}", 2_001)
	c.reset(`{}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a := c.send(text)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; a.Data.Code != "VALIDATION_ERROR" || grown > 16<<20 {
		t.Errorf("%d bytes are allocated for %.200s", grown, a.raw)
	}
}

// TestThinkingStopsNobody: while a game thinks, who joins it is refused, and others name theirs.
func TestThinkingStopsNobody(t *testing.T) {
	s := serve(t, nil)
	a, b, c := s.dial(t), s.dial(t), s.dial(t)
	const name = `"episode_id":"the-name-of-a-game-in-tests"`
	a.reset(`{` + name + `,"env":"PommeTeam-v0","opponents":["open","mcts:ms=9000","mcts:ms=9000"],"wait_s":0}`)
	a.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"step","data":{"action":"wait for 100"}}`))
	time.Sleep(50 * time.Millisecond)
	if no := b.send(`{"type":"reset","data":{` + name + `}}`); no.Data.Code != "SESSION_ERROR" {
		t.Errorf("who joins is told %s", no.raw)
	}
	c.reset(`{"episode_id":"other"}`)
}

// TestPipelined: a client that goes is noticed while it has messages unanswered, and what it waits for ends.
func TestPipelined(t *testing.T) {
	s := serve(t, nil)
	c := s.dial(t)
	c.reset(`{` + long + `}`)
	for range 3 {
		c.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"step","data":{"action":"wait for 100"}}`))
	}
	time.Sleep(50 * time.Millisecond)
	c.ws.Close()
	waitFor(t, s, "the end of the search")
}

// TestShortNames: others join by a name that nobody can guess.
func TestShortNames(t *testing.T) {
	c := serve(t, nil).dial(t)
	if a := c.send(`{"type":"reset","data":{"episode_id":"duel-1","opponents":"open"}}`); a.Data.Code != "VALIDATION_ERROR" ||
		!strings.Contains(a.Data.Message, "26 random") {
		t.Errorf("a short name: %s", a.raw)
	}
	c.reset(`{"episode_id":"duel-1"}`) // which nobody can join
}

// post begins a call whose caller can go.
func (s *server) post(t *testing.T, session, tool, arguments string) (goes func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.address+"/mcp", strings.NewReader(fmt.Sprintf(
		`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	done := make(chan bool)
	go func() {
		defer close(done)
		if answer, err := http.DefaultTransport.RoundTrip(r); err == nil {
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// TestCallersGo: a call ends with its caller, and the session goes on; with its session; and with its streams.
func TestCallersGo(t *testing.T) {
	s := serve(t, nil)
	c := s.mustTools(t)
	c.tell("new_game", `{"seed":3,`+long+`}`)
	goes := s.post(t, c.ID(), "act", `{"action":"wait for 100"}`)
	time.Sleep(100 * time.Millisecond)
	goes()
	if look := c.tell("look", `{}`); strings.Contains(look[0], "Tick 100 ") {
		t.Errorf("after the caller has gone: %s", look[0])
	}
	cancelled, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.CallTool(cancelled, actFor(100)); err == nil {
		t.Error("a call that was cancelled has an answer")
	}
	c.tell("new_game", `{"seed":3,"opponents":"static"}`)
	if told := c.tell("act", `{"action":"wait for 2"}`); !strings.Contains(told[0], "Tick 2 ") {
		t.Errorf("the session's next game: %s", told[0])
	}
	c.tell("new_game", `{`+long+`}`)
	defer s.post(t, c.ID(), "act", `{"action":"wait for 100"}`)()
	time.Sleep(100 * time.Millisecond)
	c.Close() // sends DELETE
	waitFor(t, s, "the end of a session that thinks")

	piped, ended := s.pipes(t)
	piped.tell("new_game", `{`+long+`}`)
	go piped.CallTool(t.Context(), actFor(100))
	time.Sleep(100 * time.Millisecond)
	piped.input.Close()
	<-ended // how does not matter
	waitFor(t, s, "the end of a game over streams")
}

func actFor(ticks int) *mcp.CallToolParams {
	return &mcp.CallToolParams{Name: "act", Arguments: map[string]string{"action": fmt.Sprintf("wait for %d", ticks)}}
}

// TestCallersShare: sessions of tools that play one game wait for each other, also after a caller has gone.
func TestCallersShare(t *testing.T) {
	s := serve(t, nil)
	a, b := s.mustTools(t), s.mustTools(t)
	const name = `"episode_id":"the-name-of-a-game-in-tests"`
	a.tell("new_game", `{`+name+`,"opponents":"open","move_timeout_s":1}`)
	b.tell("new_game", `{`+name+`}`)
	goes := s.post(t, a.ID(), "act", `{"action":"wait for 50"}`)
	time.Sleep(50 * time.Millisecond)
	goes()
	a.tell("look", `{}`)               // waits until its call has ended
	for tick := 1; tick <= 3; tick++ { // without a, whose answer is dropped
		if told := b.tell("act", `{"action":"stop"}`); !strings.Contains(told[0], fmt.Sprintf("Tick %d ", tick)) {
			t.Errorf("tick %d: %s", tick, told[0])
		}
	}
	go b.call("act", `{"action":"stop"}`)
	if told := a.tell("act", `{"action":"stop"}`); !strings.Contains(told[0], "Tick 4 ") || !strings.Contains(told[1], `"late":3`) {
		t.Errorf("who comes back is told %s", told)
	}
}

// counted counts the requests that it has begun to serve.
type counted struct {
	bridge.Protocol
	begun *atomic.Int32
}

func (c counted) Serve(g *bridge.Guest, w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		c.begun.Add(1)
	}
	c.Protocol.Serve(g, w, r)
}

// TestRoom: of sessions that nobody ended, the one that has been idle for longest makes room for a new one, and
// none that is at work.
func TestRoom(t *testing.T) {
	var begun atomic.Int32
	s := serve(t, func(c *bridge.Config) {
		c.MaxConnections = 7 // half of it for sessions
		c.Protocols = []bridge.Protocol{counted{openenv.NewIdle(catalog.IDs(), time.Minute, time.Millisecond), &begun}}
	})
	works, oldest, newest := s.mustTools(t), s.mustTools(t), s.mustTools(t)
	works.tell("new_game", `{`+long+`}`)
	before := begun.Load()
	defer s.post(t, works.ID(), "act", `{"action":"wait for 100"}`)()
	for begun.Load() == before {
		time.Sleep(time.Millisecond)
	}
	oldest.tell("new_game", `{}`)
	newest.tell("new_game", `{}`)
	time.Sleep(2 * time.Millisecond) // longer than who makes room has to be idle
	s.mustTools(t).tell("new_game", `{}`)
	newest.tell("look", `{}`)
	if _, err := oldest.call("look", `{}`); err == nil {
		t.Error("no session has made room")
	}
}

// TestSocketsLeaveRoom: sockets take no room from sessions of tools while there are connections.
func TestSocketsLeaveRoom(t *testing.T) {
	s := serve(t, func(c *bridge.Config) {
		c.MaxConnections = 10
		c.Protocols = []bridge.Protocol{openenv.NewIdle(catalog.IDs(), time.Minute, time.Millisecond)}
	})
	idle := s.mustTools(t)
	idle.tell("new_game", `{}`)
	for range 5 {
		s.dial(t)
	}
	s.mustTools(t).tell("new_game", `{}`)
	idle.tell("look", `{}`)
}

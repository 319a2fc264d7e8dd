package openenv_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pommego/bridge"
	"pommego/env/catalog"
	"pommego/llm/openenv"
)

// caller is a session of tools.
type caller struct {
	t *testing.T
	*mcp.ClientSession
	input io.WriteCloser // of the server, over streams
}

func connect(t *testing.T, over mcp.Transport) (*caller, error) {
	t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), over, nil)
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return &caller{t, c, nil}, err
}

// tools begins a session over HTTP.
func (s *server) tools(t *testing.T, path string) (*caller, error) {
	t.Helper()
	alone := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return connect(t, &mcp.StreamableClientTransport{
		Endpoint: "http://" + s.address + path, HTTPClient: alone, MaxRetries: -1,
	})
}

func (s *server) mustTools(t *testing.T) *caller {
	t.Helper()
	c, err := s.tools(t, "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// call calls a tool, whose arguments are JSON. Its error is what the tool says is wrong.
func (c *caller) call(tool, arguments string) ([]mcp.Content, error) {
	c.t.Helper()
	r, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return nil, err
	}
	if r.IsError {
		return nil, errors.New(r.Content[0].(*mcp.TextContent).Text)
	}
	return r.Content, nil
}

// tell calls a tool, and returns its texts.
func (c *caller) tell(tool, arguments string) (texts []string) {
	c.t.Helper()
	all, err := c.call(tool, arguments)
	if err != nil {
		c.t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	for _, one := range all {
		if text, ok := one.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return texts
}

// pipes begins a session over a pair of streams. ended gets what Converse returns.
func (s *server) pipes(t *testing.T) (c *caller, ended chan error) {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended = make(chan error, 1)
	go func() {
		ended <- openenv.New(catalog.IDs()).Converse(context.Background(), s.Local(), in, out)
		out.Close()
	}()
	c, err := connect(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer})
	if err != nil {
		t.Fatal(err)
	}
	c.input = toServer
	return c, ended
}

// TestToolsNameAgents: the agents that new_game says are in all games are.
func TestToolsNameAgents(t *testing.T) {
	text, err := os.ReadFile("tools.json")
	if err != nil {
		t.Fatal(err)
	}
	of, _, _ := strings.Cut(string(text), " (default) are in all games")
	of = strings.ReplaceAll(of[strings.LastIndex(of, ". ")+2:], " and", ",")
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Split(of, ", ") {
			if !slices.Contains(game.Spec().Agents, name) {
				t.Errorf("%s has %v, without %q", id, game.Spec().Agents, name)
			}
		}
	}
}

// TestTools: a game by tools, over streams and over HTTP, is that of an OpenEnv session to the byte.
func TestTools(t *testing.T) {
	s := serve(t, nil)
	piped, ended := s.pipes(t)
	for _, c := range []*caller{piped, s.mustTools(t)} {
		for tool, arguments := range map[string]string{"look": `{}`, "act": `{"action":"up"}`} {
			if _, err := c.call(tool, arguments); err == nil || !strings.Contains(err.Error(), "new_game") {
				t.Errorf("%s without a game: %v", tool, err)
			}
		}
		open := s.dial(t)
		const options = `{"seed":7,"env":"PommeFFACompetition-v0","detail":"short","rules":{"max_steps":60}}`
		told, want := c.tell("new_game", options), open.reset(options)
		if told[0] != want.Data.Observation.Text {
			t.Fatalf("new_game: %s\nwant %s", told[0], want.Data.Observation.Text)
		}
		sum := 0.0
		for !want.Data.Done {
			look := c.tell("look", `{}`)
			if !strings.HasSuffix(told[0], look[0]) || look[1] != told[1] {
				t.Fatalf("look: %s\nwant what was seen before: %s", look, told)
			}
			told, want = c.tell("act", `{"action":"hunt for 5"}`), open.step("hunt for 5")
			if sum += *want.Data.Reward; told[0] != want.Data.Observation.Text {
				t.Fatalf("act: %s\nwant %s", told[0], want.Data.Observation.Text)
			}
		}
		var end struct {
			Done   bool
			Result string
			Reward float64
		}
		if json.Unmarshal([]byte(c.tell("result", `{}`)[0]), &end); !end.Done || end.Reward != sum ||
			end.Result != want.Data.Metadata.Result || !strings.Contains(told[1], end.Result) {
			t.Errorf("the result is %+v, and act said %s", end, told)
		}
		for wrong, says := range map[string]string{`{"sede":1}`: "sede", `{"opponents":"exec:true"}`: "exec",
			`{"opponents":"mcts:ms=3600000"}`: "may be at most", `{"detail":"long"}`: "long"} {
			if _, err := c.call("new_game", wrong); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("new_game %s: %v", wrong, err)
			}
		}
	}
	piped.Close()
	if err := <-ended; err != nil {
		t.Errorf("a client goes, and its session ends with: %v", err)
	}
}

// TestStreamLines: over streams a line may be as long as a message of /ws. What cannot be read ends the session, and
// the error names the limit.
func TestStreamLines(t *testing.T) {
	s := serve(t, nil)
	for _, wrong := range []string{"no JSON", `"` + strings.Repeat("x", 600<<10) + `"`} {
		c, ended := s.pipes(t)
		c.tell("new_game", `{}`)
		c.tell("act", `{"action":"`+strings.Repeat("x", 500<<10)+`"}`)
		go io.WriteString(c.input, wrong+"\n")
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "at most 524288 bytes") {
			t.Errorf("%.20s: the session ends with %v", wrong, err)
		}
	}
}

// TestToolFault: a panic is an error of the tool, and is logged.
func TestToolFault(t *testing.T) {
	var log bytes.Buffer
	s := serve(t, func(c *bridge.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	result := openenv.Faulty(s.Local())
	if result == nil || !result.IsError || !strings.Contains(log.String(), "nil pointer") {
		t.Errorf("the result is %+v, and the log %s", result, log.String())
	}
}

// TestImage: an observation has a picture if its session asked for it, and so has a look.
func TestImage(t *testing.T) {
	s := serve(t, nil)
	open, c := s.dial(t), s.mustTools(t)
	var reset struct {
		Data struct {
			Observation struct {
				Image struct {
					Type string `json:"media_type"`
					Data []byte
				}
			}
		}
	}
	fogged := `{"seed":7,"env":"PommeTeamCompetition-v0","detail":"image"}`
	if err := json.Unmarshal([]byte(open.reset(fogged).raw), &reset); err != nil {
		t.Fatal(err)
	}
	data := reset.Data.Observation.Image.Data
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil || reset.Data.Observation.Image.Type != "image/png" || picture.Bounds().Dx() != 12*32 ||
		len(data) > 40_000 {
		t.Errorf("the picture has %d bytes: %v", len(data), err)
	}
	if far, near := picture.At(11*32+16, 11*32+16), picture.At(32+16, 32+16); far == near {
		t.Errorf("seat 0 sees the corner of another as its own: %v", far)
	}
	c.tell("new_game", `{"seed":7,"env":"PommeTeamCompetition-v0"}`)
	look, err := c.call("look", `{"image":true}`)
	if err != nil || len(look) != 3 || !bytes.Equal(look[2].(*mcp.ImageContent).Data, data) {
		t.Errorf("look: %v, %v", look, err)
	}
}

// TestToolSessions: sessions over HTTP are within the server's limits, and free their games when they end.
func TestToolSessions(t *testing.T) {
	s := serve(t, func(c *bridge.Config) {
		c.MaxConnections, c.MaxTotalGames, c.Token = 3, 1, "secret"
		c.Protocols = []bridge.Protocol{openenv.NewIdle(catalog.IDs(), 2*time.Second, time.Minute)}
	})
	if _, err := s.tools(t, "/mcp"); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("without the token: %v", err)
	}
	first, err := s.tools(t, "/token/secret/mcp")
	if err != nil {
		t.Fatal(err)
	}
	first.tell("new_game", `{}`)
	_, err = s.tools(t, "/token/secret/mcp")
	if err == nil || !strings.Contains(err.Error(), "all of its 1 sessions") {
		t.Errorf("a second session: %v", err)
	}
	first.tell("act", `{"action":"up"}`) // there is room for its requests
	first.Close()
	waitFor(t, s, "the end of a session that was closed")
	second, err := s.tools(t, "/token/secret/mcp")
	if err != nil {
		t.Fatal(err)
	}
	second.tell("new_game", `{}`)
	waitFor(t, s, "the end of a session that is idle")
	if _, err := second.call("look", `{}`); err == nil {
		t.Error("a session that was idle for too long goes on")
	}
	third, err := s.tools(t, "/token/secret/mcp")
	if err != nil {
		t.Fatal(err)
	}
	third.tell("new_game", `{}`)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if left := s.Drain(ctx); left != 1 {
		t.Errorf("%d sessions are left, want 1", left)
	}
	third.tell("act", `{"action":"up"}`)
	if _, err := s.tools(t, "/token/secret/mcp"); err == nil {
		t.Error("a session begins while the server drains")
	}
	go third.call("new_game", `{"opponents":"open","wait_s":60}`)
	time.Sleep(50 * time.Millisecond)
	begun := time.Now()
	if err := s.stop(); err != nil || time.Since(begun) > hangs {
		t.Errorf("shutting down took %v: %v", time.Since(begun), err)
	}
}

// TestMetrics: an operator sees sessions, their steps and what they were refused.
func TestMetrics(t *testing.T) {
	s := serve(t, func(c *bridge.Config) { c.MaxTotalGames = 1 })
	c := s.mustTools(t)
	c.tell("new_game", `{}`)
	c.tell("act", `{"action":"up"}`)
	s.dial(t).send(`{"type":"reset"}`)
	all := s.metrics()
	for _, want := range []string{"connections 2", "connections_total 2", "steps_total 1", `errors_total{code="limit"} 1`} {
		if !strings.Contains(all, "\npommego_"+want+"\n") {
			t.Errorf("the metrics lack pommego_%s:\n%s", want, all)
		}
	}
}

func (s *server) metrics() string {
	var text bytes.Buffer
	r, _ := http.NewRequest(http.MethodGet, "http://127.0.0.1/metrics", nil)
	s.Operations().ServeHTTP(&recorder{&text, http.Header{}}, r)
	return text.String()
}

// waitFor waits until the server has no connections.
func waitFor(t *testing.T, s *server, what string) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < hangs; time.Sleep(10 * time.Millisecond) {
		all := s.metrics()
		if strings.Contains(all, "pommego_connections 0\n") && strings.Contains(all, "pommego_games 0\n") {
			return
		}
	}
	t.Fatalf("waiting for %s", what)
}

// recorder keeps the body of an answer.
type recorder struct {
	io.Writer
	header http.Header
}

func (r *recorder) Header() http.Header { return r.header }
func (*recorder) WriteHeader(int)       {}

// TestToolRequests: what is no call of a tool.
func TestToolRequests(t *testing.T) {
	s := serve(t, nil)
	for _, tc := range []struct {
		method, body, session string
		want                  int
	}{
		{"POST", `{}`, "", 200}, // OpenEnv's checker
		{"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "", 200},
		{"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "none", 404},
		{"POST", `{"jsonrpc":`, "", 400},
		{"POST", strings.Repeat(" ", 40_000), "", 400},
		{"GET", "", "", 405},
		{"DELETE", "", "none", 404},
		{"PUT", "", "", 405},
	} {
		r, _ := http.NewRequest(tc.method, "http://"+s.address+"/mcp", strings.NewReader(tc.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "*/*")
		if tc.session != "" {
			r.Header.Set("Mcp-Session-Id", tc.session)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != tc.want || tc.want == 200 && !strings.Contains(string(body), `"error"`) {
			t.Errorf("%s %.60s: status %d, %s", tc.method, tc.body, answer.StatusCode, body)
		}
	}
}

// TestRPC: what OpenEnv's client calls by HTTP is played in the session of its socket, and ends with that.
func TestRPC(t *testing.T) {
	s := serve(t, nil)
	rpc := func(method, params string) (text string) {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
		answer, err := http.Post("http://"+s.address+"/mcp", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		all, _ := io.ReadAll(answer.Body)
		return string(all)
	}
	var made struct {
		Result struct {
			Session string `json:"session_id"`
		}
	}
	json.Unmarshal([]byte(rpc("openenv/session/create", `{}`)), &made)
	const act = `"name":"act","arguments":{"action":"up"}}`
	name := `{"session_id":"` + made.Result.Session + `",`
	if text := rpc("tools/call", name+act); !strings.Contains(text, "connect the client first") {
		t.Errorf("without a socket: %s", text)
	}
	ws, _, err := websocket.DefaultDialer.Dial("ws://"+s.address+"/ws?session_id="+made.Result.Session, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, ws: ws}
	c.reset(`{"seed":7,"opponents":"static"}`)
	if text := rpc("tools/call", name+act); !strings.Contains(text, `"data":"Last answer: up; ticks: 1`) {
		t.Errorf("act: %s", text)
	}
	for method, want := range map[string]string{"tools/list": `"inputSchema"`, "tools/none": `"code":-32601`} {
		if text := rpc(method, name+act); !strings.Contains(text, want) {
			t.Errorf("%s: %s", method, text)
		}
	}
	if text := rpc("tools/call", name+`"name":"none","arguments":{}}`); !strings.Contains(text, `no tool \"none\"`) {
		t.Errorf("a tool that is none: %s", text)
	}
	a := c.send(`{"type":"step","data":{"type":"call_tool","tool_name":"act","arguments":{"action":"stop"}}}`)
	if a.Data.Reward == nil || !strings.Contains(a.raw, `"tool_name":"act","result":"Last answer: stop`) {
		t.Errorf("a step that calls a tool: %s", a.raw)
	}
	_, taken, _ := websocket.DefaultDialer.Dial("ws://"+s.address+"/ws?session_id="+made.Result.Session, nil)
	if taken == nil || taken.StatusCode != http.StatusConflict {
		t.Errorf("a second socket: %v", taken)
	}
	_, short, _ := websocket.DefaultDialer.Dial("ws://"+s.address+"/ws?session_id=1", nil)
	if short == nil || short.StatusCode != http.StatusBadRequest {
		t.Errorf("a session_id that can be guessed: %v", short)
	}
	batch := ` [{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`
	if status := s.ask(t, "POST", "/mcp", batch, nil); status != http.StatusBadRequest {
		t.Errorf("a batch has status %d, want 400", status)
	}
	ws.Close()
	waitFor(t, s, "the end of the session")
	if text := rpc("tools/call", name+act); !strings.Contains(text, "connect the client first") {
		t.Errorf("after the socket: %s", text)
	}
}

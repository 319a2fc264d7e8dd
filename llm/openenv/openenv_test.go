package openenv_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"pommego/bridge"
	"pommego/env/catalog"
	"pommego/llm/openenv"
	"pommego/llm/words"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is a server that shuts down with the test.
type server struct {
	*bridge.Server
	address string // host:port
	stop    func() error
}

func serve(t testing.TB, change func(*bridge.Config)) *server {
	t.Helper()
	cfg := bridge.Config{IDs: catalog.IDs, Game: catalog.Game, Variant: catalog.Variant, Version: "test",
		Protocols: []bridge.Protocol{openenv.New(catalog.IDs())}}
	if change != nil {
		change(&cfg)
	}
	srv, err := bridge.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, ln) }()
	stop := sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return &server{srv, ln.Addr().String(), stop}
}

// client is a session.
type client struct {
	t  testing.TB
	ws *websocket.Conn
}

func (s *server) dial(t testing.TB) *client { return s.dialAt(t, "/ws", nil) }

func (s *server) dialAt(t testing.TB, path string, header http.Header) *client {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial("ws://"+s.address+path, header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	ws.SetReadDeadline(time.Now().Add(hangs))
	return &client{t, ws}
}

// answer is any message of the server.
type answer struct {
	Type string
	Data struct {
		Observation struct {
			Text  string
			Legal [][]string
		}
		Reward   *float64
		Done     bool
		Metadata struct {
			Seat, Tick, Late int
			Reading, Result  string
			Last             *words.Last
			Prompt           int
			Out              bool
			Counts           map[string]int
			Played           []byte
		}
		Message, Code string
		EpisodeID     *string `json:"episode_id"`
		StepCount     int     `json:"step_count"`
		Sessions      int
		Env           string
		Seed          uint64
		Error         struct {
			Code    int
			Message string
		}
	}
	raw string
}

// send sends text and returns the answer.
func (c *client) send(text string) answer {
	c.t.Helper()
	if err := c.ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
	return c.receive()
}

func (c *client) receive() (a answer) {
	c.t.Helper()
	_, raw, err := c.ws.ReadMessage()
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	a.raw = string(raw)
	return a
}

func (c *client) reset(data string) answer {
	c.t.Helper()
	a := c.send(`{"type":"reset","data":` + data + `}`)
	if a.Type != "observation" {
		c.t.Fatalf("reset %s: %s", data, a.raw)
	}
	return a
}

func (c *client) step(action string) answer {
	c.t.Helper()
	text, _ := json.Marshal(map[string]any{"action": action})
	a := c.send(`{"type":"step","data":` + string(text) + `}`)
	if a.Type != "observation" {
		c.t.Fatalf("step %s: %s", action, a.raw)
	}
	return a
}

// TestGroup: the same seed and answers give the same bytes, in sessions beside each other, for all games and details.
func TestGroup(t *testing.T) {
	s := serve(t, nil)
	for _, options := range []string{`{"seed":7}`, `{"seed":7,"env":"PommeRadio-v2","seat":2,"detail":"short"}`,
		`{"seed":1,"env":"BaseWarSides-v0","detail":"json"}`, `{"seed":1,"env":"SuiteBot-v0","frame_ticks":3}`,
		`{"seed":3,"env":"PommeFFACompetition-v0","opponents":["simple","random","static"],"rules":{"max_steps":30}}`} {
		var all []string
		for range 3 {
			c, text := s.dial(t), ""
			text += c.reset(options).raw
			for _, action := range []string{"up", "I will go DOWN.", "hide for 5", "left, left", "none of these"} {
				a := c.step(action)
				text += a.raw
				if a.Data.Done {
					break
				}
			}
			all = append(all, text)
		}
		if all[0] != all[1] || all[0] != all[2] {
			t.Errorf("%s: sessions differ:\n%s\n%s", options, all[0], all[1])
		}
	}
	one := s.dial(t).reset(`{"seed":1}`)
	if other := s.dial(t).reset(`{"seed":2}`); other.raw == one.raw {
		t.Error("two seeds give one game")
	}
	const nothing = `"episode_id":null,"env":null,"seat":null,"opponents":null,"rules":null,"detail":null,"frame_ticks":null,` +
		`"orders":null,"hints":null,"system_prompt":null,"wait_s":null,"move_timeout_s":null,"stand_in":null`
	if null := s.dial(t).reset(`{"seed":1,` + nothing + `}`); null.raw != one.raw {
		t.Errorf("a reset of defaults answers %s\nwant %s", null.raw, one.raw)
	}
}

// TestRewards: the rewards of a game's steps sum to what it pays, and the last answer has its result.
func TestRewards(t *testing.T) {
	s := serve(t, nil)
	c := s.dial(t)
	results := map[string]bool{}
	for seed := range 12 {
		first := c.reset(fmt.Sprintf(`{"seed":%d,"opponents":"simple","rules":{"max_steps":%d}}`, seed, 30+seed*40))
		if first.Data.Reward != nil || first.Data.Done || first.Data.Metadata.Tick != 0 {
			t.Fatalf("the first observation is %s", first.raw)
		}
		sum, steps, played, a := 0.0, 0, 0, answer{}
		for !a.Data.Done {
			a = c.step([]string{"bomb", "hide for 12", "up", "hunt"}[steps%4])
			sum += *a.Data.Reward
			played += len(a.Data.Metadata.Played)
			steps++
		}
		if played != a.Data.Metadata.Tick || strings.Count(a.raw, `"played"`) != 1 {
			t.Errorf("seed %d: %d actions are told, the last in %s", seed, played, a.raw)
		}
		want := map[string]float64{"won": 1, "lost": -1, "tied": -1}
		result := a.Data.Metadata.Result
		if w, ok := want[result]; !ok || sum != w {
			t.Errorf("seed %d: %q, and rewards of %v", seed, result, sum)
		}
		results[result] = true
		counts := a.Data.Metadata.Counts
		if counts["legal"] != steps || counts["late"] != 0 {
			t.Errorf("seed %d: counts are %v after %d steps", seed, counts, steps)
		}
		if again := c.send(`{"type":"step","data":{"action":"up"}}`); again.Data.Code != "EXECUTION_ERROR" {
			t.Errorf("a step after the end: %s", again.raw)
		}
	}
	t.Log(results)
}

// TestErrors: every code, by messages over the wire. The session goes on after each.
func TestErrors(t *testing.T) {
	s := serve(t, func(c *bridge.Config) { c.MaxTotalGames = 2 })
	c := s.dial(t)
	for _, tc := range []struct{ code, send, says string }{
		{"INVALID_JSON", `{"type":`, "not JSON"},
		{"INVALID_JSON", `{} {}`, "not JSON"},
		{"VALIDATION_ERROR", `[1]`, "it is [1], want an object"},
		{"VALIDATION_ERROR", `{"type":"mcp","data":5}`, `the data is "5", want a request of JSON-RPC`},
		{"VALIDATION_ERROR", `{"type":"state","more":1}`, `no "more", want one of type, data`},
		{"UNKNOWN_TYPE", `{"type":"sleep"}`, `"sleep"`},
		{"UNKNOWN_TYPE", `{}`, "want reset"},
		{"EXECUTION_ERROR", `{"type":"step","data":{"action":"up"}}`, "reset first"},
		{"VALIDATION_ERROR", `{"type":"step","data":{}}`, "no action"},
		{"VALIDATION_ERROR", `{"type":"step","data":{"act":"up","when":1}}`, "no action"},
		{"VALIDATION_ERROR", `{"type":"step"}`, "no action"},
		{"VALIDATION_ERROR", `{"type":"step","data":"up"}`, `it is "up", want an object`},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"seed":-1}}`, "seed is -1, want a whole number from 0"},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"wait_s":"long"}}`, `wait_s is "long", want a number`},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"sede":1}}`, `no "sede", want one of seed, episode_id, env, seat`},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"seat":2}}`, "seat is 2"},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"seat":-1}}`, "seat is -1"},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"detail":"long"}}`, `"long"`},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"frame_ticks":1000}}`, "1000"},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"wait_s":-1}}`, "wait_s is -1"},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"opponents":["simple","simple"]}}`, "2 names"},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"opponents":7}}`, "opponents is 7"},
		{"VALIDATION_ERROR", `{"type":"reset","data":{"episode_id":""}}`, "episode_id"},
		{"FACTORY_ERROR", `{"type":"reset","data":{"env":"PommeFA-v0"}}`, "did you mean"},
		{"FACTORY_ERROR", `{"type":"reset","data":{"rules":{"bombs":1}}}`, "bombs"},
		{"FACTORY_ERROR", `{"type":"reset","data":{"rules":[]}}`, `[] is given, want an object of fields, such as {"max_steps": 100} (`},
		{"FACTORY_ERROR", `{"type":"reset","data":{"opponents":"exec:touch /tmp/x"}}`, "exec"},
		{"FACTORY_ERROR", `{"type":"reset","data":{"opponents":"http://127.0.0.1:1"}}`, "http"},
		{"FACTORY_ERROR", `{"type":"reset","data":{"opponents":"mcts:ms=3600000"}}`, "may be at most"},
		{"FACTORY_ERROR", `{"type":"reset","data":{"opponents":"champion:omniscient=1"}}`, "omniscient"},
		{"FACTORY_ERROR", `{"type":"reset","data":{"stand_in":"nobody","opponents":"open"}}`, "nobody"},
	} {
		a := c.send(tc.send)
		if a.Type != "error" || a.Data.Code != tc.code || !strings.Contains(a.Data.Message, tc.says) {
			t.Errorf("%s\n gives %s\n want %s that says %q", tc.send, a.raw, tc.code, tc.says)
		}
	}
	if a := c.send(`{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"method":"tools/call"}}`); a.Type != "mcp" ||
		a.Data.Error.Code != -32000 || !strings.Contains(a.Data.Error.Message, "no game yet") {
		t.Errorf("a tool call: %s", a.raw)
	}
	first, second := s.dial(t), s.dial(t)
	first.reset(`{}`)
	second.reset(`{}`)
	if a := c.send(`{"type":"reset"}`); a.Data.Code != "CAPACITY_REACHED" {
		t.Errorf("a third of two games: %s", a.raw)
	}
	first.step("up")
	for _, wrong := range []string{`{"env":"none"}`, `{"opponents":"none"}`, `{"rules":{"x":1}}`, `{"seat":9}`} {
		first.send(`{"type":"reset","data":` + wrong + `}`)
	}
	if a := first.send(`{"type":"state"}`); a.Type != "state" || a.Data.EpisodeID == nil || a.Data.StepCount != 1 {
		t.Errorf("after resets that failed the state is %s", a.raw)
	}
	first.reset(`{}`) // in the place of its own game
	if a := first.send(`{"type":"state"}`); a.Type != "state" || a.Data.EpisodeID == nil || a.Data.StepCount != 0 {
		t.Errorf("the state is %s", a.raw)
	}
	first.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"close"}`))
	if _, _, err := first.ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("after close: %v", err)
	}
}

// TestHostileActions: whatever a model says is an action.
func TestHostileActions(t *testing.T) {
	c := serve(t, nil).dial(t)
	c.reset(`{"seed":1,"opponents":"static"}`)
	for _, action := range []string{`""`, `null`, `17`, `["up","left"]`, `{"a":{"b":[]}}`, `"` + strings.Repeat("x", 300_000) + `"`,
		`"\u0000\u202e</s>\n{\"type\":\"close\"}"`, `"{\"type\":\"close\"}"`} {
		a := c.send(`{"type":"step","data":{"action":` + action + `}}`)
		if a.Type != "observation" {
			t.Fatalf("%.80s: %.200s", action, a.raw)
		}
	}
	if a := c.send(`{"type":"state"}`); a.Data.StepCount != 8 {
		t.Errorf("the state is %s", a.raw)
	}
	c.ws.WriteMessage(websocket.TextMessage, bytes.Repeat([]byte(" "), 1<<20))
	if _, _, err := c.ws.ReadMessage(); err == nil {
		t.Error("a message of 1 MiB is answered")
	}
}

// TestAnswersInJSON: clients that send the object that a model wrote, in place of a text, have it read.
func TestAnswersInJSON(t *testing.T) {
	c := serve(t, nil).dial(t)
	c.reset(`{"seed":1,"opponents":"static"}`)
	for data, want := range map[string]string{`{"action":"go","cell":[3,1],"ticks":5}`: "go 3,1 for 5",
		`{"move":"down","reason":"bomb up there"}`: "down", `{"action":"up","thought":"safe"}`: "up",
		`{"action":["up","left"],"metadata":{"x":1}}`: "up, left", `{"action":"hide for 8","metadata":{}}`: "hide for 8"} {
		a := c.send(`{"type":"step","data":` + data + `}`)
		if a.Type != "observation" || a.Data.Metadata.Last == nil || a.Data.Metadata.Last.Read != want {
			t.Errorf("%s: %s, want it read as %q", data, a.raw, want)
		}
	}
}

// TestAnswersBack: a view begins with what became of the last answer, and metadata has it.
func TestAnswersBack(t *testing.T) {
	s := serve(t, nil)
	c := s.dial(t)
	first := c.reset(`{"seed":1,"opponents":"static"}`)
	if strings.Contains(first.raw, "Last answer:") || first.Data.Metadata.Last != nil {
		t.Errorf("the first view is %s", first.raw)
	}
	for _, tc := range []struct{ action, line, reading string }{
		{"stop", "Last answer: stop; ticks: 1.", "legal"},
		{"up/down", "Last answer: refused, for it leaves a choice: or; you stopped; ticks: 1.", "illegal"},
		{"", "Last answer: refused, for it is empty; you stopped; ticks: 1.", "illegal"},
		{"STOP!", `Last answer: read as "stop" (written otherwise); ticks: 1.`, "repaired"},
		{"left", "Last answer: left; ticks: 1.", "legal"},
		{"left", "Last answer: left; ticks: 1; then a move led nowhere.", "legal"},
		{"bomb", "Last answer: bomb; ticks: 1.", "legal"},
		{"bomb", "Last answer: bomb; ticks: 1. Since then: you could lay no bomb at (1,0).", "legal"},
		{"bomb for 4", "Last answer: bomb for 4; ticks: 4; then no bomb could be laid and survived.", "legal"},
	} {
		a := c.step(tc.action)
		line, _, _ := strings.Cut(a.Data.Observation.Text, "\n")
		if line != tc.line || a.Data.Metadata.Reading != tc.reading || a.Data.Metadata.Last.String() != tc.line {
			t.Errorf("%q: %q, %+v; want %q", tc.action, line, a.Data.Metadata, tc.line)
		}
	}
	c.reset(`{"seed":1,"opponents":"static","detail":"json"}`)
	var view struct {
		Last words.Last `json:"last_answer"`
	}
	err := json.Unmarshal([]byte(c.step("jump").Data.Observation.Text), &view)
	if err != nil || view.Last.Reading != "illegal" || view.Last.Why != "no move and no order is in it" {
		t.Errorf("as JSON: %+v, %v", view, err)
	}
	c.reset(`{"seed":1,"opponents":"static"}`)
	a := c.step("bomb, stop, stop, stop, stop, stop, stop, stop, stop, stop, stop").Data.Observation.Text
	if !strings.Contains(a, "you died by your bomb at (1,1)") {
		t.Errorf("who has bombed itself is told %s", a)
	}
}

// TestLateIsTold: who was late is told so, with what happened meanwhile, also by looks, which change nothing; and the
// dialogues of the game are checked.
func TestLateIsTold(t *testing.T) {
	t.Parallel() // it waits for who is late
	s, path := recording(t)
	a, b := s.dial(t), s.mustTools(t)
	const name = `"episode_id":"the-name-of-a-game-in-tests"`
	a.reset(`{"seed":4,` + name + `,"opponents":"open","move_timeout_s":1}`)
	b.tell("new_game", `{`+name+`}`)
	both := func(answer string) (told string) {
		var plays sync.WaitGroup
		plays.Go(func() { a.step("stop") })
		told = b.tell("act", `{"action":"`+answer+`"}`)[0]
		plays.Wait()
		return told
	}
	both("bomb")
	for late := 1; late <= 2; late++ {
		a.step("stop")
		want := fmt.Sprintf("Last answer: none came; you stopped; ticks without an answer: %d.\n", late)
		if told := b.tell("look", `{}`)[0]; !strings.HasPrefix(told, want) {
			t.Errorf("who looks is told %s, want %s", told, want)
		}
	}
	told, want := both("bomb"), "Last answer: bomb; ticks: 1; ticks without an answer: 2. "+
		"Since then: you could lay no bomb at (6,6)."
	if !strings.HasPrefix(told, want) {
		t.Errorf("the late one is told %s, want %s", told, want)
	}
	both("up")
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if said, ok := verify(path); !ok {
		t.Error(said)
	}
	var did []int
	for _, l := range turnsOf(t, path) {
		if l.Game != nil {
			wantActions(t, l.Game, 1, did)
		} else if l.Seat == 1 {
			for _, tick := range l.Actions {
				did = append(did, tick[0])
			}
		}
	}
	if len(did) < 5 {
		t.Errorf("the late one did %v, want what it did in 5 ticks or more", did)
	}
}

// TestOwnPrompt: a session may leave out the hints, and give a prompt of its own.
func TestOwnPrompt(t *testing.T) {
	s, path := recording(t)
	c := s.dial(t)
	a := c.reset(`{"seed":1,"hints":false,"system_prompt":"Spiele gut – immer.","frame_ticks":2}`)
	if text := a.Data.Observation.Text; !strings.HasPrefix(text, "Spiele gut – immer.\nTick 0 of 800.") ||
		strings.Contains(text, "Legal") || a.Data.Metadata.Prompt != 19 || len(a.Data.Observation.Legal) > 0 {
		t.Errorf("it begins with %s", a.raw)
	}
	for range 4 {
		a = c.step("hide for 9")
		if strings.Contains(a.raw, "Danger") || strings.Contains(a.raw, "burns in") ||
			a.Data.Metadata.Last.Ended != "its ticks were over" || a.Data.Metadata.Last.Ticks != 2 {
			t.Errorf("without hints and after 2 ticks it is told %s", a.raw)
		}
	}
	if a = c.reset(`{"system_prompt":""}`); !strings.HasPrefix(a.Data.Observation.Text, "Tick 0 of 800.") {
		t.Errorf("without a prompt it begins with %s", a.raw)
	}
	if a = c.reset(`{"system_prompt":"\nPlay."}`); a.Data.Metadata.Prompt != 6 ||
		!strings.HasPrefix(a.Data.Observation.Text, "\nPlay.\nTick 0 of 800.") {
		t.Errorf("with a prompt that begins with a line break it begins with %s", a.raw)
	}
	if a = c.reset(`{"seed":1,"hints":true}`); a.Data.Metadata.Prompt != strings.Index(a.Data.Observation.Text, "\nTick 0") ||
		!strings.Contains(a.raw, "Legal") {
		t.Errorf("with hints it begins with %s", a.raw)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if said, ok := verify(path); !ok {
		t.Error(said)
	}
}

// TestTwoSessions plays one game from two seats: moves are simultaneous, and both get their parts.
func TestTwoSessions(t *testing.T) {
	s := serve(t, nil)
	a, b, other := s.dial(t), s.dial(t), s.dial(t)
	var both sync.WaitGroup
	first := a.reset(`{"seed":4,"opponents":"open"}`)
	drawn := a.send(`{"type":"state"}`).Data.EpisodeID
	name := *drawn
	for _, wrong := range []string{`"seat":0`, `"seed":5`, `"env":"SuiteBot-v0"`, `"rules":{"max_steps":9}`, `"stand_in":"static"`,
		`"seat":1,"opponents":"static"`, `"opponents":"static"`, `"wait_s":3`, `"move_timeout_s":3`} {
		no := other.send(`{"type":"reset","data":{"episode_id":"` + name + `",` + wrong + `}}`)
		if no.Data.Code != "SESSION_ERROR" || strings.Contains(no.raw, name) || strings.Contains(no.raw, "OneVsOne") {
			t.Errorf("who joins with %s is told %s", wrong, no.raw)
		}
	}
	second := b.reset(`{"episode_id":"` + name + `","seat":1,"env":"OneVsOne-v0","seed":4}`)
	if first.Data.Metadata.Seat != 0 || second.Data.Metadata.Seat != 1 ||
		first.Data.Observation.Text == second.Data.Observation.Text {
		t.Errorf("seats are %s and %s", first.raw, second.raw)
	}
	if late := other.send(`{"type":"reset","data":{"episode_id":"` + name + `"}}`); late.Data.Code != "SESSION_ERROR" {
		t.Errorf("a third session: %s", late.raw)
	}
	if st := a.send(`{"type":"state"}`); st.Data.Sessions != 2 {
		t.Errorf("state is %s", st.raw)
	}
	sums := [2]float64{}
	for done := false; !done; {
		var x, y answer
		both.Go(func() { x = a.step("bomb") })
		y = b.step("stop")
		both.Wait()
		if x.Data.Metadata.Tick != y.Data.Metadata.Tick {
			t.Fatalf("ticks are %d and %d", x.Data.Metadata.Tick, y.Data.Metadata.Tick)
		}
		sums[0] += *x.Data.Reward
		sums[1] += *y.Data.Reward
		if done = x.Data.Done; done != y.Data.Done {
			t.Fatalf("only one is done: %s %s", x.raw, y.raw)
		}
	}
	if sums != [2]float64{-1, 1} {
		t.Errorf("rewards are %v, want the one who bombs itself to lose", sums)
	}
	a.reset(`{"episode_id":"` + name + `","seed":9,"opponents":"static"}`) // the id is free again
}

// TestLate: who does not answer in time stops, and it is counted; who leaves is replaced.
func TestLate(t *testing.T) {
	s := serve(t, nil)
	a, b := s.dial(t), s.dial(t)
	var both sync.WaitGroup
	a.reset(`{"seed":4,"episode_id":"the-name-of-a-game-in-tests","opponents":"open","move_timeout_s":0.5,"stand_in":"stop"}`)
	b.reset(`{"episode_id":"the-name-of-a-game-in-tests"}`)
	for tick := range 3 {
		if x := a.step("stop"); x.Data.Metadata.Tick != tick+1 {
			t.Fatalf("after %d steps: %s", tick+1, x.raw)
		}
	}
	b.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"step","data":{"action":"up"}}`))
	a.step("stop")
	if y := b.receive(); y.Data.Metadata.Late != 3 || y.Data.Metadata.Tick != 4 {
		t.Errorf("the late one gets %s", y.raw)
	}
	both.Go(func() { time.Sleep(10 * time.Millisecond); b.ws.Close() })
	for range 20 {
		a.step("stop")
	}
	both.Wait()
	a.reset(`{"seed":4,"episode_id":"another-game-in-these-tests","opponents":"open","move_timeout_s":60,"stand_in":"stop"}`)
	c := s.dial(t)
	c.reset(`{"episode_id":"another-game-in-these-tests"}`)
	c.ws.Close()
	begun := time.Now()
	for range 10 {
		a.step("stop")
	}
	if took := time.Since(begun); took > hangs {
		t.Errorf("ten steps beside one who has left took %v", took)
	}
}

// TestStateAtEnd: the state tells the result and the reward, also to who has not asked since the end.
func TestStateAtEnd(t *testing.T) {
	s := serve(t, nil)
	a, b := s.dial(t), s.dial(t)
	a.reset(`{"episode_id":"the-name-of-a-game-in-tests","opponents":"open","move_timeout_s":0.05,"rules":{"max_steps":1}}`)
	b.reset(`{"episode_id":"the-name-of-a-game-in-tests"}`)
	end := b.step("stop")
	for range 2 {
		state := a.send(`{"type":"state"}`)
		for _, has := range []string{`"done":true`, `"result":"tied"`, fmt.Sprint(`"reward":`, *end.Data.Reward, `,`)} {
			if !strings.Contains(state.raw, has) || *end.Data.Reward == 0 {
				t.Errorf("%s is not in the state %s", has, state.raw)
			}
		}
		a.send(`{"type":"step","data":{"action":"up"}}`)
	}
}

// TestLateRemembers: in ticks for which a seat is late, it sees on, and so it knows of a bomb out of its view.
func TestLateRemembers(t *testing.T) {
	t.Parallel() // it waits for who is late
	s := serve(t, nil)
	a, b := s.dial(t), s.dial(t)
	var both sync.WaitGroup
	a.reset(`{"seed":4,"env":"PommeTeamCompetition-v0","episode_id":"the-name-of-a-game-in-tests","opponents":["open","static","static"],"move_timeout_s":0.5,` +
		`"rules":{"agent_view_size":1,"num_wood":0,"num_items":0,"num_rigid":0}}`)
	b.reset(`{"episode_id":"the-name-of-a-game-in-tests"}`)
	for _, action := range []string{"bomb", "down", "down"} {
		both.Go(func() { b.step("stop") })
		a.step(action)
		both.Wait()
	}
	for range 2 {
		b.step("stop") // a is late
	}
	both.Go(func() { b.step("stop, stop, stop") })
	if x := a.step("bomb for 3"); x.Data.Metadata.Late != 2 || x.Data.Metadata.Tick != 8 {
		t.Errorf("an order that ends when nothing is going to burn, 2 ticks late: %s", x.raw)
	}
	both.Wait()
}

// TestNobodyComes: built-in agents take the seats that are open for too long.
func TestNobodyComes(t *testing.T) {
	s := serve(t, nil)
	a := s.dial(t).reset(`{"seed":4,"env":"PommeTeam-v0","opponents":["simple","open","simple"],"wait_s":0.05}`)
	if a.Data.Metadata.Tick != 0 || a.Data.Metadata.Seat != 0 {
		t.Errorf("the first observation is %s", a.raw)
	}
}

// TestOutOfTeam: who is out while its team plays on gets answers, and at last what the game pays.
func TestOutOfTeam(t *testing.T) {
	s := serve(t, nil)
	c := s.dial(t)
	c.reset(`{"seed":2,"env":"PommeTeam-v0","opponents":"simple","rules":{"max_steps":150}}`)
	sum, played, a := 0.0, 0, answer{}
	for ; !a.Data.Done; sum += *a.Data.Reward {
		a = c.step("bomb")
		played += len(a.Data.Metadata.Played)
	}
	if sum != 1 && sum != -1 || played != a.Data.Metadata.Tick {
		t.Errorf("the game paid %v after %d actions in %d ticks", sum, played, a.Data.Metadata.Tick)
	}
}

// TestOutOfTwo: while another session of its team plays on, who is out is told so, and its answers do not count.
func TestOutOfTwo(t *testing.T) {
	s := serve(t, nil)
	a, b := s.dial(t), s.dial(t)
	const name = `"episode_id":"the-name-of-a-game-in-tests","move_timeout_s":0.05`
	a.reset(`{"seed":2,"env":"PommeTeam-v0","opponents":["static","open","static"],` + name + `}`)
	b.reset(`{"seat":2,` + name + `}`)
	var plays sync.WaitGroup
	plays.Go(func() { b.step("wait for 20") })
	first := a.step("bomb, " + strings.Repeat("stop, ", 19))
	plays.Wait()
	counts, again := first.Data.Metadata.Counts, a.step("up")
	if !first.Data.Metadata.Out || again.Data.Done || !maps.Equal(again.Data.Metadata.Counts, counts) {
		t.Errorf("who is out is told %s and %s", first.raw, again.raw)
	}
}

// hangs is how long nothing takes that does not wait, on the slowest machine.
const hangs = 30 * time.Second

// TestShutdown ends sessions that wait for others, and games that nobody waits for.
func TestShutdown(t *testing.T) {
	s := serve(t, func(c *bridge.Config) { c.MaxAgentTime = time.Hour })
	waits, thinks := s.dial(t), s.dial(t)
	waits.reset(`{"opponents":"open","wait_s":60}`)
	waits.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"step","data":{"action":"up"}}`))
	thinks.reset(`{"seed":1,"opponents":"mcts:ms=60000"}`)
	thinks.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"step","data":{"action":"up"}}`))
	time.Sleep(100 * time.Millisecond)
	begun := time.Now()
	if err := s.stop(); err != nil || time.Since(begun) > hangs {
		t.Errorf("shutting down took %v: %v", time.Since(begun), err)
	}
	if _, _, err := waits.ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("the session that waited got %v", err)
	}
}

// get asks over HTTP and decodes the answer.
func (s *server) ask(t *testing.T, method, path, body string, into any) int {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Errorf("%s %s: %v in %s", method, path, err, text)
	}
	return answer.StatusCode
}

// TestPaths asks all HTTP paths.
func TestPaths(t *testing.T) {
	s := serve(t, nil)
	ok := func(method, path, body string) map[string]any {
		t.Helper()
		var got map[string]any
		if status := s.ask(t, method, path, body, &got); status != http.StatusOK {
			t.Fatalf("%s %s: status %d, %v", method, path, status, got)
		}
		return got
	}
	if got := ok("GET", "/health", ""); got["status"] != "healthy" {
		t.Errorf("health: %v", got)
	}
	if got := ok("GET", "/metadata", ""); got["name"] != "pommego" {
		t.Errorf("metadata: %v", got)
	}
	schema := ok("GET", "/schema", "")
	if required := schema["action"].(map[string]any)["required"]; fmt.Sprint(required) != "[action]" {
		t.Errorf("an action needs %v, want action alone", required)
	}
	if got := ok("GET", "/state", ""); got["episode_id"] != nil || got["step_count"] != 0.0 {
		t.Errorf("state: %v", got)
	}
	reset := ok("POST", "/reset", `{"seed":7}`)
	if text := reset["observation"].(map[string]any)["text"]; text != s.dial(t).reset(`{"seed":7}`).Data.Observation.Text {
		t.Errorf("reset over HTTP: %v", text)
	}
	ok("POST", "/reset", "")
	for _, action := range []string{`{"action":"up"}`, `"up"`, `["up", "up"]`} {
		step := ok("POST", "/step", `{"action":`+action+`,"timeout_s":3,"request_id":"x"}`)
		if about := step["metadata"].(map[string]any); step["done"] != false || step["reward"] != 0.0 ||
			about["reading"] == "illegal" {
			t.Errorf("step %s: %v", action, step)
		}
	}
	paths := ok("GET", "/openapi.json", "")["paths"].(map[string]any)
	if paths["/reset"] == nil || paths["/state"] == nil {
		t.Errorf("openapi: %v", paths)
	}
	for _, wrong := range [][3]string{{"/reset", `{"sede":1}`, `there is no "sede"`}, {"/step", `{"action":{}}`, "no action"},
		{"/step", `{}`, "no action"}, {"/step", "x", `it is "x", want one JSON value`}, {"/step", "{} {}", "want one JSON value"},
		{"/reset", strings.Repeat(" ", 40_000), "40000 bytes"}, {"/reset", `{"opponents":"open"}`, "need the WebSocket"},
		{"/pommego/task", `{"split":"OneVsOne-v0/simple"}`, "index is missing, want 0 to 9999"},
		{"/pommego/task", `{"split":"OneVsOne-v0/simple","index":10000}`, "10000 up to"},
		{"/pommego/tasks", `{"split":"none"}`, "no split"}, {"/pommego/else", `{"split":"OneVsOne-v0/simple"}`, "want splits"}} {
		var got map[string]string
		status := s.ask(t, "POST", wrong[0], wrong[1], &got)
		if status != http.StatusUnprocessableEntity || !strings.Contains(got["detail"], wrong[2]) {
			t.Errorf("%.80v: status %d, %v", wrong, status, got)
		}
	}
	for _, wrong := range [][3]string{{"DELETE", "/reset", "want POST"}, {"GET", "/pommego/tasks", "want POST"},
		{"POST", "/schema", "over the WebSocket /ws"}} {
		var got map[string]string
		if status := s.ask(t, wrong[0], wrong[1], "", &got); status != http.StatusMethodNotAllowed ||
			!strings.HasSuffix(got["detail"], wrong[2]) {
			t.Errorf("%v: status %d, %v", wrong, status, got)
		}
	}
}

// TestTasks: a task of a split is a reset, and learning and testing have different seeds.
func TestTasks(t *testing.T) {
	s := serve(t, nil)
	var envs []string
	s.ask(t, "GET", "/list_environments", "", &envs)
	if !slices.Equal(envs, []string{"pommego"}) {
		t.Errorf("environments are %v", envs)
	}
	var splits []struct{ Name, Type string }
	s.ask(t, "GET", "/pommego/splits", "", &splits)
	names := map[string]string{}
	for _, split := range splits {
		names[split.Name] = split.Type
	}
	if names["OneVsOne-v0/simple"] != "train" || names["BaseWar-v0/simple/test"] != "test" || len(names) != len(splits) {
		t.Errorf("splits are %v", splits)
	}
	for name, want := range map[string]string{"OneVsOne-v0/simple": `{"env":"OneVsOne-v0","opponents":"simple","seed":3}`,
		"SuiteBot-v0/simple/test": `{"env":"SuiteBot-v0","opponents":"simple","seed":1000003}`} {
		var got struct{ Task map[string]any }
		s.ask(t, "POST", "/pommego/task", fmt.Sprintf(`{"split":%q,"index":3}`, name), &got)
		text, _ := json.Marshal(got.Task)
		if string(text) != want {
			t.Errorf("task 3 of %s is %s, want %s", name, text, want)
		}
		s.dial(t).reset(string(text))
		var some struct{ Tasks []any }
		s.ask(t, "POST", "/pommego/task_range", fmt.Sprintf(`{"split":%q,"start":2,"stop":5}`, name), &some)
		var count struct {
			Tasks int `json:"num_tasks"`
		}
		s.ask(t, "POST", "/pommego/num_tasks", fmt.Sprintf(`{"split":%q}`, name), &count)
		var all struct{ Tasks []any }
		s.ask(t, "POST", "/pommego/tasks", fmt.Sprintf(`{"split":%q}`, name), &all)
		if len(some.Tasks) != 3 || count.Tasks < 1000 || len(all.Tasks) != count.Tasks {
			t.Errorf("%s has %d of range, %d counted, %d in all", name, len(some.Tasks), count.Tasks, len(all.Tasks))
		}
	}
}

// TestTasksInParts: the server never has all tasks of an answer in memory, as who does not read would keep them there.
func TestTasksInParts(t *testing.T) {
	conn, err := net.Dial("tcp", serve(t, nil).address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := `{"split":"OneVsOne-v0/simple"}`
	fmt.Fprintf(conn, "POST /pommego/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	head, in, size := "", bufio.NewReader(conn), 0
	for head != "\r\n" && err == nil {
		head, err = in.ReadString('\n')
	}
	if n, also := fmt.Fscanf(in, "%x", &size); err != nil || n != 1 || size > 8<<10 {
		t.Errorf("the first part has %d bytes, want at most 8 KiB of 500: %v, %v", size, err, also)
	}
}

// TestToken: the token comes in the header or in the path, and nothing is answered without it.
func TestToken(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s := serve(t, func(c *bridge.Config) { c.Token, c.Log = "secret", slog.New(slog.NewTextHandler(log, nil)) })
	s.dialAt(t, "/token/secret/ws", nil).reset(`{}`)
	s.dialAt(t, "/ws", http.Header{"Authorization": {"Bearer secret"}}).reset(`{}`)
	for _, path := range []string{"/ws", "/token/wrong/ws", "/token/ws"} {
		_, answer, err := websocket.DefaultDialer.Dial("ws://"+s.address+path, nil)
		if err == nil || answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %v", path, err)
		}
	}
	if status := s.ask(t, "GET", "/token/secret/schema", "", nil); status != http.StatusOK {
		t.Errorf("with the token in the path: status %d", status)
	}
	if status := s.ask(t, "GET", "/schema", "", nil); status != http.StatusUnauthorized {
		t.Errorf("without: status %d", status)
	}
	if status := s.ask(t, "GET", "/token/wrong/token/secret/schema", "", nil); status != http.StatusUnauthorized {
		t.Errorf("with a wrong token before the right one: status %d", status)
	}
	status := s.ask(t, "GET", "/token/secret/token/secret/schema", "", nil)
	logged, err := os.ReadFile(log.Name())
	if err != nil || status != http.StatusNotFound || !strings.Contains(string(logged), "status=404") ||
		strings.Contains(string(logged), "secret") {
		t.Errorf("with the token twice: status %d, and the log is %s (%v)", status, logged, err)
	}
}

// TestLimits: sessions are connections, and none is taken while the server drains.
func TestLimits(t *testing.T) {
	s := serve(t, func(c *bridge.Config) { c.MaxConnections = 1 })
	c := s.dial(t)
	c.reset(`{}`)
	if _, answer, err := websocket.DefaultDialer.Dial("ws://"+s.address+"/ws", nil); err == nil ||
		answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a second session: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if left := s.Drain(ctx); left != 1 {
		t.Errorf("%d sessions are left, want 1", left)
	}
	c.step("up") // goes on
	c.ws.Close()
	if left := s.Drain(t.Context()); left != 0 {
		t.Errorf("%d sessions are left", left)
	}
}

// TestPings: a session that waits for another answers pings, and one that leaves while it waits frees its seat.
func TestPings(t *testing.T) {
	s := serve(t, nil)
	c := s.dial(t)
	c.reset(`{"episode_id":"the-name-of-a-game-in-tests","opponents":"open","wait_s":60,"seed":1}`)
	c.ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"step","data":{"action":"up"}}`))
	pong := make(chan bool, 1)
	c.ws.SetPongHandler(func(string) error { pong <- true; return nil })
	c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
	go c.ws.ReadMessage()
	select {
	case <-pong:
	case <-time.After(hangs):
		t.Fatal("no pong")
	}
	c.ws.Close()
	waitFor(t, s, "the end of its game")
	a := s.dial(t).reset(`{"episode_id":"the-name-of-a-game-in-tests","opponents":"simple","seed":2}`) // a game of its own: the first is gone
	if a.Data.Metadata.Seat != 0 {
		t.Errorf("reset gives %s", a.raw)
	}
}

// TestMemory: a game's rules of its own and its agents' searches count as the server's memory.
func TestMemory(t *testing.T) {
	s := serve(t, func(c *bridge.Config) { c.MaxMemoryBytes = 1 << 20 })
	c := s.dial(t)
	c.reset(`{"rules":{"max_steps":50}}`)
	if a := s.dial(t).send(`{"type":"reset","data":{"opponents":"mcts:ticks=1000000"}}`); a.Data.Code != "CAPACITY_REACHED" {
		t.Errorf("a search of a million ticks in 1 MiB: %.300s", a.raw)
	}
	held := []*client{}
	for range 20 { // 64 KiB each
		d := s.dial(t)
		held = append(held, d)
		if a := d.send(`{"type":"reset","data":{}}`); a.Type == "error" {
			if a.Data.Code != "CAPACITY_REACHED" || len(held) < 5 {
				t.Errorf("game %d: %s", len(held), a.raw)
			}
			c.reset(`{}`) // makes room
			return
		}
	}
	t.Error("20 games of 64 KiB and one with rules have room in 1 MiB")
}

// TestMovesAlone: where a session takes moves alone, its first text says so, and an order is illegal.
func TestMovesAlone(t *testing.T) {
	c := serve(t, nil).dial(t)
	if a := c.reset(`{"seed":1}`); strings.Contains(a.raw, "Orders are illegal") {
		t.Errorf("it is told %s", a.raw)
	}
	if a := c.reset(`{"seed":1,"orders":false}`); !strings.Contains(a.raw, "Orders are illegal in this game") {
		t.Errorf("it is told %s", a.raw)
	}
	for _, order := range []string{"hunt for 5", "bomb for 3", "I hide.", `{"action": "go", "cell": [1, 1]}`} {
		if a := c.step(order); a.Data.Metadata.Reading != "illegal" || len(a.Data.Metadata.Played) != 1 ||
			a.Data.Metadata.Played[0] != 0 {
			t.Errorf("%s was read as %+v", order, a.Data.Metadata)
		}
	}
	if a := c.step("stop, stop"); a.Data.Metadata.Reading != "legal" || len(a.Data.Metadata.Played) != 2 {
		t.Errorf("moves were read as %+v", a.Data.Metadata)
	}
}

package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/arena/trace"
	"pommego/env"
	"pommego/env/catalog"
	"pommego/llm/dialogue"
	"pommego/llm/model"
)

// chat is a question of the protocol.
type chat struct {
	Model       string
	Messages    []dialogue.Message
	Temperature *float64
}

// whole is a status of modelServer.
const whole = -1

// stub is an OpenAI-compatible server with a model that a test writes.
type stub struct {
	*httptest.Server
	mu    sync.Mutex
	asked []chat
	keys  []string
}

// modelServer answers question n, from 0, with what answer makes of it: a status other than 200 has
// the text as its body, and with whole the text is all that is answered.
func modelServer(t *testing.T, answer func(n int, w http.ResponseWriter) (status int, text string)) *stub {
	t.Helper()
	s := new(stub)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		var in chat
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		s.mu.Lock()
		s.asked, s.keys = append(s.asked, in), append(s.keys, r.Header.Get("Authorization"))
		n := len(s.asked) - 1
		s.mu.Unlock()
		status, text := answer(n, w)
		text = strings.ReplaceAll(text, "KEY", r.Header.Get("Authorization"))
		switch status {
		case http.StatusOK:
		case whole:
			w.Write([]byte(text))
			return
		default:
			http.Error(w, text, status)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]string{"role": "assistant", "content": text}}},
			"usage":   map[string]int{"prompt_tokens": 100, "completion_tokens": 10},
		})
	}))
	t.Cleanup(s.Close)
	return s
}

// says is a model that says the same over and over, one line after the other.
func says(lines ...string) func(int, http.ResponseWriter) (int, string) {
	return func(n int, _ http.ResponseWriter) (int, string) { return http.StatusOK, lines[n%len(lines)] }
}

func (s *stub) name(options string) string { return "llm:" + s.URL + "/v1,model=m:8b" + options }

// TestModelPlays: a model is told the rules once as the system's message and each time what its
// seat sees, when nothing of its last answer is left; what it answers and uses is counted.
func TestModelPlays(t *testing.T) {
	s := modelServer(t, says("hide for 4", "Let us go: **stop**", "what?", "up, down"))
	game := variant(t, "OneVsOne-v0", `{"max_steps": 60}`)
	p := play(t, game, seatsOf(t, game, s.name(",temperature=0.5,price_in=2,price_out=20"), "static"), match.Rules{})
	got := p.Seats[0]
	if got.Moves != p.End.Steps || got.Late+got.Failed > 0 || got.LastError != "" {
		t.Errorf("the seat did %+v in %d steps", got, p.End.Steps)
	}
	a, n := got.Answers, len(s.asked)
	if a.Legal+a.Repaired+a.Illegal != n || a.Legal < a.Repaired || a.Repaired == 0 || a.Illegal == 0 ||
		n*4/3 > p.End.Steps || a.TokensIn != 100*n || a.TokensOut != 10*n ||
		a.Cost < 0.0003999*float64(n) || a.Cost > 0.0004001*float64(n) {
		t.Errorf("%d questions in %d steps, and counted were %+v", n, p.End.Steps, a)
	}
	if p.Seats[1].Answers != (match.Answers{}) {
		t.Errorf("a built-in agent has answers: %+v", p.Seats[1].Answers)
	}
	last := -1
	for i, q := range s.asked {
		m, tick := q.Messages, 0
		if len(m) != 2 || m[0].Role != "system" || m[1].Role != "user" ||
			!strings.Contains(m[0].Content, "Goal: be the last") ||
			m[0] != s.asked[0].Messages[0] || q.Model != "m:8b" || *q.Temperature != 0.5 {
			t.Fatalf("question %d is %+v", i, q)
		}
		view := m[1].Content[strings.Index(m[1].Content, "Tick "):]
		_, err := fmt.Sscanf(view, "Tick %d of 60.", &tick)
		before := []string{"Last answer: up, down; ticks: ", "Last answer: hide for 4; ticks: 4.", `Last answer: read as "stop" (`,
			"Last answer: refused, for it denies, doubts or refuses: question; you stopped; ticks: 1."}[i%4]
		if i > 0 && !strings.HasPrefix(m[1].Content, before) {
			t.Errorf("question %d begins %q, want %q", i, m[1].Content[:60], before)
		}
		if err != nil || tick <= last || i%4 == 1 && tick != last+4 {
			t.Fatalf("question %d is at tick %d, after %d: %v", i, tick, last, err)
		}
		last = tick
	}
}

// TestModelShown: it is shown so many past turns, a prompt of its user's and no hints, as its options say.
func TestModelShown(t *testing.T) {
	file, path := filepath.Join(t.TempDir(), "prompt.txt"), filepath.Join(t.TempDir(), "d.jsonl")
	if err := os.WriteFile(file, []byte("Play well."), 0o600); err != nil {
		t.Fatal(err)
	}
	s := modelServer(t, says("stop", "jump"))
	game, talks := variant(t, "OneVsOne-v0", `{"max_steps": 6}`), model.Dialogues{Log: dialogue.NewLog(path)}
	players := seatsOf(t, game, s.name(",turns=2,hints=0,system_prompt="+file), "static")
	if _, err := match.Play(t.Context(), game, players, env.Seed{Value: 2}, match.Rules{}, talks.Watch); err != nil {
		t.Fatal(err)
	}
	for i, q := range s.asked {
		m := q.Messages
		if len(m) != 2+2*min(i, 2) || m[0].Content != "Play well." || strings.Contains(fmt.Sprint(m), "Legal") {
			t.Fatalf("question %d is %+v", i, q)
		}
		for k := range min(i, 2) {
			turn := i - min(i, 2) + k
			past, answer := s.asked[turn].Messages, []string{"stop", "jump"}[turn%2]
			if m[2*k+1] != past[len(past)-1] || m[2*k+2] != (dialogue.Message{Role: "assistant", Content: answer}) {
				t.Fatalf("question %d shows turn %d as %+v", i, turn, m[2*k+1:][:2])
			}
		}
	}
	formats := trace.Formats(append(catalog.Formats(), dialogue.Formats(catalog.Formats())...))
	var said strings.Builder
	if total, err := formats.VerifyAll(&said, []string{path}, 3); err != nil || !total.OK {
		t.Error(said.String(), err)
	}
}

// TestModelPrompt: a prompt of the user's ends its line before what tells of notes, and an empty one is none.
func TestModelPrompt(t *testing.T) {
	game := variant(t, "OneVsOne-v0", `{"max_steps": 1}`)
	for _, tc := range []struct{ text, options, want string }{
		{"Play.", ",scratchpad=9", "Play.\nBefore the answer you may"},
		{"", ",scratchpad=9", "Before the answer you may"},
		{"", "", "Tick 0 of 1."},
	} {
		file, s := filepath.Join(t.TempDir(), "prompt.txt"), modelServer(t, says("stop"))
		if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
			t.Fatal(err)
		}
		play(t, game, seatsOf(t, game, s.name(tc.options+",system_prompt="+file), "static"), match.Rules{})
		if m := s.asked[0].Messages; !strings.HasPrefix(m[0].Content, tc.want) {
			t.Errorf("%q and %q begin with %q", tc.text, tc.options, m[0].Content)
		}
	}
}

// TestModelIsTold: what happens in a match is told, with whose bomb it was.
func TestModelIsTold(t *testing.T) {
	s := modelServer(t, says("bomb", "stop for 20"))
	game := variant(t, "BaseWar-v0", `{"max_steps": 40}`)
	play(t, game, seatsOf(t, game, s.name(""), "static", "static", "static", "static", "static"), match.Rules{})
	var told []string
	for _, q := range s.asked {
		told = append(told, q.Messages[1].Content)
	}
	if !strings.Contains(strings.Join(told, ""), "you took a hit by your bomb at (") {
		t.Errorf("it is told %q", told)
	}
}

// TestModelSeesItsSeat: under fog it is told no more than its seat sees.
func TestModelSeesItsSeat(t *testing.T) {
	s := modelServer(t, says("stop"))
	game := variant(t, "PommeTeamCompetition-v0", `{"max_steps": 3}`)
	play(t, game, seatsOf(t, game, s.name(",detail=json"), "static", "static", "static"), match.Rules{})
	var view struct {
		Others []any
		Board  []string
	}
	if err := json.Unmarshal([]byte(s.asked[0].Messages[1].Content), &view); err != nil || view.Others != nil ||
		strings.Count(strings.Join(view.Board, ""), "?") < 40 {
		t.Errorf("it is told %+v, %v", view, err)
	}
}

// TestModelRetries: it is asked again while the server is busy, but not for ever.
func TestModelRetries(t *testing.T) {
	began := time.Now()
	s := modelServer(t, func(n int, w http.ResponseWriter) (int, string) {
		w.Header().Set("Retry-After", "1")
		return []int{429, 200, 400}[min(n, 2)], "stop"
	})
	game := variant(t, "OneVsOne-v0", `{"max_steps": 2}`)
	p := play(t, game, seatsOf(t, game, s.name(""), "static"), match.Rules{})
	if got := p.Seats[0]; len(s.asked) != 3 || got.Failed != 1 || got.Answers.Legal != 1 ||
		!strings.Contains(got.LastError, "400 Bad Request") || time.Since(began) < time.Second {
		t.Errorf("%d questions, and the seat did %+v", len(s.asked), got)
	}
}

// TestModelAsAgent: in a server it is not told what happened, and its prompt does not say so.
func TestModelAsAgent(t *testing.T) {
	s, game := modelServer(t, says("stop")), variant(t, "OneVsOne-v0", `{"max_steps": 1}`)
	play(t, game, seatsOf(t, game, s.name(""), "static"), match.Rules{})
	agent, err := match.NewAgent(game, s.name(""), match.Rules{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer agent.(env.Outside).Close()
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	agent.Act(m, 0, make([]uint8, 1))
	for i, q := range s.asked {
		if prompt := q.Messages[0].Content; strings.Contains(prompt, "happened since") != (i == 0) {
			t.Errorf("prompt %d is %s", i, prompt)
		}
	}
}

// TestModelIsLate: a model that is late plays stop, by its own usual limit and by one that is given.
func TestModelIsLate(t *testing.T) {
	t.Parallel()
	s := modelServer(t, func(n int, _ http.ResponseWriter) (int, string) {
		time.Sleep(time.Duration(750*(n%2)) * time.Millisecond)
		return http.StatusOK, "bomb"
	})
	for _, limit := range []time.Duration{0, 500 * time.Millisecond} {
		game := variant(t, "OneVsOne-v0", `{"max_steps": 4}`)
		p := play(t, game, seatsOf(t, game, s.name(""), "static"), match.Rules{Limit: limit})
		want := map[time.Duration]int{0: 0, 500 * time.Millisecond: 2}[limit]
		if got := p.Seats[0]; got.Late != want || got.Answers.Late != want || got.Failed != 0 {
			t.Errorf("limit %v: the seat did %+v", limit, got)
		}
		agent, err := match.NewAgent(game, s.name(""), match.Rules{Limit: limit}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		m := game.New(1)[0]
		m.Reset(env.Seed{Value: 1})
		for range 4 {
			agent.Act(m, 0, make([]uint8, 1))
		}
		if late, failed, void := agent.(env.Outside).Missed(); (late > 0) != (want > 0) || failed > 0 || void {
			t.Errorf("limit %v: as an agent it was late %d times and failed %d", limit, late, failed)
		}
		agent.(env.Outside).Close()
	}
}

// TestModelIsLost: an opponent whose server fails until its time is over is not late but void, and is not asked again
// before the next episode.
func TestModelIsLost(t *testing.T) {
	s := modelServer(t, func(int, http.ResponseWriter) (int, string) { return http.StatusServiceUnavailable, "" })
	game := variant(t, "OneVsOne-v0", `{"max_steps": 4}`)
	limit := match.Rules{Limit: 450 * time.Millisecond} // so it is asked once: it waits half a second between tries
	agent, err := match.NewAgent(game, s.name(""), limit, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer agent.(env.Outside).Close()
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	for episode := range 2 {
		agent.Reset(env.RNG{})
		for range 3 {
			agent.Act(m, 0, make([]uint8, 1))
		}
		late, failed, void := agent.(env.Outside).Missed()
		if late != 0 || failed != 3 || !void || len(s.asked) != episode+1 {
			t.Errorf("episode %d: %d late, %d failed, void %v, %d questions; want 0, 3, true, %d", episode, late, failed, void,
				len(s.asked), episode+1)
		}
	}
}

// TestModelBudget: over its budget of tokens the seat stops, and the result says so.
func TestModelBudget(t *testing.T) {
	s := modelServer(t, says("bomb"))
	game := variant(t, "OneVsOne-v0", `{"max_steps": 6}`)
	p := play(t, game, seatsOf(t, game, s.name(",budget=300"), "static"), match.Rules{})
	if got := p.Seats[0]; len(s.asked) != 3 || got.Failed != 3 ||
		!strings.Contains(got.LastError, "budget of 300 tokens is spent") {
		t.Errorf("%d questions, and the seat did %+v", len(s.asked), got)
	}
}

// TestModelNotes: notes are carried from turn to turn, cut to what was asked for, and are no part
// of the answer.
func TestModelNotes(t *testing.T) {
	s := modelServer(t, says("<notes>go up, then 12345678</notes> stop", "stop",
		"<think>I write <notes> first.</think>\n<notes>é</notes>\nstop", "<think><notes>no</notes></think>\nstop"))
	game := variant(t, "OneVsOne-v0", `{"max_steps": 5}`)
	p := play(t, game, seatsOf(t, game, s.name(",scratchpad=10"), "static"), match.Rules{})
	var notes []string
	for _, q := range s.asked {
		first, _, _ := strings.Cut(q.Messages[1].Content, "\n")
		notes = append(notes, first)
	}
	want := []string{"Your notes: ", "Your notes: go up, the", "Your notes: go up, the", "Your notes: é",
		"Your notes: é"}
	if !slices.Equal(notes, want) || p.Seats[0].Answers.Legal+p.Seats[0].Answers.Repaired != 5 {
		t.Errorf("it was told %q, and the answers were %+v", notes, p.Seats[0].Answers)
	}
}

// TestModelAnswersAreBounded: an answer of 1 MB is read at its ends; a longer one is refused.
func TestModelAnswersAreBounded(t *testing.T) {
	s := modelServer(t, says(strings.Repeat("up <b>", 170_000)+"\nbomb", strings.Repeat("x", 5<<20)))
	game := variant(t, "OneVsOne-v0", `{"max_steps": 2}`)
	p := play(t, game, seatsOf(t, game, s.name(""), "static"), match.Rules{})
	if got := p.Seats[0]; got.Answers.Legal != 1 || got.Failed != 1 ||
		!strings.Contains(got.LastError, "more than 4194304 bytes") {
		t.Errorf("the seat did %+v", got)
	}
}

// TestModelKey: the key goes to the server and nowhere else, though that sends it back.
func TestModelKey(t *testing.T) {
	const secret = "sk-very-secret"
	t.Setenv("POMMEGO_LLM_KEY", "another")
	t.Setenv("MY_KEY", secret)
	s := modelServer(t, func(n int, _ http.ResponseWriter) (int, string) { return []int{200, 400}[n%2], "KEY" })
	game, path := variant(t, "OneVsOne-v0", `{"max_steps": 4}`), filepath.Join(t.TempDir(), "d.jsonl")
	log := dialogue.NewLog(path)
	talks := model.Dialogues{Log: log}
	players := seatsOf(t, game, s.name(",key=MY_KEY"), s.name(""))
	p, err := match.Play(t.Context(), game, players, env.Seed{Value: 2}, match.Rules{}, talks.Watch)
	if err = errors.Join(err, talks.End()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	result, also := json.Marshal(p)
	if err != nil || also != nil || strings.Contains(string(text)+string(result), secret) ||
		!strings.Contains(string(result), "***") {
		t.Errorf("recorded is %s\n%s, %v", text, result, err)
	}
	for value, wrong := range map[string]bool{secret + "\n": false, secret + "\n1": true} {
		t.Setenv("MY_KEY", value)
		if _, err := match.NewPlayer(game, s.name(",key=MY_KEY")); (err != nil) != wrong {
			t.Errorf("the key %q: %v", value, err)
		}
	}
	if !slices.Contains(s.keys, "Bearer "+secret) || !slices.Contains(s.keys, "Bearer another") {
		t.Errorf("the server got %q", s.keys)
	}
}

// expired is a context whose time is up without notice, as while a long reply is read.
type expired struct{ context.Context }

func (expired) Err() error { return context.DeadlineExceeded }

// TestModelReadLate: an answer that has been read too late is late, and is not told to have been played.
func TestModelReadLate(t *testing.T) {
	s, game := modelServer(t, says("up")), variant(t, "OneVsOne-v0", `{"max_steps": 4}`)
	m, action := game.New(1)[0], make([]uint8, 1)
	m.Reset(env.Seed{Value: 2})
	p := seatsOf(t, game, s.name(""))[0]
	cost, err := p.Act(expired{t.Context()}, m, 0, action)
	if !errors.Is(err, context.DeadlineExceeded) || cost.Answers.Late != 1 || cost.Answers.Legal > 0 ||
		cost.Answers.TokensIn != 100 || action[0] != 0 {
		t.Errorf("it did %v, counted were %+v, %v", action, cost.Answers, err)
	}
	if _, err := p.Act(t.Context(), m, 0, action); err != nil || !strings.Contains(s.asked[1].Messages[1].Content,
		"Last answer: none came; you stopped; ticks without an answer: 1") {
		t.Errorf("then it is told %s, %v", s.asked[1].Messages[1].Content, err)
	}
}

// TestModelLongReplies: a reply of 4 MiB is read, also where a key is looked for; a longer one is a failed move.
func TestModelLongReplies(t *testing.T) {
	const form, most = `{"choices": [{"message": {"content": "%s"}}]}`, 4 << 20
	game := variant(t, "OneVsOne-v0", `{"max_steps": 1}`)
	reply := func(length int) *match.SeatReport {
		text := fmt.Sprintf(form, strings.Repeat("x ", most)[:length-len(form)+2])
		s := modelServer(t, func(int, http.ResponseWriter) (int, string) { return whole, text })
		return &play(t, game, seatsOf(t, game, s.name(""), "static"), match.Rules{}).Seats[0]
	}
	if got := reply(most + 1); got.Failed != 1 || !strings.Contains(got.LastError, "more than 4194304 bytes") {
		t.Errorf("after a byte too many the seat did %+v", got)
	}
	for _, key := range []string{"", "sk-very-secret"} {
		t.Setenv("POMMEGO_LLM_KEY", key)
		if got := reply(most); got.Answers.Illegal != 1 || got.Failed+got.Late > 0 {
			t.Errorf("with the key %q the seat did %+v", key, got)
		}
	}
}

// TestModelKeyOfNoSecret: a short key that a server wants for form's sake changes no answer that holds it.
func TestModelKeyOfNoSecret(t *testing.T) {
	t.Setenv("POMMEGO_LLM_KEY", "0")
	s := modelServer(t, says("go 0,0"))
	game := variant(t, "OneVsOne-v0", `{"max_steps": 4}`)
	p := play(t, game, seatsOf(t, game, s.name(""), "static"), match.Rules{})
	if a := p.Seats[0].Answers; p.Void != "" || a.Legal == 0 || a.Illegal > 0 || a.TokensIn%100 > 0 {
		t.Errorf("void: %q, and counted were %+v", p.Void, a)
	}
	if s.keys[0] != "Bearer 0" {
		t.Errorf("the server got %q", s.keys)
	}
}

// TestModelKeyIsHidden: whatever a server sends back, the key is in no error, result or record: not
// from the first line, the headers or a body, nor escaped.
func TestModelKeyIsHidden(t *testing.T) {
	const secret, says = "sk-very/secret", `{"choices": [{"message": {"content": "%s"}}]}`
	const escaped = `\u0073\u006B-very\/secret`
	t.Setenv("POMMEGO_LLM_KEY", secret)
	for _, reply := range []string{
		secret, "HTTP/1.1 " + secret + " no", "HTTP/1.1 400 " + secret, "HTTP/1.1 200 OK\r\n" + secret,
		"HTTP/1.1 200 OK\r\nContent-Length: " + secret, "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + secret,
		"HTTP/1.1 302 Found\r\nLocation: http://%zz" + secret,
		"HTTP/1.1 302 Found\r\nLocation: http://%zzsk-very%2Fsecret",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n1\r\nx\r\n0\r\n" + secret,
		"HTTP/1.1 400 no\r\n\r\n" + escaped, "HTTP/1.1 200 OK\r\n\r\n" + escaped,
		"HTTP/1.1 200 OK\r\n\r\n" + fmt.Sprintf(says, escaped),
		"HTTP/1.1 200 OK\r\n\r\n" + fmt.Sprintf(says, strings.ReplaceAll(escaped, `\`, `\\`)),
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprint(conn, reply, "\r\n\r\n")
			conn.Close()
		}))
		game, path := variant(t, "OneVsOne-v0", `{"max_steps": 2}`), filepath.Join(t.TempDir(), "d.jsonl")
		talks := model.Dialogues{Log: dialogue.NewLog(path)}
		p, err := match.Play(t.Context(), game, seatsOf(t, game, "llm:"+server.URL+"/v1,model=m", "static"), env.Seed{},
			match.Rules{Wait: 50 * time.Millisecond}, talks.Watch)
		server.Close()
		result, also := json.Marshal(p)
		if also != nil {
			t.Fatal(also)
		}
		recorded, _ := os.ReadFile(path) // none if it did not begin
		told := fmt.Sprint(err, "\n", string(result), "\n", string(recorded))
		plain := strings.NewReplacer(`\`, "", "u0073", "s", "u006B", "k", "%2F", "/").Replace(told)
		if strings.Contains(plain, secret) || !strings.Contains(told, "***") {
			t.Errorf("of %q is told %s", reply, told)
		}
	}
}

// TestModelNames: what is wrong with a name is said, without what may be a key.
func TestModelNames(t *testing.T) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	const address, option = "its address is wrong", "an option is wrong"
	for name, want := range map[string]string{
		"llm:": address, "llm:ftp://x/v1,model=m": address, "llm:http://me:sk-1@x/v1,model=m": address,
		"llm:http://x/v1?key=sk-1,model=m": address, "llm:http://x/v1": option, "llm:http://x/v1,model=": option,
		"llm:http://x/v1,model=m,detail=all": option, "llm:http://x/v1,model=m,sk-1": option,
		"llm:http://x/v1,model=m,budget=sk-1": option, "llm:http://x/v1,model=m,frame_ticks=101": option,
		"llm:http://x/v1,model=m,temperature=NaN": option, "llm:http://x/v1,model=m,price_in=Inf": option,
		"llm:http://x/v1,model=m,turns=-1": option, "llm:http://x/v1,model=m,hints=2": option,
		"llm:http://x/v1,model=m,system_prompt=/none/of/these": "no such file",
		"llm:http://x/v1,model=m,h":                            option, "llm:http://x/v1,model=m,budget=-1": option,
		"llm:http://x/v1,model=m,key=sk-1":        "environment variable that is set",
		"llm:http://x/v1,model=m,tempratur=0":     "there is no tempratur option, want some of budget, detail,",
		"llm:http://x/v1,model=m,max_tokens=50.5": "max_tokens wants a whole number of 0 to",
		"llm:http://x/v1,model=m,budget=0.5":      "budget wants a whole number of 0 to",
		"llm:http://x/v1,model=m,top_p=1.5":       "top_p wants a number of 0 to 1",
		"llm:http://x/v1,model=m,body.model=n":    "body.FIELD wants a field other than",
		"llm:http://x/v1,model=m,body.=1":         "body.FIELD wants a field other than",
		"llm:http://x/v1,detail=image":            "model wants a name",
	} {
		if _, err := match.NewPlayer(game, name); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "sk-1") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if !match.Outside(name) {
			t.Errorf("%s is not outside", name)
		}
	}
}

// TestModelIsAbsent: one whose server is not there ends the match.
func TestModelIsAbsent(t *testing.T) {
	game := variant(t, "OneVsOne-v0", `{"max_steps": 4}`)
	players := seatsOf(t, game, "llm:http://127.0.0.1:1/v1,model=m", "static")
	_, err := match.Play(t.Context(), game, players, env.Seed{}, match.Rules{Wait: 200 * time.Millisecond}, nil)
	if !errors.Is(err, match.ErrAbsent) || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("it ended with %v", err)
	}
}

// TestModelFailuresAreVoid: what fails between the model and the game ends the game, which then has no result. What the
// model itself does in place of an answer is an illegal move, and named.
func TestModelFailuresAreVoid(t *testing.T) {
	t.Parallel() // questions are asked again after a pause
	game := variant(t, "OneVsOne-v0", `{"max_steps": 9}`)
	for _, tc := range []struct {
		reason string
		answer func(s *stub, w http.ResponseWriter) (int, string) // of the third question
		says   string
	}{
		{"the key is wrong", func(*stub, http.ResponseWriter) (int, string) { return 401, "no" }, "401 Unauthorized"},
		{"no more credit", func(_ *stub, w http.ResponseWriter) (int, string) {
			w.Header().Set("Retry-After", "60")
			return 429, "quota"
		}, "429 Too Many Requests"},
		{"the server is lost", func(s *stub, w http.ResponseWriter) (int, string) {
			s.Listener.Close()
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
			return whole, ""
		}, "connection refused"},
		{"it is cut off", func(s *stub, w http.ResponseWriter) (int, string) {
			s.Listener.Close()
			w.Header().Set("Content-Length", "100")
			return whole, "{"
		}, "connection refused"},
		{"it is another server", func(*stub, http.ResponseWriter) (int, string) { return whole, "<html>" }, "<html>"},
		{"its reply has other types", func(*stub, http.ResponseWriter) (int, string) {
			return whole, `{"choices": [{"message": {"content": "up", "reasoning": {"text": "so"}}}]}`
		}, "cannot unmarshal object into Go struct field"},
		{"it has an error", func(*stub, http.ResponseWriter) (int, string) { return whole, `{"error": "x"}` }, "choices"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			t.Parallel()
			var s *stub
			s = modelServer(t, func(n int, w http.ResponseWriter) (int, string) {
				if n < 2 {
					return http.StatusOK, "stop"
				}
				return tc.answer(s, w)
			})
			path := filepath.Join(t.TempDir(), "d.jsonl")
			talks := model.Dialogues{Log: dialogue.NewLog(path)}
			p, err := match.Play(t.Context(), game, seatsOf(t, game, s.name(""), "static"), env.Seed{},
				match.Rules{Limit: 2 * time.Second}, talks.Watch)
			if err = errors.Join(err, talks.End()); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(p.Void, "cannot be scored") || !strings.Contains(p.Void, tc.says) || p.End.Steps != 2 ||
				p.Results[0] != env.Undecided || p.Results[1] != env.Undecided || p.Seats[0].Failed != 1 || p.Seats[0].Late > 0 {
				t.Errorf("void is %q, and the result %+v", p.Void, p)
			}
			if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), `"turns":3`) ||
				!strings.Contains(string(text), `"note":"the game cannot be scored`) {
				t.Errorf("recorded is %s, %v", text, err)
			}
		})
	}
}

// TestModelSaysNothing: a reply without a text is an illegal move, which is not shown again, as servers may refuse
// empty messages; the report names what came.
func TestModelSaysNothing(t *testing.T) {
	empty := func(m dialogue.Message) bool { return strings.TrimSpace(m.Content) == "" }
	for reply, says := range map[string]string{
		`{"message": {"content": ""}}`:                                                         "with nothing",
		`{"message": {"content": null, "refusal": "I do not hunt people"}}`:                    `a refusal, "I do not hunt`,
		`{"message": {"content": null, "tool_calls": [{"function": {}}]}}`:                     "a tool call",
		`{"message": {"content": " ", "reasoning_content": "Hm."}, "finish_reason": "length"}`: `reasoning alone (finish_reason "length")`,
		`{"message": {"content": [], "reasoning": "Hm."}}`:                                     "reasoning alone",
		`{"message": {"content": [{"type": "thinking", "thinking": [{"text": "up"}]}]}}`:       "with nothing",
		`{"message": {}, "finish_reason": "content_filter"}`:                                   `(finish_reason "content_filter")`,
	} {
		var s *stub
		s = modelServer(t, func(n int, _ http.ResponseWriter) (int, string) {
			if slices.ContainsFunc(s.asked[n].Messages, empty) {
				return http.StatusBadRequest, "an empty message"
			}
			return whole, `{"choices": [` + reply + `]}`
		})
		game := variant(t, "OneVsOne-v0", `{"max_steps": 2}`)
		p := play(t, game, seatsOf(t, game, s.name(",turns=1"), "static"), match.Rules{})
		if got := p.Seats[0]; p.Void != "" || got.Answers.Illegal != 2 || got.Failed+got.Late != 0 ||
			!strings.Contains(got.LastError, says) {
			t.Errorf("%s: %q, and the seat did %+v", reply, p.Void, got)
		}
	}
}

// TestModelReplies: content in parts and tokens as fractions are read, 408 is tried again, and the record keeps what
// a reply says beside its text.
func TestModelReplies(t *testing.T) {
	reply := `{"model": "m-2027", "choices": [{"message": {"content": [{"type": "text", "text": "sto"}, ` +
		`{"type": "image_url"}, {"type": "text", "text": "p"}], "reasoning": "Think."}, "finish_reason": "stop"}], ` +
		`"usage": {"prompt_tokens": 100.0, "completion_tokens": 9.6}}`
	s := modelServer(t, func(n int, _ http.ResponseWriter) (int, string) {
		time.Sleep(5 * time.Millisecond)
		return []int{408, whole}[min(n, 1)], reply
	})
	game, path := variant(t, "OneVsOne-v0", `{"max_steps": 2}`), filepath.Join(t.TempDir(), "d.jsonl")
	talks := model.Dialogues{Log: dialogue.NewLog(path)}
	p, err := match.Play(t.Context(), game, seatsOf(t, game, s.name(""), "static"), env.Seed{}, match.Rules{}, talks.Watch)
	if err != nil {
		t.Fatal(err)
	}
	if a := p.Seats[0].Answers; a.Legal != 2 || a.TokensIn != 200 || a.TokensOut != 18 {
		t.Errorf("the answers are %+v", a)
	}
	text, err := os.ReadFile(path)
	for _, part := range []string{`"model":"m-2027"`, `"reasoning":"Think."`, `"finish_reason":"stop"`, `"latency_ms":`} {
		if err != nil || strings.Count(string(text), part) != 2 {
			t.Errorf("not twice %s in %s, %v", part, text, err)
		}
	}
}

// TestModelOptions: what is sent beside the messages is as the options say, pictures too.
func TestModelOptions(t *testing.T) {
	asked := make(chan map[string]any, 9)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		if r.Method == http.MethodPost && json.NewDecoder(r.Body).Decode(&in) == nil {
			asked <- in
		}
		fmt.Fprint(w, `{"choices": [{"message": {"content": "stop"}}]}`)
	}))
	defer server.Close()
	game := variant(t, "OneVsOne-v0", `{"max_steps": 1}`)
	name := "llm:" + server.URL + `/v1,model=m,max_tokens=40,top_p=0.5,temperature=0,detail=image,body.top_k=20,` +
		`body.stop=["a","b"],body.effort=low,body.think={"on": false}`
	play(t, game, seatsOf(t, game, name, "static"), match.Rules{})
	in := <-asked
	messages := in["messages"].([]any)
	delete(in, "messages")
	want := `{"effort":"low","max_tokens":40,"model":"m","stop":["a","b"],"temperature":0,"think":{"on":false},"top_k":20,"top_p":0.5}`
	if text, err := json.Marshal(in); err != nil || string(text) != want {
		t.Errorf("sent was %s, want %s", text, want)
	}
	parts := messages[1].(map[string]any)["content"].([]any)
	address := parts[1].(map[string]any)["image_url"].(map[string]any)["url"].(string)
	if text := parts[0].(map[string]any)["text"].(string); !strings.HasPrefix(text, "Tick 0 of 1.") ||
		!strings.HasPrefix(address, "data:image/png;base64,iVBOR") {
		t.Errorf("the parts are %q and %.60q", text, address)
	}
}

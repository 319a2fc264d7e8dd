package match_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"pommego/arena/match"
	"pommego/env"
)

// server is an agent behind HTTP, written from the protocol alone. It is asked
// by one match at a time and answers with what act says.
type server struct {
	*httptest.Server
	act func(step int, obs map[string]any) any // the answer, or an http.HandlerFunc that gives it

	mu     sync.Mutex // requests that were given up may still be running
	calls  []string   // "METHOD path" of every request, in order
	bodies []string
}

func serve(t *testing.T, act func(step int, obs map[string]any) any) *server {
	t.Helper()
	s := &server{act: act}
	s.Server = httptest.NewServer(http.HandlerFunc(s.handle))
	t.Cleanup(s.Close)
	return s
}

func (s *server) handle(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	step := s.note(r.Method+" "+r.URL.Path, string(text))
	var body map[string]string
	if r.Method == http.MethodPost &&
		(json.Unmarshal(text, &body) != nil || r.Header.Get("Content-Type") != "application/json") {
		http.Error(w, "want a JSON object of strings", http.StatusBadRequest)
		return
	}
	if r.URL.Path != "/action" {
		io.WriteString(w, `{"success": true}`)
		return
	}
	var obs map[string]any
	if err := json.Unmarshal([]byte(body["obs"]), &obs); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := s.act(step, obs)
	if own, ok := answer.(http.HandlerFunc); ok {
		own(w, r)
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"action": answer})
}

// note takes a request down and returns how many there were of its kind.
func (s *server) note(call, body string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.bodies = append(s.calls, call), append(s.bodies, body)
	n := 0
	for _, c := range s.calls {
		if c == call {
			n++
		}
	}
	return n
}

// Two agents behind HTTP play a team's seats against built-in ones: they are
// asked as the original asks, see their own observation and nothing else, and
// what they say is played.
func TestHTTPAgentsPlay(t *testing.T) {
	game := variant(t, "PommeRadioCompetition-v2", `{"max_steps": 60}`)
	var servers []*server
	for seat := range 2 {
		s := serve(t, func(step int, _ map[string]any) any {
			return []int{(step + seat) % 5, 1 + step%8, 1 + (step+seat)%8}
		})
		servers = append(servers, s)
	}
	const seed = 1234567890123456
	names := []string{servers[0].URL, "simple", servers[1].URL + "/", "simple"}
	players := seatsOf(t, game, names...)
	p := playSeed(t, game, players, env.Seed{Value: seed}, patient)
	for i, seat := range []int{0, 2} {
		report := p.Seats[seat]
		if report.Late != 0 || report.Failed != 0 || report.LastError != "" || report.Moves < 10 ||
			report.Agent != names[seat] {
			t.Errorf("seat %d: %+v, want at least 10 moves and no trouble", seat, report)
		}
		if err := players[seat].Close(); err != nil {
			t.Error(err)
		}
		s := servers[i]
		s.wantCalls(t, p, seat)
		actions := 0
		for k, body := range s.bodies {
			if strings.Contains(body, fmt.Sprint(uint64(seed))) {
				t.Errorf("seat %d was told the seed: %s %s", seat, s.calls[k], body)
			}
			if s.calls[k] != "POST /action" {
				continue
			}
			at := p.moments[actions]
			if want := actionBody(t, game, at.state, seat, `"[6, 8, 8]"`); body != want {
				t.Fatalf("seat %d, step %d was asked\n%s\nwant\n%s", seat, actions, body, want)
			}
			actions++
			want := []uint8{uint8((actions + i) % 5), uint8(1 + actions%8), uint8(1 + (actions+i)%8)}
			if got := p.moments[actions].Actions[3*seat : 3*seat+3]; !reflect.DeepEqual(got, want) {
				t.Fatalf("seat %d, step %d played %v, want %v", seat, actions, got, want)
			}
		}
	}
}

// wantCalls checks the order of requests and the bodies of all but the actions.
func (s *server) wantCalls(t *testing.T, p played, seat int) {
	t.Helper()
	want := []string{"GET /ping", "POST /init_agent"}
	for range p.Seats[seat].Moves {
		want = append(want, "POST /action")
	}
	want = append(want, "POST /episode_end", "POST /shutdown")
	if !reflect.DeepEqual(s.calls, want) {
		t.Fatalf("seat %d was asked %q, want %q", seat, s.calls, want)
	}
	rewards := make([]float64, 4)
	p.moments[len(p.moments)-1].Match.Rewards(rewards)
	n := len(s.bodies)
	if rewards[seat] == 0 || s.bodies[0] != "" ||
		s.bodies[1] != fmt.Sprintf(`{"game_type":"3","id":"%d"}`, seat) ||
		s.bodies[n-2] != fmt.Sprintf(`{"counts":%s,"reward":"%v"}`, asJSON(t, asJSON(t, p.Counts)), rewards[seat]) ||
		s.bodies[n-1] != "{}" {
		t.Errorf("seat %d was sent %q, %q, %q, with a reward of %v", seat, s.bodies[1], s.bodies[n-2], s.bodies[n-1],
			rewards[seat])
	}
}

// actionBody is what a seat is to be asked in a state: strings that hold JSON.
func actionBody(t *testing.T, game env.Game, state []byte, seat int, space string) string {
	t.Helper()
	m := game.New(1)[0]
	if err := m.Restore(state); err != nil {
		t.Fatal(err)
	}
	obs, err := json.Marshal(string(game.AppendObservation(nil, m, seat)))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"action_space":%s,"obs":%s}`, space, obs)
}

// What a server may do wrong, and that stop is played then.
func TestHTTPAgentsFail(t *testing.T) {
	answer := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	for _, tc := range []struct {
		reason string
		answer any
		says   string
	}{
		{"out of range", 6, `the action is "6", want a whole number of 0 to 5 for move`},
		{"text", "jump", "want a number or one of stop, up"},
		{"null", nil, "want a whole number"},
		{"no action", answer(`{"move": 3}`), "the answer has no action"},
		{"a list", answer(`[3]`), `POST /action answered "[3]", want {"action": ...}`},
		{"no JSON", answer(`<html>`), `answered "<html>", want`},
		{"nothing", answer(``), `answered "", want`},
		{"an endless body", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			junk := []byte(strings.Repeat("[", 1<<16))
			for err := error(nil); err == nil; {
				_, err = w.Write(junk)
			}
		}), "answered more than 65536 bytes"},
		{"endless headers", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Junk", strings.Repeat("x", 1<<20))
		}), "headers exceeded"},
		{"an error", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "boom", http.StatusInternalServerError)
		}), "POST /action answered 500 Internal Server Error"},
		{"a redirect", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/ping", http.StatusTemporaryRedirect)
		}), "answered 307"},
		{"a connection cut", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
			"EOF"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			game := duel(t, "6")
			s := serve(t, func(int, map[string]any) any { return tc.answer })
			p := play(t, game, seatsOf(t, game, "static", s.URL), patient)
			seat := p.Seats[1]
			if seat.Moves != 6 || seat.Failed != 6 || seat.Late != 0 || !strings.Contains(seat.LastError, tc.says) {
				t.Errorf("%+v, want 6 of 6 failed with %q", seat, tc.says)
			}
			if got := p.moves(1); !reflect.DeepEqual(got, make([]uint8, 6)) {
				t.Errorf("played %v, want only stop", got)
			}
		})
	}
}

// An agent that takes 150 ms never plays within 100 ms, which is the limit
// where none is set. One that is late once plays on, and its late answer is
// never played.
func TestHTTPAgentsLate(t *testing.T) {
	t.Parallel() // it waits for late answers
	game := duel(t, "8")
	s := serve(t, func(int, map[string]any) any {
		time.Sleep(150 * time.Millisecond)
		return 5
	})
	p := play(t, game, seatsOf(t, game, "static", s.URL), match.Rules{})
	if seat := p.Seats[1]; seat.Late != 8 || seat.Failed != 0 ||
		!strings.Contains(seat.LastError, "step 8: no answer within 100ms") {
		t.Errorf("%+v, want 8 of 8 moves late", seat)
	}
	if got := p.moves(1); !reflect.DeepEqual(got, make([]uint8, 8)) {
		t.Errorf("played %v, want only stop", got)
	}

	release := make(chan struct{})
	s = serve(t, func(step int, _ map[string]any) any {
		if step == 1 {
			<-release
			return 5
		}
		if step == 4 {
			close(release)
		}
		return 2
	})
	p = play(t, game, seatsOf(t, game, "static", s.URL), match.Rules{Limit: 2 * time.Second})
	if got, want := p.moves(1), []uint8{0, 2, 2, 2, 2, 2, 2, 2}; !reflect.DeepEqual(got, want) || p.Seats[1].Late != 1 {
		t.Errorf("played %v with %d late, want %v with the first one late", got, p.Seats[1].Late, want)
	}
}

// Somebody who is not there is an error that says what to do; a server that
// dies later plays stop.
func TestHTTPAgentsGone(t *testing.T) {
	game := duel(t, "6")
	s := serve(t, nil)
	s.Close()
	players := seatsOf(t, game, "static", s.URL)
	_, err := match.Play(t.Context(), game, players, env.Seed{}, match.Rules{Wait: 50 * time.Millisecond}, nil)
	if !errors.Is(err, match.ErrAbsent) || !strings.Contains(err.Error(), "seat 1: "+s.URL+" is not there to play: ") ||
		!strings.Contains(err.Error(), "refused") {
		t.Errorf("nobody there: %v", err)
	}

	s = serve(t, func(step int, _ map[string]any) any {
		if step == 3 {
			s.Listener.Close()
		}
		return 1
	})
	p := play(t, game, seatsOf(t, game, "static", s.URL), patient)
	if seat := p.Seats[1]; seat.Failed != 3 || seat.Late != 0 || !strings.Contains(seat.LastError, "step 6") ||
		!strings.Contains(seat.LastError, "refused") {
		t.Errorf("%+v, want the last 3 of 6 failed", seat)
	}
}

// A server that was there for one game and is not for the next cannot be scored.
func TestHTTPAgentsGoneBetweenGames(t *testing.T) {
	game := duel(t, "6")
	s := serve(t, func(int, map[string]any) any { return 1 })
	players := seatsOf(t, game, "static", s.URL)
	play(t, game, players, patient)
	s.Close()
	p := play(t, game, players, match.Rules{Wait: 50 * time.Millisecond})
	if !strings.Contains(p.Void, "seat 1, "+s.URL) || !strings.Contains(p.Void, "refused") {
		t.Errorf("void: %q", p.Void)
	}
}

// An agent of an environment is given up by the game's clock, too, and told what the game counted.
func TestAgentsGivenUp(t *testing.T) {
	t.Parallel()
	game := clocked{duel(t, "9"), 2 * time.Second, 2 * time.Second}
	s := serve(t, func(int, map[string]any) any {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	})
	a, err := match.NewAgent(game, s.URL, match.Rules{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := a.(env.Outside)
	defer o.Close()
	m, tracker := game.New(1)[0], game.NewTrackers(1, false)[0]
	m.Reset(env.Seed{Value: 1})
	tracker.Begin(m)
	a.Reset(env.RNG{})
	for range 3 {
		a.Act(m, 0, make([]uint8, 1))
	}
	if late, failed, void := o.Missed(); late != 1 || failed != 2 || void {
		t.Errorf("%d late, %d failed, void %v, want 1, 2 and false", late, failed, void)
	}
	o.End(m, tracker, 0)
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.bodies[len(s.bodies)-1]
	if s.calls[2] != "POST /action" || s.calls[3] != "POST /episode_end" || !strings.Contains(last, `"counts":"{`) {
		t.Errorf("it was asked %q, at last with %s", s.calls, last)
	}
}

// A server that is still starting is waited for, and one that does not know the
// requests nobody needs plays all the same.
func TestHTTPAgentsMinimal(t *testing.T) {
	game := duel(t, "6")
	pings := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/ping" && pings < 2:
			pings++
			panic(http.ErrAbortHandler) // as good as nobody
		case r.URL.Path == "/action":
			io.WriteString(w, `{"action": 1}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	p := play(t, game, seatsOf(t, game, "static", s.URL), patient)
	if seat := p.Seats[1]; pings != 2 || seat.Moves != 6 || seat.Late+seat.Failed != 0 ||
		seat.LastError != "at the start: POST /init_agent answered 404 Not Found" {
		t.Errorf("after %d pings: %+v", pings, seat)
	}
	if got, want := p.moves(1), []uint8{1, 1, 1, 1, 1, 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("played %v, want %v", got, want)
	}
}

// A server is told its seat once, and again when it is another.
func TestHTTPAgentsAreToldOnce(t *testing.T) {
	game := duel(t, "2")
	s := serve(t, func(int, map[string]any) any { return 0 })
	players := seatsOf(t, game, "static", s.URL)
	for range 2 {
		play(t, game, players, patient)
	}
	players[0], players[1] = players[1], players[0]
	play(t, game, players, patient)
	var got []string
	for i, call := range s.calls {
		if call == "POST /init_agent" {
			got = append(got, s.bodies[i])
		}
	}
	want := []string{`{"game_type":"4","id":"1"}`, `{"game_type":"4","id":"0"}`}
	if !reflect.DeepEqual(got, want) || s.note("POST /episode_end", "") != 4 {
		t.Errorf("it was told %q and of the end after each of 3 games: %q; want %q", got, s.calls, want)
	}
}

// A server that fails to begin or to end a game plays it all the same, and that
// it failed is reported. It is told again to begin if it failed there.
func TestHTTPAgentsFailedNotices(t *testing.T) {
	game := duel(t, "4")
	for path, want := range map[string]int{"/init_agent": 2, "/episode_end": 1} {
		told := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/init_agent" {
				told++
			}
			if r.URL.Path == path {
				http.Error(w, "boom", http.StatusInternalServerError)
				return
			}
			io.WriteString(w, `{"action": 0}`)
		}))
		t.Cleanup(s.Close)
		players := seatsOf(t, game, "static", s.URL)
		seat := play(t, game, players, patient).Seats[1]
		if seat.Moves != 4 || seat.Failed != 0 ||
			!strings.Contains(seat.LastError, path+" answered 500") {
			t.Errorf("%s: %+v, want its failure and none of 4 moves failed", path, seat)
		}
		if play(t, game, players, patient); told != want {
			t.Errorf("%s: told of its seat %d times, want %d", path, told, want)
		}
	}
}

// One server is one agent: it cannot have two seats, until it is closed.
func TestHTTPAgentsOneSeatEach(t *testing.T) {
	game := duel(t, "6")
	first, err := match.NewPlayer(game, "http://LocalHost:1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := match.NewPlayer(game, "http://localhost:1/"); err == nil ||
		!strings.Contains(err.Error(), "has a seat already") {
		t.Errorf("two seats for one server: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	seatsOf(t, game, "http://localhost:1")
}

// TestAgentsThatFailAlways: a match in which each move of an agent behind HTTP failed has no result that counts.
func TestAgentsThatFailAlways(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no", http.StatusInternalServerError)
	}))
	defer server.Close()
	game := duel(t, "3")
	p := play(t, game, seatsOf(t, game, server.URL, "static"), patient)
	if p.End.Steps != 3 || !strings.Contains(p.Void, "each of its 3 moves failed: step 3: ") {
		t.Errorf("%d steps, void is %q", p.End.Steps, p.Void)
	}
	p = play(t, game, seatsOf(t, game, `exec:read -r begin; echo '{"id": 1}'`, "static"), patient)
	if p.Void != "" || p.Seats[0].Failed != 3 {
		t.Errorf("a program that ends has done so by itself: %q, %+v", p.Void, p.Seats[0])
	}
}

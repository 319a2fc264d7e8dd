package bridge

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// scrape reads the metrics that a server shows, by name with labels.
func scrape(t *testing.T, h http.Handler) map[string]float64 {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	all := map[string]float64{}
	for _, line := range regexp.MustCompile(`(?m)^(pommego\S*|go_goroutines|process_open_fds) (\S+)$`).FindAllStringSubmatch(w.Body.String(), -1) {
		value, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		all[line[1]] = value
	}
	return all
}

// TestMetrics makes requests of each kind and compares what is counted.
func TestMetrics(t *testing.T) {
	server := echoing(t, nil)
	for _, name := range []string{`errors_total{code="game_panic"}`, `errors_total{code="internal"}`,
		`errors_total{code="limit"}`, `refused_total{status="503"}`} {
		if got, ok := scrape(t, server.Operations())["pommego_"+name]; !ok || got != 0 {
			t.Errorf("at first pommego_%s is %v, %v; want 0, so that the first one is a rise", name, got, ok)
		}
	}
	c := server.dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 5)
	call(t, c, "reset", "env", 1, "seed", 1)
	for range 3 {
		call(t, c, "step", "env", 1, "actions", toyActions(15, 0, 0))
	}
	callError(t, c, codeBadAction, "step", "env", 1, "actions", toyActions(15, 99, 0))
	callError(t, c, codeUnknownType, "dance")
	states := call(t, c, "get_state", "env", 1).list("states")
	call(t, c, "simulate", "env", 1, "states", states[:2], "actions", toyActions(6, 0, 0))
	if status, _ := server.get(t, "/nowhere", nil); status != http.StatusNotFound {
		t.Errorf("/nowhere: status %d", status)
	}
	if status, _ := server.ask(t, "POST", "/", websocketHeaders); status != http.StatusMethodNotAllowed {
		t.Errorf("an upgrade by POST: status %d", status)
	}
	if status, _ := server.get(t, "/echo", func(r *http.Request) {
		websocketHeaders(r)
		r.Header.Set("Sec-WebSocket-Version", "12")
	}); status != http.StatusBadRequest {
		t.Errorf("a guest's upgrade with another version: status %d", status)
	}
	got := scrape(t, server.Operations())
	for name, want := range map[string]float64{
		"pommego_connections": 1, "pommego_connections_total": 1, "pommego_environments": 1, "pommego_games": 7,
		"pommego_ready":       1,
		"pommego_steps_total": 17, "pommego_batches_total": 5,
		`pommego_errors_total{code="bad_action"}`: 1, `pommego_errors_total{code="unknown_type"}`: 1,
		`pommego_refused_total{status="404"}`:              1,
		`pommego_refused_total{status="405"}`:              1,
		`pommego_refused_total{status="400"}`:              1,
		`pommego_request_seconds_count{request="hello"}`:   1,
		`pommego_request_seconds_count{request="step"}`:    4,
		`pommego_request_seconds_count{request="invalid"}`: 1,
		`pommego_info{version="test"}`:                     1,
		`pommego_bytes_total{way="shared"}`:                0,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for _, name := range []string{`pommego_bytes_total{way="received"}`, `pommego_bytes_total{way="sent"}`,
		"go_goroutines", "process_open_fds"} {
		if got[name] < 1 {
			t.Errorf("%s is %v, want more", name, got[name])
		}
	}
	call(t, c, "close", "env", 1)
	if got := scrape(t, server.Operations()); got["pommego_environments"] != 0 || got["pommego_games"] != 0 {
		t.Errorf("after close there are %v environments of %v games", got["pommego_environments"], got["pommego_games"])
	}
}

// get asks the server's own address, as a browser or a probe does.
func (s *testServer) get(t *testing.T, path string, change func(*http.Request)) (status int, body string) {
	t.Helper()
	return s.ask(t, "GET", path, change)
}

// ask is get by any method.
func (s *testServer) ask(t *testing.T, method, path string, change func(*http.Request)) (status int, body string) {
	t.Helper()
	r, err := http.NewRequest(method, "http://"+s.host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// TestOperations asks for health and metrics, at both addresses, as those who may and
// those who may not.
func TestOperations(t *testing.T) {
	server := startServer(t,
		func(c *Config) { c.Token, c.Hosts, c.MaxConnections = "secret", []string{"box"}, 1 })
	token := func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }
	named := func(host string) func(*http.Request) { return func(r *http.Request) { r.Host = host } }
	for _, test := range []struct {
		path   string
		change func(*http.Request)
		status int
		says   string
		reason string
	}{
		{"/healthz", nil, 200, "ok", "no token is needed"},
		{"/healthz", named("10.0.0.7:8765"), 200, "ok", "probes call a container by its address"},
		{"/readyz", nil, 200, "ready", "no token is needed"},
		{"/metrics", nil, 401, "Bearer", "without the token"},
		{"/metrics", func(r *http.Request) { token(r); r.Host = "evil.example" }, 403, "Host",
			"a name rebound to this machine"},
		{"/metrics", token, 404, "want /", "metrics have an address of their own"},
	} {
		if status, body := server.get(t, test.path, test.change); status != test.status ||
			!strings.Contains(body, test.says) {
			t.Errorf("%s (%s): status %d and %q, want %d and %q", test.path, test.reason, status, body, test.status, test.says)
		}
	}
	apart := httptest.NewServer(server.Operations())
	defer apart.Close()
	elsewhere := &testServer{host: apart.Listener.Addr().String()}
	for _, test := range []struct {
		path, host string
		status     int
	}{
		{"/metrics", "", 200}, {"/metrics", "10.0.0.7:9090", 200}, {"/metrics", "BOX:9090", 200},
		{"/metrics", "evil.example:9090", 403},
		{"/healthz", "", 200}, {"/readyz", "", 200}, {"/", "", 404},
	} {
		if status, body := elsewhere.get(t, test.path, named(test.host)); status != test.status {
			t.Errorf("%s of %q: status %d and %q, want %d", test.path, test.host, status, body, test.status)
		}
	}
	server.dial(t)
	if status, body := server.get(t, "/readyz", nil); status != 503 ||
		!strings.Contains(body, "all of its 1 connections") {
		t.Errorf("/readyz of a full server: status %d and %q", status, body)
	}
	quiet := startServer(t, nil)
	if status, _ := quiet.get(t, "/metrics", nil); status != 404 {
		t.Errorf("/metrics where nobody has asked for it: status %d, want 404", status)
	}
}

// deadlines is an answer that notes until when it may be written.
type deadlines struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (d *deadlines) SetWriteDeadline(until time.Time) error { d.until = until; return nil }

// TestOperationsEnd: a connection has one answer at the address for metrics, and does not wait for its reader for ever.
func TestOperationsEnd(t *testing.T) {
	server := startServer(t, nil)
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	server.Operations().ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/metrics", nil))
	if w.Code != 200 || w.until.IsZero() || w.Header().Get("Connection") != "close" {
		t.Errorf("status %d, written until %v, Connection: %q", w.Code, w.until, w.Header().Get("Connection"))
	}
}

// TestBoundEnds: who does not read an answer of a bounded address has its connection for a time only, and who reads
// them may ask for more than a handshake's bytes.
func TestBoundEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pipes, asked := newPipes(), 0
		web := &http.Server{Handler: http.NotFoundHandler()}
		go web.Serve(Bound(pipes))
		defer web.Close()
		ask := "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 4000) + "\r\n\r\n"
		conn, err := pipes.dial(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		for answers := bufio.NewReader(conn); ; {
			fmt.Fprint(conn, ask)
			answer, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, answer.Body)
			if asked += len(ask); asked > 2*handshakeBytes {
				break
			}
		}
		fmt.Fprint(conn, ask)
		time.Sleep(2*lookTimeout + time.Second)
		if n, err := conn.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the connection stays for one that reads nothing: %d bytes, %v", n, err)
		}
	})
}

// exhausted is a listener to whom the system gives its first connection at the second try.
type exhausted struct {
	net.Listener
	tried bool
}

func (l *exhausted) Accept() (net.Conn, error) {
	if !l.tried {
		l.tried = true
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// TestComplaints: the log has errors of the HTTP server for which the operator has to do something.
func TestComplaints(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelWarn}))
	server := serveOn(t, &exhausted{Listener: ln}, func(c *Config) { c.Log = log })
	server.dial(t).Close()
	if err := server.stop(); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]int{"http: TLS handshake error from 192.0.2.1: EOF": 0, "http: panic serving": 1} {
		fmt.Fprintln(complaints{log}, line)
		if got := strings.Count(text.String(), line); got != want {
			t.Errorf("the log has %q %d times, want %d", line, got, want)
		}
	}
	if !strings.Contains(text.String(), "too many open files") {
		t.Errorf("the log does not say that there was no descriptor: %s", &text)
	}
}

// TestDrain has no new connections while the open one goes on to its end.
func TestDrain(t *testing.T) {
	server := startServer(t, nil)
	c := server.dial(t)
	left := make(chan int)
	go func() { left <- server.Drain(t.Context()) }()
	eventually(t, "it is not ready", func() bool { status, _ := server.get(t, "/readyz", nil); return status == 503 })
	for _, session := range []string{"", "none that is kept"} {
		status, body := server.get(t, "/", func(r *http.Request) {
			websocketHeaders(r)
			r.Header.Set(sessionHeader, session)
		})
		if status != 503 || !strings.Contains(body, "shutting down") {
			t.Errorf("a new connection, of session %q: status %d and %q, want 503", session, status, body)
		}
	}
	if status, _ := server.get(t, "/healthz", nil); status != 200 {
		t.Errorf("/healthz while draining: status %d, want 200", status)
	}
	call(t, c, "envs")
	c.Close()
	if n := <-left; n != 0 {
		t.Errorf("%d connections are left, want 0", n)
	}
}

// websocketHeaders make a request one that opens a WebSocket.
func websocketHeaders(r *http.Request) {
	for _, h := range []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol: " + Subprotocol} {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
}

func BenchmarkMetrics(b *testing.B) {
	srv, err := New(testConfig())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		srv.metrics.steps.Add(1024)
		srv.metrics.sent.Add(9e6)
		srv.metrics.received.Add(9e3)
		srv.metrics.answered("step", 1000, true)
	}
	if n := testing.AllocsPerRun(100, func() { srv.metrics.answered("step", 1000, true) }); n > 0 {
		b.Errorf("counting a step allocates %v times, want 0", n)
	}
}

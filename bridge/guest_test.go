package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

// echo is a protocol that answers a message with itself, once waits is closed unless it is nil, and a request
// with its body. It panics without one.
type echo struct{ waits chan bool }

func (echo) Answers(path string) bool { return path == "/echo" }

func (e echo) Serve(g *Guest, w http.ResponseWriter, r *http.Request) {
	if !websocket.IsWebSocketUpgrade(r) {
		if n, _ := io.Copy(w, r.Body); n == 0 {
			panic("no body")
		}
		return
	}
	g.Upgrade(w, r, func(text []byte, lacks error) []byte {
		if lacks != nil {
			return []byte(lacks.Error())
		}
		if e.waits != nil {
			<-e.waits
		}
		return bytes.Clone(text)
	}, func() {})
}

func echoing(t *testing.T, change func(*Config)) *testServer {
	return startServer(t, func(c *Config) {
		c.Protocols = []Protocol{echo{}}
		if change != nil {
			change(c)
		}
	})
}

func (s *testServer) guest(t *testing.T) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial(s.address+"/echo", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

// part sends the first bytes of a message of guestBytes.
func part(t *testing.T, ws *websocket.Conn, bytes int) {
	t.Helper()
	head := []byte{0x81, 0xff, 0, 0, 0, 0, 0, guestBytes >> 16, 0, 0, 0, 0, 0, 0}
	if _, err := ws.NetConn().Write(append(head, make([]byte, bytes)...)); err != nil {
		t.Fatal(err)
	}
}

// TestGuestMessages: what messages of guests take counts while they arrive, over all connections, and then what they
// are decoded into. One without room is answered, and the session goes on.
func TestGuestMessages(t *testing.T) {
	s := echoing(t, func(c *Config) { c.MaxMemoryBytes = 2*guestBytes + 50_000 })
	for range 2 {
		part(t, s.guest(t), guestBytes-1000)
	}
	eventually(t, "both are counted", func() bool { return s.used() == 2*guestBytes })
	third := s.guest(t)
	for text, want := range map[string]string{strings.Repeat("x", 9000): "memory budget", "short": "short"} {
		if err := third.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, answer, err := third.ReadMessage(); err != nil || !strings.Contains(string(answer), want) {
			t.Errorf("a message of %d bytes: %.200s, %v", len(text), answer, err)
		}
	}
	eventually(t, "the answered ones are given back", func() bool { return s.used() == 2*guestBytes })
}

// TestGuestMessageTime: a message has a time from its first byte to its last, over WebSocket and in a request's body.
func TestGuestMessageTime(t *testing.T) {
	t.Parallel()
	s := echoing(t, func(c *Config) { c.messageTimeout = 50 * time.Millisecond })
	ws := s.guest(t)
	part(t, ws, 5000)
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.ClosePolicyViolation) {
		t.Errorf("a message that does not end: %v", err)
	}
	body, err := net.Dial("tcp", strings.TrimPrefix(s.address, "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	fmt.Fprintf(body, "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345")
	answer, err := http.ReadResponse(bufio.NewReader(body), nil)
	if err != nil || answer.StatusCode != http.StatusBadRequest {
		t.Errorf("a body that does not end: %v, %v", answer, err)
	}
	eventually(t, "nothing is counted any more", func() bool { return s.used() == 0 })
}

// TestGuestReadsNothing: who does not read the answer to a request has its connection for a time only.
func TestGuestReadsNothing(t *testing.T) {
	piped(t, func(c *Config) { c.Protocols = []Protocol{echo{}} }, func(s *Server, dial func() net.Conn) {
		fmt.Fprint(dial(), "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n",
			strings.Repeat("x", 9999))
		synctest.Wait()
		if n := s.connections.Load(); n != 1 {
			t.Errorf("%d connections while the answer is written, want 1", n)
		}
		if time.Sleep(s.cfg.writeTimeout + time.Second); s.connections.Load() != 0 {
			t.Error("the connection stays for one that reads nothing")
		}
	})
}

// TestGuestIdle: a guest whose request is being answered is not idle; one without requests is, and is told so.
func TestGuestIdle(t *testing.T) {
	t.Parallel()
	answers := make(chan bool)
	s := echoing(t, func(c *Config) { c.IdleTimeout, c.Protocols = 3*time.Second, []Protocol{echo{answers}} })
	ws := s.guest(t)
	ws.WriteMessage(websocket.TextMessage, []byte("a"))
	idle := s.guest(t) // whose time is over after that of the first
	var closed *websocket.CloseError
	if _, _, err := idle.ReadMessage(); !errors.As(err, &closed) || closed.Code != websocket.CloseGoingAway ||
		closed.Text != "no request for 3s" {
		t.Errorf("an idle guest: %v", err)
	}
	close(answers)
	if _, answer, err := ws.ReadMessage(); string(answer) != "a" {
		t.Errorf("a long answer: %q, %v", answer, err)
	}
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("after its answer: %v", err)
	}
}

// TestGuestBodies: bodies of requests count before they are read.
func TestGuestBodies(t *testing.T) {
	s := echoing(t, func(c *Config) { c.MaxMemoryBytes = 1 << 20 })
	roomy := echoing(t, nil)
	for _, test := range []struct {
		server       *testServer
		length, want int
		says         string
	}{
		{s, 1000, http.StatusOK, "x"}, {s, 20_000, http.StatusServiceUnavailable, "memory"},
		{roomy, 64 << 10, http.StatusOK, "x"}, {roomy, 64<<10 + 1, http.StatusRequestEntityTooLarge, "65536 bytes"},
		{roomy, 200_000, http.StatusRequestEntityTooLarge, "65536 bytes"},
	} {
		answer, err := http.Post("http"+strings.TrimPrefix(test.server.address, "ws")+"/echo", "text/plain",
			strings.NewReader(strings.Repeat("x", test.length)))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		if answer.StatusCode != test.want || !strings.Contains(string(body), test.says) {
			t.Errorf("a body of %d bytes: status %d, %.200s", test.length, answer.StatusCode, body)
		}
		answer.Body.Close()
	}
	eventually(t, "no connection stays", func() bool { return s.connections.Load()+roomy.connections.Load() == 0 })
}

// TestGuestSlowBody: a body has the time of a message, which is longer than that of a header.
func TestGuestSlowBody(t *testing.T) {
	piped(t, func(c *Config) { c.Protocols = []Protocol{echo{}} }, func(s *Server, dial func() net.Conn) {
		conn := dial()
		fmt.Fprint(conn, "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nha")
		time.Sleep(2 * headerTimeout)
		fmt.Fprint(conn, "lf")
		if answer, err := io.ReadAll(conn); !bytes.HasSuffix(answer, []byte("half")) {
			t.Errorf("%q, %v", answer, err)
		}
	})
}

// TestGuestsKept: a session or a game that is refused leaves nothing counted, and room is made at the guest's address.
func TestGuestsKept(t *testing.T) {
	s := startServer(t, func(c *Config) { c.MaxConnections, c.MaxPerAddress, c.MaxTotalGames = 6, 2, 1 })
	keep := func(name, address string, body int64, idle time.Duration) (*Guest, error) {
		g := s.newGuest("test", func() {})
		g.address, g.body = address, body
		return g.Keep(name, idle, func() {})
	}
	far, _ := keep("first", "far", 0, 0)
	keep("second", "near", 0, 0)
	if _, err := keep("third", "near", 0, 0); err != nil || far.stopped() {
		t.Errorf("the second of an address: %v; that of another has ended: %v", err, far.stopped())
	}
	if _, err := keep("fourth", "", s.cfg.MaxMemoryBytes, 0); err == nil || s.keeping.Load()+s.connections.Load() != 4 {
		t.Errorf("without memory: %v; %d sessions", err, s.keeping.Load())
	}
	for range 4 {
		s.connections.enter("full", true)
	}
	if _, err := keep("fifth", "", 0, time.Hour); err == nil || s.keeping.Load() != 2 {
		t.Errorf("without a connection: %v; %d sessions", err, s.keeping.Load())
	}
	far.Lease(false, nil)
	used := s.used()
	if _, err := far.Lease(false, nil); err == nil || s.used() != used {
		t.Errorf("a second game: %v; %d bytes are counted, want %d", err, s.used(), used)
	}
}

// TestGuestPings: the pong to a guest that has not read for a while comes when it reads again; more pings than
// others may send end the connection.
func TestGuestPings(t *testing.T) {
	t.Parallel()
	s := echoing(t, nil)
	ws, ponged := s.guest(t), false
	ws.SetPongHandler(func(string) error { ponged = true; return nil })
	text := bytes.Repeat([]byte("x"), guestBytes)
	for range 7 { // more than sockets hold
		if err := ws.WriteMessage(websocket.TextMessage, text); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond)
	ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
	time.Sleep(1200 * time.Millisecond)
	ws.WriteMessage(websocket.TextMessage, []byte("last"))
	for answer := []byte(nil); string(answer) != "last"; {
		var err error
		if _, answer, err = ws.ReadMessage(); err != nil {
			t.Fatal(err)
		}
	}
	if !ponged {
		t.Error("the ping has no pong")
	}
	for range 2 * controlBurst {
		ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
	}
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.ClosePolicyViolation) {
		t.Errorf("after a flood of pings: %v", err)
	}
}

// TestGuestsInFlight: a guest has so many messages unanswered as others, and no more.
func TestGuestsInFlight(t *testing.T) {
	s := echoing(t, func(c *Config) { c.maxInFlight = 2 })
	ws := s.guest(t)
	text := bytes.Repeat([]byte("x"), guestBytes)
	go func() {
		for ws.WriteMessage(websocket.TextMessage, text) == nil {
		}
	}()
	eventually(t, "the connection ends", func() bool { return s.connections.Load() == 0 })
	for _, sent := range []int64{2, 3} {
		waits := make(chan bool)
		s := echoing(t, func(c *Config) { c.maxInFlight, c.Protocols = 2, []Protocol{echo{waits}} })
		ws := s.guest(t)
		for range sent {
			ws.WriteMessage(websocket.TextMessage, []byte("a"))
		}
		eventually(t, "all have arrived", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			for guest := range s.sessions {
				return guest.busy.Load() == sent || guest.stopped()
			}
			return false
		})
		close(waits)
		var err error
		for n := int64(0); n < sent && err == nil; n++ {
			_, _, err = ws.ReadMessage()
		}
		if (err != nil) != (sent > 2) {
			t.Errorf("%d messages at a time: %v", sent, err)
		}
	}
}

// TestGuestPanics: requests whose answers panic are answered with an error, and give back their connections.
func TestGuestPanics(t *testing.T) {
	s := echoing(t, func(c *Config) { c.MaxConnections = 2 })
	for range 3 {
		if status, body := s.ask(t, "POST", "/echo", nil); status != http.StatusInternalServerError ||
			!strings.Contains(body, "no body") {
			t.Errorf("status %d, %s", status, body)
		}
	}
	s.dial(t)
	if got := scrape(t, s.Operations())[`pommego_errors_total{code="internal"}`]; got != 3 {
		t.Errorf("%v panics are counted, want 3", got)
	}
}

package bridge

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"pommego/env"
)

// short are timeouts that a test can wait for.
func short(c *Config) {
	c.helloTimeout, c.messageTimeout, c.shutdownTimeout = 500*time.Millisecond, 500*time.Millisecond, 500*time.Millisecond
}

// TestBadPeers has peers misbehave, each on its own connection, and looks at
// how they are sent away. Meanwhile and after, a good client is served.
func TestBadPeers(t *testing.T) {
	server := startServer(t, short)
	good := server.dial(t)
	hello := binaryFrame(mustEncode(t, rawHello))
	ping := binaryFrame(mustEncode(t, entries{"type", "envs", "id", 1}))
	for _, test := range []struct {
		reason string
		bytes  []byte
		then   []byte // sent again and again
		code   int    // of the close frame; 0: none
	}{
		{"says nothing", nil, nil, 1008},
		{"says ping first", ping, nil, 1002},
		{"says nonsense first", binaryFrame([]byte("nonsense")), nil, 1002},
		{"speaks another version",
			binaryFrame(mustEncode(t, entries{"type", "hello", "id", 1, "versions", []int{Version + 1}, "client", ""})), nil,
			1002},
		{"says hello at great length",
			binaryFrame(mustEncode(t, append(rawHello[:len(rawHello):len(rawHello)], "x", make([]byte, 5000)))), nil, 1002},
		{"says hello at greater length", frameBytes(0x82, make([]byte, 20000)), nil, 1009},
		{"promises a hello of exabytes", []byte{0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, nil,
			1009},
		{"sends text first", frameBytes(0x81, []byte("hello")), nil, 1003},
		{"sends text later", append(bytes.Clone(hello), frameBytes(0x81, []byte("hello"))...), nil, 1003},
		{"does not mask", append(bytes.Clone(hello), 0x82, 0x01, 0x80), nil, 1002},
		{"uses a reserved bit", append(bytes.Clone(hello), frameBytes(0xc2, []byte{0x80})...), nil, 1002},
		{"uses an unknown opcode", append(bytes.Clone(hello), frameBytes(0x83, []byte{0x80})...), nil, 1002},
		{"continues what it has not begun", append(bytes.Clone(hello), frameBytes(0x80, []byte{0x80})...), nil, 1002},
		{"begins anew inside a message", append(append(bytes.Clone(hello), frameBytes(0x02, []byte{0x80})...), ping...), nil,
			1002},
		{"sends half a message", append(bytes.Clone(hello), ping[:len(ping)-3]...), nil, 1008},
		{"drips a message", append(bytes.Clone(hello), 0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0), []byte{0}, 1008},
		{"continues for ever with nothing", append(bytes.Clone(hello), frameBytes(0x02, nil)...), frameBytes(0x00, nil),
			1008},
		{"pings for ever", hello, frameBytes(0x89, []byte("ping")), 1008},
		{"pongs for ever", hello, frameBytes(0x8a, nil), 1008},
		{"sends a long ping", append(bytes.Clone(hello), frameBytes(0x89, make([]byte, 126))...), nil, 1002},
		{"closes with a code that is none", append(bytes.Clone(hello), frameBytes(0x88, []byte{0x03, 0xec})...), nil, 1002},
		{"closes properly", append(bytes.Clone(hello), frameBytes(0x88, []byte{0x03, 0xe8})...), nil, 1000},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := dialRaw(t, server.host).flood(t, test.bytes, test.then); got != test.code {
				t.Errorf("close code %d, want %d", got, test.code)
			}
			call(t, good, "envs")
		})
	}
	good.Close()
	eventually(t, "all connections are gone", func() bool { return server.connections.Load() == 0 })
}

// flood sends some bytes, then others once a millisecond until nobody takes them. It returns the close code.
func (p *rawPeer) flood(t *testing.T, first, then []byte) int {
	if _, err := p.Write(first); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var flood sync.WaitGroup
	flood.Go(func() {
		for len(then) > 0 {
			if _, err := p.Write(then); err != nil {
				return
			}
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	code := p.closed(t)
	close(done)
	flood.Wait()
	return code
}

// TestFloods has peers flood a message that has no end or no beginning: it is not the time that ends it.
func TestFloods(t *testing.T) {
	server := startServer(t, func(c *Config) {
		c.maxMessageBytes, c.messageTimeout, c.helloTimeout = 4096, time.Hour, time.Hour
	})
	begun := append(binaryFrame(mustEncode(t, rawHello)), frameBytes(0x02, nil)...)
	for _, test := range []struct {
		reason      string
		bytes, then []byte
	}{
		{"continues for ever with nothing", begun, bytes.Repeat(frameBytes(0x00, nil), 1000)},
		{"pings for ever inside a message", begun, frameBytes(0x89, nil)},
		{"pings for ever before hello", nil, frameBytes(0x89, nil)},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if got := dialRaw(t, server.host).flood(t, test.bytes, test.then); got != 1008 {
				t.Errorf("close code %d, want 1008", got)
			}
		})
	}
}

// TestFragments sends a request in pieces, with a ping among them.
func TestFragments(t *testing.T) {
	server := startServer(t, nil)
	p := dialRaw(t, server.host)
	hello := mustEncode(t, rawHello)
	var pieces []byte
	for i, b := range hello {
		first := byte(0x00)
		if i == 0 {
			first = 0x02
		}
		pieces = append(pieces, frameBytes(first, []byte{b})...)
		if i == 9 {
			pieces = append(pieces, frameBytes(0x89, []byte("in between"))...)
		}
	}
	if _, err := p.Write(append(pieces, frameBytes(0x80, nil)...)); err != nil {
		t.Fatal(err)
	}
	if first, payload, err := p.next(); err != nil || first != 0x8a || string(payload) != "in between" {
		t.Errorf("frame 0x%02x %q, %v; want the pong", first, payload, err)
	}
	p.expect(t)
}

// TestBeforeUpgrade has connections that never get as far as a WebSocket.
func TestBeforeUpgrade(t *testing.T) {
	// The first makes room for one over the bound, at once; a handshake has 5 s.
	piped(t, func(*Config) {}, func(_ *Server, dial func() net.Conn) {
		first, begun := dial(), time.Now()
		var last net.Conn
		for range spareConnections {
			last = dial()
		}
		if n, err := first.Read(make([]byte, 1)); n != 0 || err == nil || time.Since(begun) > 0 {
			t.Errorf("the oldest of too many connections: %d bytes, %v after %v; want it closed", n, err, time.Since(begun))
		}
		if n, err := last.Read(make([]byte, 1)); n != 0 || err == nil || time.Since(begun) != 5*time.Second {
			t.Errorf("a silent connection: %d bytes, %v after %v; want it closed after 5s", n, err, time.Since(begun))
		}
	})
	// No more than a header is read.
	conn, err := net.Dial("tcp", startServer(t, func(*Config) {}).host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(hangs))
	// it may close in the middle
	_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\n"+strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 100))
	if answer, _ := io.ReadAll(conn); len(answer) > 0 && !bytes.Contains(answer, []byte("431")) {
		t.Errorf("a header of 100 KB: %q, want 431", answer)
	}
}

// TestHalfOpen has more connections than there may be begin a handshake and say no
// more, again and again: others get in at once, and are told when there is no room.
func TestHalfOpen(t *testing.T) {
	server := startServer(t, func(c *Config) { c.MaxConnections = 2 })
	knock := func() {
		for range spareConnections + 50 {
			conn, err := net.Dial("tcp", server.host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\n") // it may be closed already
		}
	}
	knock()
	for range 2 {
		c := server.dial(t)
		knock()
		call(t, c, "envs")
	}
	if _, err := Dial(context.Background(), server.address, DialOptions{}); err == nil ||
		!strings.Contains(err.Error(), "all of its 2 connections") {
		t.Errorf("a third connection: %v, want the reason", err)
	}
}

// TestFlood has a stranger open connections as fast as it can and say nothing, while others
// connect over a link with 100 ms of delay each way: all of them get in.
func TestFlood(t *testing.T) {
	server := startServer(t, nil)
	stranger := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	if conn, err := stranger.Dial("tcp", server.host); err != nil {
		t.Skip("this machine has no second address: ", err)
	} else {
		conn.Close()
	}
	var flood sync.WaitGroup
	over, full := make(chan struct{}), make(chan struct{})
	flood.Go(func() {
		open := make([]net.Conn, 0, 2*spareConnections)
		for opened := 0; ; opened++ {
			if opened == spareConnections+1 { // more than have room
				close(full)
			}
			select {
			case <-over:
				for _, conn := range open {
					conn.Close()
				}
				return
			default:
			}
			conn, err := stranger.Dial("tcp", server.host)
			if err != nil {
				t.Error(err)
				return
			}
			if open = append(open, conn); len(open) == cap(open) {
				open[0].Close()
				open = append(open[:0], open[1:]...)
			}
		}
	})
	link := delayed(t, server.host, 100*time.Millisecond)
	<-full
	var others sync.WaitGroup
	for range 12 {
		others.Go(func() {
			c, err := Dial(context.Background(), "ws://"+link, DialOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			c.Close()
		})
	}
	others.Wait()
	close(over)
	flood.Wait()
}

// delayed is a link to an address on which every byte takes so long each way.
func delayed(t *testing.T, to string, delay time.Duration) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	forward := func(to, from net.Conn) {
		defer to.Close()
		piece := make([]byte, 64<<10)
		for {
			n, err := from.Read(piece)
			time.Sleep(delay)
			if err != nil {
				return
			}
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			go forward(far, near)
			go forward(near, far)
		}
	}()
	return ln.Addr().String()
}

// TestCrowding: who floods makes room, first what has sent nothing, and nobody else.
func TestCrowding(t *testing.T) {
	peerAt := func(ip string, sent int64) peer {
		p := newPeer(fixedConn{addr: &net.TCPAddr{IP: net.ParseIP(ip), Port: 5}}, func(peer) {})
		p.allow(handshakeBytes - sent)
		return p
	}
	a, b, c := peerAt("192.0.2.1", 0), peerAt("192.0.2.2", 9), peerAt("192.0.2.2", 0)
	for _, test := range []struct {
		waiting []peer
		want    int
		reason  string
	}{
		{[]peer{a, b, c, b}, 2, "the silent one of the address with most"},
		{[]peer{a, b, b, c}, 1, "the oldest, where the newer are silent"},
		{[]peer{a, b, b}, 1, "the oldest, where all have sent something"},
		{[]peer{b, a, a}, 1, "the oldest silent one"},
		{[]peer{peerAt("2001:db8::1", 0), a, peerAt("2001:db8::2", 0)}, 0, "addresses of one network together"},
	} {
		if got := crowding(test.waiting); got != test.want {
			t.Errorf("%s: number %d makes room, want %d", test.reason, got, test.want)
		}
	}
}

type fixedConn struct {
	net.Conn
	addr net.Addr
}

func (c fixedConn) RemoteAddr() net.Addr { return c.addr }

// TestMemory promises much and sends little: memory follows what is sent.
func TestMemory(t *testing.T) {
	server := startServer(t, func(c *Config) { c.maxMessageBytes = 1 << 28 })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		p := dialRaw(t, server.host)
		p.send(t, rawHello)
		p.expect(t)
		promise := binary.BigEndian.AppendUint64([]byte{0x82, 0xff}, 1<<28)
		if _, err := p.Write(append(promise, 0, 0, 0, 0, 1, 2, 3)); err != nil {
			t.Fatal(err)
		}
	}
	c := server.dial(t)
	call(t, c, "envs")
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20 {
		t.Errorf("20 promises of 256 MiB allocated %d bytes, want less than 8 MiB", grown)
	}
}

// TestIdle ends a connection without requests, but not one whose request takes
// longer than the idle time.
func TestIdle(t *testing.T) {
	t.Parallel()
	game := newSlowGame()
	server := startServer(t, func(c *Config) {
		c.Game = func(string) (env.Game, error) { return game, nil }
		c.IdleTimeout, c.writeTimeout = 2*time.Second, time.Minute
	})
	c := server.dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 1)
	call(t, c, "reset", "env", 1)
	if _, err := c.Send("step", "env", 1, "actions", toyActions(3, 0, 0)); err != nil {
		t.Fatal(err)
	}
	<-game.stepping
	time.Sleep(2500 * time.Millisecond)
	game.resume <- struct{}{}
	if reply, err := c.Receive(); err != nil || reply["type"] != "batch" {
		t.Errorf("a long step: %v, %v; want its batch", reply, err)
	}
	call(t, c, "envs")
	_, err := c.Receive()
	if closed := (*websocket.CloseError)(nil); !errors.As(err, &closed) || closed.Code != 1001 ||
		!strings.Contains(closed.Text, "no request for 2s") {
		t.Errorf("got %v, want close code 1001 with the reason", err)
	}
	eventually(t, "the idle client's games are free", func() bool { return server.games.Load() == 0 })
}

// TestPause has a client send requests, more than may be in flight, and then
// not read for longer than the idle time: it still gets all its replies.
func TestPause(t *testing.T) {
	t.Parallel()
	server := startServer(t, func(c *Config) {
		c.IdleTimeout, c.writeTimeout, c.maxInFlight = 2*time.Second, time.Minute, 2
	})
	c := server.dial(t)
	call(t, c, "make", "env_id", "ToyTeams-v0", "games", 5000)
	const n = 10
	for range n {
		if _, err := c.Send("reset", "env", 1, "seed", 1); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(2500 * time.Millisecond)
	for i := range n {
		if _, err := c.Receive(); err != nil {
			t.Fatalf("reply %d: %v", i, err)
		}
	}
}

// TestNonReader has a client ask for much and read nothing, which ends with the
// time a reply may wait.
func TestNonReader(t *testing.T) {
	server := startServer(t, func(c *Config) { c.writeTimeout = 200 * time.Millisecond })
	p := dialRaw(t, server.host)
	p.send(t, rawHello)
	p.send(t, entries{"type", "make", "id", 2, "env_id", "ToyTeams-v0", "games", 10_000})
	reset := binaryFrame(mustEncode(t, entries{"type", "reset", "id", 3, "env", 1, "seed", 1}))
	for range 20 {
		if _, err := p.Write(reset); err != nil {
			break // it has been sent away already
		}
	}
	eventually(t, "the client is sent away and its games are free", func() bool {
		return server.games.Load() == 0 && server.connections.Load() == 0
	})
}

// TestGone has clients vanish at different points.
func TestGone(t *testing.T) {
	server := startServer(t, nil)
	for i := range 20 {
		c, err := Dial(context.Background(), server.address, DialOptions{})
		if err != nil {
			t.Fatal(err)
		}
		call(t, c, "make", "env_id", "ToyTeams-v0", "games", 2000)
		for range i {
			if _, err := c.Send("reset", "env", 1); err != nil {
				t.Fatal(err)
			}
		}
		if tcp := c.ws.NetConn().(*net.TCPConn); i%2 == 0 {
			_ = tcp.SetLinger(0) // a reset instead of an end
		}
		c.ws.NetConn().Close()
	}
	eventually(t, "all of it is free", func() bool { return server.games.Load() == 0 && server.connections.Load() == 0 })
}

func dialTCP(t *testing.T, host string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestBodyThatNeverComes: nobody holds a connection by a body that never comes, whatever is answered before it.
func TestBodyThatNeverComes(t *testing.T) {
	server := startServer(t, func(c *Config) { c.Token = "secret" })
	for request, want := range map[string]string{
		"POST / HTTP/1.1\r\nAuthorization: Bearer wrong": "401",
		"POST / HTTP/1.1":        "401",
		"POST /healthz HTTP/1.1": "200",
		"GET /live/nothing HTTP/1.1\r\nAuthorization: Bearer secret": "404",
	} {
		t.Run(request, func(t *testing.T) {
			t.Parallel() // it waits for headerTimeout
			p := dialTCP(t, server.host)
			if _, err := io.WriteString(p, request+"\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			p.SetReadDeadline(time.Now().Add(hangs))
			answer, err := io.ReadAll(p)
			if err != nil || !strings.Contains(string(answer), want) {
				t.Errorf("%q and %v, want status %s and the end", answer, err, want)
			}
		})
	}
}

package bridge

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestWrongTokens has an address try more tokens than answers may wait: all are refused, the
// right one never is, and what waits takes no place of a handshake.
func TestWrongTokens(t *testing.T) {
	server := startServer(t, func(c *Config) { c.Token, c.MaxConnections = "secret", 1 })
	var tries sync.WaitGroup
	for n := range 2 * mostPaused {
		tries.Go(func() {
			_, err := Dial(context.Background(), server.address, DialOptions{Token: fmt.Sprint("guess", n)})
			if got := fmt.Sprint(err); !strings.Contains(got, "401") {
				t.Errorf("wrong token %d: %s, want 401", n, got)
			}
		})
		if n%64 > 0 {
			continue
		}
		c, err := Dial(context.Background(), server.address, DialOptions{Token: "secret"})
		if err != nil {
			t.Fatalf("the right token after %d wrong ones: %v", n+1, err)
		}
		call(t, c, "envs")
		c.Close()
		eventually(t, "its place is free again", func() bool { return server.connections.Load() == 0 })
	}
	tries.Wait()
	eventually(t, "no answer waits", func() bool { return server.paused.Load() == 0 })
	if _, err := Dial(context.Background(), server.address, DialOptions{}); !strings.Contains(fmt.Sprint(err), "401") {
		t.Errorf("without a token: %v, want 401", err)
	}
	if got := scrape(t, server.Operations())["pommego_wrong_tokens_total"]; got != 2*mostPaused {
		t.Errorf("%v wrong tokens are counted, want %d", got, 2*mostPaused)
	}
}

// TestWrongTokensWithBodies: who announces a body that never comes is answered after half a second and keeps its
// connection for no longer than that again, and beyond mostPaused gets no answer.
func TestWrongTokensWithBodies(t *testing.T) {
	piped(t, func(c *Config) { c.Token = "secret" }, func(_ *Server, dial func() net.Conn) {
		var tries []net.Conn
		for range mostPaused + 1 {
			conn := dial()
			fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer guess\r\nContent-Length: 1\r\n\r\n")
			synctest.Wait()
			tries = append(tries, conn)
		}
		begun := time.Now()
		for n, conn := range tries {
			answer, err := io.ReadAll(conn)
			if took := time.Since(begun); err != nil || took > 2*tokenPause || n < mostPaused && took < time.Second/2 ||
				(len(answer) > 0) != (n < mostPaused) {
				t.Errorf("try %d of %d: %q and %v after %v", n, len(tries), answer, err, took)
			}
		}
	})
}

func TestAddressOf(t *testing.T) {
	own := &net.TCPAddr{IP: net.ParseIP("192.0.2.9"), Port: 8765}
	for _, test := range []struct {
		from, want string
		here       bool
	}{
		{"192.0.2.1:5", "192.0.2.1", false},
		{"[::ffff:192.0.2.1]:5", "192.0.2.1", false},
		{"192.0.2.9:5", "192.0.2.9", true},
		{"127.0.0.7:5", "127.0.0.7", true},
		{"[2001:db8:1:2:3:4:5:6]:5", "2001:db8:1:2::", false},
		{"[fe80::1%eth0]:5", "fe80::", false},
		{"[::1]:5", "::", true},
		{"@", "", true},
		{"", "", true},
	} {
		r := &http.Request{RemoteAddr: test.from}
		r = r.WithContext(context.WithValue(context.Background(), http.LocalAddrContextKey, own))
		if got, here := addressOf(r); got != test.want || here != test.here {
			t.Errorf("%q is %q, here %v; want %q, %v", test.from, got, here, test.want, test.here)
		}
	}
}

// afar has all connections come from another machine.
type afar struct{ net.Listener }

type afarConn struct{ net.Conn }

func (l afar) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return afarConn{c}, err
}

func (afarConn) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP("192.0.2.1"), Port: 5} }

// TestConnectionsOfAnAddress opens as many as another machine may have, and more.
func TestConnectionsOfAnAddress(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := serveOn(t, afar{ln}, func(c *Config) { c.MaxPerAddress = 3 })
	var open []*Client
	for range 3 {
		open = append(open, server.dial(t))
	}
	if _, err := Dial(context.Background(), server.address, DialOptions{}); err == nil ||
		!strings.Contains(err.Error(), "429") || !strings.Contains(err.Error(), "all of its 3 connections") {
		t.Errorf("a fourth: %v, want 429 with the reason", err)
	}
	open[0].Close()
	eventually(t, "its place is free again", func() bool {
		c, err := Dial(context.Background(), server.address, DialOptions{})
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	for _, c := range open {
		c.Close()
	}
	eventually(t, "the address is forgotten", func() bool {
		server.connections.mu.Lock()
		defer server.connections.mu.Unlock()
		return len(server.connections.open) == 0
	})
}

package bridge

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestWrongTokens sends more than an address may.
func TestWrongTokens(t *testing.T) {
	server := startServer(t, func(c *Config) { c.Token = "secret" })
	answer := func(token string) string {
		_, err := Dial(context.Background(), server.address, DialOptions{Token: token})
		return fmt.Sprint(err)
	}
	for range 20 { // none at all gives nothing away, and may be a health check
		if got := answer(""); !strings.Contains(got, "401") {
			t.Fatalf("without a token: %s, want 401", got)
		}
	}
	for n := range wrongTokens {
		if got := answer(fmt.Sprint("guess", n)); !strings.Contains(got, "401") {
			t.Fatalf("wrong token %d: %s, want 401", n, got)
		}
	}
	for _, token := range []string{"guess", "secret"} {
		if got := answer(token); !strings.Contains(got, "429") || !strings.Contains(got, "wrong tokens") {
			t.Errorf("token %q after too many: %s, want 429 with the reason", token, got)
		}
	}
}

func TestSuspects(t *testing.T) {
	var a addresses
	start := time.Now()
	for n := range wrongTokens {
		if a.suspect("a", start) {
			t.Errorf("suspect after %d wrong tokens, want %d", n, wrongTokens)
		}
		a.noteWrong("a", start)
	}
	for _, test := range []struct {
		name  string
		after time.Duration
		want  bool
	}{{"a", 0, true}, {"a", 11 * time.Second, true}, {"a", 13 * time.Second, false}, {"b", 0, false}} {
		if got := a.suspect(test.name, start.Add(test.after)); got != test.want {
			t.Errorf("%s is suspect after %v: %v, want %v", test.name, test.after, got, test.want)
		}
	}
	for n := range 2 * keptAddresses {
		a.noteWrong(fmt.Sprint("one of many ", n), start.Add(time.Duration(n)))
	}
	if len(a.wrong) > keptAddresses {
		t.Errorf("%d addresses are remembered, want at most %d", len(a.wrong), keptAddresses)
	}
	a.noteWrong("a", start.Add(time.Hour))
	if len(a.wrong) != 1 {
		t.Errorf("%d addresses are remembered after an hour, want those that count", len(a.wrong))
	}
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
}

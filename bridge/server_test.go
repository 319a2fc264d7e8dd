package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pommego/env"
	"pommego/env/catalog"
)

func TestConfigValidate(t *testing.T) {
	for _, test := range []struct {
		reason string
		change func(*Config)
		says   string // empty: valid
	}{
		{"zeros are defaults", func(*Config) {}, ""},
		{"all that can be said", func(c *Config) {
			c.Hosts, c.Token, c.MaxConnections = []string{"box", "fe80::1"}, "secret", 1
		}, ""},
		{"no catalog", func(c *Config) { c.IDs = nil }, "IDs and Game"},
		{"negative", func(c *Config) { c.MaxGames = -1 }, "MaxGames is -1, want 1 to"},
		{"too much", func(c *Config) { c.MaxWorkers = 1<<10 + 1 }, "MaxWorkers is 1025, want 1 to 1024"},
		{"no memory to speak of", func(c *Config) { c.MaxMemoryBytes = 1000 }, "MaxMemoryBytes is 1000, want 1048576 to"},
		{"negative time", func(c *Config) { c.IdleTimeout = -time.Second }, "IdleTimeout is -1s"},
		{"host with port", func(c *Config) { c.Hosts = []string{"box:80"} }, `"box:80"`},
		{"host with scheme", func(c *Config) { c.Hosts = []string{"ws://box"} }, `"ws://box"`},
		{"token that no header holds", func(c *Config) { c.Token = "a b" }, "white space"},
		{"token with an umlaut", func(c *Config) { c.Token = "ä" }, "printable ASCII"},
		{"token with a control character", func(c *Config) { c.Token = "a\x7f" }, "printable ASCII"},
		{"token that is not UTF-8", func(c *Config) { c.Token = "a\xff" }, "printable ASCII"},
	} {
		cfg := testConfig()
		test.change(&cfg)
		_, err := New(cfg)
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want an error with %q", test.reason, err, test.says)
		}
		if test.says == "" && err != nil {
			t.Errorf("%s: %v", test.reason, err)
		}
	}
}

// TestWriteTimeout has a default that does not hold a server's memory for half an hour, unless clients may be
// idle for long.
func TestWriteTimeout(t *testing.T) {
	c := testConfig()
	if err := c.complete(); err != nil || c.writeTimeout > 5*time.Minute || c.writeTimeout >= c.IdleTimeout {
		t.Errorf("a reply waits for its reader for %v, a connection for requests for %v", c.writeTimeout, c.IdleTimeout)
	}
	long := testConfig()
	long.IdleTimeout = 100 * time.Hour
	if err := long.complete(); err != nil || long.writeTimeout < 10*time.Hour {
		t.Errorf("with %v for requests a reply waits for its reader for %v", long.IdleTimeout, long.writeTimeout)
	}
}

// TestAdmission sends opening handshakes.
func TestAdmission(t *testing.T) {
	server := startServer(t, func(c *Config) {
		c.Token, c.Hosts = "secret", []string{"box.example"}
	})
	for _, test := range []struct {
		reason string
		change func(*http.Request)
		status int
		says   string
	}{
		{"all right", func(r *http.Request) {}, 101, ""},
		{"a host on the list", func(r *http.Request) { r.Host = "BOX.example:99" }, 101, ""},
		{"localhost without a port", func(r *http.Request) { r.Host = "localhost" }, 101, ""},
		{"the address by which others reach this machine", func(r *http.Request) { r.Host = "192.0.2.1:8765" }, 101, ""},
		{"an IPv6 address without a port", func(r *http.Request) { r.Host = "[2001:db8::1]" }, 101, ""},
		{"a name with digits", func(r *http.Request) { r.Host = "192.0.2.1.example" }, 403, "Host header"},
		{"IPv6 loopback", func(r *http.Request) { r.Host = "[::1]:80" }, 101, ""},
		{"a name rebound to this machine", func(r *http.Request) {
			r.Host = "evil.example"
			r.Header.Set("Origin", "http://evil.example")
		}, 403, "Host header"},
		{"a page on this machine", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:3000") }, 403,
			"Origin header"},
		{"a page at the name of this machine", func(r *http.Request) {
			r.Host = "box.example"
			r.Header.Set("Origin", "http://box.example")
		}, 403, "Origin header"},
		{"two origins", func(r *http.Request) {
			r.Header["Origin"] = []string{"https://page.example",
				"https://evil.example"}
		}, 403, "Origin"},
		{"an empty origin", func(r *http.Request) { r.Header["Origin"] = []string{""} }, 403, "Origin"},
		{"no token", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "Bearer"},
		{"another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer secrets") }, 401, "Bearer"},
		{"an empty token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer ") }, 401, "Bearer"},
		{"another scheme", func(r *http.Request) { r.Header.Set("Authorization", "Basic secret") }, 401, "Bearer"},
		{"a token in the address", func(r *http.Request) {
			r.Header.Del("Authorization")
			r.URL.RawQuery = "token=secret"
		}, 401, "Bearer"},
		{"another path", func(r *http.Request) { r.URL.Path = "/metrics" }, 404, "want /"},
		{"a browser's visit", func(r *http.Request) { r.Header.Del("Upgrade") }, 400, "connect with WebSocket"},
		{"no subprotocol", func(r *http.Request) { r.Header.Del("Sec-WebSocket-Protocol") }, 400, Subprotocol},
		{"an older client", func(r *http.Request) { r.Header.Set("Sec-WebSocket-Protocol", "pommego.v1+msgpack") }, 400,
			"same release"},
		{"another version of WebSocket", func(r *http.Request) { r.Header.Set("Sec-WebSocket-Version", "12") }, 400, "13"},
		{"no key", func(r *http.Request) { r.Header.Del("Sec-WebSocket-Key") }, 400, "Key"},
		{"another method", func(r *http.Request) { r.Method = "POST" }, 405, "GET"},
		{"a long header", func(r *http.Request) { r.Header.Set("X-Large", strings.Repeat("x", 7<<10)) }, 101, ""},
		{"a header too large", func(r *http.Request) { r.Header.Set("X-Large", strings.Repeat("x", 8<<10)) }, 431, ""},
	} {
		r, err := http.NewRequest("GET", "http://"+server.host+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{
			"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Version": {"13"},
			"Sec-Websocket-Key":      {"AAAAAAAAAAAAAAAAAAAAAA=="},
			"Sec-Websocket-Protocol": {"other, " + Subprotocol}, "Authorization": {"Bearer secret"},
		}
		test.change(r)
		transport := &http.Transport{}
		answer, err := transport.RoundTrip(r)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		text := ""
		if answer.StatusCode != 101 {
			all, _ := io.ReadAll(answer.Body)
			text = string(all)
		} else if got := answer.Header.Get("Sec-Websocket-Protocol"); got != Subprotocol {
			t.Errorf("%s: the server chose subprotocol %q", test.reason, got)
		}
		answer.Body.Close()
		transport.CloseIdleConnections()
		if answer.StatusCode != test.status || !strings.Contains(text, test.says) {
			t.Errorf("%s: status %d, %q; want %d with %q", test.reason, answer.StatusCode, text, test.status, test.says)
		}
	}
}

func TestDial(t *testing.T) {
	server := startServer(t, func(c *Config) { c.Token = "secret" })
	server.dial(t)
	if _, err := Dial(context.Background(), server.address, DialOptions{Token: "wrong"}); err == nil ||
		!strings.Contains(err.Error(), "401") {
		t.Errorf("with a wrong token: %v, want 401", err)
	}
	if _, err := Dial(context.Background(), server.address,
		DialOptions{Token: "secret", Origin: "http://x"}); err == nil || !strings.Contains(err.Error(), "Origin") {
		t.Errorf("with an origin: %v, want the reason", err)
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := serveOn(t, ln, nil)
	server.address = "unix:" + path
	c := server.dial(t)
	call(t, c, "make", "env_id", "ToyTeams-v0", "games", 100)
	call(t, c, "reset", "env", 1)
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("after shutdown the socket's file is still there: %v", err)
	}
}

// TestLimits reaches each limit; the same request one less is fine.
func TestLimits(t *testing.T) {
	server := startServer(t, func(c *Config) {
		c.maxEnvs, c.MaxGames, c.MaxTotalGames = 2, 60, 100
		c.maxBatchBytes, c.maxMessageBytes, c.MaxConnections = 25_000, 10_000, 2
		tries := 0
		c.Agent = func(game env.Game, name string, _ time.Duration) (env.Agent, bool, error) {
			if name != "late" {
				return nil, false, nil
			}
			if tries++; tries > 2 { // after the layout, twice
				return nil, true, errors.New("gone")
			}
			a, err := game.NewAgent("still")
			return a, true, err
		}
	})
	c := server.dial(t)
	other := server.dial(t)
	if _, err := Dial(context.Background(), server.address, DialOptions{}); err == nil ||
		!strings.Contains(err.Error(), "all of its 2 connections") {
		t.Errorf("a third connection: %v", err)
	}
	limits := c.Hello().Map("limits")
	for name, want := range map[string]int{"message_bytes": 10_000, "batch_bytes": 25_000, "games_per_env": 60, "envs": 2,
		"total_games": 100, "in_flight": 8, "workers": 2, "idle_seconds": 1800} {
		if got := limits.Int(name); got != want {
			t.Errorf("hello says %s is %d, want %d", name, got, want)
		}
	}

	made := call(t, c, "make", "env_id", "ToySolo-v0", "games", 60, "opponents", []string{"still", "still"})
	if n := made.Int("batch_bytes"); n > 25_000 {
		t.Errorf("batch_bytes is %d, over the limit", n)
	}
	e := callError(t, c, codeLimit, "make", "env_id", "ToyTeams-v0", "games", 60)
	if !strings.Contains(e.Message, "want at most 25000") || e.Hint == "" || e.Field != "games" {
		t.Errorf("a batch too large: %+v", e)
	}
	callError(t, c, codeLimit, "make", "env_id", "ToyTeams-v0", "games", 60, "batch_size", 1)
	used := server.used()
	if e := callError(t, other, codeLimit, "make", "env_id", "ToySolo-v0", "games", 41); !strings.Contains(e.Message,
		"has 60 games, and 41 more") {
		t.Errorf("too many games in all: %v", e)
	}
	callError(t, other, codeBadOption, "make", "env_id", "ToySolo-v0", "games", 9, "opponents", []string{"late", "still"})
	if server.games.Load() != 60 || server.used() != used {
		t.Errorf("%d games and %d bytes are counted, want 60 and %d", server.games.Load(), server.used(), used)
	}
	call(t, other, "make", "env_id", "ToySolo-v0", "games", 39)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 1)
	if e := callError(t, c, codeLimit, "make", "env_id", "ToySolo-v0", "games", 1); !strings.Contains(e.Message,
		"has 2 environments") {
		t.Errorf("too many environments: %v", e)
	}
	call(t, c, "reset", "env", 2)
	state := bytes.Clone(call(t, c, "get_state", "env", 2).Binaries("states")[0])
	callError(t, other, codeLimit, "simulate", "env", 1, "states", [][]byte{state}, "actions", toyActions(3, 0, 0))

	call(t, c, "close", "env", 2)
	call(t, other, "simulate", "env", 1, "states", [][]byte{state}, "actions", toyActions(3, 0, 0))
	other.Close()
	eventually(t, "what a closed connection had is free again",
		func() bool { return server.games.Load() == 60 && server.connections.Load() == 1 })
	server.dial(t)
}

// TestLargestBatch: it is refused by a 32-bit server, too.
func TestLargestBatch(t *testing.T) {
	c := startServer(t, func(c *Config) {
		c.IDs, c.Game, c.MaxMemoryBytes = catalog.IDs, catalog.Game, 1<<30
	}).dial(t)
	const id = "PommeTeamCompetition-v0"
	e := callError(t, c, codeLimit, "make", "env_id", id, "games", 65536, "autoreset_mode", "SameStep")
	shared := callError(t, c, codeLimit, "make", "env_id", id, "games", 15000, "shared_memory", 16)
	if !strings.HasPrefix(e.Message, "a batch of 65536 games") || shared.Field != "shared_memory" {
		t.Errorf("refused: %+v and %+v", e, shared)
	}
}

func TestStatesLimit(t *testing.T) {
	c := startServer(t, func(c *Config) { c.maxBatchBytes = 20_000 }).dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 50, "opponents", []string{"still", "still"})
	call(t, c, "reset", "env", 1)
	e := callError(t, c, codeLimit, "get_state", "env", 1, "json", true)
	if e.Hint == "" || e.Field != "games" {
		t.Errorf("too many states: %+v", e)
	}
	call(t, c, "get_state", "env", 1, "json", true, "games", []int{0, 1})
}

func TestMessageTooLarge(t *testing.T) {
	c := startServer(t, func(c *Config) { c.maxMessageBytes = 5000 }).dial(t)
	for n, want := range map[int]errorCode{5000: codeUnknownField, 5001: codeMessageTooLarge, 19000: codeMessageTooLarge} {
		const others = 20 // bytes besides those of x
		msg := mustEncode(t, entries{"type", "envs", "id", 1, "x", make([]byte, n-others)})
		if len(msg) != n {
			t.Fatalf("the message has %d bytes, want %d", len(msg), n)
		}
		if err := c.SendRaw(msg); err != nil {
			t.Fatal(err)
		}
		reply, err := c.Receive()
		wantError(t, reply, err, want)
	}
	call(t, c, "envs")
	if err := c.SendRaw(make([]byte, 20_001)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Receive(); err == nil || !strings.Contains(err.Error(), "1009") {
		t.Errorf("a message over four times the limit: %v, want close code 1009", err)
	}
}

// TestMalformedMessages sends every hostile message of the checker's table:
// each is answered, and the connection goes on.
func TestMalformedMessages(t *testing.T) {
	c := startServer(t, nil).dial(t)
	for _, h := range hostile {
		if err := c.SendRaw([]byte(h.msg)); err != nil {
			t.Fatal(err)
		}
		reply, err := c.Receive()
		e := wantError(t, reply, err, codeMalformed)
		if reply["id"] != nil || e.Hint == "" {
			t.Errorf("%s: id %v and hint %q, want nil and a hint", h.reason, reply["id"], e.Hint)
		}
	}
	call(t, c, "envs")
}

func TestManyClients(t *testing.T) {
	server := startServer(t, nil)
	const clients, steps = 24, 30
	hashes := make([]string, clients)
	var all sync.WaitGroup
	for i := range clients {
		c := server.dial(t)
		all.Go(func() {
			if err := func() error {
				for _, request := range [][]any{
					{"make", "env_id", "ToyTeams-v0", "games", 5}, {"reset", "env", 1, "seed", i % 3},
				} {
					if _, err := c.Call(request[0].(string), request[1:]...); err != nil {
						return err
					}
				}
				for range steps {
					reply, err := c.Call("step", "env", 1, "actions", toyActions(30, 3, 1))
					if err != nil {
						return err
					}
					hashes[i] += fmt.Sprintf("%x", reply.Map("tensors").Tensor("obs.board").Data)
				}
				return nil
			}(); err != nil {
				t.Errorf("client %d: %v", i, err)
			}
		})
	}
	all.Wait()
	for i := range hashes {
		if hashes[i] != hashes[i%3] || hashes[i] == hashes[(i+1)%3] {
			t.Fatalf("clients %d and %d have the same seed, %d another; the boards say otherwise", i, i%3, (i+1)%3)
		}
	}
}

func TestTwoServers(t *testing.T) {
	a, b := startServer(t, nil), startServer(t, nil)
	ca, cb := a.dial(t), b.dial(t)
	call(t, ca, "make", "env_id", "ToySolo-v0", "games", 1)
	if err := a.stop(); err != nil {
		t.Error(err)
	}
	if call(t, cb, "make", "env_id", "ToySolo-v0", "games", 1).Int("env") != 1 {
		t.Error("the servers share their handles")
	}
}

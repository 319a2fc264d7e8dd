package bridge

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"pommego/env"
	"pommego/env/envtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// toys is a catalog of toy games, of which one breaks.
var toys = func() map[string]env.Game {
	breaks := envtest.ToySolo()
	breaks.ID, breaks.Panic = "ToyBreaks-v0", envtest.ToyPanic{In: envtest.InStep, Step: 2, Seed: 8}
	games := map[string]env.Game{}
	for _, rules := range []envtest.ToyRules{envtest.ToyTeams(), envtest.ToySolo(), breaks} {
		games[rules.ID] = envtest.NewToy(rules)
	}
	return games
}()

func toyIDs() []string { return []string{"ToyTeams-v0", "ToySolo-v0", "ToyBreaks-v0"} }

func toyGame(id string) (env.Game, error) {
	if g, ok := toys[id]; ok {
		return g, nil
	}
	return nil, fmt.Errorf("unknown id %q", id)
}

// toyVariant is ToySolo with some rules changed.
func toyVariant(id string, changes json.RawMessage) (env.Game, error) {
	rules := envtest.ToySolo()
	in := json.NewDecoder(strings.NewReader(string(changes)))
	in.DisallowUnknownFields()
	if err := in.Decode(&rules); err != nil {
		return nil, fmt.Errorf("rules of %s: %w", id, err)
	}
	return envtest.NewToy(rules), nil
}

func testConfig() Config {
	return Config{IDs: toyIDs, Game: toyGame, Variant: toyVariant, Version: "test", MaxWorkers: 2,
		shutdownTimeout: 2 * time.Second}
}

// testServer is a server on loopback that shuts down with the test.
type testServer struct {
	*Server
	address string // for Dial
	host    string // host:port
	stop    func() error
	abandon func() error // stop, with nobody to wait for replies
}

func startServer(t testing.TB, change func(*Config)) *testServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, ln, change)
}

func serveOn(t testing.TB, ln net.Listener, change func(*Config)) *testServer {
	t.Helper()
	cfg := testConfig()
	if change != nil {
		change(&cfg)
	}
	server, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, ln) }()
	stopped := false
	s := &testServer{Server: server, host: ln.Addr().String(), address: "ws://" + ln.Addr().String()}
	end := func(cause error) error {
		cancel(cause)
		stopped = true
		return <-done
	}
	s.stop = func() error { return end(nil) }
	s.abandon = func() error { return end(ErrAbandoned) }
	t.Cleanup(func() {
		if stopped {
			return
		}
		if err := s.stop(); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

func (s *testServer) dial(t testing.TB) *Client {
	t.Helper()
	c, err := Dial(context.Background(), s.address, DialOptions{Token: s.cfg.Token})
	if err != nil {
		t.Fatal(err)
	}
	c.ws.SetReadDeadline(time.Now().Add(hangs)) // a lost reply must not hang the tests
	t.Cleanup(func() { c.Close() })
	return c
}

// call sends a request that must succeed.
func call(t testing.TB, c *Client, kind string, fields ...any) Message {
	t.Helper()
	reply, err := c.Call(kind, fields...)
	if err != nil {
		t.Fatalf("%s %v: %v", kind, fields, err)
	}
	return reply
}

// callError sends a request that must fail.
func callError(t testing.TB, c *Client, code errorCode, kind string, fields ...any) *wireError {
	t.Helper()
	reply, err := c.Call(kind, fields...)
	return wantError(t, reply, err, code)
}

func wantError(t testing.TB, reply Message, err error, code errorCode) *wireError {
	t.Helper()
	var e *wireError
	if !errors.As(err, &e) {
		t.Fatalf("got %.300v, %v; want an error reply with code %s", reply, err, code)
	}
	if e.Code != code {
		t.Fatalf("got code %s (%s), want %s", e.Code, e.Message, code)
	}
	if e.Message == "" || !utf8.ValidString(e.Message+e.Hint+e.Field) {
		t.Fatalf("error %s has the message %q, want a text", code, e.Message)
	}
	return e
}

func uint8s(data ...uint8) Tensor {
	return Tensor{DType: env.Uint8, Shape: []int{len(data)}, Data: data}
}

func int32s(data ...int32) Tensor {
	t := Tensor{DType: env.Int32, Shape: []int{len(data)}}
	for _, n := range data {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, uint32(n))
	}
	return t
}

// toyActions are the same legal actions for every row of a toy game.
func toyActions(rows int, move, deed uint8) Tensor {
	return Tensor{DType: env.Uint8, Shape: []int{rows, 2}, Data: slices.Repeat([]byte{move, deed}, rows)}
}

// hangs is how long nothing takes that does not wait, on the slowest machine.
const hangs = 30 * time.Second

// eventually waits for what other goroutines are about to do.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(hangs); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not come about in %v: %s", hangs, what)
		}
	}
}

// unraced skips a test with -short, as under the race detector: it is of one goroutine, or measures
// the memory of what other tests run in parallel.
func unraced(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("nothing runs in parallel that does not elsewhere")
	}
}

// some is a fifth of n with -short.
func some(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

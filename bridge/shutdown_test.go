package bridge

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"pommego/env"
	"pommego/env/envtest"
)

// slowGame takes a while for each step.
type slowGame struct {
	env.Game
	stepping chan struct{} // receives as each step begins
	resume   chan struct{}
}

type slowMatch struct {
	env.Match
	game *slowGame
}

func (g *slowGame) New(n int) []env.Match {
	all := g.Game.New(n)
	for i := range all {
		all[i] = &slowMatch{all[i], g}
	}
	return all
}

func (m *slowMatch) Step(actions []uint8) {
	m.game.stepping <- struct{}{}
	<-m.game.resume
	m.Match.Step(actions)
}

func newSlowGame() *slowGame {
	return &slowGame{Game: envtest.NewToy(envtest.ToySolo()), stepping: make(chan struct{}), resume: make(chan struct{})}
}

// waitDeaf waits until the server no longer listens, which a shutdown brings
// about once it has told every session to stop.
func (s *testServer) waitDeaf() {
	for {
		conn, err := net.Dial("tcp", s.host)
		if err != nil {
			return
		}
		conn.Close()
		time.Sleep(time.Millisecond)
	}
}

// TestShutdown asks for it while a step is in progress, with more behind it.
func TestShutdown(t *testing.T) {
	game := newSlowGame()
	server := startServer(t, func(c *Config) { c.Game = func(string) (env.Game, error) { return game, nil } })
	silent, err := net.Dial("tcp", server.host) // has not even sent a header
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	idle, c := server.dial(t), server.dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 1)
	call(t, c, "reset", "env", 1)
	for range 3 {
		if _, err := c.Send("step", "env", 1, "actions", toyActions(3, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	<-game.stepping
	stopped := make(chan error, 1)
	go func() { stopped <- server.stop() }()
	if _, err := idle.Receive(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("the idle client got %v, want close code 1001", err)
	}
	idle.Close()
	silent.Close()
	server.waitDeaf()
	if got := scrape(t, server.Operations())["pommego_ready"]; got != 0 {
		t.Errorf("while it shuts down pommego_ready is %v, want 0", got)
	}
	game.resume <- struct{}{}
	if reply, err := c.Receive(); err != nil || reply["type"] != "batch" {
		t.Errorf("the step in progress: %v, %v; want its batch", reply, err)
	}
	if _, err := c.Receive(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("after it: %v, want close code 1001", err)
	}
	c.Close()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if n := server.games.Load(); n != 0 {
		t.Errorf("after shutdown %d games are still counted", n)
	}
}

// TestShutdownCut has a step in progress that takes too long: the client is cut
// off, and Serve says so.
func TestShutdownCut(t *testing.T) {
	t.Parallel()
	game := newSlowGame()
	server := startServer(t, func(c *Config) {
		c.Game = func(string) (env.Game, error) { return game, nil }
		c.shutdownTimeout = 50 * time.Millisecond
	})
	c := server.dial(t)
	call(t, c, "make", "env_id", "ToySolo-v0", "games", 1)
	call(t, c, "reset", "env", 1)
	if _, err := c.Send("step", "env", 1, "actions", toyActions(3, 0, 0)); err != nil {
		t.Fatal(err)
	}
	<-game.stepping
	begun := time.Now()
	err := server.stop()
	if err == nil || !strings.Contains(err.Error(), "1 connections are still at work") {
		t.Errorf("Serve returned %v, want an error about the connection", err)
	}
	_, text, _ := strings.Cut(fmt.Sprint(err), " after ")
	if named, wrong := time.ParseDuration(text); wrong != nil || named < 50*time.Millisecond+lingerTime ||
		named > time.Since(begun)+time.Millisecond {
		t.Errorf("Serve returned %v, want how long it took, between %v and %v", err, 50*time.Millisecond+lingerTime,
			time.Since(begun))
	}
	if _, err := c.Receive(); err == nil {
		t.Error("the client was not cut off")
	}
	game.resume <- struct{}{} // so that its goroutines end
}

// TestListenerFails closes the listener under the server.
func TestListenerFails(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := New(testConfig())
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	if err := server.Serve(context.Background(), ln); err == nil || !strings.Contains(err.Error(), "listening") {
		t.Errorf("Serve returned %v, want an error about listening", err)
	}
}

package bridge

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pommego/env"
)

// resumable is a client whose session outlives its connection.
type resumable struct {
	*Client
	key []byte
}

func (s *testServer) dialResumable(t testing.TB, seconds int) *resumable {
	t.Helper()
	c, err := Dial(context.Background(), s.address, DialOptions{Hello: entries{"resume_seconds", seconds}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	key, _ := c.Hello().Map("resume")["key"].([]byte)
	return &resumable{c, bytes.Clone(key)}
}

// cut ends the connection without a word, as a network does.
func (r *resumable) cut() { r.ws.NetConn().Close() }

// resume goes on with another connection; received is the last reply that the client has.
func (r *resumable) resume(s *testServer, received uint64) error {
	c, err := Dial(context.Background(), s.address, DialOptions{Hello: entries{"resume", r.key, "received", received}})
	if err != nil {
		return err
	}
	c.nextID = r.nextID
	r.Client = c
	return nil
}

// TestResume cuts the connection at each point of an exchange, and compares what comes
// with an exchange that was never cut.
func TestResume(t *testing.T) {
	server := startServer(t, nil)
	begin := func(c *Client) {
		call(t, c, "make", "env_id", "ToyTeams-v0", "games", 3)
		call(t, c, "reset", "env", 1, "seed", 5)
	}
	step := []any{"env", 1, "actions", toyActions(18, 1, 1)}
	board := func(m Message) string { return fmt.Sprintf("%x", m.Map("tensors").Tensor("obs.board").Data) }
	plain := server.dial(t)
	begin(plain)
	var want []string
	for range 12 {
		want = append(want, board(call(t, plain, "step", step...)))
	}

	c := server.dialResumable(t, 60)
	if n := c.Hello().Map("limits").Int("in_flight"); n != 1 || c.Hello().Map("resume").Int("seconds") != 60 {
		t.Errorf("hello says %v and in_flight %d, want 60 seconds and 1", c.Hello()["resume"], n)
	}
	begin(c.Client)
	var got []string
	for round := range 12 {
		received := c.nextID
		switch round % 4 {
		case 0: // in between requests
			c.cut()
		case 1: // the request arrives, its reply is lost
			if _, err := c.Send("step", step...); err != nil {
				t.Fatal(err)
			}
			if _, err := c.ReceiveRaw(); err != nil {
				t.Fatal(err)
			}
			c.cut()
		case 2: // nobody knows how far the request came
			if _, err := c.Send("step", step...); err != nil {
				t.Fatal(err)
			}
			c.cut()
		case 3: // the server has not noticed that the connection is lost
		}
		if err := c.resume(server, received); err != nil {
			t.Fatal(err)
		}
		answered := uint64(c.Hello().Int("resumed"))
		switch {
		case answered < c.nextID: // what is not answered is sent again
			c.nextID = answered
			fallthrough
		case c.nextID == received:
			got = append(got, board(call(t, c.Client, "step", step...)))
		default:
			reply, err := c.Receive()
			if err != nil || uint64(reply.Int("id")) != answered {
				t.Fatalf("round %d: the kept reply is %v, %v; want that of %d", round, reply["id"], err, answered)
			}
			got = append(got, board(reply))
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Error("the boards differ from those of a connection that was never cut")
	}
	if m := scrape(t, server.Operations()); m["pommego_resumed_total"] != 12 || m["pommego_kept_sessions"] != 0 {
		t.Errorf("%v were resumed and %v are kept, want 12 and 0", m["pommego_resumed_total"], m["pommego_kept_sessions"])
	}
}

// TestResumeRefused asks for what cannot be resumed, and how sessions end.
func TestResumeRefused(t *testing.T) {
	server := startServer(t, func(c *Config) { c.ResumeTimeout, c.MaxConnections = time.Second, 2 })
	made := func() *resumable {
		c := server.dialResumable(t, 3600)
		call(t, c.Client, "make", "env_id", "ToySolo-v0", "games", 7)
		return c
	}
	refused := func(c *resumable, why string) {
		t.Helper()
		err := c.resume(server, 0)
		if err == nil {
			t.Fatalf("%s: resumed", why)
		}
		wantError(t, nil, err, codeNotResumable)
	}
	freed := func(why string) {
		eventually(t, why+": the games are freed", func() bool { return server.games.Load() == 0 && server.memory.taken() == 0 })
	}

	refused(&resumable{key: make([]byte, 16), Client: &Client{}}, "a key that nobody has")
	c := made()
	if n := c.Hello().Map("resume").Int("seconds"); n != 1 {
		t.Errorf("the server keeps it for %d s, want its limit of 1", n)
	}
	c.Close()
	freed("the client has closed it")
	refused(c, "the client has closed it")

	c = made()
	c.cut()
	eventually(t, "it is kept", func() bool { return scrape(t, server.Operations())["pommego_kept_sessions"] == 1 })
	if n := server.games.Load(); n != 7 {
		t.Errorf("%d games are kept, want 7", n)
	}
	freed("nobody came back")
	refused(c, "its time is over")

	c = made()
	wantError(t, nil, func() error {
		_, err := c.Call("make", "env_id", "ToySolo-v0", "games", 1, "shared_memory", 2)
		return err
	}(), codeBadOption)
	c.nextID -= 2
	e := callError(t, c.Client, codeOutOfRange, "ping")
	if e.Field != "id" || !strings.Contains(e.Message, "want more than") {
		t.Errorf("a number used before: %v", e)
	}
	c.nextID += 2
	call(t, c.Client, "ping")
	c.cut()
	if err := server.stop(); err != nil {
		t.Error(err)
	}
	freed("the server is shut down")
}

// TestResumeInHello refuses what hello cannot ask for.
func TestResumeInHello(t *testing.T) {
	server := startServer(t, func(c *Config) { c.MaxConnections = 1 })
	for _, test := range []struct {
		hello entries
		code  errorCode
	}{
		{entries{"resume_seconds", 0}, codeOutOfRange},
		{entries{"resume_seconds", 5, "resume", []byte("1234567890123456")}, codeBadOption},
		{entries{"resume", "text"}, codeWrongType},
		{entries{"resume", []byte{}}, codeNotResumable},
	} {
		_, err := Dial(context.Background(), server.address, DialOptions{Hello: test.hello})
		wantError(t, nil, err, test.code)
		eventually(t, "it is gone", func() bool { return server.connections.Load() == 0 })
	}
	for range 2 {
		server.dialResumable(t, 60).cut()
		eventually(t, "it is gone", func() bool { return server.connections.Load() == 0 })
	}
	_, err := Dial(context.Background(), server.address, DialOptions{Hello: entries{"resume_seconds", 5}})
	wantError(t, nil, err, codeLimit)

	path := filepath.Join(t.TempDir(), "socket")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	local := serveOn(t, ln, nil)
	local.address = "unix:" + path
	_, err = Dial(context.Background(), local.address, DialOptions{Hello: entries{"resume_seconds", 5}})
	wantError(t, nil, err, codeBadOption)
}

// TestResumeWhileAtWork comes back while the step is still being made: it is made to
// its end, once.
func TestResumeWhileAtWork(t *testing.T) {
	game := newSlowGame()
	server := startServer(t, func(c *Config) {
		c.Game = func(string) (env.Game, error) { return game, nil }
		c.ShutdownTimeout = 50 * time.Millisecond // after which what has no client would be stopped
	})
	c := server.dialResumable(t, 60)
	call(t, c.Client, "make", "env_id", "ToySolo-v0", "games", 1)
	call(t, c.Client, "reset", "env", 1)
	if _, err := c.Send("step", "env", 1, "actions", toyActions(3, 0, 0)); err != nil {
		t.Fatal(err)
	}
	<-game.stepping
	c.cut()
	resumed := make(chan error)
	go func() { resumed <- c.resume(server, c.nextID-1) }()
	select {
	case err := <-resumed:
		t.Errorf("resumed (%v) while the step is being made", err)
	case <-time.After(200 * time.Millisecond):
	}
	game.resume <- struct{}{}
	if err := <-resumed; err != nil {
		t.Fatal(err)
	}
	reply, err := c.Receive()
	if err != nil || reply["type"] != "batch" || uint64(reply.Int("id")) != c.nextID {
		t.Errorf("got %v, %v; want the batch of the step", reply, err)
	}
}

package bridge

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	schedules    = flag.Int("schedules", 200, "how many seeded schedules TestSchedules plays")
	scheduleSeed = flag.Uint64("schedule-seed", 0, "the first one's seed")
)

// pipes is a listener whose connections are pipes: with synctest nothing in a server
// waits for a real clock or network, and a schedule is the same whenever it is played.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{accept: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.accept <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

const scheduleSteps = 12

// scheduled is what a client sees of one schedule.
type scheduled struct {
	t      *testing.T
	draw   *rand.Rand
	server *Server
	pipes  *pipes
	client *Client
	key    []byte
	done   int    // steps whose batch has come
	id     uint64 // of the last request sent
	got    uint64 // of the last reply
}

func (s *scheduled) dial(hello entries) error {
	c, err := Dial(s.t.Context(), "ws://localhost", DialOptions{Hello: hello, Pipe: s.pipes.dial})
	if err != nil {
		return err
	}
	c.nextID = s.id
	s.client = c
	return nil
}

// TestSchedules plays seeded schedules of a client that connects, steps, loses its
// connection in between and in the middle of messages, sleeps, comes back in time or
// too late, and leaves: each batch is that of an undisturbed run, no step is made twice
// or lost, and at the end nothing is left. The clock is synctest's.
func TestSchedules(t *testing.T) {
	want := undisturbed(t)
	for seed := *scheduleSeed; seed < *scheduleSeed+uint64(*schedules); seed++ {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playSchedule(t, seed, want) })
		})
		if !ok {
			t.Fatalf("go test ./bridge -run TestSchedules -schedules 1 -schedule-seed %d", seed)
		}
	}
}

// undisturbed are the boards of a run without faults.
func undisturbed(t *testing.T) (boards []string) {
	c := startServer(t, nil).dial(t)
	call(t, c, "make", "env_id", "ToyTeams-v0", "games", 2, "workers", 1)
	call(t, c, "reset", "env", 1, "seed", 9)
	for range scheduleSteps {
		boards = append(boards, boardOf(call(t, c, "step", "env", 1, "actions", toyActions(12, 1, 1))))
	}
	return boards
}

func boardOf(m Message) string { return fmt.Sprintf("%x", m.Map("tensors").Tensor("obs.board").Data) }

func playSchedule(t *testing.T, seed uint64, want []string) {
	cfg := testConfig()
	cfg.ResumeTimeout = time.Minute
	server, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &scheduled{t: t, draw: rand.New(rand.NewPCG(seed, 0)), server: server, pipes: newPipes()}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(ctx, s.pipes) }()
	s.begin()
	for s.client != nil && s.done < scheduleSteps {
		s.act(want)
	}
	if s.client != nil && s.draw.IntN(2) == 0 {
		s.client.Close()
		synctest.Wait()
		s.wantNothingLeft("the client has left")
	}
	stop()
	if err := <-stopped; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if s.client != nil {
		s.client.ws.NetConn().Close()
	}
	s.wantNothingLeft("the server has been shut down")
}

func (s *scheduled) begin() {
	if err := s.dial(entries{"resume_seconds", 60}); err != nil {
		s.t.Fatal(err)
	}
	s.key = append(s.key, s.client.Hello().Map("resume")["key"].([]byte)...)
	s.client.nextID = 1
	call(s.t, s.client, "make", "env_id", "ToyTeams-v0", "games", 2, "workers", 1)
	call(s.t, s.client, "reset", "env", 1, "seed", 9)
	s.id, s.got = s.client.nextID, s.client.nextID
}

// act makes one step with one thing that happens on the way.
func (s *scheduled) act(want []string) {
	switch s.draw.IntN(8) {
	case 0, 1: // nothing
		s.step(want)
	case 2: // it is lost between two requests
		s.cut()
		s.comeBack(want, 0)
	case 3: // the reply is lost
		s.send()
		s.cut()
		s.comeBack(want, 0)
	case 4: // the request arrives in part
		msg := s.message()
		part := binaryFrame(msg)[:1+s.draw.IntN(len(msg))]
		_, _ = s.client.ws.NetConn().Write(part) // the server may be gone
		s.cut()
		s.comeBack(want, 0)
	case 5: // the rest of the request never comes, and the server gives up waiting
		_, _ = s.client.ws.NetConn().Write(binaryFrame(s.message())[:20])
		s.drain(70 * time.Second)
		s.comeBack(want, 10*time.Second)
	case 6: // the server has not noticed
		if s.draw.IntN(2) == 0 {
			s.send()
		}
		old := s.client.ws.NetConn()
		s.comeBack(want, 0)
		old.Close()
	case 7: // nothing happens for long
		s.drain(time.Duration(s.draw.IntN(50)) * time.Minute)
		if _, err := s.client.Call("ping"); err != nil {
			s.wantNothingLeft("it was idle for too long")
			s.client = nil
			return
		}
		s.id, s.got = s.client.nextID, s.client.nextID
	}
}

// message is the next step request, not sent.
func (s *scheduled) message() []byte {
	return mustEncode(s.t, entries{"type", "step", "id", s.id + 1, "env", 1, "actions", toyActions(12, 1, 1)})
}

func (s *scheduled) send() {
	s.client.nextID = s.id
	if _, err := s.client.Send("step", "env", 1, "actions", toyActions(12, 1, 1)); err != nil {
		s.t.Fatal(err)
	}
	s.id++
}

func (s *scheduled) step(want []string) {
	s.send()
	s.receive(want)
}

func (s *scheduled) receive(want []string) {
	reply, err := s.client.Receive()
	if err != nil || uint64(reply.Int("id")) != s.id {
		s.t.Fatalf("step %d: got the reply to %v, %v; want that to %d", s.done, reply["id"], err, s.id)
	}
	if boardOf(reply) != want[s.done] {
		s.t.Fatalf("step %d shows another board than an undisturbed run", s.done)
	}
	s.done++
	s.got = s.id
}

// cut loses the connection, and drain lets time pass while control frames are read.
func (s *scheduled) cut() { s.client.ws.NetConn().Close() }

func (s *scheduled) drain(d time.Duration) {
	conn := s.client.ws.NetConn()
	go func() {
		rest := make([]byte, 64)
		for {
			if _, err := conn.Read(rest); err != nil {
				return
			}
		}
	}()
	time.Sleep(d)
	conn.SetReadDeadline(longAgo) // ends the reader
	synctest.Wait()
	conn.SetReadDeadline(time.Time{})
}

// comeBack resumes the session, in time or too late, and receives or makes the step
// that is due. The server has kept it for a while already.
func (s *scheduled) comeBack(want []string, kept time.Duration) {
	away := time.Duration(s.draw.IntN(90)) * time.Second
	time.Sleep(away)
	err := s.dial(entries{"resume", s.key, "received", s.got})
	var e *wireError
	switch {
	case errors.As(err, &e) && e.Code == codeNotResumable:
		if kept+away < 59*time.Second {
			s.t.Fatalf("not resumed after %v: %v", away, err)
		}
		synctest.Wait()
		s.wantNothingLeft("it came back too late")
		s.client = nil
		return
	case err != nil:
		s.t.Fatalf("after %v: %v", away, err)
	}
	answered := uint64(s.client.Hello().Int("resumed"))
	switch {
	case answered == s.id && s.got < s.id: // its reply comes again
		s.receive(want)
	case answered == s.id:
		s.step(want)
	case answered == s.id-1 && s.got < s.id: // it has to be sent again
		s.id--
		s.step(want)
	default:
		s.t.Fatalf("the server has answered %d, the client has sent %d and received %d", answered, s.id, s.got)
	}
}

func (s *scheduled) wantNothingLeft(when string) {
	s.t.Helper()
	if games, bytes := s.server.games.Load(), s.server.memory.taken(); games != 0 || bytes != 0 {
		s.t.Errorf("%s: %d games and %d bytes are left", when, games, bytes)
	}
}

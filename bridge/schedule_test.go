package bridge

import (
	"bytes"
	"context"
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

// piped calls use beside a server whose connections are pipes and whose clock is synctest's.
func piped(t *testing.T, change func(*Config), use func(server *Server, dial func() net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		cfg := testConfig()
		change(&cfg)
		server, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		pipes, stopped := newPipes(), make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		go func() { stopped <- server.Serve(ctx, pipes) }()
		use(server, func() net.Conn {
			conn, err := pipes.dial(ctx, "", "")
			if err != nil {
				t.Fatal(err)
			}
			return conn
		})
		stop()
		if err := <-stopped; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

const scheduleSteps = 12

// scheduled is a client that keeps the last state it asked for and the actions since, so
// that after a lost connection it can replay them in another environment.
type scheduled struct {
	t      *testing.T
	draw   *rand.Rand
	server *Server
	pipes  *pipes
	client *Client
	want   []string // the board after each step of an undisturbed run
	done   int      // steps whose batch has come
	kept   [][]byte // of each game, its state
	at     int      // how many steps had been made then
}

// TestSchedules plays seeded schedules of a client that steps, loses its connection between
// requests and in the middle of messages, is silent for too long, and comes back to replay
// on another connection: each batch is that of an undisturbed run, and the server frees
// all that a lost connection had. The clock is synctest's.
func TestSchedules(t *testing.T) {
	want := undisturbed(t)
	for seed := *scheduleSeed; seed < *scheduleSeed+uint64(some(*schedules)); seed++ {
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
	server, err := New(testConfig())
	if err != nil {
		t.Fatal(err)
	}
	s := &scheduled{t: t, draw: rand.New(rand.NewPCG(seed, 0)), server: server, pipes: newPipes(), want: want}
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(ctx, s.pipes) }()
	s.begin()
	s.keep()
	for s.done < scheduleSteps {
		s.act()
	}
	if s.draw.IntN(2) == 0 {
		s.client.Close()
		synctest.Wait()
		s.wantNothingLeft("the client has left")
	}
	stop()
	if err := <-stopped; err != nil {
		t.Errorf("Serve: %v", err)
	}
	s.cut()
	s.wantNothingLeft("the server has been shut down")
}

// begin connects and makes an environment, whose seed does not matter once it has a state.
func (s *scheduled) begin() {
	c, err := Dial(s.t.Context(), "ws://localhost", DialOptions{Pipe: s.pipes.dial})
	if err != nil {
		s.t.Fatal(err)
	}
	s.client = c
	call(s.t, c, "make", "env_id", "ToyTeams-v0", "games", 2, "workers", 1)
	call(s.t, c, "reset", "env", 1, "seed", 9+s.done)
}

// keep asks for the state.
func (s *scheduled) keep() {
	s.kept = nil
	for _, state := range call(s.t, s.client, "get_state", "env", 1).Binaries("states") {
		s.kept = append(s.kept, bytes.Clone(state))
	}
	s.at = s.done
}

// act makes one step with one thing that happens on the way.
func (s *scheduled) act() {
	switch s.draw.IntN(8) {
	case 0: // nothing
	case 1:
		s.keep()
	case 2: // the connection is lost between two requests
		s.cut()
		s.comeBack()
	case 3: // the reply is lost
		if _, err := s.client.ws.NetConn().Write(binaryFrame(s.message())); err != nil {
			s.t.Fatal(err)
		}
		s.cut()
		s.comeBack()
	case 4: // the request arrives in part
		msg := s.message()
		if _, err := s.client.ws.NetConn().Write(binaryFrame(msg)[:1+s.draw.IntN(len(msg))]); err != nil {
			s.t.Fatal(err)
		}
		s.cut()
		s.comeBack()
	case 5: // the rest of the request never comes, and the server gives up waiting
		if _, err := s.client.ws.NetConn().Write(binaryFrame(s.message())[:20]); err != nil {
			s.t.Fatal(err)
		}
		s.drain(70 * time.Second)
		s.comeBack()
	case 6: // the server has not noticed
		old := s.client.ws.NetConn()
		s.begin()
		s.replay()
		old.Close()
	case 7: // nothing happens for long, perhaps for too long
		silence := time.Duration(s.draw.IntN(60)) * time.Minute
		s.drain(silence)
		if _, err := s.client.Call("envs"); err != nil {
			if silence < 29*time.Minute {
				s.t.Fatalf("after %v: %v", silence, err)
			}
			s.comeBack()
		}
	}
	s.step()
}

// message is a step request.
func (s *scheduled) message() []byte {
	return mustEncode(s.t, entries{"type", "step", "id", 99, "env", 1, "actions", toyActions(12, 1, 1)})
}

func (s *scheduled) step() {
	s.wantBoard(s.done)
	s.done++
}

// wantBoard makes step n, the first time or again.
func (s *scheduled) wantBoard(n int) {
	s.t.Helper()
	if got := boardOf(call(s.t, s.client, "step", "env", 1, "actions", toyActions(12, 1, 1))); got != s.want[n] {
		s.t.Fatalf("step %d shows another board than an undisturbed run", n)
	}
}

func (s *scheduled) cut() { s.client.ws.NetConn().Close() }

// drain lets time pass while control frames are read.
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

// comeBack connects again, soon or late, and replays.
func (s *scheduled) comeBack() {
	time.Sleep(time.Duration(1+s.draw.IntN(90)) * time.Second)
	s.wantNothingLeft("the connection is lost")
	s.begin()
	s.replay()
}

// replay sets the state that was kept and repeats the steps since.
func (s *scheduled) replay() {
	call(s.t, s.client, "set_state", "env", 1, "games", []int{0, 1}, "states", s.kept)
	for n := s.at; n < s.done; n++ {
		s.wantBoard(n)
	}
}

func (s *scheduled) wantNothingLeft(when string) {
	s.t.Helper()
	if games, bytes := s.server.games.Load(), s.server.memory.taken(); games != 0 || bytes != 0 {
		s.t.Errorf("%s: %d games and %d bytes are left", when, games, bytes)
	}
}

package bridge

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"
	"unsafe"

	"pommego/vec"
)

// TestAlignment looks where tensors lie in messages of each kind.
func TestAlignment(t *testing.T) {
	c := startServer(t, nil).dial(t)
	made := call(t, c, "make", "env_id", "ToyTeams-v0", "games", 3, "autoreset_mode", "SameStep", "max_episode_steps", 2)
	send := func(kind string, fields ...any) Message {
		t.Helper()
		reply := call(t, c, kind, append([]any{"env", 1}, fields...)...)
		if len(c.buf) > made.Int("batch_bytes") && kind != "simulate" && kind != "get_state" {
			t.Errorf("%s: a batch of %d bytes, promised at most %d", kind, len(c.buf), made.Int("batch_bytes"))
		}
		begin := uintptr(unsafe.Pointer(unsafe.SliceData(c.buf)))
		for _, part := range []string{"tensors", "final"} {
			for name := range reply.Map(part) {
				tensor := reply.Map(part).Tensor(name)
				if at := uintptr(unsafe.Pointer(unsafe.SliceData(tensor.Data))) - begin; at%align != 0 {
					t.Errorf("%s: data of %s %s begin at byte %d, want a multiple of %d", kind, part, name, at, align)
				}
			}
		}
		return reply
	}
	send("reset", "seed", 1)
	send("observe")
	send("step", "actions", toyActions(18, 0, 0))
	if reply := send("step", "actions", toyActions(18, 0, 0)); len(reply.Map("final")) != 6 {
		t.Errorf("final has %d tensors, want 6", len(reply.Map("final")))
	}
	states := send("get_state").Binaries("states")
	send("simulate", "states", states, "actions", toyActions(18, 0, 0))
}

// newTestSession is a session without a connection.
func newTestSession(server *Server) *session {
	s := &session{nextHandle: 1, greeted: true}
	s.setUp(server, "")
	s.idle = time.NewTimer(time.Hour)
	return s
}

// handSession is one to call its handlers.
func handSession(tb testing.TB) *session {
	server, err := New(testConfig())
	if err != nil {
		tb.Fatal(err)
	}
	return newTestSession(server)
}

// ask has a request answered, and gives the frame back as the writer would.
func ask(tb testing.TB, s *session, r *request, msg []byte) {
	r.buf, r.length = append(r.buf[:0], msg...), int64(len(msg))
	rep := s.answer(r)
	if rep.batch != nil {
		rep.batch.home <- rep.batch
	}
	if bytes.Contains(rep.msg[:min(40, len(rep.msg))], []byte("error")) {
		tb.Fatalf("%q", rep.msg)
	}
}

func mustEncode(tb testing.TB, message entries) []byte {
	msg, err := encodeRequest(message)
	if err != nil {
		tb.Fatal(err)
	}
	return msg
}

// TestStepDoesNotAllocate answers steps, in which games end too, without the
// socket.
func TestStepDoesNotAllocate(t *testing.T) {
	for _, mode := range []vec.Autoreset{vec.NextStep, vec.SameStep} {
		s, r := handSession(t), new(request)
		ask(t, s, r, mustEncode(t,
			entries{"type", "make", "id", 1, "env_id", "ToySolo-v0", "games", 8, "autoreset_mode", mode.String(),
				"max_episode_steps", 7}))
		ask(t, s, r, mustEncode(t, entries{"type", "reset", "id", 2, "env", 1, "seed", 1}))
		step := mustEncode(t, entries{"type", "step", "id", 3, "env", 1, "actions", toyActions(24, 1, 0)})
		if n := testing.AllocsPerRun(100, func() { ask(t, s, r, step) }); n != 0 {
			t.Errorf("%v: a step allocates %v times, want 0", mode, n)
		}
		s.freeEnv(s.envs[0])
	}
}

// rawPeer is a client that does nothing but write and read bytes, so that a
// measurement sees the server alone.
type rawPeer struct {
	net.Conn
	in    *bufio.Reader
	head  [14]byte
	reply []byte
}

// dialRaw does the opening handshake by hand.
func dialRaw(t testing.TB, host string) *rawPeer {
	t.Helper()
	p, err := openRaw(host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// openRaw is dialRaw for goroutines of tests.
func openRaw(host string) (*rawPeer, error) {
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	p := &rawPeer{Conn: conn, in: bufio.NewReader(conn)}
	conn.SetDeadline(time.Now().Add(hangs))
	_, _ = io.WriteString(conn, handshake(host)) // or reading the answer fails
	var answer []byte
	for !bytes.HasSuffix(answer, []byte("\r\n\r\n")) {
		line, err := p.in.ReadSlice('\n')
		if answer = append(answer, line...); err != nil {
			conn.Close()
			return nil, fmt.Errorf("%w after %q", err, answer)
		}
	}
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 101")) {
		conn.Close()
		return nil, fmt.Errorf("answer %q, want 101", answer)
	}
	return p, nil
}

func (p *rawPeer) Read(b []byte) (int, error) { return p.in.Read(b) }

// frameBytes is a client's frame, masked with zeros.
func frameBytes(first byte, payload []byte) []byte {
	f := append(make([]byte, 0, len(payload)+14), first)
	switch n := len(payload); {
	case n < 126:
		f = append(f, 0x80|byte(n))
	case n < 1<<16:
		f = binary.BigEndian.AppendUint16(append(f, 0x80|126), uint16(n))
	default:
		f = binary.BigEndian.AppendUint64(append(f, 0x80|127), uint64(n))
	}
	return append(append(f, 0, 0, 0, 0), payload...)
}

// binaryFrame is a whole message.
func binaryFrame(payload []byte) []byte { return frameBytes(0x82, payload) }

func (p *rawPeer) send(t testing.TB, message entries) {
	t.Helper()
	if _, err := p.Write(binaryFrame(mustEncode(t, message))); err != nil {
		t.Fatal(err)
	}
}

// next reads one frame. Control frames are returned too.
func (p *rawPeer) next() (first byte, payload []byte, err error) {
	if _, err := io.ReadFull(p, p.head[:2]); err != nil {
		return 0, nil, err
	}
	first = p.head[0]
	n := uint64(p.head[1])
	switch n {
	case 126:
		if _, err := io.ReadFull(p, p.head[:2]); err != nil {
			return 0, nil, err
		}
		n = uint64(binary.BigEndian.Uint16(p.head[:]))
	case 127:
		if _, err := io.ReadFull(p, p.head[:8]); err != nil {
			return 0, nil, err
		}
		n = binary.BigEndian.Uint64(p.head[:])
	}
	if uint64(cap(p.reply)) < n {
		p.reply = make([]byte, n)
	}
	_, err = io.ReadFull(p, p.reply[:n])
	return first, p.reply[:n], err
}

// expect reads a reply that is no error.
func (p *rawPeer) expect(t testing.TB) []byte {
	t.Helper()
	first, payload, err := p.next()
	if err != nil || first != 0x82 || bytes.Contains(payload[:min(40, len(payload))], []byte("error")) {
		t.Fatalf("frame 0x%02x %.200q, %v; want a reply", first, payload, err)
	}
	return payload
}

// closed reads on to the close frame and returns its code; 0 if the connection
// ended without one.
func (p *rawPeer) closed(t testing.TB) int {
	t.Helper()
	for {
		first, payload, err := p.next()
		if err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal("the server did not close the connection")
			}
			return 0
		}
		if first == 0x88 && len(payload) >= 2 {
			return int(binary.BigEndian.Uint16(payload))
		}
	}
}

var rawHello = entries{"type", "hello", "id", 1, "versions", []int{Version}, "client", "raw"}

// TestStepOverSocketAllocations bounds what a step costs with everything that
// the WebSocket library and net add: a reader for the message, a list of
// buffers for the write.
func TestStepOverSocketAllocations(t *testing.T) {
	server := startServer(t, nil)
	p := dialRaw(t, server.host)
	for _, message := range []entries{
		rawHello,
		{"type", "make", "id", 2, "env_id", "ToySolo-v0", "games", 64, "autoreset_mode", "SameStep", "max_episode_steps", 7},
		{"type", "reset", "id", 3, "env", 1, "seed", 1},
	} {
		p.send(t, message)
		p.expect(t)
	}
	step := binaryFrame(mustEncode(t, entries{"type", "step", "id", 4, "env", 1, "actions", toyActions(3*64, 1, 0)}))
	const most = 6
	n := testing.AllocsPerRun(200, func() {
		if _, err := p.Write(step); err != nil {
			t.Fatal(err)
		}
		p.expect(t)
	})
	t.Logf("%v allocations a step", n)
	if n > most {
		t.Errorf("a step over the socket allocates %v times, want at most %d", n, most)
	}
}

func BenchmarkStepOverSocket(b *testing.B) {
	for _, games := range []int{1, 64, 1024} {
		b.Run(fmt.Sprint(games), func(b *testing.B) {
			server := startServer(b, nil)
			p := dialRaw(b, server.host)
			for _, message := range []entries{
				rawHello,
				{"type", "make", "id", 2, "env_id", "ToyTeams-v0", "games", games, "autoreset_mode", "SameStep"},
				{"type", "reset", "id", 3, "env", 1, "seed", 1},
			} {
				p.send(b, message)
				p.expect(b)
			}
			step := binaryFrame(mustEncode(b, entries{"type", "step", "id", 4, "env", 1, "actions", toyActions(6*games, 1, 0)}))
			p.SetDeadline(time.Time{})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Write(step); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(p.expect(b))))
			}
			b.ReportMetric(float64(games)*float64(b.N)/b.Elapsed().Seconds(), "env-steps/s")
		})
	}
}

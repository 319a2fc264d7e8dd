package bridge

import (
	"bufio"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	hostileFrames = flag.Int("hostile-frames", 20_000, "how many frames TestHostileFrames sends")
	hostileSeed   = flag.Uint64("hostile-seed", 1, "the first of their seeds; a run names its last")
	hostilePairs  = flag.Int("hostile-pairs", 2, "how often TestBesideHostileFrames compares")
)

// ammunition is what hostile frames are made of.
type ammunition struct {
	hello    []byte
	requests [][]byte // that a client may send
	frames   [][]byte // hostile messages, each in a frame: some have megabytes
}

func loaded(t *testing.T) *ammunition {
	a := &ammunition{hello: binaryFrame(mustEncode(t, rawHello))}
	for _, g := range readGolden(t) {
		if g.Message != nil {
			a.requests = append(a.requests, mustEncode(t, g.entries(t)))
		}
	}
	for _, h := range hostile {
		a.frames = append(a.frames, binaryFrame([]byte(h.msg)))
	}
	return a
}

// frame is a frame that a client may not send, or a message that the server must
// refuse: any opcode and flags, lengths that are not true, masks that are missing,
// and payloads that are noise, or damaged requests. broken: it is more than the message
// that is wrong.
func (a *ammunition) frame(draw *rand.Rand) (frame []byte, broken bool) {
	payload := make([]byte, draw.IntN(200))
	known := -1
	switch draw.IntN(3) {
	case 0:
		for i := range payload {
			payload[i] = byte(draw.Uint32())
		}
	case 1:
		payload = append([]byte{}, a.requests[draw.IntN(len(a.requests))]...)
		for range 1 + draw.IntN(3) {
			payload[draw.IntN(len(payload))] = byte(draw.Uint32())
		}
	case 2:
		known = draw.IntN(len(hostile))
	}
	alone := draw.IntN(3) > 0 // what is wrong is the message alone
	switch {
	case alone && known >= 0:
		return a.frames[known], false
	case alone:
		return binaryFrame(payload), false
	case known >= 0:
		payload = []byte(hostile[known].msg)
	}
	frame = frameBytes(byte(draw.Uint32()), payload)
	switch draw.IntN(4) {
	case 0:
		frame[1] = byte(draw.Uint32())
	case 1:
		frame = frame[:1+draw.IntN(len(frame))]
	case 2:
		long := []byte{frame[0], 0xff}
		frame = append(binary.BigEndian.AppendUint64(long, draw.Uint64()>>draw.IntN(64)), frame[2:]...)
	}
	return frame, true
}

// TestHostileFrames sends seeded frames that nobody should send, on as many connections
// as it takes, some at a time. A client beside them is served, and afterwards the server has
// nothing more than before.
func TestHostileFrames(t *testing.T) {
	server := startServer(t, short)
	good := server.dial(t)
	call(t, good, "make", "env_id", "ToySolo-v0", "games", 2)
	call(t, good, "reset", "env", 1)
	with := loaded(t)
	var sent, connections atomic.Int64
	seed, before, residentBefore := *hostileSeed, uint64(0), 0
	end, ends := t.Deadline()
	for next := int64(0); sent.Load() < int64(some(*hostileFrames)) && !t.Failed(); {
		if ends && time.Until(end) < time.Minute {
			t.Logf("the time is up; go on with -hostile-seed %d", seed)
			break
		}
		var all sync.WaitGroup
		for range hostileAttackers {
			draw := rand.New(rand.NewPCG(seed, 2))
			seed++
			all.Go(func() {
				for range 100 {
					n, err := attack(server.host, draw, with, 100)
					if err != nil {
						t.Error(err)
						return
					}
					sent.Add(int64(n))
					connections.Add(1)
				}
			})
		}
		all.Wait()
		if before == 0 { // what the first are kept for those that follow
			before, residentBefore = heap(), resident(t)
		}
		good.ws.SetReadDeadline(time.Now().Add(hangs)) // of each reply
		call(t, good, "step", "env", 1, "actions", toyActions(6, 0, 0))
		if n := sent.Load(); n >= next {
			t.Logf("%d frames on %d connections, seeds %d to %d", n, connections.Load(), *hostileSeed, seed-1)
			next = n + int64(*hostileFrames)/20
		}
	}
	eventually(t, "the attackers are gone", func() bool { return server.connections.Load() == 1 })
	if n := server.games.Load(); n != 2 {
		t.Errorf("%d games are left, want the 2 of the client that behaves", n)
	}
	after, residentAfter := heap(), resident(t)
	t.Logf("%d frames on %d connections, seeds %d to %d; the heap went from %d to %d KiB, what is resident from %d to "+
		"%d KiB",
		sent.Load(), connections.Load(), *hostileSeed, seed-1, before>>10, after>>10, residentBefore>>10, residentAfter>>10)
	if after > before+16<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
	// with fewer, the race detector has more than that
	if *hostileFrames >= 100_000 && residentAfter > residentBefore+16<<20 {
		t.Errorf("what is resident grew from %d to %d bytes", residentBefore, residentAfter)
	}
}

// hostileAttackers send at a time. Most of theirs is waiting for what a server makes of a frame.
const hostileAttackers = 8

// attack opens a connection and sends so many frames, or until the server has had enough.
func attack(host string, draw *rand.Rand, with *ammunition, most int) (sent int, err error) {
	p, err := openRaw(host)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	if draw.IntN(4) > 0 {
		_, _ = p.Write(with.hello) // or the next fails
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, p)
	}()
	for range most {
		frame, broken := with.frame(draw)
		if _, err := p.Write(frame); err != nil {
			break
		}
		if sent++; sent == most {
			break
		}
		if broken { // most end the connection, and more would not be read
			select {
			case <-gone:
			case <-time.After(2 * time.Millisecond):
			}
		}
		select {
		case <-gone:
			return sent, nil
		default:
		}
	}
	return max(sent, 1), nil
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// resident is how much of this process is in memory, after what is free has been given back.
func resident(t *testing.T) int {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0 // not on this system
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// TestBesideHostileFrames compares how fast a client that behaves is served while the
// server is sent hostile frames, and while a sink beside it is sent the same.
func TestBesideHostileFrames(t *testing.T) {
	server, sink, with := startServer(t, short), startSink(t), loaded(t)
	good := server.dial(t)
	call(t, good, "make", "env_id", "ToySolo-v0", "games", 64)
	call(t, good, "reset", "env", 1)
	var beside [2]struct {
		steps int
		took  time.Duration
	}
	frames := 0
	for pair := range *hostilePairs {
		var sent [100]int // of each connection
		for target, host := range []string{server.host, sink} {
			t.Run(fmt.Sprint(pair, " ", host), func(t *testing.T) {
				done, begun := make(chan struct{}), time.Now()
				go func() {
					defer close(done)
					for k := range sent {
						draw, most := rand.New(rand.NewPCG(uint64(pair), uint64(k))), 100
						if target == 1 {
							most = sent[k]
						}
						var err error
						if sent[k], err = attack(host, draw, with, most); err != nil {
							t.Error(err)
							return
						}
						frames += sent[k] * (1 - target)
						time.Sleep(time.Until(begun.Add(time.Duration(k+1) * 2 * time.Millisecond))) // as many a second for both
					}
				}()
				good.ws.SetReadDeadline(time.Now().Add(hangs))
				for more := true; more; beside[target].steps++ {
					call(t, good, "step", "env", 1, "actions", toyActions(3*64, 0, 0))
					select {
					case <-done:
						more = false
					default:
					}
				}
				beside[target].took += time.Since(begun)
			})
		}
	}
	var rates [2]float64
	for target, b := range beside {
		rates[target] = float64(b.steps) / b.took.Seconds()
	}
	t.Logf("%d hostile frames: %.0f steps/s while the server gets them, %.0f while a sink does, %.2f of it", frames,
		rates[0], rates[1], rates[0]/rates[1])
	if *hostilePairs >= 40 && rates[0] < 0.9*rates[1] { // fewer say little
		t.Error("want 0.9 of it at least")
	}
}

// sinkAnswer is an upgrade, as long as a server's.
const sinkAnswer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\nSec-WebSocket-Protocol: " + Subprotocol + "\r\n\r\n"

// startSink listens, says that it has upgraded its peers, and reads whatever comes; it returns its address.
func startSink(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				if _, err := http.ReadRequest(in); err == nil {
					_, _ = io.WriteString(conn, sinkAnswer) // the peer may have gone
					_, _ = io.Copy(io.Discard, in)
				}
			})
		}
	})
	t.Cleanup(func() { ln.Close(); all.Wait() })
	return ln.Addr().String()
}

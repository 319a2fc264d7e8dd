package bridge

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

var hostileFrames = flag.Int("hostile-frames", 20_000, "how many frames TestHostileFrames sends")

// hostileFrame is a frame that a client may not send, or a message that the server
// must refuse: any opcode and flags, lengths that are not true, masks that are missing,
// and payloads that are noise, or damaged requests. broken: it is more than the message
// that is wrong.
func hostileFrame(draw *rand.Rand, requests [][]byte) (frame []byte, broken bool) {
	payload := make([]byte, draw.IntN(200))
	switch draw.IntN(3) {
	case 0:
		for i := range payload {
			payload[i] = byte(draw.Uint32())
		}
	case 1:
		payload = append([]byte{}, requests[draw.IntN(len(requests))]...)
		for range 1 + draw.IntN(3) {
			payload[draw.IntN(len(payload))] = byte(draw.Uint32())
		}
	case 2:
		payload = []byte(hostile[draw.IntN(len(hostile))].msg)
	}
	if draw.IntN(3) > 0 {
		return binaryFrame(payload), false // what is wrong is the message alone
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
// as it takes. A client beside them is served, and afterwards the server has nothing
// more than before.
func TestHostileFrames(t *testing.T) {
	server := startServer(t, short)
	good := server.dial(t)
	call(t, good, "make", "env_id", "ToySolo-v0", "games", 2)
	call(t, good, "reset", "env", 1)
	var requests [][]byte
	for _, g := range readGolden(t) {
		if g.Message != nil {
			requests = append(requests, mustEncode(t, g.entries(t)))
		}
	}
	before := heap()
	draw := rand.New(rand.NewPCG(1, 2))
	connections := 0
	for sent := 0; sent < *hostileFrames; {
		t.Run(fmt.Sprint(sent), func(t *testing.T) { // whose end lets go of its connections
			for range 100 {
				sent += attack(t, server, draw, requests)
				connections++
			}
		})
		good.ws.SetReadDeadline(time.Now().Add(30 * time.Second)) // of each reply
		call(t, good, "step", "env", 1, "actions", toyActions(6, 0, 0))
	}
	eventually(t, "the attackers are gone", func() bool { return server.connections.Load() == 1 })
	if n := server.games.Load(); n != 2 {
		t.Errorf("%d games are left, want the 2 of the client that behaves", n)
	}
	after := heap()
	t.Logf("%d frames on %d connections; the heap went from %d to %d KiB", *hostileFrames, connections, before>>10, after>>10)
	if after > before+16<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
}

// attack opens a connection and sends frames until the server has had enough.
func attack(t *testing.T, server *testServer, draw *rand.Rand, requests [][]byte) (sent int) {
	p := dialRaw(t, server.host)
	defer p.Close()
	if draw.IntN(4) > 0 {
		p.send(t, rawHello)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		rest := make([]byte, 4096)
		for {
			if _, err := p.Read(rest); err != nil {
				return
			}
		}
	}()
	for range 100 {
		frame, broken := hostileFrame(draw, requests)
		if _, err := p.Write(frame); err != nil {
			break
		}
		sent++
		wait := time.Duration(0)
		if broken {
			wait = 2 * time.Millisecond // most end the connection, and more would not be read
		}
		select {
		case <-gone:
			return sent
		case <-time.After(wait):
		}
	}
	return max(sent, 1)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

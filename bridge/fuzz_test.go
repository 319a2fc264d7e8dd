package bridge

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
)

// FuzzConnection writes whatever comes to a server, from the first byte of its HTTP on or
// behind a proper handshake, and leaves once the server has dealt with it: nothing of
// it is left. Connections are pipes and the clock is synctest's, so that a server that
// hangs is found at once.
func FuzzConnection(f *testing.F) {
	for _, head := range []string{
		"", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"GET /live/0?since=0 HTTP/1.1\r\nHost: localhost\r\nView-Key: x\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: evil\r\nOrigin: http://evil\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nx",
		handshake("localhost") + string(binaryFrame(mustEncode(f, rawHello))),
	} {
		f.Add(false, []byte(head))
	}
	made := binaryFrame(mustEncode(f, entries{"type", "make", "id", 2, "env_id", "ToyTeams-v0", "games", 2}))
	made = append(made, binaryFrame(mustEncode(f, entries{"type", "reset", "id", 3, "env", 1, "seed", 1}))...)
	for _, g := range readGolden(f) {
		if len(g.Request) < 1<<10 {
			f.Add(true, append(made[:len(made):len(made)], binaryFrame(g.Request)...))
		}
	}
	for _, h := range hostile {
		if len(h.msg) < 1<<10 {
			f.Add(true, binaryFrame([]byte(h.msg)))
		}
	}
	for first := range 256 {
		f.Add(true, frameBytes(byte(first), []byte{3, 0xe8}))
	}
	f.Fuzz(func(t *testing.T, greeted bool, sent []byte) {
		synctest.Test(t, func(t *testing.T) { connect(t, greeted, sent) })
	})
}

// connect is one connection of FuzzConnection.
func connect(t *testing.T, greeted bool, sent []byte) {
	cfg := testConfig()
	cfg.MaxGames, cfg.maxEnvs, cfg.MaxTotalGames, cfg.MaxMemoryBytes, cfg.maxMessageBytes = 16, 4, 64, 64<<20, 1<<16
	server, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	pipes := newPipes()
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(ctx, pipes) }()
	conn, err := pipes.dial(ctx, "", "")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, conn) }() // until it is closed
	if greeted {
		sent = append(append([]byte(handshake("localhost")), binaryFrame(mustEncode(t, rawHello))...), sent...)
	}
	_, _ = conn.Write(sent) // the server may have had enough before the end
	synctest.Wait()
	conn.Close()
	synctest.Wait()
	if c, g, m := server.connections.Load(), server.games.Load(), server.memory.taken(); c != 0 || g != 0 || m != 0 {
		t.Errorf("%d connections, %d games and %d bytes of the budget are left of a client that has gone", c, g, m)
	}
	stop()
	if err := <-stopped; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// handshake is the head of a request for a WebSocket.
func handshake(host string) string {
	return fmt.Sprintf("GET / HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: "+
		"Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: %s\r\n\r\n", host, Subprotocol)
}

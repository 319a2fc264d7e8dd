package bridge

import (
	"context"
	"flag"
	"net"
	"runtime"
	"sync"
	"testing"
)

var vanishing = flag.Int("vanishing", 200, "how many clients TestVanishingClients has vanish")

// TestVanishingClients has clients vanish as those of a killed process do, eight at a
// time: with environments, in the middle of a step, and of a message. Everything of
// theirs is freed.
func TestVanishingClients(t *testing.T) {
	server := startServer(t, func(c *Config) { c.MaxConnections = 256 }) // those that the server has not noticed yet count
	good := server.dial(t)
	call(t, good, "make", "env_id", "ToySolo-v0", "games", 3)
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			for i := k; i < *vanishing; i += 8 {
				if err := vanish(server, i); err != nil {
					t.Errorf("client %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
	eventually(t, "all is freed", func() bool {
		m := scrape(t, server.Operations())
		return server.connections.Load() == 1 && server.games.Load() == 3 && m["pommego_environments"] == 1 &&
			runtime.NumGoroutine() <= before
	})
	call(t, good, "close", "env", 1)
	if n := server.memory.taken(); n != 0 {
		t.Errorf("%d bytes of the memory budget are still taken", n)
	}
}

// vanish connects, does something, and is gone.
func vanish(server *testServer, i int) error {
	c, err := Dial(context.Background(), server.address, DialOptions{})
	if err != nil {
		return err
	}
	conn := c.ws.NetConn().(*net.TCPConn)
	defer conn.Close()
	if i%2 == 0 {
		conn.SetLinger(0) // a reset, not an end
	}
	if _, err := c.Call("make", "env_id", "ToyTeams-v0", "games", 1+i%50); err != nil {
		return err
	}
	if _, err := c.Call("reset", "env", 1, "seed", i); err != nil {
		return err
	}
	switch i % 3 {
	case 0:
		_, err = c.Send("step", "env", 1, "actions", toyActions(6*(1+i%50), 0, 0))
	case 1:
		_, err = conn.Write([]byte{0x82, 0xfe, 1})
	}
	return err
}

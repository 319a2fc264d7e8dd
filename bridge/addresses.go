package bridge

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
)

// crowd counts connections, or sessions that outlast their requests, in all and by address.
type crowd struct {
	what          string // what is counted
	most, mostOne int64  // in all, and from one address of another machine
	atomic.Int64
	mu   sync.Mutex
	open map[string]int64
}

func (c *crowd) limit(what string, most, mostOne int) {
	c.what, c.most, c.mostOne, c.open = what, int64(most), int64(mostOne), map[string]int64{}
}

// addressOf returns the address that a request comes from, and whether that is this
// machine. A whole /64 of IPv6 counts as one address, since one machine may have all of it.
func addressOf(r *http.Request) (name string, here bool) {
	name, addr := addressName(r.RemoteAddr)
	here = !addr.IsValid() || addr.IsLoopback() // an invalid address is that of a Unix socket
	if own, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		here = here || own.AddrPort().Addr().Unmap().WithZone("") == addr
	}
	return name, here
}

// addressName returns the name under which an address with a port counts; "" if from is no such address.
func addressName(from string) (name string, addr netip.Addr) {
	both, err := netip.ParseAddrPort(from)
	if err != nil {
		return "", addr
	}
	addr = both.Addr().Unmap().WithZone("")
	if whole := addr; whole.Is6() {
		prefix, _ := whole.Prefix(64) // cannot fail: an IPv6 address has such a prefix
		return prefix.Addr().String(), addr
	}
	return addr.String(), addr
}

// enter counts one more of an address until leave is called. If there are too many, it returns a status other than 0,
// and the reason.
func (c *crowd) enter(name string, here bool) (leave func(), status int, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !here && c.open[name] >= c.mostOne:
		return nil, http.StatusTooManyRequests,
			fmt.Sprintf("this address has all of its %d %s; close one, or start the server with a higher --max-connections",
				c.mostOne, c.what)
	case c.Load() >= c.most:
		return nil, http.StatusServiceUnavailable,
			fmt.Sprintf("this server has all of its %d %s; close one or come back later", c.most, c.what)
	}
	c.count(name, here, 1)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.count(name, here, -1)
	}, 0, ""
}

func (c *crowd) count(name string, here bool, by int64) {
	if c.Add(by); !here {
		if c.open[name] += by; c.open[name] == 0 {
			delete(c.open, name)
		}
	}
}

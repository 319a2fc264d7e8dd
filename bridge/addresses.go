package bridge

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
)

// crowd counts connections, or sessions that outlast their requests, in all and by address.
type crowd struct {
	atomic.Int64
	mu   sync.Mutex
	open map[string]int
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

// enter counts one more of an address and reports true, unless the address has as many as it may.
func (a *crowd) enter(name string, most int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[name] >= most {
		return false
	}
	if a.open == nil {
		a.open = map[string]int{}
	}
	a.open[name]++
	return true
}

func (a *crowd) leave(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[name]--; a.open[name] == 0 {
		delete(a.open, name)
	}
}

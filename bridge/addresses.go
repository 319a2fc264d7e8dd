package bridge

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// addresses counts the connections of each address.
type addresses struct {
	mu   sync.Mutex
	open map[string]int
}

// addressOf is where a request comes from, and whether that is this machine. A whole
// /64 of IPv6 counts as one address, since one machine may have all of it.
func addressOf(r *http.Request) (name string, here bool) {
	name, addr := addressName(r.RemoteAddr)
	here = !addr.IsValid() || addr.IsLoopback() // invalid: a Unix socket
	if own, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		here = here || own.AddrPort().Addr().Unmap().WithZone("") == addr
	}
	return name, here
}

// addressName is the name that an address with a port counts under; "" for one without.
func addressName(from string) (name string, addr netip.Addr) {
	both, err := netip.ParseAddrPort(from)
	if err != nil {
		return "", addr
	}
	addr = both.Addr().Unmap().WithZone("")
	if whole := addr; whole.Is6() {
		prefix, _ := whole.Prefix(64) // such an address has one
		return prefix.Addr().String(), addr
	}
	return addr.String(), addr
}

// enter counts a connection of an address, unless it has as many as it may.
func (a *addresses) enter(name string, most int) bool {
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

func (a *addresses) leave(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[name]--; a.open[name] == 0 {
		delete(a.open, name)
	}
}

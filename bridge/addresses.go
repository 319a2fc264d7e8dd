package bridge

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

const (
	// wrongTokens is how many may come from one address in a minute. Then it has to
	// wait, also with the right one, or guessing would go on.
	wrongTokens = 5

	// tokenPause is how long the answer to a wrong one takes.
	tokenPause = 500 * time.Millisecond

	// keptAddresses are those whose wrong tokens are remembered at a time.
	keptAddresses = 1 << 12
)

// addresses is what the server remembers of where its clients come from.
type addresses struct {
	mu    sync.Mutex
	open  map[string]int     // connections of each
	wrong map[string]*bucket // tokens of each
}

// addressOf is where a request comes from, and whether that is this machine. A whole
// /64 of IPv6 counts as one, since one machine may have all of its addresses.
func addressOf(r *http.Request) (name string, here bool) {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return "", true // a Unix socket
	}
	addr := from.Addr().Unmap().WithZone("")
	here = addr.IsLoopback()
	if own, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		here = here || own.AddrPort().Addr().Unmap().WithZone("") == addr
	}
	if addr.Is6() {
		whole, _ := addr.Prefix(64) // such an address has one
		addr = whole.Addr()
	}
	return addr.String(), here
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

// suspect reports whether too many wrong tokens have come from an address.
func (a *addresses) suspect(name string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	b := a.wrong[name]
	return b != nil && b.after(now, wrongTokens/60.0) > wrongTokens-1
}

// noteWrong notes a wrong token. Where there are too many addresses to remember, those that
// have been quiet for longest are forgotten.
func (a *addresses) noteWrong(name string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wrong == nil {
		a.wrong = map[string]*bucket{}
	}
	if a.wrong[name] == nil {
		if len(a.wrong) >= keptAddresses {
			a.forgetQuiet(now)
		}
		a.wrong[name] = &bucket{}
	}
	a.wrong[name].add(now, wrongTokens/60.0, wrongTokens)
}

// forgetQuiet makes room for an address.
func (a *addresses) forgetQuiet(now time.Time) {
	var quiet string
	oldest := now
	for name, b := range a.wrong {
		if b.after(now, wrongTokens/60.0) == 0 {
			delete(a.wrong, name)
		} else if !b.at.After(oldest) {
			quiet, oldest = name, b.at
		}
	}
	if len(a.wrong) >= keptAddresses {
		delete(a.wrong, quiet)
	}
}

package bridge

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// peer is a connection that reads no more than it has been allowed to.
//
// The WebSocket library counts a message's payload, but neither the headers of empty
// fragments nor control frames, so a peer could send those for as long as a message may
// take. So a peer has an allowance of bytes to send, which each complete message
// renews.
type peer interface {
	net.Conn
	allow(bytes int64)
	wait(d time.Duration) // says how long it may take to read a part of an answer; 0: who writes sets deadlines
	settle()              // says that its handshake is over
	silent() bool         // reports whether it has sent nothing yet
}

var errFlood = errors.New("bridge: the peer sends bytes, but no messages")

// meter counts the bytes that a peer may still send.
type meter struct {
	left     atomic.Int64
	patience time.Duration
	onSettle func()
}

func (m *meter) settle()              { m.onSettle() }
func (m *meter) silent() bool         { return m.left.Load() == handshakeBytes }
func (m *meter) allow(bytes int64)    { m.left.Store(bytes) }
func (m *meter) wait(d time.Duration) { m.patience = d }

// write writes a part of an answer, which renews what the peer may send.
func (m *meter) write(to net.Conn, p []byte) (int, error) {
	if m.patience > 0 {
		m.allow(handshakeBytes - 1) // fewer than at first, as it is not silent
		to.SetWriteDeadline(time.Now().Add(m.patience))
	}
	return to.Write(p)
}

func (m *meter) read(from net.Conn, p []byte) (int, error) {
	if m.left.Load() <= 0 {
		return 0, errFlood
	}
	n, err := from.Read(p)
	m.left.Add(-int64(n))
	return n, err
}

func (m *meter) closeConn(c net.Conn) error {
	m.settle()
	return c.Close()
}

// tcpPeer and unixPeer keep the concrete connection, so that header and body of
// a frame go out in one system call (net.Buffers looks for that).
type tcpPeer struct {
	*net.TCPConn
	meter
}

type unixPeer struct {
	*net.UnixConn
	meter
}

type otherPeer struct {
	net.Conn
	meter
}

func (p *tcpPeer) Read(b []byte) (int, error)    { return p.read(p.TCPConn, b) }
func (p *unixPeer) Read(b []byte) (int, error)   { return p.read(p.UnixConn, b) }
func (p *otherPeer) Read(b []byte) (int, error)  { return p.read(p.Conn, b) }
func (p *tcpPeer) Write(b []byte) (int, error)   { return p.write(p.TCPConn, b) }
func (p *unixPeer) Write(b []byte) (int, error)  { return p.write(p.UnixConn, b) }
func (p *otherPeer) Write(b []byte) (int, error) { return p.write(p.Conn, b) }
func (p *tcpPeer) Close() error                  { return p.closeConn(p.TCPConn) }
func (p *unixPeer) Close() error                 { return p.closeConn(p.UnixConn) }
func (p *otherPeer) Close() error                { return p.closeConn(p.Conn) }

// CloseWrite closes the writing side of connections with TLS; others cannot.
func (p *otherPeer) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// newPeer wraps an accepted connection. It calls onSettle with the peer when the handshake is over and when the peer
// is closed.
func newPeer(c net.Conn, onSettle func(peer)) (p peer) {
	settle := func() { onSettle(p) }
	switch c := c.(type) {
	case *net.TCPConn:
		p = &tcpPeer{c, meter{onSettle: settle}}
	case *net.UnixConn:
		p = &unixPeer{c, meter{onSettle: settle}}
	default:
		p = &otherPeer{c, meter{onSettle: settle}}
	}
	return p
}

// handshakeBytes is what a peer may send before it is upgraded: its request's
// header, which http.Server bounds more tightly, and what a buffer reads ahead.
const handshakeBytes = 64 << 10

// spareConnections is how many connections may be in their handshake, besides those that are open.
const spareConnections = 512

// listener accepts peers. If too many are in their handshake, one of them makes room for the new
// one. It is chosen from the address with the most of them: in the older half, the first that has
// sent nothing. So whoever opens connections and says nothing keeps out nobody at other addresses.
type listener struct {
	net.Listener
	mu      sync.Mutex
	waiting []peer // peers in their handshake, the oldest first
}

// Bound limits a listener for short requests to 512 connections. For a further one it closes a connection of the
// address that has the most. A client has 10 s to read each part of an answer.
func Bound(ln net.Listener) net.Listener { return &listener{Listener: ln} }

// ConnContext is for the field of this name of an http.Server on a listener of Bound, whose handlers call Settle.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, c)
}

// Settle takes the connection of a request out of the count of Bound, because something else limits it.
func Settle(r *http.Request) {
	if p, ok := r.Context().Value(peerKey{}).(peer); ok {
		p.settle()
	}
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	p := newPeer(c, l.settled)
	p.allow(handshakeBytes)
	p.wait(2 * lookTimeout)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, p)
	if len(l.waiting) > spareConnections {
		at := crowding(l.waiting)
		go l.waiting[at].Close() // on a goroutine of its own: with TLS, closing may wait for the peer
		l.waiting = slices.Delete(l.waiting, at, at+1)
	}
	return p, nil
}

// crowding returns which of the waiting peers is to make room.
func crowding(waiting []peer) int {
	count, from := map[string]int{}, make([]string, len(waiting))
	most := ""
	for i, p := range waiting {
		from[i], _ = addressName(p.RemoteAddr().String())
		if count[from[i]]++; count[from[i]] > count[most] {
			most = from[i]
		}
	}
	first, left := slices.Index(from, most), (count[most]+1)/2
	for i := first; left > 0; i++ { // the newer half may have had no time to send anything
		if from[i] == most {
			if left--; waiting[i].silent() {
				return i
			}
		}
	}
	return first
}

func (l *listener) settled(p peer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(other peer) bool { return other == p })
}

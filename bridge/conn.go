package bridge

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

// peer is a connection that reads no more than it has been allowed to.
//
// The WebSocket library counts a message's payload, but neither the headers of
// empty fragments nor control frames, so a peer could send those for as long
// as a message may take. An allowance in bytes off the wire, renewed with each
// complete message, ends that.
type peer interface {
	net.Conn
	allow(bytes int64)
}

var errFlood = errors.New("bridge: the peer sends bytes, but no messages")

// meter is what a peer adds to its connection.
type meter struct {
	left    atomic.Int64
	once    sync.Once
	onClose func()
}

func (m *meter) allow(bytes int64) { m.left.Store(bytes) }

func (m *meter) read(from net.Conn, p []byte) (int, error) {
	if m.left.Load() <= 0 {
		return 0, errFlood
	}
	n, err := from.Read(p)
	m.left.Add(-int64(n))
	return n, err
}

func (m *meter) closeConn(c net.Conn) error {
	m.once.Do(m.onClose)
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

func (p *tcpPeer) Read(b []byte) (int, error)   { return p.read(p.TCPConn, b) }
func (p *unixPeer) Read(b []byte) (int, error)  { return p.read(p.UnixConn, b) }
func (p *otherPeer) Read(b []byte) (int, error) { return p.read(p.Conn, b) }
func (p *tcpPeer) Close() error                 { return p.closeConn(p.TCPConn) }
func (p *unixPeer) Close() error                { return p.closeConn(p.UnixConn) }
func (p *otherPeer) Close() error               { return p.closeConn(p.Conn) }

// newPeer wraps an accepted connection. onClose is called once.
func newPeer(c net.Conn, onClose func()) peer {
	switch c := c.(type) {
	case *net.TCPConn:
		p := &tcpPeer{TCPConn: c}
		p.onClose = onClose
		return p
	case *net.UnixConn:
		p := &unixPeer{UnixConn: c}
		p.onClose = onClose
		return p
	}
	p := &otherPeer{Conn: c}
	p.onClose = onClose
	return p
}

// handshakeBytes is what a peer may send before it is upgraded: its request's
// header, which http.Server bounds more tightly, and what a buffer reads ahead.
const handshakeBytes = 64 << 10

// spareConnections may be in their handshake, or on their way out, beyond
// those that are open.
const spareConnections = 64

// listener accepts peers. Past the most it closes new ones at once: they would
// cost a goroutine each just to be told.
type listener struct {
	net.Listener
	open atomic.Int64
	most int64
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) > l.most {
			l.open.Add(-1)
			c.Close()
			continue
		}
		p := newPeer(c, func() { l.open.Add(-1) })
		p.allow(handshakeBytes)
		return p, nil
	}
}

package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

var (
	errText    = errors.New("a text message; this protocol has binary messages only")
	errControl = errors.New("too many control frames")
)

// link is a client's connection, whatever protocol it speaks, and its account of the
// server. Everything is read through it, so that the same bounds hold for all clients:
// on bytes on the wire, on memory and time for messages, and on control frames.
type link struct {
	server *Server
	ws     *websocket.Conn // nil: there is no connection yet
	conn   peer
	client string  // the client's address or name, for the log
	memory account // the memory that the client and its requests take

	longest int // the longest message, in bytes
	spare   int // bytes of a message that do not count, because every connection has them
	kind    int // the kind of its messages; if they are binary, text is an error

	long    chan struct{} // signals that the worker is done with a long message
	working bool          // the worker has a long message; only the reader uses it
	pinged  atomic.Int64  // pings sent and not yet answered

	busy atomic.Int64 // how many messages were read and not yet answered
	idle *time.Timer  // ends the connection once nothing has been asked for so long

	control    float64 // how many control frames the bucket holds; only the reader uses it
	controlled time.Time

	stopOnce sync.Once
	ctx      context.Context // done when the connection is to end
	end      context.CancelFunc
	code     int // the close code to send then; 0: none. Set before ctx ends
	reason   string
	cut      *time.Timer
	cancel   atomic.Bool // ends the request in progress; environments have it
}

// setUp fills in a link without a connection.
func (l *link) setUp(srv *Server, client string) {
	l.server, l.client, l.memory = srv, client, account{budget: &srv.memory}
	l.ctx, l.end = context.WithCancel(context.Background())
}

// guard calls f. It notes a panic, and returns it as an error.
func (l *link) guard(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			l.Fault(v, debug.Stack())
			err = fmt.Errorf("the server failed: %v; please report it", v)
		}
	}()
	f()
	return nil
}

// Fault logs a panic, and counts it.
func (l *link) Fault(value any, stack []byte) {
	l.server.metrics.errors.WithLabelValues(string(codeInternal)).Inc()
	l.server.cfg.Log.Error("fault", "client", l.client, "value", value, "stack", string(stack))
}

// open gives the link its connection.
func (l *link) open(ws *websocket.Conn) {
	l.ws, l.conn = ws, ws.NetConn().(peer)
	l.conn.settle()
	l.conn.wait(0)
	ws.SetPingHandler(l.ping)
	ws.SetPongHandler(l.pong)
	most := l.server.cfg.IdleTimeout
	l.idle = time.AfterFunc(most, func() {
		if l.busy.Load() == 0 {
			l.stop(websocket.CloseGoingAway, fmt.Sprintf("no request for %v", most))
		}
	})
}

// answered gives back what a message or its reply held, once that has gone the one way or the other.
func (l *link) answered(held int64) {
	l.memory.release(held)
	l.idle.Reset(l.server.cfg.IdleTimeout)
	l.busy.Add(-1)
}

// stop ends the connection, once. The request in progress is finished, those behind it are dropped,
// and the peer gets the close code. If that takes too long, stop cuts the connection and the games
// stop; with code 0, when there is no peer, that happens at once. Any goroutine may call stop.
func (l *link) stop(code int, reason string) {
	l.stopOnce.Do(func() {
		l.code, l.reason = code, reason
		if code == 0 {
			l.cancel.Store(true)
		}
		if l.ws != nil {
			l.cut = time.AfterFunc(l.server.cfg.shutdownTimeout, func() {
				l.cancel.Store(true)
				l.conn.Close()
			})
		}
		if l.end(); l.ws != nil {
			l.conn.SetReadDeadline(longAgo) // a deadline that has passed wakes the reader
		}
	})
}

var longAgo = time.Unix(1, 0)

func (l *link) stopped() bool { return l.ctx.Err() != nil }

// sendMessage sends a message. Only one goroutine at a time may call it.
func (l *link) sendMessage(msg []byte) {
	l.ws.SetWriteDeadline(time.Now().Add(l.server.cfg.writeTimeout))
	if err := l.ws.WriteMessage(l.kind, msg); err != nil {
		l.stop(0, err.Error())
		return
	}
	l.server.metrics.sent.Add(float64(len(msg)))
}

// sayGoodbye tells the peer why the connection ends.
func (l *link) sayGoodbye() {
	if l.code == 0 {
		return
	}
	text := l.reason[:min(len(l.reason), 123)] // a control frame holds no more bytes
	closing := websocket.FormatCloseMessage(l.code, strings.ToValidUTF8(text, ""))
	// If it cannot be sent, the peer has gone.
	_ = l.ws.WriteControl(websocket.CloseMessage, closing, time.Now().Add(lingerTime))
}

// linger lets the peer take what has been sent. A connection closed with
// unread bytes in it would be reset, and the peer would lose the last reply.
func (l *link) linger() {
	half, ok := l.conn.(interface{ CloseWrite() error })
	if l.code == 0 || !ok || half.CloseWrite() != nil {
		return
	}
	l.conn.SetReadDeadline(time.Now().Add(lingerTime))
	l.conn.allow(maxMessageBytes)
	_, _ = io.Copy(io.Discard, l.conn)
}

// read reads requests from the connection until the session is to end.
func (s *session) read() {
	cfg := &s.server.cfg
	for {
		var r *request
		select {
		case r = <-s.free:
		case <-s.ctx.Done():
			return
		}
		// There is no deadline here for a request to begin: a timer ends idle sessions.
		if err := s.receive(r, cfg.maxMessageBytes, 0, cfg.messageTimeout); err != nil {
			s.stop(ending(err))
			return
		}
		s.busy.Add(1)
		s.working = len(r.buf) > keepBytes
		s.queue <- r
	}
}

// receive reads one message into r. The message must begin within wait, and arrive
// within whole from then on; 0 means no limit. Of a message longer than limit, receive
// reads all and keeps only the length.
func (l *link) receive(r *request, limit int, wait, whole time.Duration) error {
	l.conn.allow(tooLong*int64(limit) + handshakeBytes)
	l.deadline(wait)
	kind, in, err := l.ws.NextReader()
	if err != nil {
		return err
	}
	if l.working { // what follows a long message waits, but the reader notices a peer that goes
		select {
		case <-l.long:
		case <-l.ctx.Done():
		}
	}
	l.deadline(whole)
	if l.kind == websocket.BinaryMessage && kind != l.kind {
		return errText
	}
	if err = r.fill(in, limit, l); err == nil {
		l.server.metrics.received.Add(float64(r.length))
	}
	return err
}

// deadline sets the time by which reading must end; if the session is to end, that is
// at once.
func (l *link) deadline(d time.Duration) {
	var at time.Time
	if d > 0 {
		at = time.Now().Add(d)
	}
	l.conn.SetReadDeadline(at)
	if l.stopped() {
		l.conn.SetReadDeadline(longAgo) // stop may have set its deadline before ours
	}
}

// fill reads a message. Its buffer grows with the bytes that arrive, as far as there is
// memory for it.
func (r *request) fill(in io.Reader, limit int, l *link) error {
	const least = 4 << 10
	r.buf, r.lacks = r.buf[:0], nil
	for {
		if len(r.buf) == cap(r.buf) {
			if len(r.buf) >= limit {
				break
			}
			size := min(max(2*cap(r.buf), least), max(limit, least))
			if size > l.spare {
				if r.lacks = l.memory.reserve(int64(size)-r.held, "", "a long message"); r.lacks != nil {
					break
				}
				r.held = int64(size)
			}
			grown := make([]byte, len(r.buf), size)
			copy(grown, r.buf)
			r.buf = grown
		}
		n, err := in.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		if err == io.EOF {
			r.length = int64(len(r.buf))
			return nil
		}
		if err != nil {
			return err
		}
	}
	rest, err := io.Copy(io.Discard, in)
	r.length = int64(len(r.buf)) + rest
	return err
}

// ending returns the close code and the reason for an error while reading.
func ending(err error) (code int, reason string) {
	var closed *websocket.CloseError
	var network net.Error
	switch {
	case errors.As(err, &closed):
		return 0, fmt.Sprintf("closed by the client: %d %s", closed.Code, closed.Text)
	case errors.Is(err, errText):
		return websocket.CloseUnsupportedData, err.Error()
	case errors.Is(err, errControl), errors.Is(err, errFlood):
		return websocket.ClosePolicyViolation, err.Error()
	case errors.Is(err, websocket.ErrReadLimit):
		return websocket.CloseMessageTooBig, fmt.Sprintf("a message of more than %d times the limit", tooLong)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return websocket.ClosePolicyViolation, "the message took too long to arrive"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &network):
		return 0, err.Error()
	}
	return websocket.CloseProtocolError, err.Error()
}

// Control frames have a bucket of their own: a peer may send as many as fit, and it
// leaks steadily. Answers to our pings do not count. A client that posts steps in
// shared memory may not read for long, and then answers all pings at once.
const (
	controlBurst  = 50
	controlPerSec = 10
)

func (l *link) pong(string) error {
	if l.pinged.Load() == 0 {
		return l.unasked()
	}
	l.pinged.Add(-1)
	l.conn.allow(tooLong*int64(l.longest) + handshakeBytes)
	return nil
}

// unasked counts a control frame that the peer sends of its own accord, and returns an error if there are too many.
func (l *link) unasked() error {
	leaked := time.Since(l.controlled).Seconds() * controlPerSec
	if l.control, l.controlled = max(0, l.control-leaked)+1, time.Now(); l.control > controlBurst {
		return errControl
	}
	l.conn.allow(tooLong*int64(l.longest) + handshakeBytes)
	return nil
}

func (l *link) ping(data string) error {
	if err := l.unasked(); err != nil {
		return err
	}
	// A peer that does not read gets no answer, and the reader waits for it.
	err := l.ws.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(l.server.cfg.writeTimeout))
	if errors.Is(err, websocket.ErrCloseSent) {
		return nil
	}
	return err
}

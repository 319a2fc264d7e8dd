package bridge

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/gorilla/websocket"
)

var (
	errText    = errors.New("a text message; this protocol has binary messages only")
	errControl = errors.New("too many control frames")
)

// read takes requests off the connection until the session is to end.
func (s *session) read() {
	cfg := &s.server.cfg
	for {
		var r *request
		select {
		case r = <-s.free:
		case <-s.quit:
			return
		}
		// Waiting for a request has no deadline here: write watches over it.
		if err := s.receive(r, cfg.maxMessageBytes, 0, cfg.messageTimeout); err != nil {
			s.stopFor(err)
			return
		}
		s.busy.Add(1)
		s.working = len(r.buf) > keepBytes
		s.queue <- r
	}
}

// receive reads one message into r. It may take wait to begin, and whole to
// arrive from then on; 0 is for ever. A message longer than limit is read to
// its end, and only its length kept.
func (s *session) receive(r *request, limit int, wait, whole time.Duration) error {
	s.conn.allow(tooLong*int64(limit) + handshakeBytes)
	s.deadline(wait)
	kind, in, err := s.ws.NextReader()
	if err != nil {
		return err
	}
	if s.working { // what is read behind a long message waits, but a peer that goes is noticed
		select {
		case <-s.long:
		case <-s.quit:
		}
	}
	s.deadline(whole)
	if kind != websocket.BinaryMessage {
		return errText
	}
	if err = r.fill(in, limit, &s.memory); err == nil {
		s.server.metrics.received.Add(float64(r.length))
	}
	return err
}

// deadline sets the time by which reading must be done, unless the session is
// to end at once.
func (s *session) deadline(d time.Duration) {
	var at time.Time
	if d > 0 {
		at = time.Now().Add(d)
	}
	s.conn.SetReadDeadline(at)
	if s.stopped() {
		s.conn.SetReadDeadline(longAgo) // stop's own may have come before ours
	}
}

// fill reads a message. The buffer grows with what arrives, as far as there is memory
// for it.
func (r *request) fill(in io.Reader, limit int, memory *account) error {
	const least = 4 << 10
	r.buf, r.lacks = r.buf[:0], nil
	for {
		if len(r.buf) == cap(r.buf) {
			if len(r.buf) >= limit {
				break
			}
			size := min(max(2*cap(r.buf), least), max(limit, least))
			if size > keepBytes {
				if r.lacks = memory.reserve(int64(size)-r.held, "", "a long message"); r.lacks != nil {
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

// stopFor ends the session for what went wrong while reading.
func (s *session) stopFor(err error) {
	var closed *websocket.CloseError
	var network net.Error
	switch {
	case errors.As(err, &closed):
		s.stop(0, fmt.Sprintf("closed by the client: %d %s", closed.Code, closed.Text))
	case errors.Is(err, errText):
		s.stop(websocket.CloseUnsupportedData, err.Error())
	case errors.Is(err, errControl), errors.Is(err, errFlood):
		s.stop(websocket.ClosePolicyViolation, err.Error())
	case errors.Is(err, websocket.ErrReadLimit):
		s.stop(websocket.CloseMessageTooBig, fmt.Sprintf("a message of more than %d times the limit", tooLong))
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		s.stop(websocket.ClosePolicyViolation, "the message took too long to arrive")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &network):
		s.stop(0, err.Error())
	default:
		s.stop(websocket.CloseProtocolError, err.Error())
	}
}

// Control frames have a bucket of their own: a peer may send as many as fit,
// and it leaks steadily. Answers to our pings do not count: a client that posts steps
// in shared memory may not read for long, and then answers all of them at once.
const (
	controlBurst  = 50
	controlPerSec = 10
)

// bucket counts what comes, and forgets it at a steady rate.
type bucket struct {
	level float64
	at    time.Time
}

func (b *bucket) add(now time.Time, perSecond, most float64) bool {
	b.level, b.at = b.after(now, perSecond)+1, now
	return b.level <= most
}

func (b *bucket) after(now time.Time, perSecond float64) float64 {
	return max(0, b.level-now.Sub(b.at).Seconds()*perSecond)
}

func (s *session) pong(string) error {
	if s.pinged.Load() == 0 {
		return s.unasked()
	}
	s.pinged.Add(-1)
	s.conn.allow(tooLong*int64(s.server.cfg.maxMessageBytes) + handshakeBytes)
	return nil
}

// unasked notes a control frame that the peer sends of its own accord.
func (s *session) unasked() error {
	if !s.control.add(time.Now(), controlPerSec, controlBurst) {
		return errControl
	}
	s.conn.allow(tooLong*int64(s.server.cfg.maxMessageBytes) + handshakeBytes)
	return nil
}

func (s *session) ping(data string) error {
	if err := s.unasked(); err != nil {
		return err
	}
	// A peer that does not read gets no answer, and no more is read from it.
	err := s.ws.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(s.server.cfg.writeTimeout))
	if errors.Is(err, websocket.ErrCloseSent) {
		return nil
	}
	return err
}

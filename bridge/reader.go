package bridge

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"

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
			s.stop(ending(err))
			return
		}
		s.busy.Add(1)
		s.working = len(r.buf) > keepBytes
		s.queue <- r
	}
}

// ending is how a connection ends for what went wrong while reading.
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

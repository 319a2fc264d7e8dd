package bridge

import (
	"cmp"
	"runtime/debug"
	"time"

	"github.com/gorilla/websocket"
)

// work answers requests until there are no more, and then frees the environments.
func (s *session) work() {
	defer close(s.out)
	for {
		r, more := s.next()
		if !more {
			break
		}
		if s.stopped() {
			continue
		}
		s.stepPosted() // first the steps that were posted before the request was sent
		s.out <- s.answer(r)
		if len(r.buf) > keepBytes {
			r.buf = nil
			s.memory.release(r.held)
			r.held = 0
			s.long <- struct{}{}
		}
		s.free <- r
	}
	s.freeAll()
}

// answer makes the reply to one request. It always makes one, even after a panic; then
// a batch message that was taken is either in the reply or back in its place.
func (s *session) answer(r *request) (rep reply) {
	begun := time.Now()
	defer func() {
		if v := recover(); v != nil {
			s.server.cfg.Log.Error("fault", "client", s.client, "request", r.name, "value", v, "stack", string(debug.Stack()))
			err := fail(codeInternal, "", "please report it; close the environment and make it again", "%s failed: %v", r.name,
				v)
			rep = reply{msg: encodeError(s.server.metrics.failed(err), r.id, r.hasID)}
		}
		s.server.metrics.answered(r.name, time.Since(begun), rep.batch != nil)
		if rep.batch == nil && s.taken != nil {
			s.taken.home <- s.taken
		}
		s.taken = nil
		rep.held, s.held = s.held, 0
	}()
	rep, err := s.handle(r)
	if err != nil && s.cancel.Load() {
		return reply{} // the connection has ended, so nobody would get an error
	}
	if err != nil {
		rep = reply{msg: encodeError(s.server.metrics.failed(asError(err)), r.id, r.hasID)}
	}
	return rep
}

// handle answers a request by the table, with the fields of its message, or what lies in shared memory.
func (s *session) handle(r *request) (reply, error) {
	if e := r.posted; e != nil { // take names it as the batch size needs it
		switch err := e.want(running); {
		case r.name == "send": // the answer to the next recv says what was wrong
			if q := (sendRequest{e.channel.begins(), e.channel.moves(e.pool)}); err == nil {
				err = s.send(e, q)
			}
			e.refused = cmp.Or(e.refused, err)
			return reply{}, nil
		case err != nil:
			return reply{}, err
		case r.name == "recv":
			return s.recvGames(e, r.id, nothing{})
		}
		return s.step(e, r.id, stepRequest{e.channel.moves(e.pool)})
	}
	r.name, r.hasID = "message", false
	if r.lacks != nil {
		return reply{}, r.lacks
	}
	most := s.server.cfg.maxMessageBytes
	if !s.greeted {
		most = helloBytes
	}
	if r.length > int64(most) {
		return reply{}, fail(codeMessageTooLarge, "", "send less at a time; hello's reply has the limits",
			"the message has %d bytes, want at most %d", r.length, most)
	}
	h, err := r.parse(&s.fields)
	switch {
	case err != nil:
		return reply{}, err
	case !s.greeted && r.name != "hello":
		return reply{}, fail(codeHelloExpected, "type", "send hello first", "the first request is %s, want hello", r.name)
	}
	return h.handle(s, &s.fields, r.id)
}

// write sends replies until there are no more, and pings the peer meanwhile. It returns batch
// messages to their place even if the peer has gone, because the worker would wait for them.
func (s *session) write() {
	cfg := &s.server.cfg
	watch := time.NewTicker(cfg.pingInterval)
	defer watch.Stop()
	for {
		select {
		case rep, more := <-s.out:
			if !more {
				s.sayGoodbye()
				return
			}
			if rep.msg != nil { // the request was not cut short
				s.sendMessage(rep.msg)
			}
			if rep.batch != nil {
				rep.batch.home <- rep.batch
			}
			s.answered(rep.held)
		case <-watch.C:
			if s.pinged.Load() < maxUnanswered {
				s.pinged.Add(1)
				if err := s.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(cfg.writeTimeout)); err != nil {
					s.stop(0, err.Error())
				}
			}
		}
	}
}

// maxUnanswered is how many pings may be unanswered before there are no more: a Unix socket holds fewer than
// 300 that its peer does not read. They last for the default IdleTimeout.
const maxUnanswered = 64

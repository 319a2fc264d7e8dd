package bridge

import (
	"fmt"
	"time"

	"github.com/gorilla/websocket"
)

// attention is for how long a session spins after a step before it parks. It
// lets go of the processor between looks if somebody else wants it.
const attention = 200 * time.Microsecond

// next waits for a request. In between it makes the steps that are posted in
// shared memory; while they come it spins for them, as waking takes longer than
// a short step.
func (s *session) next() (r *request, more bool) {
	for {
		queued, stepped := false, false
		if s.attentive {
			s.spinner.Spin(attention, func() bool {
				select {
				case r, more = <-s.queue:
					queued = true
				default:
					stepped = s.stepPosted()
				}
				return queued || stepped
			})
			s.attentive = stepped
		}
		switch {
		case queued:
			return r, more
		case stepped:
			continue
		}
		for _, e := range s.envs {
			if e.channel != nil {
				e.channel.awaitStep()
			}
		}
		select {
		case r, more = <-s.queue:
			return r, more
		case <-s.rung:
			s.attentive = true
		}
	}
}

// stepPosted makes the steps that are posted and reports whether there were any.
func (s *session) stepPosted() (any bool) {
	for _, e := range s.envs {
		if e.channel == nil {
			continue
		}
		for n := e.channel.posted(); n > 0 && !s.stopped(); n-- {
			if slots := len(e.channel.actions); n > slots {
				s.stop(websocket.ClosePolicyViolation, fmt.Sprintf("%d steps posted in %d slots", n, slots))
				break
			}
			s.postedStep(e)
			any = true
		}
	}
	return any
}

// postedStep makes one of them and answers it where it came from; an error goes
// through the socket.
func (s *session) postedStep(e *environment) {
	c := e.channel
	r := c.take(e)
	if r == nil {
		s.stop(websocket.ClosePolicyViolation, fmt.Sprintf("a step whose batch goes to place %d of %d", c.place, len(c.frames)))
		return
	}
	s.busy.Add(1)
	rep := s.answer(r)
	if rep.frame == nil {
		c.answer(0)
		s.out <- rep
		return
	}
	c.answer(len(rep.msg))
	s.busy.Add(-1)
	s.touch()
}

func (s *session) makePosted(r *request) (reply, error) {
	e, c := r.posted, r.posted.channel
	if err := e.wantRunning(); err != nil {
		return reply{}, err
	}
	if err := e.wantBatchSize(false); err != nil {
		return reply{}, err
	}
	if c.frames[c.place] == nil {
		c.frames[c.place] = e.frameAt(c.place, nil)
	}
	return s.stepInto(c.frames[c.place], e, r.id, c.own)
}

package bridge

import (
	"fmt"
	"time"

	"github.com/gorilla/websocket"
)

// How long a session spins after a step before it parks. With a batch size the workers
// need the processor, as their games go on meanwhile. After a simulation the client needs
// it, as a network's turn usually follows.
const (
	stepSpin     = 200 * time.Microsecond
	readySpin    = 30 * time.Microsecond
	simulateSpin = 60 * time.Microsecond
)

// next waits for a request. In between it makes the steps that are posted in
// shared memory; while they come it spins for them, as waking takes longer than
// a short step.
func (s *session) next() (r *request, more bool) {
	for {
		s.admitVisit()
		queued, stepped := false, false
		if s.spinTime > 0 {
			s.spinner.Spin(s.spinTime, func() bool {
				select {
				case r, more = <-s.queue:
					queued = true
				default:
					stepped = s.stepPosted()
				}
				return queued || stepped
			})
			if !stepped {
				s.spinTime = 0
			}
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
		case <-s.stepSignal:
			s.spinTime = stepSpin
		case visit := <-s.visits:
			visit()
		}
	}
}

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

// postedStep makes a posted step. The reply goes into shared memory, or through the
// socket if it is an error or too long. A step that begins games is only acknowledged.
func (s *session) postedStep(e *environment) {
	c := e.channel
	r := c.take(e)
	if r == nil {
		s.stop(websocket.ClosePolicyViolation, c.nonsense())
		return
	}
	s.busy.Add(1)
	s.spinTime = stepSpin
	switch {
	case r.simulates:
		s.spinTime = simulateSpin
	case c.games != nil:
		s.spinTime = readySpin
	}
	rep := s.answer(r)
	sent := rep.batch == nil && rep.msg != nil
	if r.simulates {
		sent = !c.give(rep)
	}
	if sent {
		c.answer(0)
		s.out <- rep
		return
	}
	c.answer(len(rep.msg))
	s.server.metrics.shared.Add(float64(len(rep.msg)))
	s.busy.Add(-1)
	s.touch()
}

package bridge

import (
	"time"

	"github.com/gorilla/websocket"
)

// How long a session spins after a step before it parks. With a batch size it is short,
// since the workers need the processor: their games go on meanwhile. It is short after a
// simulation, since the client needs the processor: usually its network's turn follows.
const (
	stepSpin     = 200 * time.Microsecond
	readySpin    = 30 * time.Microsecond
	simulateSpin = 60 * time.Microsecond
)

// next waits for a request. Meanwhile it makes the steps that are posted in shared
// memory; as long as they come it spins for them, because waking takes longer than a
// short step.
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
			e.channel.awaitStep()
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

// stepPosted makes the steps that are posted, and reports whether there were any. A
// reply goes into shared memory, or through the socket if it is an error or too long.
// For a step that begins games there is only an acknowledgement.
func (s *session) stepPosted() (any bool) {
	for _, e := range s.envs {
		c := e.channel
		for n := c.posted(); n > 0 && !s.stopped(); n-- {
			r, nonsense := c.take(e, n)
			if r == nil {
				s.stop(websocket.ClosePolicyViolation, nonsense)
				break
			}
			any, s.spinTime = true, stepSpin
			s.busy.Add(1)
			switch {
			case r.simulates:
				s.spinTime = simulateSpin
			case c.games != nil:
				s.spinTime = readySpin
			}
			rep := s.answer(r)
			if r.simulates && !c.give(rep) || !r.simulates && rep.batch == nil && rep.msg != nil {
				c.answer(0)
				s.out <- rep
				continue
			}
			c.answer(len(rep.msg))
			s.server.metrics.shared.Add(float64(len(rep.msg)))
			s.answered(rep.held)
		}
	}
	return any
}

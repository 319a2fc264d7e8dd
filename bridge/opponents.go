package bridge

import "pommego/vec"

// opponentsRequest names who plays the seats that do not learn.
type opponentsRequest struct {
	Opponents []string `wire:"opponents,0..256"`
	LineUps   vec.LineUps
}

func (s *session) setOpponents(e *environment, id uint64, q opponentsRequest) (reply, error) {
	switch {
	case q.Opponents == nil && q.LineUps.Names == nil:
		return reply{}, fail(codeMissingField, "opponents", "", "set_opponents needs the field opponents, or line_ups")
	case q.Opponents != nil && (q.LineUps.Names != nil || q.LineUps.Weights != nil || q.LineUps.ByGame != nil):
		return reply{}, fail(codeBadOption, "opponents", "", "opponents and line_ups are both given, want one of them")
	case q.Opponents != nil:
		q.LineUps.Names = [][]string{q.Opponents}
	}
	bytes := e.pool.LineUpBytes(q.LineUps)
	if err := s.memory.reserve(bytes, "opponents", "the new opponents"); err != nil {
		return reply{}, err
	}
	if err := e.pool.SetLineUps(q.LineUps); err != nil {
		s.memory.release(bytes)
		return reply{}, optionError(err)
	}
	s.memory.exchange(&e.agents, bytes)
	s.freeSimulators(e) // they have the opponents before
	return e.ok(id)
}

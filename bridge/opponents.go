package bridge

import (
	"pommego/env"
	"pommego/vec"
)

func init() { registerEnv("set_opponents", false, readOpponents, (*session).setOpponents) }

// readLineUps reads several line-ups, of which each episode has one.
func readLineUps(in *fields) vec.LineUps {
	return vec.LineUps{Names: in.lists("line_ups"), Weights: in.floats("weights"), ByGame: readByGame(in, "by_game")}
}

func readByGame(in *fields, name string) []int32 {
	games := in.tensor(name, env.Int32)
	if games.given() && games.rank != 1 {
		in.wrong(codeWrongShape, name, "", "%s has %d dimensions, want 1", name, games.rank)
	}
	return dataAs[int32](&games)
}

// opponentsRequest names who plays the seats that do not learn.
type opponentsRequest struct {
	opponents []string
	lineUps   vec.LineUps
}

func readOpponents(in *fields) opponentsRequest {
	return opponentsRequest{in.texts("opponents"), readLineUps(in)}
}

func (s *session) setOpponents(e *environment, id uint64, q opponentsRequest) (reply, error) {
	switch {
	case q.opponents == nil && q.lineUps.Names == nil:
		return reply{}, fail(codeMissingField, "opponents", "", "set_opponents needs the field opponents, or line_ups")
	case q.opponents != nil && (q.lineUps.Names != nil || q.lineUps.Weights != nil || q.lineUps.ByGame != nil):
		return reply{}, fail(codeBadOption, "opponents", "", "opponents and line_ups are both given, want one of them")
	case q.opponents != nil:
		q.lineUps.Names = [][]string{q.opponents}
	}
	bytes := e.pool.LineUpBytes(q.lineUps)
	if err := s.memory.reserve(bytes, "opponents", "the new opponents"); err != nil {
		return reply{}, err
	}
	if err := e.pool.SetLineUps(q.lineUps); err != nil {
		s.memory.release(bytes)
		return reply{}, optionError(err)
	}
	s.memory.exchange(&e.bytes, &e.agents, bytes)
	return e.ok(id)
}

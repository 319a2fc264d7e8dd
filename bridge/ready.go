package bridge

import "encoding/binary"

// sendRequest asks for a step of some games of an environment with a batch size.
type sendRequest struct {
	Games   tensor `wire:"games,needed,int32"`
	Actions tensor `wire:"actions,needed,uint8"`
}

func (s *session) sendGames(e *environment, id uint64, q sendRequest) (reply, error) {
	if err := s.send(e, q); err != nil {
		return reply{}, err
	}
	return s.begun(e, id), nil
}

func (s *session) send(e *environment, q sendRequest) error {
	if err := q.Games.want("games", len(q.Games.data)/4); err != nil {
		return err
	}
	e.sent = e.sent[:0]
	for at := 0; at < len(q.Games.data); at += 4 {
		e.sent = append(e.sent, int32(binary.LittleEndian.Uint32(q.Games.data[at:])))
	}
	if err := wantActions(&q.Actions, len(e.sent)*e.pool.Learners(), e.pool.Spec()); err != nil {
		return err
	}
	most := e.pool.Games() - 1
	for k, game := range e.sent {
		if game < 0 || int(game) > most {
			return outOfRange(element("games", k), game, 0, uint64(most))
		}
	}
	if e.noop {
		return nil
	}
	return s.fromVec(e.pool.Send(e.sent, q.Actions.data), "games")
}

// begun returns the reply to a request that begins a step. It uses two buffers in turn:
// while it fills one, the writer has at most the other.
func (s *session) begun(e *environment, id uint64) reply {
	s.okReplies[0], s.okReplies[1] = s.okReplies[1], appendHead(s.okReplies[0][:0], 3, "ok", id, e.handle)
	return reply{msg: s.okReplies[1]}
}

// recvGames answers with the first games that are ready.
func (s *session) recvGames(e *environment, id uint64, _ nothing) (reply, error) {
	if err := e.refused; err != nil {
		e.refused = nil
		return reply{}, err
	}
	return s.advance(e, id, "env", e.pool.Recv)
}

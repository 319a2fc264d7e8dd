package bridge

import (
	"pommego/env"
	"pommego/vec"
)

// stepRequest moves all of an environment's games.
type stepRequest struct {
	Actions tensor `wire:"actions,needed,uint8"`
}

func (s *session) step(e *environment, id uint64, q stepRequest) (reply, error) {
	if err := wantActions(&q.Actions, e.pool.Rows(), e.pool.Spec()); err != nil {
		return reply{}, err
	}
	return s.advance(e, id, "actions", func(b *vec.Batch) error { return e.pool.Step(b, q.Actions.data) })
}

// advance answers with what a step writes to a batch. field is the one that is wrong if it fails.
func (s *session) advance(e *environment, id uint64, field string, step func(*vec.Batch) error) (reply, error) {
	f := s.into(e)
	if e.noop {
		return f.reply(id), nil
	}
	if err := step(f.batch); err != nil {
		return reply{}, s.fromVec(err, field)
	}
	s.server.metrics.steps.Add(float64(f.games))
	e.moves.Add(uint64(f.games))
	return f.reply(id), nil
}

func wantActions(t *tensor, rows int, spec *env.Spec) error {
	components := len(spec.Actions)
	if components == 1 && t.rank == 1 {
		return t.want("actions", rows)
	}
	return t.want("actions", rows, components)
}

func (s *session) observe(e *environment, id uint64, _ nothing) (reply, error) {
	f := s.take(e.messages)
	e.pool.Observe(f.batch)
	return f.reply(id), nil
}

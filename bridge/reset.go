package bridge

import (
	"cmp"
	"fmt"

	"pommego/vec"
)

type resetRequest struct {
	Seed  *uint64 `wire:"seed,0..18446744073709551615"`
	Seeds tensor  `wire:"seeds,uint64"`
	Mask  tensor  `wire:"mask,uint8"`

	States [][]byte `wire:"states,1..65536"` // saved states to begin in
	Starts tensor   `wire:"starts,int32"`    // by game: the number of its state
}

func (s *session) reset(e *environment, id uint64, q resetRequest) (reply, error) {
	bytes := stateBytes(q.States)
	if err := s.memory.reserve(bytes, "states", fmt.Sprintf("%d states", len(q.States))); err != nil {
		return reply{}, err
	}
	defer s.memory.release(bytes)
	o, err := e.resetOptions(&q)
	if err != nil {
		return reply{}, err
	}
	f := s.take(e.messages)
	if err := e.pool.Reset(f.batch, o); err != nil {
		return reply{}, s.fromVec(err, "mask")
	}
	e.refused = nil
	e.running.Store(true)
	e.shown.Store(&shown{number: e.shown.Load().number + 1})
	return f.reply(id), nil
}

func (e *environment) resetOptions(q *resetRequest) (o vec.ResetOptions, err error) {
	games := e.pool.Games()
	o.Seed = q.Seed
	if err := cmp.Or(q.Seeds.want("seeds", games), q.Mask.want("mask", games)); err != nil {
		return o, err
	}
	o.Seeds = dataAs[uint64](&q.Seeds)
	if q.Mask.given() {
		if o.Mask, err = e.readMask(q.Mask.data); err != nil {
			return o, err
		}
	}
	o.Starts, err = e.startsOf(q.States, q.Starts)
	return o, err
}

func (e *environment) readMask(data []byte) ([]bool, error) {
	if e.mask == nil {
		e.mask = make([]bool, len(data))
	}
	some := false
	for i, b := range data {
		if b > 1 {
			return nil, fail(codeOutOfRange, "mask", "", "mask[%d] is %d, want 0 or 1", i, b)
		}
		e.mask[i] = b == 1
		some = some || b == 1
	}
	if !some {
		return nil, fail(codeOutOfRange, "mask", "send observe to see the games as they are",
			"mask is 0 everywhere, want at least one game to reset")
	}
	return e.mask, nil
}

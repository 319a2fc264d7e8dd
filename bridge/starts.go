package bridge

import (
	"fmt"
	"slices"

	"pommego/vec"
)

// startsRequest says where episodes are to begin.
type startsRequest struct {
	States   [][]byte  `wire:"states,needed"`
	Weights  []float64 `wire:"weights"` // nil: 1 each
	Ordinary float64   `wire:"ordinary"`
	Add      bool      `wire:"add"` // add to the states of earlier requests, instead of replacing them
}

func (s *session) setStarts(e *environment, id uint64, q startsRequest) (reply, error) {
	starts := vec.Starts{Ordinary: q.Ordinary}
	if q.Add {
		starts.States, starts.Weights = e.starts.States, e.starts.Weights
	}
	if n := len(starts.States) + len(q.States); n > s.server.cfg.MaxGames {
		return reply{}, fail(codeLimit, "states", "give fewer", "there would be %d states, want at most %d", n,
			s.server.cfg.MaxGames)
	}
	if q.Weights == nil {
		q.Weights = slices.Repeat([]float64{1}, len(q.States))
	}
	if len(q.Weights) != len(q.States) {
		return reply{}, fail(codeWrongShape, "weights", "", "weights has %d entries, want %d, one for each of states",
			len(q.Weights), len(q.States))
	}
	bytes := 2 * stateBytes(q.States) // decoding takes as much again for a while
	if err := s.memory.reserve(bytes, "states", fmt.Sprintf("%d more starts", len(q.States))); err != nil {
		return reply{}, err
	}
	more, err := e.readStarts(q.States, nil)
	if err == nil {
		// Clipped: else a refused addition would stay in the spare room, with its memory released.
		starts.States = append(slices.Clip(starts.States), more...)
		starts.Weights = append(slices.Clip(starts.Weights), q.Weights...)
		err = s.fromVec(e.pool.SetStarts(starts), "states")
	}
	if err != nil {
		s.memory.release(bytes)
		return reply{}, err
	}
	e.starts = starts
	if q.Add {
		e.starting += bytes
	} else {
		s.memory.exchange(&e.starting, bytes)
	}
	return e.ok(id)
}

// stateBytes returns the memory that saved states take once they are decoded.
func stateBytes(states [][]byte) (sum int64) {
	const each = 512 // the memory kept beyond the size of the state itself
	for _, state := range states {
		sum += int64(len(state)) + each
	}
	return sum
}

// readStarts reads states. Unless starts is nil, it has each game's, and errors name the first game of a state.
func (e *environment) readStarts(states [][]byte, starts []int32) ([]*vec.Start, error) {
	all := make([]*vec.Start, len(states))
	for k, state := range states {
		var err error
		if all[k], err = e.pool.NewStart(state); err == nil {
			continue
		}
		if game := slices.Index(starts, int32(k)); game >= 0 {
			return nil, badState(fmt.Sprintf("state for game %d", game), " and rules", err)
		}
		return nil, badState(element("states", k), " and rules", err)
	}
	return all, nil
}

// badState makes the error of a state. It says what must be the same besides the id.
func badState(which, same string, err error) error {
	return fail(codeBadState, "states", "states fit environments of the same id"+same, "%s: %v", which, err)
}

// startsOf returns the starts of the games of a reset; nil if the request has none.
func (e *environment) startsOf(states [][]byte, places tensor) ([]*vec.Start, error) {
	if !places.given() && states == nil {
		return nil, nil
	}
	if !places.given() || states == nil {
		return nil, fail(codeMissingField, "starts", "", "reset has only one of states and starts, want both or neither")
	}
	if err := places.want("starts", e.pool.Games()); err != nil {
		return nil, err
	}
	numbers := dataAs[int32](&places)
	all, err := e.readStarts(states, numbers)
	if err != nil {
		return nil, err
	}
	starts := make([]*vec.Start, e.pool.Games())
	for i, k := range numbers {
		switch {
		case k < -1 || int(k) >= len(all):
			return nil, fail(codeOutOfRange, "starts", "", "starts[%d] is %d, want -1 or the number of one of %d states", i, k,
				len(all))
		case k >= 0:
			starts[i] = all[k]
		}
	}
	return starts, nil
}

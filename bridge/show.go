package bridge

import (
	"cmp"
	"math"
	"slices"

	"pommego/env"
)

// showRequest tells viewers what the client chooses its next actions by.
type showRequest struct {
	Probabilities tensor `wire:"probabilities,float32"`
	Values        tensor `wire:"values,float32"`
}

// shown is what a client has shown viewers at a time.
type shown struct {
	number        int       // how often the client had shown something
	probabilities []float32 // by row and choice; nil: none given
	values        []float32 // by row
}

// show keeps what the client shows. Its reply says whether there are viewers.
func (s *session) show(e *environment, id uint64, q showRequest) (reply, error) {
	rows, choices := e.pool.Games()*(e.pool.Learners()-e.pool.Policies()), e.pool.Spec().MaskSize()
	if err := cmp.Or(q.Probabilities.want("probabilities", rows, choices), q.Values.want("values", rows)); err != nil {
		return reply{}, err
	}
	e.shown.Store(&shown{e.shown.Load().number + 1, dataAs[float32](&q.Probabilities), dataAs[float32](&q.Values)})
	return message("ok", id, "env", int(e.handle), "watched", len(e.followed) > 0)
}

func (s *shown) thoughts(spec *env.Spec, learners []uint8, game int, moved []int) (all []env.Thought) {
	if s.probabilities == nil && s.values == nil {
		return nil
	}
	choices := spec.MaskSize()
	for k, seat := range learners {
		if !slices.Contains(moved, int(seat)) {
			continue
		}
		t, row := env.Thought{Seat: int(seat)}, game*len(learners)+k
		if s.probabilities != nil {
			t.Probabilities = finite(s.probabilities[row*choices:][:choices])
		}
		if s.values != nil {
			if value := finite(s.values[row:][:1]); value != nil {
				t.Value = &value[0]
			}
		}
		all = append(all, t)
	}
	return all
}

// finite returns the numbers; nil, so that none is shown, if JSON lacks one of them.
func finite(numbers []float32) (all []float64) {
	for _, n := range numbers {
		f := float64(n)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
		all = append(all, f)
	}
	return all
}

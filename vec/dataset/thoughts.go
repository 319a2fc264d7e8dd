package dataset

import (
	"encoding/binary"
	"math"

	"pommego/env"
)

// Thinker is what an agent may be besides: one that weighs its choices, and
// tells what it chose by.
type Thinker interface {
	// Weighed writes for each choice of the action's first component how often
	// the last Act tried it, and what it found it to be worth where it did. It
	// returns false if that Act decided without.
	Weighed(visits []int32, values []float64) bool
}

// Thoughts of an episode are one entry for each decision by search, in the order
// of steps and seats: step (4 bytes), seat (1), then for each choice of the
// first component its visits (4) and its value (8, the bits of a float64);
// little-endian.
const thoughtHead = 5

func thoughtSize(choices int) int { return thoughtHead + 12*choices }

// weighed collects what agents chose by.
type weighed struct {
	visits []int32
	values []float64
}

func newWeighed(spec *env.Spec) weighed {
	n := spec.Actions[0].N
	return weighed{make([]int32, n), make([]float64, n)}
}

// append appends what an agent's last Act chose by, if it is one that tells.
func (w *weighed) append(dst []byte, agent env.Agent, step, seat int) []byte {
	thinker, ok := agent.(Thinker)
	if !ok {
		return dst
	}
	clear(w.visits)
	clear(w.values)
	if !thinker.Weighed(w.visits, w.values) {
		return dst
	}
	le := binary.LittleEndian
	dst = append(le.AppendUint32(dst, uint32(step)), uint8(seat))
	for i := range w.visits {
		dst = le.AppendUint32(dst, uint32(w.visits[i]))
		dst = le.AppendUint64(dst, math.Float64bits(w.values[i]))
	}
	return dst
}

// thoughts hands out the entries of an episode, in their order.
type thoughts struct {
	left    []byte
	choices int
}

func (t *thoughts) begin(all []byte, spec *env.Spec) { t.left, t.choices = all, spec.Actions[0].N }

// add adds the values of searchColumns for a step and seat.
func (t *thoughts) add(to *table, step, seat int) {
	le := binary.LittleEndian
	size := thoughtSize(t.choices)
	if len(t.left) < size || int(le.Uint32(t.left)) != step || int(t.left[4]) != seat {
		for range 2 * t.choices {
			to.null()
		}
		return
	}
	entry := t.left[thoughtHead:size]
	t.left = t.left[size:]
	for i := range t.choices {
		to.int32(int(int32(le.Uint32(entry[12*i:]))))
	}
	for i := range t.choices {
		if le.Uint32(entry[12*i:]) == 0 {
			to.null()
		} else {
			to.float64(math.Float64frombits(le.Uint64(entry[12*i+4:])))
		}
	}
}

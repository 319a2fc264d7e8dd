package dataset

import (
	"encoding/binary"
	"math"

	"pommego/env"
)

// SearchStatistics of an episode are one entry for each decision by search, in the order
// of steps and seats: step (4 bytes), seat (1), then the visits of each choice of
// each action component (4 each), and after these their values (8 each, the bits
// of a float64; NaN where there are no visits); little-endian.
const statisticsHead = 5

func statisticsSize(choices int) int { return statisticsHead + 12*choices }

// statisticsBuffer collects what agents chose by.
type statisticsBuffer struct {
	visits []int32
	values []float64
}

func newStatisticsBuffer(spec *env.Spec) statisticsBuffer {
	return statisticsBuffer{make([]int32, spec.MaskSize()), make([]float64, spec.MaskSize())}
}

// append appends what an agent's last Act chose by, if it is one that tells.
func (w *statisticsBuffer) appendEntry(dst []byte, agent any, step, seat int) []byte {
	weigher, ok := agent.(env.SearchReporter)
	if !ok {
		return dst
	}
	clear(w.visits)
	clear(w.values)
	if !weigher.SearchStatistics(w.visits, w.values) {
		return dst
	}
	le := binary.LittleEndian
	dst = append(le.AppendUint32(dst, uint32(step)), uint8(seat))
	for _, n := range w.visits {
		dst = le.AppendUint32(dst, uint32(n))
	}
	for i, x := range w.values {
		if w.visits[i] == 0 {
			x = math.NaN()
		}
		dst = le.AppendUint64(dst, math.Float64bits(x))
	}
	return dst
}

// statisticsReader hands out the entries of an episode, in their order.
type statisticsReader struct {
	left    []byte
	choices int
}

func (t *statisticsReader) begin(all []byte, spec *env.Spec) {
	t.left, t.choices = all, spec.MaskSize()
}

// add adds the values of searchColumns for a step and seat.
func (t *statisticsReader) add(to *table, step, seat int) {
	size := statisticsSize(t.choices)
	if len(t.left) < size || int(binary.LittleEndian.Uint32(t.left)) != step || int(t.left[4]) != seat {
		to.null()
		to.null()
		return
	}
	entry := t.left[statisticsHead:size]
	t.left = t.left[size:]
	to.fixed(entry[:4*t.choices])
	to.fixed(entry[4*t.choices:])
}

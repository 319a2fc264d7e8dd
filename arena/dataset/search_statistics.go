package dataset

import (
	"encoding/binary"
	"math"

	"pommego/env"
)

// searchListener collects what agents that search chose by.
type searchListener struct {
	visits []int32
	values []float64
}

func newSearchListener(spec *env.Spec) searchListener {
	return searchListener{make([]int32, spec.MaskSize()), make([]float64, spec.MaskSize())}
}

// listen notes what an agent's last Act chose by, if it reports that.
func (l *searchListener) listen(e *Episode, agent any, seat int) {
	reporter, ok := agent.(env.SearchReporter)
	if !ok {
		return
	}
	clear(l.visits)
	clear(l.values)
	if !reporter.SearchStatistics(l.visits, l.values) {
		return
	}
	d, le := Decision{Step: e.Steps, Seat: seat}, binary.LittleEndian
	for i, n := range l.visits {
		if n == 0 {
			l.values[i] = math.NaN()
		}
		d.Visits = le.AppendUint32(d.Visits, uint32(n))
		d.Values = le.AppendUint64(d.Values, math.Float64bits(l.values[i]))
	}
	e.Decisions = append(e.Decisions, d)
}

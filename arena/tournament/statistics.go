package tournament

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// confidence is the confidence of every interval.
const confidence = 0.95

// upperTail is the quantile at which a two-sided interval ends.
const upperTail = 1 - (1-confidence)/2

// Estimate is a figure with its interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// rate is k of n with Wilson's interval: the rates from which k would not be
// significantly far away, by the normal approximation at that rate. For n = 0
// nothing is known.
func rate(k, n int) Estimate {
	if n == 0 {
		return Estimate{0, 0, 1}
	}
	z := distuv.UnitNormal.Quantile(upperTail)
	p, size := float64(k)/float64(n), float64(n)
	shrink := 1 + z*z/size
	middle := (p + z*z/(2*size)) / shrink
	half := z / shrink * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	return Estimate{Value: p, Low: max(0, min(p, middle-half)), High: min(1, max(p, middle+half))}
}

// mean is the mean with Student's interval; for a single value, the value. If no value
// is negative, as with a number of kills, the interval is not negative either.
func mean(values []float64) Estimate {
	switch len(values) {
	case 0:
		return Estimate{}
	case 1:
		return Estimate{values[0], values[0], values[0]}
	}
	m, s := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(upperTail) * stat.StdErr(s, n)
	low := m - half
	if slices.Min(values) >= 0 {
		low = max(0, low)
	}
	return Estimate{m, low, m + half}
}

// binomialTest is the probability that k or more of n fair coins fall on one side:
// the exact two-sided test of k against n-k.
func binomialTest(k, n int) float64 {
	if n == 0 {
		return 1
	}
	fewer := float64(min(k, n-k))
	return min(1, 2*distuv.Binomial{N: float64(n), P: 0.5}.CDF(fewer))
}

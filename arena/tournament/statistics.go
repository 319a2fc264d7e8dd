package tournament

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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

// eloPerUnit turns natural units of strength into Elo's: 400 points are odds of
// ten to one.
const eloPerUnit = 400 / math.Ln10

// prior describes what the fit assumes about an agent before its first game; see slope.
const prior = "one more game for each agent, half won and half lost against a rating of 0"

// contest is the result of a table's games: the entrants that met, how many sides
// each had, and how many games each won. A game that nobody won counts as an equal
// share of a win for each of those who tied.
type contest struct {
	entrants []int     // each once
	sides    []float64 // how many sides each had
	shares   []float64 // how many games each won
	games    float64
}

// strengths is the likelihood of the entrants' strengths, given contests. The fit
// finds the strengths of the first free entrants; any other has strength 0.
type strengths struct {
	contests []contest
	free     int
}

func (s *strengths) at(r []float64, entrant int) float64 {
	if entrant < s.free {
		return r[entrant]
	}
	return 0
}

// chances are the entrants' probabilities of winning a game of the contest.
func (s *strengths) chances(c *contest, r []float64) []float64 {
	chances := make([]float64, len(c.entrants))
	for i, e := range c.entrants {
		chances[i] = math.Log(c.sides[i]) + s.at(r, e)
	}
	logSum := floats.LogSumExp(chances)
	for i := range chances {
		chances[i] = math.Exp(chances[i] - logSum)
	}
	return chances
}

// slope is the first and second derivatives of minus the log-likelihood. At its minimum the second are the observed
// information. As a prior each free entrant has also won half a game and lost half against strength 0.
func (s *strengths) slope(r []float64) (*mat.VecDense, *mat.SymDense) {
	grad, h := mat.NewVecDense(s.free, nil), mat.NewSymDense(s.free, nil)
	for i, x := range r {
		grad.SetVec(i, logistic(x)-0.5)
		h.SetSym(i, i, logistic(x)*logistic(-x))
	}
	for i := range s.contests {
		c := &s.contests[i]
		chances := s.chances(c, r)
		for k, e := range c.entrants {
			if e >= s.free {
				continue
			}
			grad.SetVec(e, grad.AtVec(e)+c.games*chances[k]-c.shares[k])
			h.SetSym(e, e, h.At(e, e)+c.games*chances[k])
			for l, f := range c.entrants[:k+1] {
				if f < s.free {
					h.SetSym(e, f, h.At(e, f)-c.games*chances[k]*chances[l])
				}
			}
		}
	}
	return grad, h
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// fit finds the strengths that make the results most likely, and their
// covariances, by Newton's method. Its steps are shortened so that it converges for sums of logistic functions.
func (s *strengths) fit() ([]float64, *mat.SymDense, error) {
	r := make([]float64, s.free)
	for range 200 {
		grad, h := s.slope(r)
		var chol mat.Cholesky
		var step mat.VecDense
		if !chol.Factorize(h) {
			return nil, nil, errors.New("rating: the information is not positive definite")
		}
		if err := chol.SolveVecTo(&step, grad); err != nil {
			return nil, nil, fmt.Errorf("rating: %w", err)
		}
		far := 2 * mat.Norm(&step, math.Inf(1))
		if far < 1e-10 {
			covariance := mat.NewSymDense(s.free, nil)
			return r, covariance, chol.InverseTo(covariance)
		}
		for i := range r {
			r[i] -= step.AtVec(i) * math.Log1p(far) / far
		}
	}
	return nil, nil, errors.New("rating: the fit did not reach the optimum")
}

// ratings are the strengths on Elo's scale, with intervals. Without a fixed
// opponent, whose rating would be 0, their mean is 0.
func (s *strengths) ratings(centred bool) ([]Estimate, error) {
	r, cov, err := s.fit()
	if err != nil {
		return nil, err
	}
	z, n := distuv.UnitNormal.Quantile(upperTail), float64(len(r))
	all := make([]Estimate, len(r))
	for i := range all {
		value, variance := r[i], cov.At(i, i)
		if centred { // the difference from the mean, of which the agent itself is a part
			value -= floats.Sum(r) / n
			variance += mat.Sum(cov)/(n*n) - 2*floats.Sum(mat.Row(nil, i, cov))/n
		}
		half := z * math.Sqrt(max(0, variance))
		all[i] = Estimate{eloPerUnit * value, eloPerUnit * (value - half), eloPerUnit * (value + half)}
	}
	return all, nil
}

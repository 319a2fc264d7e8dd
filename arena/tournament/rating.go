package tournament

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"
)

// eloPerUnit turns natural units of strength into Elo's: 400 points are odds of
// ten to one.
const eloPerUnit = 400 / math.Ln10

// prior names what the fit knows of an agent before its first game; see loss.
const prior = "one more game for each agent, half won and half lost against a rating of 0"

// contest is what a table's games came to: the entrants that met, each as often
// as it had sides, and how the wins were shared. A win is a share of 1; a game
// that nobody won is shared equally by those who tied.
type contest struct {
	entrants []int     // different ones
	sides    []float64 // how many each had
	shares   []float64 // how many games each won
	games    float64
}

// strengths is the likelihood of the entrants' strengths, given contests. The
// first free entrants have strengths to be found; any further one has 0.
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
func (s *strengths) chances(c *contest, r []float64) (chances []float64, logSum float64) {
	chances = make([]float64, len(c.entrants))
	for i, e := range c.entrants {
		chances[i] = math.Log(c.sides[i]) + s.at(r, e)
	}
	logSum = floats.LogSumExp(chances)
	for i := range chances {
		chances[i] = math.Exp(chances[i] - logSum)
	}
	return chances, logSum
}

// loss is minus the log-likelihood, up to a constant. Each free entrant has
// also won half and lost half a game against strength 0.
func (s *strengths) loss(r []float64) float64 {
	sum := 0.0
	for i := range s.contests {
		c := &s.contests[i]
		_, logSum := s.chances(c, r)
		sum += c.games * logSum
		for k, e := range c.entrants {
			sum -= c.shares[k] * s.at(r, e)
		}
	}
	for _, x := range r {
		sum += floats.LogSumExp([]float64{x, 0}) - x/2
	}
	return sum
}

func (s *strengths) gradient(grad, r []float64) {
	for i, x := range r {
		grad[i] = logistic(x) - 0.5
	}
	for i := range s.contests {
		c := &s.contests[i]
		chances, _ := s.chances(c, r)
		for k, e := range c.entrants {
			if e < s.free {
				grad[e] += c.games*chances[k] - c.shares[k]
			}
		}
	}
}

// information is the loss's second derivatives: at the optimum, the observed
// information.
func (s *strengths) information(h *mat.SymDense, r []float64) {
	h.Zero()
	for i, x := range r {
		h.SetSym(i, i, logistic(x)*logistic(-x))
	}
	for i := range s.contests {
		c := &s.contests[i]
		chances, _ := s.chances(c, r)
		for k, e := range c.entrants {
			for l, f := range c.entrants[:k+1] {
				if e >= s.free || f >= s.free {
					continue
				}
				v := -chances[k] * chances[l]
				if k == l {
					v += chances[k]
				}
				h.SetSym(e, f, h.At(e, f)+c.games*v)
			}
		}
	}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// fit finds the strengths that make the results most likely, and their
// covariances.
func (s *strengths) fit() ([]float64, *mat.SymDense, error) {
	problem := optimize.Problem{
		Func: s.loss, Grad: s.gradient,
		Hess: func(h *mat.SymDense, r []float64) { s.information(h, r) },
	}
	found, err := optimize.Minimize(problem, make([]float64, s.free), &optimize.Settings{GradientThreshold: 1e-9},
		&optimize.Newton{})
	if found == nil {
		return nil, nil, fmt.Errorf("rating: %w", err)
	}
	// Newton's line search gives up where rounding hides further progress, so
	// the gradient decides whether this is the optimum.
	grad := make([]float64, s.free)
	if s.gradient(grad, found.X); !(floats.Norm(grad, math.Inf(1)) < 1e-4) {
		return nil, nil, errors.Join(fmt.Errorf("rating: the fit ended %v, short of the optimum", found.Status), err)
	}
	h := mat.NewSymDense(s.free, nil)
	s.information(h, found.X)
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil, nil, errors.New("rating: the information is not positive definite")
	}
	covariance := mat.NewSymDense(s.free, nil)
	err = chol.InverseTo(covariance)
	return found.X, covariance, err
}

// ratings are the strengths on Elo's scale, with intervals. Without a fixed
// opponent, which would be 0, their mean is 0.
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

package tournament

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"pommego/env"
)

// SPRT is a sequential probability ratio test about the first agent's Elo difference to its
// opponent: H0 is Elo0 or less, H1 is Elo1 or more. It is the generalized test on pairs of mirrored games:
// the five scores of a pair may have any distribution whose mean fits the hypothesis.
type SPRT struct {
	Elo0 float64 `json:"elo0"`
	Elo1 float64 `json:"elo1"`
}

const (
	widestElo = 800

	// errorRate is the rate at which a hypothesis is accepted although the other one holds. Likelihoods are
	// estimated, so that errors are up to a fifth more frequent: simulations stay below the documented 0.05.
	errorRate = 0.04
)

// sprtBound is the log-likelihood ratio at which H1 is accepted, and H0 at its negative.
var sprtBound = math.Log((1 - errorRate) / errorRate)

// Test is the result of a sequential test on the games that it has taken.
type Test struct {
	Pairs    [5]int   `json:"pairs"` // how many, by the points of the first agent: 0, 0.5, 1, 1.5, 2
	LLR      float64  `json:"llr"`
	Bound    float64  `json:"bound"`    // H1 is accepted at this LLR, H0 at its negative
	Score    Estimate `json:"score"`    // points per game of the first agent
	Elo      Estimate `json:"elo"`      // the Elo difference of this score, at most widestElo
	Accepted string   `json:"accepted"` // H0, H1, or "" without a decision
}

// String is the result in one line.
func (t *Test) String() string {
	return fmt.Sprintf("LLR %+.2f (%.2f to %.2f), score %.1f %% (%.1f to %.1f), Elo %+.0f (%+.0f to %+.0f)", t.LLR,
		-t.Bound, t.Bound, 100*t.Score.Value, 100*t.Score.Low, 100*t.Score.High, t.Elo.Value, t.Elo.Low, t.Elo.High)
}

func (p *SPRT) validate(c *Config, spec *env.Spec) error {
	switch {
	case !(p.Elo0 < p.Elo1) || p.Elo0 < -widestElo || p.Elo1 > widestElo:
		return fmt.Errorf("the test is between Elo differences of %v and %v, want a lower and a higher one, from %d to %d",
			p.Elo0, p.Elo1, -widestElo, widestElo)
	case len(spec.Teams) != 2:
		return fmt.Errorf("%s has %d sides, want a game with two for a sequential test", spec.ID, len(spec.Teams))
	case len(newSchedule(c, spec).tables) != 1:
		return fmt.Errorf("a sequential test compares two agents, not %q against %q: name one and its opponent", c.Agents,
			c.Against)
	case !c.Mirrored || c.repetitions() > 1:
		return errors.New("a sequential test wants mirrored games without repetitions")
	}
	return nil
}

// sequential takes games in pairs, in the order of the schedule, until it decides. So its result does not
// depend on the order in which games end.
type sequential struct {
	schedule *schedule
	games    int // how many games it has taken
	test     Test
}

// sequential makes the state of the test; nil without a test, which the methods accept.
func (s *schedule) sequential() *sequential {
	if s.config.SPRT == nil {
		return nil
	}
	return &sequential{schedule: s, test: Test{Bound: sprtBound}}
}

// take counts the pairs that are finished, and reports whether the test has ended.
func (q *sequential) take(records []Record) bool {
	for q != nil && q.test.Accepted == "" && q.games+2 <= len(records) {
		points := 0.0
		for i := q.games; i < q.games+2; i++ {
			if records[i].Agents == nil {
				return false
			}
			f, best := q.schedule.game(i), q.schedule.sharing(&records[i])
			if slices.Contains(best, slices.Index(f.sides, 0)) {
				points += 1 / float64(len(best))
			}
		}
		q.games += 2
		q.test.Pairs[int(2*points)]++
		q.test.LLR = llr(q.test.Pairs, q.schedule.config.SPRT)
		switch {
		case q.test.LLR >= sprtBound:
			q.test.Accepted = "H1"
		case q.test.LLR <= -sprtBound:
			q.test.Accepted = "H0"
		}
	}
	return q != nil && q.test.Accepted != ""
}

// result is the test so far, with its estimates.
func (q *sequential) result() *Test {
	if q == nil {
		return nil
	}
	t, pairs, score := q.test, float64(q.games/2), Estimate{0.5, 0, 1}
	scores, weights := weigh(t.Pairs, 0)
	if pairs > 0 {
		score.Value = stat.Mean(scores, weights)
	}
	if pairs > 1 { // one alone leaves the true score unknown
		weights[0], weights[4] = weights[0]+0.5, weights[4]+0.5 // equal pairs alone do not deviate
		middle, sd := stat.MeanStdDev(scores, weights)
		half := distuv.StudentsT{Sigma: 1, Nu: pairs - 1}.Quantile(upperTail) * stat.StdErr(sd, pairs)
		score.Low, score.High = max(0, middle-half), min(1, middle+half)
	}
	elo := func(score float64) float64 { return min(widestElo, max(-widestElo, 400*math.Log10(score/(1-score)))) }
	t.Score, t.Elo = score, Estimate{elo(score.Value), elo(score.Low), elo(score.High)}
	return &t
}

// weigh lists the scores of pairs, in points per game, and for each the number of pairs plus prior.
func weigh(pairs [5]int, prior float64) (scores, weights []float64) {
	for i, n := range pairs {
		scores, weights = append(scores, float64(i)/4), append(weights, float64(n)+prior)
	}
	return scores, weights
}

func scoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// llr is the log of how much likelier the pairs are under H1 than under H0, each with its most likely
// distribution. Each score gets a thousandth of a pair more, so that every score stays possible.
func llr(pairs [5]int, p *SPRT) float64 {
	scores, weights := weigh(pairs, 1e-3)
	s0, s1 := scoreOf(p.Elo0), scoreOf(p.Elo1)
	t0, t1 := tilt(scores, weights, s0), tilt(scores, weights, s1)
	sum := 0.0
	for i, n := range weights {
		sum += n * math.Log((1+t0*(scores[i]-s0))/(1+t1*(scores[i]-s1)))
	}
	return sum
}

// tilt is the t for which weights/(1 + t*(scores-mean)) have this mean: the Lagrange multiplier of the
// likeliest such distribution. The sum below falls as t grows.
func tilt(scores, weights []float64, mean float64) float64 {
	low, high := -1/(1-mean), 1/mean
	for range 50 {
		t, sum := (low+high)/2, 0.0
		for i, n := range weights {
			sum += n * (scores[i] - mean) / (1 + t*(scores[i]-mean))
		}
		if sum > 0 {
			low = t
		} else {
			high = t
		}
	}
	return (low + high) / 2
}

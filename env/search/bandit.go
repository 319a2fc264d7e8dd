package search

import (
	"math"

	"pommego/env"
)

// Bandit is a rule that chooses the move to try next.
type Bandit uint8

// The bandits.
const (
	Random  Bandit = iota // any move, each with the same chance
	UCB1                  // the move with the highest sum of mean score and C times uncertainty
	Exploit               // the move with the highest mean score
	Explore               // the move with the highest uncertainty: the one tried least
)

// tally counts the tries of a move and sums up their scores.
type tally struct {
	sum    float64
	visits int32
}

func (t *tally) add(score float64) {
	t.sum += score
	t.visits++
}

func (t *tally) mean() float64 { return t.sum / float64(t.visits) }

// uncertainty is UCB1's second term. It falls with the visits of the move, and rises
// with logVisits, the logarithm of the visits of all moves together.
func (t *tally) uncertainty(logVisits float64) float64 {
	return math.Sqrt(2 * logVisits / float64(t.visits))
}

// ucb1 is the upper confidence bound. The product is rounded before the sum, so
// that no machine fuses them.
func (t *tally) ucb1(c, logVisits float64) float64 {
	return t.mean() + float64(c*t.uncertainty(logVisits))
}

// logarithm returns the natural logarithm in single precision, because libraries differ
// in the last digits of the double.
func logarithm(n int32) float64 {
	if int(n) < len(logarithms) {
		return logarithms[n]
	}
	return float64(float32(math.Log(float64(n))))
}

// logarithms holds the logarithms of the numbers of visits that are most frequent.
var logarithms = func() (all [1024]float64) {
	for n := range all {
		all[n] = float64(float32(math.Log(float64(n))))
	}
	return all
}()

// arm is a move of a flat search.
type arm struct {
	tally
	move  Move
	final bool // the state after it is terminal, so further tries show nothing new
}

// pull returns the arm to try next among those that are not final, -1 if all are final.
// Every arm must have been tried once.
func (b Bandit) pull(arms []arm, c float64, rng *env.RNG) int {
	open, visits := 0, int32(0)
	for i := range arms {
		visits += arms[i].visits
		if !arms[i].final {
			open++
		}
	}
	if open == 0 {
		return -1
	}
	drawn := -1 // for Random: how many open arms come before the one to take
	if b == Random {
		drawn = rng.IntN(open)
	}
	logVisits := logarithm(visits)
	at, top := -1, 0.0
	for i := range arms {
		if arms[i].final {
			continue
		}
		if drawn == 0 {
			return i
		}
		drawn--
		if value := b.value(&arms[i].tally, c, logVisits); at < 0 || value > top {
			at, top = i, value
		}
	}
	return at
}

func (b Bandit) value(t *tally, c, logVisits float64) float64 {
	switch b {
	case UCB1:
		return t.ucb1(c, logVisits)
	case Explore:
		return t.uncertainty(logVisits)
	}
	return t.mean()
}

package tournament

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"pommego/env"
)

// duels are contests of two against a fixed opponent.
func duels(wins ...float64) strengths {
	s := strengths{free: len(wins)}
	for agent, won := range wins {
		s.contests = append(s.contests, contest{
			entrants: []int{agent, len(wins)}, sides: []float64{1, 1}, shares: []float64{won, 100 - won}, games: 100,
		})
	}
	return s
}

// TestRatingOfDuels: with two sides and a fixed opponent the optimum is known.
// The game added makes k wins of n into k+1/2 of n+1.
func TestRatingOfDuels(t *testing.T) {
	wins := []float64{0, 20, 50, 97.5, 100}
	s := duels(wins...)
	got, err := s.ratings(false)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range wins {
		p := (k + 0.5) / 101
		want := 400 * math.Log10(p/(1-p))
		half := 1.959964 * 400 / math.Ln10 / math.Sqrt(101*p*(1-p))
		if !near(got[i].Value, want, 1e-4) || !near(got[i].High-got[i].Value, half, 1e-2) ||
			!near(got[i].Value-got[i].Low, half, 1e-2) {
			t.Errorf("%v of 100: %+v, want %.2f and %.2f to each side", k, got[i], want, half)
		}
	}
}

// TestRatingOfOneAgainstThree: an agent that wins a quarter is as strong as
// each of the three, and one that wins three quarters is nine times as strong.
func TestRatingOfOneAgainstThree(t *testing.T) {
	s := strengths{free: 2}
	const many = 1e9 // so that the game added does not show
	for agent, won := range []float64{0.25 * many, 0.75 * many} {
		s.contests = append(s.contests,
			contest{entrants: []int{agent, 2}, sides: []float64{1, 3}, shares: []float64{won, many - won}, games: many})
	}
	got, err := s.ratings(false)
	if err != nil {
		t.Fatal(err)
	}
	if !near(got[0].Value, 0, 1e-3) || !near(got[1].Value, 400*math.Log10(9), 1e-3) {
		t.Errorf("%+v, want 0 and %.2f", got, 400*math.Log10(9))
	}
}

// drawn plays games of four entrants with known strengths.
func drawn(strong []float64, games int, rng *env.RNG) strengths {
	s := strengths{free: len(strong)}
	for range games {
		c := contest{games: 1}
		total := 0.0
		for len(c.entrants) < 4 {
			e := rng.IntN(len(strong))
			if !contains(c.entrants, e) {
				c.entrants = append(c.entrants, e)
				total += math.Exp(strong[e])
			}
		}
		c.sides, c.shares = []float64{1, 1, 1, 1}, make([]float64, 4)
		at, winner := float64(rng.Uint64()>>11)/(1<<53)*total, 0
		for at -= math.Exp(strong[c.entrants[0]]); at > 0 && winner < 3; at -= math.Exp(strong[c.entrants[winner]]) {
			winner++
		}
		c.shares[winner] = 1
		s.contests = append(s.contests, c)
	}
	return s
}

func contains(all []int, one int) bool {
	for _, x := range all {
		if x == one {
			return true
		}
	}
	return false
}

// TestRatingRecovers plays games with known strengths: the intervals should
// hold them 95 times of 100.
func TestRatingRecovers(t *testing.T) {
	strong := []float64{-1.2, -0.5, 0.1, 0.4, 1.2}
	rng := env.Seed{Value: 3}.RNG(0)
	const trials = 60
	held := 0
	for range trials {
		s := drawn(strong, 150, &rng)
		got, err := s.ratings(true)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range strong {
			if want *= eloPerUnit; got[i].Low <= want && want <= got[i].High {
				held++
			}
		}
	}
	if share := float64(held) / (trials * 5); share < 0.90 || share > 0.99 {
		t.Errorf("%.1f %% of the intervals hold the true strength, want about 95 %%", 100*share)
	}
}

// loss is minus the log-likelihood, up to a constant.
func (s *strengths) loss(r []float64) float64 {
	sum := 0.0
	for i := range s.contests {
		c := &s.contests[i]
		chances := s.chances(c, r)
		for k := range c.entrants {
			sum -= c.shares[k] * math.Log(chances[k])
		}
	}
	for _, x := range r {
		sum += floats.LogSumExp([]float64{x, 0}) - x/2
	}
	return sum
}

// TestDerivatives compares first and second derivatives with differences.
func TestDerivatives(t *testing.T) {
	rng := env.Seed{Value: 4}.RNG(0)
	s := drawn([]float64{0, 1, 2, 3, 4, 5}, 30, &rng)
	s.free = 5 // the last one is fixed
	r := []float64{0.3, -1, 2, 0.5, -0.2}
	grad, got := s.slope(r)
	for i, want := range fd.Gradient(nil, s.loss, r, nil) {
		if !near(grad.AtVec(i), want, 1e-5) {
			t.Errorf("gradient %d is %v, by differences %v", i, grad.AtVec(i), want)
		}
	}
	want := mat.NewSymDense(5, nil)
	fd.Hessian(want, s.loss, r, nil)
	if !mat.EqualApprox(got, want, 1e-3) {
		t.Errorf("information\n%v\nby differences\n%v", mat.Formatted(got), mat.Formatted(want))
	}
}

// TestRatingsCentred: without a fixed opponent the mean is 0, and unequal
// numbers of wins rank the agents.
func TestRatingsCentred(t *testing.T) {
	s := strengths{free: 3, contests: []contest{
		{entrants: []int{0, 1}, sides: []float64{1, 1}, shares: []float64{9, 1}, games: 10},
		{entrants: []int{1, 2}, sides: []float64{1, 1}, shares: []float64{8, 2}, games: 10},
		{entrants: []int{0, 2}, sides: []float64{1, 1}, shares: []float64{10, 0}, games: 10},
	}}
	got, err := s.ratings(true)
	if err != nil {
		t.Fatal(err)
	}
	if sum := got[0].Value + got[1].Value + got[2].Value; !near(sum, 0, 1e-6) || got[0].Value < got[1].Value ||
		got[1].Value < got[2].Value {
		t.Errorf("%+v, want falling ratings around 0", got)
	}
}

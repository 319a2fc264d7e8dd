package search

import (
	"math"
	"testing"

	"pommego/env"
)

// pulls is how often each arm of a row of slot machines was tried.
func pulls(t *testing.T, b Bandit, means []float64, ticks int, seed uint64) ([]int32, Move) {
	t.Helper()
	f := with[pull]{by: Settings{Bandit: b, C: 25, Depth: 1}}
	found := f.search(&slots{means}, &pull{}, Budget{Ticks: ticks}, &env.RNG{State: seed})
	var n []int32
	for _, a := range f.arms {
		n = append(n, a.visits)
	}
	return n, found.Move
}

// TestBanditsDiffer: each bandit spends its tries in its own way.
func TestBanditsDiffer(t *testing.T) {
	means := []float64{30, 45, 60, 50}
	n, move := pulls(t, Explore, means, 4000, 1)
	for i := range n {
		if n[i] != 1000 {
			t.Errorf("explore tries arm %d %d times of 4000, want each equally often", i, n[i])
		}
	}
	if move != 2 {
		t.Errorf("explore finds %d, want 2", move)
	}
	n, move = pulls(t, Random, means, 4000, 1)
	for i := range n {
		if n[i] < 900 || n[i] > 1100 {
			t.Errorf("random tries arm %d %d times of 4000, want about 1000", i, n[i])
		}
	}
	if move != 2 {
		t.Errorf("random finds %d, want 2", move)
	}
	n, move = pulls(t, UCB1, means, 4000, 1)
	if move != 2 || n[2] < 2000 || n[0] > n[1] || n[1] > n[3] || n[0] < 10 {
		t.Errorf("ucb1 finds %d and tries %v, want the best most often and none forgotten", move, n)
	}
	greedy := 0
	for seed := range uint64(20) {
		n, _ = pulls(t, Exploit, means, 4000, seed)
		for i := range n {
			if n[i] > 3900 {
				greedy++
			}
		}
	}
	if greedy < 15 {
		t.Errorf("exploit stuck to one arm %d times in 20, want most times", greedy)
	}
}

// TestUCB1IsTheFormula compares with the formula written plainly.
func TestUCB1IsTheFormula(t *testing.T) {
	arms := []arm{{tally: tally{sum: 200, visits: 4}}, {tally: tally{sum: 90, visits: 2}},
		{tally: tally{sum: 20, visits: 1}}}
	for _, c := range []float64{0, 1, 10, 25, 100} {
		want, top := 0, -1.0
		for i, a := range arms {
			n := float64(a.visits)
			if x := a.sum/n + c*math.Sqrt(2*math.Log(7)/n); x > top {
				want, top = i, x
			}
			if got, exact := arms[i].ucb1(c, logarithm(7)), a.sum/n+c*math.Sqrt(2*math.Log(7)/n); math.Abs(got-exact) > 1e-4 {
				t.Errorf("C %v, arm %d: %v, want %v", c, i, got, exact)
			}
		}
		if got := UCB1.pull(arms, c, nil); got != want {
			t.Errorf("with C %v arm %d is tried, want %d", c, got, want)
		}
	}
}

// TestFinalArmsAreLeft: an arm that ended the game is not tried again.
func TestFinalArmsAreLeft(t *testing.T) {
	for b := Random; b <= Explore; b++ {
		arms := []arm{
			{tally: tally{90, 1}, final: true}, {tally: tally{10, 1}}, {tally: tally{80, 1}, final: true},
		}
		for seed := range uint64(20) {
			if got := b.pull(arms, 25, &env.RNG{State: seed}); got != 1 {
				t.Fatalf("%v tries arm %d, want 1, the only open one", b, got)
			}
		}
		arms[1].final = true
		if got := b.pull(arms, 25, &env.RNG{}); got != -1 {
			t.Errorf("%v tries arm %d where all are final, want -1", b, got)
		}
	}
}

// TestEqualsAreDrawn: of equally good moves each is as likely.
func TestEqualsAreDrawn(t *testing.T) {
	flat := &hill{heights: []float64{5, 5, 5}, ice: -1}
	var counts [3]int
	for seed := range uint64(3000) {
		counts[walking(ahead).search(flat, &walker{1}, Budget{Ticks: 3}, &env.RNG{State: seed * 7919}).Move]++
	}
	for move, n := range counts {
		if n < 900 || n > 1100 {
			t.Errorf("move %d was taken %d times in 3000, want about 1000", move, n)
		}
	}
}

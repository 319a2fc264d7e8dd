package tournament

import (
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestRate(t *testing.T) {
	for _, test := range []struct {
		k, n      int
		low, high float64
		reason    string
	}{
		{0, 0, 0, 1, "nothing is known"},
		{0, 10, 0, 0.2775, "none of ten"},
		{1, 10, 0.0179, 0.4042, "one of ten"},
		{10, 20, 0.2993, 0.7007, "half"},
		{10, 10, 0.7225, 1, "all of ten"},
		{65, 300, 0.1738, 0.2667, "a quarter, nearly"},
	} {
		got := rate(test.k, test.n)
		if !near(got.Low, test.low, 5e-5) || !near(got.High, test.high, 5e-5) {
			t.Errorf("%s: %d of %d gives %.4f to %.4f, want %.4f to %.4f", test.reason, test.k, test.n, got.Low, got.High,
				test.low, test.high)
		}
	}
}

// TestRateIsScoreTest: at each end of the interval, the observed rate is just
// significantly far away.
func TestRateIsScoreTest(t *testing.T) {
	for n := 1; n <= 60; n++ {
		for k := 0; k <= n; k++ {
			got := rate(k, n)
			for _, end := range []float64{got.Low, got.High} {
				if end == 0 || end == 1 {
					continue
				}
				z := math.Abs(got.Value-end) / math.Sqrt(end*(1-end)/float64(n))
				if p := 2 * distuv.UnitNormal.Survival(z); !near(p, 0.05, 1e-9) {
					t.Fatalf("%d of %d: at %v the test gives p = %v, want 0.05", k, n, end, p)
				}
			}
			if got.Low > got.Value || got.High < got.Value {
				t.Fatalf("%d of %d: %+v", k, n, got)
			}
		}
	}
}

// TestBinomialTest compares with the sum of the coefficients.
func TestBinomialTest(t *testing.T) {
	for n := range 40 {
		for k := range n + 1 {
			sum := 0.0
			for i := range n + 1 {
				if min(i, n-i) <= min(k, n-k) {
					ways, _ := new(big.Float).SetInt(new(big.Int).Binomial(int64(n), int64(i))).Float64()
					sum += ways
				}
			}
			want := sum / math.Pow(2, float64(n))
			if got := binomialTest(k, n); !near(got, want, 1e-12) {
				t.Errorf("%d of %d: p = %v, want %v", k, n, got, want)
			}
		}
	}
	// 94 of 98, as 95.9 % could be in the paper: far beyond chance.
	if p := binomialTest(94, 98); p > 1e-20 || p <= 0 {
		t.Errorf("94 of 98: p = %v", p)
	}
}

func TestMean(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   Estimate
		reason string
	}{
		{nil, Estimate{}, "no value"},
		{[]float64{7}, Estimate{7, 7, 7}, "a single value says nothing of its spread"},
		{[]float64{0, 0, 0, 2}, Estimate{0.5, 0, 2.0912}, "kills are never negative, nor is their interval"},
		{[]float64{-1, 0, 0, 3}, Estimate{0.5, -2.2561, 3.2561}, "what can be negative keeps its interval"},
		{[]float64{1, 2, 3, 4}, Estimate{2.5, 0.4457, 4.5543}, "3.1824 standard errors of 0.6455"},
	} {
		got := mean(test.values)
		if !near(got.Value, test.want.Value, 1e-12) || !near(got.Low, test.want.Low, 5e-5) ||
			!near(got.High, test.want.High, 5e-5) {
			t.Errorf("%s: %+v, want %+v", test.reason, got, test.want)
		}
	}
}

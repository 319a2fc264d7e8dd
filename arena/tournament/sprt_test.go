package tournament

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"pommego/arena/ledger"
	"pommego/arena/match"
)

// pairsOf draws pairs of games with the mean score of an Elo difference, by twice their points. A share of
// the games are ties; on a share of the boards luck decides, so that who won from one side loses from the other.
func pairsOf(rng *rand.Rand, elo, ties, luck float64) (draw func() int) {
	score := scoreOf(elo)
	ties = min(ties, 2*score, 2*(1-score))
	game := func(u float64) int {
		switch won := score - ties/2; {
		case u < won:
			return 2
		case u < won+ties:
			return 1
		}
		return 0
	}
	return func() int {
		u, v := rng.Float64(), rng.Float64()
		if rng.Float64() < luck {
			v = 1 - u
		}
		return game(u) + game(v)
	}
}

// TestSPRTErrors: where an agent's true difference is that of one hypothesis, the other one is accepted in at
// most 5 % of tests, and with no share of ties or of luck in significantly more.
func TestSPRTErrors(t *testing.T) {
	unraced(t)
	const tries, most = 300, 0.05
	shapes := []struct{ ties, luck float64 }{{0, 0}, {0.2, 0}, {0.6, 0}, {0.9, 0}, {0.2, 0.5}, {0.2, 0.9}}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, bounds := range []SPRT{{0, 30}, {-50, 50}, {0, 100}, {100, 150}, {0, 400}} {
		for _, elo := range []float64{bounds.Elo0, bounds.Elo1} {
			all := 0
			for _, shape := range shapes {
				wrong, draw := 0, pairsOf(rng, elo, shape.ties, shape.luck)
				for range tries {
					var pairs [5]int
					value := 0.0
					for math.Abs(value) < sprtBound {
						pairs[draw()]++
						value = llr(pairs, &bounds)
					}
					if (value > 0) != (elo == bounds.Elo1) {
						wrong++
					}
				}
				if rate(wrong, tries).Low > most {
					t.Errorf("%v, true Elo %v, %+v: %d of %d tests accept the wrong hypothesis", bounds, elo, shape, wrong, tries)
				}
				all += wrong
			}
			if n := tries * len(shapes); float64(all) > most*float64(n) {
				t.Errorf("%v, true Elo %v: %d of %d tests accept the wrong hypothesis", bounds, elo, all, n)
			}
		}
	}
}

// TestLLR: what favours one agent speaks against the other just as much, and pairs that are worth the
// mean of the hypotheses speak for none.
func TestLLR(t *testing.T) {
	for _, tc := range []struct {
		pairs  [5]int
		bounds SPRT
		want   float64
		reason string
	}{
		{[5]int{}, SPRT{0, 10}, 0, "no pairs"},
		{[5]int{3, 5, 9, 5, 3}, SPRT{-20, 20}, 0, "as good as each other, between equal bounds"},
		{[5]int{0, 0, 100, 0, 0}, SPRT{0, 400}, 100 * math.Log(2*(1-scoreOf(400))), "only ties: H1 has the fewest it can"},
		{[5]int{0, 0, 0, 0, 100}, SPRT{0, 400}, 100 * math.Log(scoreOf(400)/0.5), "only wins: each has the most it can"},
	} {
		if got := llr(tc.pairs, &tc.bounds); math.Abs(got-tc.want) > 0.05 {
			t.Errorf("%s: %v of %v within %v, want %v", tc.reason, got, tc.pairs, tc.bounds, tc.want)
		}
		turned := tc.pairs
		turned[0], turned[1], turned[3], turned[4] = turned[4], turned[3], turned[1], turned[0]
		other := SPRT{-tc.bounds.Elo1, -tc.bounds.Elo0}
		if a, b := llr(tc.pairs, &tc.bounds), llr(turned, &other); math.Abs(a+b) > 1e-6 {
			t.Errorf("%s: %v for one agent, %v for the other", tc.reason, a, b)
		}
	}
}

// TestEqualPairs: pairs of one score leave the true score unknown, and the interval has the score.
func TestEqualPairs(t *testing.T) {
	for _, pairs := range [][5]int{{4: 2}, {4: 40}, {3: 1000}, {2: 20}, {0: 30}} {
		s := schedule{config: &Config{SPRT: &SPRT{0, 10}}}
		q := s.sequential()
		q.test.Pairs = pairs
		for _, n := range pairs {
			q.games += 2 * n
		}
		if e := q.result().Score; !(e.Low <= e.Value && e.Value <= e.High && e.Low < e.High) ||
			e.High-e.Low > 0.9 && q.games > 4 {
			t.Errorf("%v: score %+v, want an interval about it", pairs, e)
		}
	}
}

// TestOnePair: a single pair has a score, and the true one may be any.
func TestOnePair(t *testing.T) {
	for points := range 5 {
		q := (&schedule{config: &Config{SPRT: &SPRT{0, 10}}}).sequential()
		q.test.Pairs[points], q.games = 1, 2
		if r := q.result(); r.Score != (Estimate{float64(points) / 4, 0, 1}) || r.Elo.Low != -widestElo ||
			r.Elo.High != widestElo || (r.Elo.Value > 0) != (points > 2) || (r.Elo.Value < 0) != (points < 2) {
			t.Errorf("%d half points: %+v", points, r)
		}
	}
}

// tested is a tournament of random with a sequential test.
func tested(t *testing.T, against string, games int, bounds SPRT) *Tournament {
	t.Helper()
	tour, err := New(game(t, teamID), Config{Format: TwoAgainstTwo, Agents: []string{"random"}, Against: against,
		Games: games, Mirrored: true, Seed: 7, SPRT: &bounds})
	if err != nil {
		t.Fatal(err)
	}
	return tour
}

// TestSPRTEnds: the games end at the same pair with any number of workers and any number of
// interruptions, what differs is told apart, and what is the same is not.
func TestSPRTEnds(t *testing.T) {
	for _, tc := range []struct {
		against, accepted string
		games             int
		bounds            SPRT
	}{
		{"simple", "H0", 2000, SPRT{-50, 0}},
		{"static", "H0", 2000, SPRT{-50, 0}},
		{"random", "H0", 2000, SPRT{0, 50}},
		{"random", "H1", 2000, SPRT{-50, 0}},
		{"random", "", 8, SPRT{-50, 0}},
	} {
		tour := tested(t, tc.against, tc.games, tc.bounds)
		onCores(t, 1)
		alone, err := tour.Run(context.Background(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		test := alone.Results.Test
		if alone.Results.Played != alone.Results.Config.Games || test.Accepted != tc.accepted ||
			(tc.accepted == "") != (alone.Results.Played == tc.games) {
			t.Errorf("against %s: %d games of %d, %+v; want %q", tc.against, alone.Results.Played, tc.games, test, tc.accepted)
		}
		path, stops := filepath.Join(t.TempDir(), "games.jsonl"), 0
		onCores(t, 3)
		for ; ; stops++ {
			ctx, stop := context.WithCancel(context.Background())
			report, err := tour.Run(ctx, Options{Log: path, Progress: func(p Progress) {
				if p.Done >= p.Resumed+4 {
					stop()
				}
			}})
			stop()
			if err == nil {
				if asJSON(t, report.Results) != asJSON(t, alone.Results) {
					t.Errorf("against %s: stopped %d times: other results", tc.against, stops)
				}
				break
			}
			if !errors.Is(err, ledger.ErrStopped) {
				t.Fatal(err)
			}
		}
		kept, err := Read(path, find)
		if err != nil {
			t.Fatal(err)
		}
		writeResults(t, path, alone.Results)
		if read := kept.Results(); read == nil || read.Played != alone.Results.Played {
			t.Errorf("against %s: there are results %v, want those of %d games", tc.against, read, alone.Results.Played)
		}
	}
	if _, err := tested(t, "random", 8, SPRT{-50, 0}).Run(context.Background(), Options{Progress: func(p Progress) {
		if p.Test == nil || p.Test.Bound < 2.94 {
			t.Errorf("progress has the test %v", p.Test)
		}
	}}); err != nil {
		t.Fatal(err)
	}
	r := run{test: &sequential{}, played: 99}
	if r.LeftOut = 1; r.leaveOut(match.ErrVoid) == nil {
		t.Error("a test goes on without a game")
	}
}

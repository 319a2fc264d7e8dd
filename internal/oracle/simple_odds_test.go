package main

import (
	"math"
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman/bots/simple"
)

// TestFrequencies draws each recorded decision with an RNG, many times, and holds
// the counts against the recorded probabilities by a chi-square test.
func TestFrequencies(t *testing.T) {
	const times = 300
	statistic, freedom := 0.0, 0
	rng := env.Seed{Value: 2026}.RNG(env.StreamAgents)
	for i, line := range decisions(t) {
		d, err := readDecision(line, false)
		if err != nil {
			t.Fatal(err)
		}
		var counts [choices]int
		bot := d.agent()
		for range times {
			counts[d.play(bot, rng.Uint64())]++
		}
		s, f, rare := 0.0, -1, false
		for action, p := range d.probs {
			if (counts[action] > 0) && !d.possible.has(action) {
				t.Fatalf("decision %d: action %d came up %d times, want never", i+1, action, counts[action])
			}
			if p > 0 {
				expected := p * times
				s += (float64(counts[action]) - expected) * (float64(counts[action]) - expected) / expected
				f++
				rare = rare || expected < 5
			}
		}
		if !rare {
			statistic += s
			freedom += f
		}
	}
	// Over so many degrees of freedom the statistic is nearly normal.
	z := (statistic - float64(freedom)) / math.Sqrt(2*float64(freedom))
	if freedom < 2000 || math.Abs(z) > 4 {
		t.Errorf("chi-square %.1f for %d degrees of freedom, %.1f standard deviations off", statistic, freedom, z)
	}
}

// TestPartialSearch shows that tossing only the coins that matter leaves every
// action its probability.
func TestPartialSearch(t *testing.T) {
	compared := 0
	for seed := range uint64(3000) {
		v, rng := pommermantest.RandomView(seed)
		m := simple.Memory{Heading: grid.Dir(rng.IntN(5))}
		for range rng.IntN(10) {
			row, col := v.Self.Cell.Row()+rng.IntN(3)-1, v.Self.Cell.Col()+rng.IntN(3)-1
			if c := grid.At(row, col); c.OnBoard(v.Rules.BoardSize) {
				m.Recent.Add(c)
			}
		}
		var tosses replay
		again := m
		again.Decide(v, false, &tosses)
		if tosses.tossed > 10 {
			continue
		}
		compared++
		want := odds(v, m, false, new(wholeOutcomes))
		got := odds(v, m, false, new(outcomes))
		for action := range got {
			if math.Abs(got[action]-want[action]) > 1e-9 {
				t.Fatalf("seed %d: probabilities %v, with all coins tossed %v; view:\n%s", seed, got, want,
					pommermantest.Picture(v))
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d views had few enough coins to try them all", compared)
	}
}

// wholeOutcomes goes through all sequences of all draws.
type wholeOutcomes struct{ outcomes }

func (*wholeOutcomes) Whole() bool { return true }

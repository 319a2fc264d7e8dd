package search

import (
	"slices"
	"testing"

	"pommego/env"
)

// TestPlan is handed from one decision to the next, even if the searcher has served
// another agent between them.
func TestPlan(t *testing.T) {
	var rng env.RNG
	set := walking(rolling)
	decide := func(at int, plan []Move, ticks int) []Move {
		set.Plan = slices.Clone(plan)
		set.search(slope(), &walker{at}, Budget{Ticks: ticks}, &rng)
		return slices.Clone(set.Plan)
	}
	own := decide(top, nil, 4000)
	if len(own) != rolling.Length-1 {
		t.Fatalf("%d moves are left of the plan, want %d", len(own), rolling.Length-1)
	}
	decide(0, nil, 400)
	set.Plan = slices.Clone(own)
	if found := set.search(slope(), &walker{top - 1}, Budget{Ticks: 1}, &rng); found.Move != own[0] {
		t.Errorf("move %d is made, want %d as planned", found.Move, own[0])
	}
	set.by = tree
	if left := decide(top, nil, 50); len(left) != 0 {
		t.Errorf("a search without a plan leaves %v of one", left)
	}
}

// TestBest: the highest score wins, and of equals each is as likely.
func TestBest(t *testing.T) {
	var rng env.RNG
	var none Best[string]
	if none.Found() {
		t.Error("there is a best of nothing")
	}
	counts := map[string]int{}
	for range 3000 {
		var b Best[string]
		for _, c := range []struct {
			name  string
			score float64
		}{{"a", -3}, {"b", 2}, {"c", 1}, {"d", 2}, {"e", 2}} {
			b.Offer(c.name, c.score, &rng)
		}
		if b.Score != 2 || !b.Found() {
			t.Fatalf("the best is %+v, want a score of 2", b)
		}
		counts[b.Choice]++
	}
	if len(counts) != 3 || min(counts["b"], counts["d"], counts["e"]) < 850 {
		t.Errorf("chosen are %v, want b, d and e about 1000 times each", counts)
	}
}

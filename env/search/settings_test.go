package search

import (
	"fmt"
	"testing"

	"pommego/env"
)

// TestUse: each method is the search it is named after, with the settings' numbers.
func TestUse(t *testing.T) {
	var set Set[walker]
	s := Settings{C: 2, Depth: 3, Samples: 4, Length: 5, Population: 6, Mutation: 0.5, Bandit: Explore, Memory: 8000}
	for method, want := range []Planner[walker]{
		FlatMonteCarlo: &Flat[walker]{Bandit: Explore, C: 2, Depth: 3},
		TreeSearch:     &Tree[walker]{C: 2, Depth: 3, MaxNodes: maxNodes},
		BreadthFirst:   &Breadth[walker]{MaxNodes: 1000}, // of 8 bytes each
		LookAhead:      &Ahead[walker]{Samples: 4},
		RollingHorizon: &Rolling[walker]{Length: 5, Population: 6, Mutation: 0.5},
	} {
		s.Method = Method(method)
		if got := set.Use(&s); fmt.Sprintf("%T%+v", got, got) != fmt.Sprintf("%T%+v", want, want) {
			t.Errorf("method %d uses %T %+v, want %T %+v", method, got, got, want, want)
		}
	}
}

// TestPlan is handed from one decision to the next, even if the set has served
// another agent between them.
func TestPlan(t *testing.T) {
	var set Set[walker]
	var rng env.RNG
	s := Settings{Method: RollingHorizon, Length: 12, Population: 8}
	decide := func(at int, plan []Move, ticks int) []Move {
		set.SetPlan(plan)
		set.Use(&s).Search(slope(), &walker{at}, Budget{Ticks: ticks}, &rng)
		return append([]Move(nil), set.Plan()...)
	}
	own := decide(top, nil, 4000)
	if len(own) != s.Length-1 {
		t.Fatalf("%d moves are left of the plan, want %d", len(own), s.Length-1)
	}
	decide(0, nil, 400)
	set.SetPlan(own)
	if found := set.Use(&s).Search(slope(), &walker{top - 1}, Budget{Ticks: 1}, &rng); found.Move != own[0] {
		t.Errorf("move %d is made, want %d as planned", found.Move, own[0])
	}
	s.Method = TreeSearch
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

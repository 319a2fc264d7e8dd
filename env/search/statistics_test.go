package search

import (
	"fmt"
	"testing"

	"pommego/env"
)

// TestStatistics: the move found is the best of those tried and its value is the
// score found, nothing is said of moves that do not exist, and what was searched
// before leaves no trace.
func TestStatistics(t *testing.T) {
	used := planners()
	for name, p := range planners() {
		for ticks := 1; ticks < 200; ticks += 3 {
			for _, from := range []int{10, 0, 4, top} {
				h := slope()
				h.wind = ticks%2 == 0
				q := used[name]
				q.search(slope(), &walker{20}, Budget{Ticks: 60}, &env.RNG{State: 7}) // disturbs it
				p.Plan, q.Plan = nil, nil
				found := p.search(h, &walker{from}, Budget{Ticks: ticks}, &env.RNG{State: uint64(ticks)})
				again := q.search(h, &walker{from}, Budget{Ticks: ticks}, &env.RNG{State: uint64(ticks)})
				what := fmt.Sprintf("%s from %d with %d ticks", name, from, ticks)
				if got, want := fmt.Sprint(again.Tried), fmt.Sprint(found.Tried); got != want {
					t.Fatalf("%s: used before it reports %s, new %s", what, got, want)
				}
				checkStatistics(t, what, found, from)
			}
		}
	}
}

func checkStatistics(t *testing.T, what string, found Found, from int) {
	t.Helper()
	chosen := found.Tried[found.Move]
	if chosen.Visits == 0 || chosen.Value != found.Score {
		t.Fatalf("%s: %+v was found, but its weight is %+v", what, found, chosen)
	}
	for move, w := range found.Tried {
		exists := move <= int(right) && (from > 0 || move != int(left))
		if w.Visits < 0 || w.Visits == 0 && w.Value != 0 || w.Visits > 0 && !exists {
			t.Fatalf("%s: move %d has the weight %+v", what, move, w)
		}
		if w.Visits > 0 && w.Value > chosen.Value {
			t.Fatalf("%s: %+v was found, but move %d has the weight %+v", what, found, move, w)
		}
	}
}

// TestVisitsAddUp to what a search did.
func TestVisitsAddUp(t *testing.T) {
	for _, test := range []struct {
		by     Settings
		ticks  int
		want   int32
		reason string
	}{
		{Settings{Method: LookAhead, Samples: 10}, 1000, 30, "each of three moves ten times"},
		{Settings{Depth: 1}, 303, 303, "each move once, and then roll-outs of one tick"},
		{Settings{Method: TreeSearch}, 100, 100, "a tick for each round, as long as there are no terminal states"},
		{breadth, 12, 9, "of two levels, the nine states of the second"},
		{Settings{Method: RollingHorizon, Length: 1, Population: 8}, 64, 64, "each plan is one tick"},
	} {
		sum := int32(0)
		found := walking(test.by).search(slope(), &walker{9}, Budget{Ticks: test.ticks}, &env.RNG{State: 1})
		for _, w := range found.Tried {
			sum += w.Visits
		}
		if sum != test.want {
			t.Errorf("%+v with %d ticks: %d visits, want %d: %s", test.by, test.ticks, sum, test.want, test.reason)
		}
	}
}

// TestNoSearchStatistics where there is nothing to choose from, even if there was
// before.
func TestNoSearchStatistics(t *testing.T) {
	many, single := &slots{means: []float64{5, 3}}, &slots{means: []float64{5}}
	for method := FlatMonteCarlo; method <= RollingHorizon; method++ {
		p := with[pull]{by: Settings{Method: method, C: 25, Depth: 3, Length: 12, Population: 8}}
		p.search(many, &pull{}, Budget{Ticks: 50}, &env.RNG{})
		if found := p.search(single, &pull{}, Budget{Ticks: 50}, &env.RNG{}); len(found.Tried) > 0 {
			t.Errorf("method %d reports %v, want nothing", method, found.Tried)
		}
	}
}

// TestMemo keeps what two searches found for two components, of which the first
// comes later or not at all.
func TestMemo(t *testing.T) {
	want := walking(flat(Random)).search(slope(), &walker{9}, Budget{Ticks: 90}, &env.RNG{}).Tried
	var m Memo
	visits, values := make([]int32, 6), make([]float64, 6)
	if m.SearchStatistics(visits, values) {
		t.Error("an empty memo says that something was searched")
	}
	m.Keep(3, want)
	if !m.SearchStatistics(visits, values) || visits[0] != 0 || visits[3] != want[0].Visits || values[5] != want[2].Value {
		t.Errorf("visits %v and values %v, want those of %v from 3 on", visits, values, want)
	}
	m.Keep(0, want)
	if !m.SearchStatistics(visits, values) || visits[2] != want[2].Visits || visits[3] != want[0].Visits {
		t.Errorf("visits %v, want those of %v twice", visits, want)
	}
	if n := testing.AllocsPerRun(20, func() { m.Forget(); m.Keep(3, want) }); n != 0 {
		t.Errorf("keeping allocates %v times, want 0", n)
	}
	clear(visits)
	m.Forget()
	m.Keep(3, want)
	if m.SearchStatistics(visits, values); visits[0] != 0 {
		t.Errorf("visits %v, want none of what was forgotten", visits)
	}
}

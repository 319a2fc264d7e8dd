package search

import (
	"fmt"
	"testing"

	"pommego/env"
)

// statisticsOf is what a search says of the last move it found, with some room that
// no move has.
func statisticsOf(p Reporter) []MoveStatistics {
	all := make([]MoveStatistics, 5)
	p.Statistics(all)
	return all
}

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
				q.Search(slope(), &walker{20}, Budget{Ticks: 60}, &env.RNG{State: 7}) // disturbs it
				for _, r := range []Planner[walker]{p, q} {
					if r, ok := r.(*Rolling[walker]); ok {
						r.Plan = nil
					}
				}
				found := p.Search(h, &walker{from}, Budget{Ticks: ticks}, &env.RNG{State: uint64(ticks)})
				q.Search(h, &walker{from}, Budget{Ticks: ticks}, &env.RNG{State: uint64(ticks)})
				what := fmt.Sprintf("%s from %d with %d ticks", name, from, ticks)
				tallies := statisticsOf(p)
				if got, want := fmt.Sprint(statisticsOf(q)), fmt.Sprint(tallies); got != want {
					t.Fatalf("%s: used before it reports %s, new %s", what, got, want)
				}
				checkStatistics(t, what, tallies, found, from)
			}
		}
	}
}

func checkStatistics(t *testing.T, what string, tallies []MoveStatistics, found Found, from int) {
	t.Helper()
	chosen := tallies[found.Move]
	if chosen.Visits == 0 || chosen.Value != found.Score {
		t.Fatalf("%s: %+v was found, but its weight is %+v", what, found, chosen)
	}
	for move, w := range tallies {
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
		by     Planner[walker]
		ticks  int
		want   int32
		reason string
	}{
		{&Ahead[walker]{Samples: 10}, 1000, 30, "each of three moves ten times"},
		{&Flat[walker]{Depth: 1}, 303, 303, "each move once, and then roll-outs of one tick"},
		{&Tree[walker]{}, 100, 100, "a tick for each round, as long as there are no terminal states"},
		{&Breadth[walker]{}, 12, 9, "of two levels, the nine states of the second"},
		{&Rolling[walker]{Length: 1, Population: 8}, 64, 64, "each plan is one tick"},
	} {
		sum := int32(0)
		test.by.Search(slope(), &walker{9}, Budget{Ticks: test.ticks}, &env.RNG{State: 1})
		for _, w := range statisticsOf(test.by) {
			sum += w.Visits
		}
		if sum != test.want {
			t.Errorf("%T with %d ticks: %d visits, want %d: %s", test.by, test.ticks, sum, test.want, test.reason)
		}
	}
}

// TestNoSearchStatistics where there is nothing to choose from, even if there was
// before.
func TestNoSearchStatistics(t *testing.T) {
	many, single := &slots{means: []float64{5, 3}}, &slots{means: []float64{5}}
	for name, p := range map[string]Planner[pull]{
		"breadth": &Breadth[pull]{}, "flat": &Flat[pull]{Depth: 3}, "tree": &Tree[pull]{C: 25, Depth: 3},
		"ahead": &Ahead[pull]{}, "rolling": &Rolling[pull]{Length: 12, Population: 8},
	} {
		p.Search(many, &pull{}, Budget{Ticks: 50}, &env.RNG{})
		p.Search(single, &pull{}, Budget{Ticks: 50}, &env.RNG{})
		if got := statisticsOf(p); got[0] != (MoveStatistics{}) || got[1] != (MoveStatistics{}) {
			t.Errorf("%s reports %v, want nothing", name, got)
		}
	}
}

// TestMemo keeps what two searches found for two components, of which the first
// comes later or not at all.
func TestMemo(t *testing.T) {
	flat := &Flat[walker]{Depth: 3}
	flat.Search(slope(), &walker{9}, Budget{Ticks: 90}, &env.RNG{})
	want := statisticsOf(flat)
	var m Memo
	visits, values := make([]int32, 6), make([]float64, 6)
	if m.SearchStatistics(visits, values) {
		t.Error("an empty memo says that something was searched")
	}
	Keep(&m, flat, 3, 3)
	if !m.SearchStatistics(visits, values) || visits[0] != 0 || visits[3] != want[0].Visits || values[5] != want[2].Value {
		t.Errorf("visits %v and values %v, want those of %v from 3 on", visits, values, want)
	}
	Keep(&m, flat, 0, 3)
	if !m.SearchStatistics(visits, values) || visits[2] != want[2].Visits || visits[3] != want[0].Visits {
		t.Errorf("visits %v, want those of %v twice", visits, want)
	}
	if n := testing.AllocsPerRun(20, func() { m.Forget(); Keep(&m, flat, 3, 3) }); n != 0 {
		t.Errorf("keeping allocates %v times, want 0", n)
	}
	clear(visits)
	m.Forget()
	Keep(&m, flat, 3, 3)
	if m.SearchStatistics(visits, values); visits[0] != 0 {
		t.Errorf("visits %v, want none of what was forgotten", visits)
	}
}

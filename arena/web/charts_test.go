package web

import (
	"fmt"
	"reflect"
	"testing"
)

// TestCharts draws the charts of a listing: none of them counts a game twice or leaves one out.
func TestCharts(t *testing.T) {
	l := &Listing{Games: []Entry{
		{Game: 1, Agents: []string{"a", "b"}, Steps: 3, Results: results("won", "lost")},
		{Game: 2, Agents: []string{"b", "a"}, Steps: 119, Results: results("won", "lost")},
		{Game: 3, Agents: []string{"a", "a"}, Steps: 60, Results: results("won", "won")},
		{Game: 4, Agents: []string{"a", "b"}, Steps: 64, Results: results("tied", "tied")},
	}}
	l.draw(deaths(map[string]int{"kills": 3, "suicides": 2, "bombs": 9}), Chart{Title: "nothing", Names: []string{"x"},
		Counts: []int{0}}, Chart{})
	lengths := Chart{Title: "Steps", Counts: []int{1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}}
	for i := range lengths.Counts {
		lengths.Names = append(lengths.Names, fmt.Sprintf("%d to %d", 10*i, 10*i+9))
	}
	want := []Chart{
		lengths,
		{"Won by", []string{"a", "b", "tie"}, []int{2, 1, 1}},
		{"Died in flames of", []string{"enemies", "teammates", "themselves"}, []int{3, 0, 2}},
	}
	if !reflect.DeepEqual(l.Charts, want) {
		t.Errorf("the charts are\n%+v, want\n%+v", l.Charts, want)
	}
	none := new(Listing)
	if none.draw(); none.Charts != nil {
		t.Errorf("of no games: %+v", none.Charts)
	}
}

// TestManyNames: a chart has those who have won most.
func TestManyNames(t *testing.T) {
	l := new(Listing)
	for i := range 50 {
		for game := range 50 - i {
			l.Games = append(l.Games, Entry{Game: game, Agents: []string{fmt.Sprint("agent", i)}, Results: results("won")})
		}
	}
	c := l.winners()
	if len(c.Names) != mostBars || c.Names[0] != "agent0" || c.Counts[mostBars-1] != 51-mostBars {
		t.Errorf("the chart is %+v", c)
	}
}

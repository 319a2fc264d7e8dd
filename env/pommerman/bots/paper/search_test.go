package paper

import (
	"testing"

	"pommego/env/search"
)

// TestSearchSettings: options arrive where they belong.
func TestSearchSettings(t *testing.T) {
	settings := func(name string) search.Settings {
		t.Helper()
		b, err := Roster.New(name)
		if err != nil {
			t.Fatal(err)
		}
		if h, ok := b.(*hybridSearch); ok {
			return h.Settings
		}
		return b.(*forward).Settings
	}
	if p := settings("mcts"); p.Budget.Ticks != 5000 || p.Budget.Time != 0 || p.C != 25 || p.Depth != 3 {
		t.Errorf("mcts by default has %+v, want the paper's numbers", p)
	}
	if p := settings("mcts:ticks=2000,c=0.5,depth=7"); p.Budget.Ticks != 2000 || p.C != 0.5 || p.Depth != 7 {
		t.Errorf("mcts has %+v, want 2000 ticks, c 0.5 and depth 7", p)
	}
	if p := settings("fmcs-explore:ms=1.5"); p.Budget.Ticks != 0 || p.Budget.Time.Microseconds() != 1500 {
		t.Errorf("with ms alone the budget is %+v, want 1.5 ms and no limit of ticks", p.Budget)
	}
	if p := settings("bfs:ms=100,ticks=30"); p.Budget.Ticks != 30 || p.Budget.Time.Milliseconds() != 100 {
		t.Errorf("with both the budget is %+v, want 100 ms and 30 ticks", p.Budget)
	}
	if p := settings("rhea:length=5,population=3,mutation=0.5"); p.Length != 5 || p.Population != 3 || p.Mutation != 0.5 {
		t.Errorf("rhea has %+v, want length 5, population 3 and mutation 0.5", p)
	}
	if p := settings("osla:samples=4"); p.Samples != 4 {
		t.Errorf("osla has %d samples, want 4", p.Samples)
	}
}

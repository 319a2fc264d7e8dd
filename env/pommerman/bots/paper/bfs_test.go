package paper

import (
	"testing"
	"unsafe"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/pommerman"
	"pommego/env/seat"
)

// TestBreadthFirst lets bfs decide on drawn boards in which the rules leave the
// move to it, with any RNG.
func TestBreadthFirst(t *testing.T) {
	for _, test := range []struct {
		reason string
		agent  string
		board  string
		change func(*pommerman.View)
		want   []pommerman.Action
	}{
		{"evading it sees that only one way leads out of reach in time", "bfs:ticks=300", `
			# # # # # # #
			# o A . . # #
			# # . # . # #
			# # . # # # #
			# # . # # # #
			# # . # # # #
			# # # # # # #`, func(v *pommerman.View) { v.Bombs[0].Life, v.Bombs[0].Blast = 2, 5 }, []pommerman.Action{pommerman.Down}},
		{"a bomb in a corridor: away from it", "bfs:ticks=300", `
			# # # # # # #
			# a . . . . #
			# # # . # # #
			# # # . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, func(v *pommerman.View) { v.Bombs[0].Life, v.Bombs[0].Blast = 4, 9 }, []pommerman.Action{pommerman.Right}},
		{"attacking, with ticks for each move once, it lays the bomb that takes the target's room", "bfs:ticks=5", `
			. . # # # # #
			. # . . # # #
			A . B . # # #
			. # # # # # #
			. . # # # # #
			. . # # # # #
			. . # # # # #`, func(v *pommerman.View) { v.Self.Blast = 4 }, []pommerman.Action{pommerman.LayBomb}},
	} {
		var want, got pommerman.Moves
		for _, a := range test.want {
			want = want.With(a)
		}
		for value := range uint64(20) {
			v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board)
			test.change(v)
			v.Alive = env.SeatSet(0).With(0).With(1)
			b, err := Roster.New(test.agent)
			if err != nil {
				t.Fatal(err)
			}
			b.Reset(env.RNG{State: value})
			action := []uint8{0}
			b.Act(v, action)
			if n := b.(seat.Searcher).Searched(); n > 300 {
				t.Fatalf("%s: %d ticks searched, want at most 300", test.reason, n)
			}
			got = got.With(pommerman.Action(action[0]))
		}
		if got != want {
			t.Errorf("%s: with some RNG it plays%v, want%v", test.reason, got, want)
		}
	}
}

// TestBreadthFirstBeatsSimple at the paper's own budget of some 30 ticks a move.
func TestBreadthFirstBeatsSimple(t *testing.T) {
	share, own, base := pommermantest.Strength(t, players, pommerman.Rules2018(pommerman.FFA), "bfs:ticks=30", 40)
	if share < 0.85 || own.Won <= base.Won {
		t.Errorf("bfs has %.0f%% of the games that one of the two wins, want 85%%; bfs %+v, simple %+v", 100*share, own, base)
	}
}

// TestBreadthFirstMemory: what bfs keeps is bounded by memory, not by a number of
// states, and it goes on a tick beyond what it keeps.
func TestBreadthFirstMemory(t *testing.T) {
	kept := uint64(1 << 20 / unsafe.Sizeof(pommerman.State{}))
	for _, test := range []struct {
		agent       string
		least, most uint64
	}{
		{"bfs:ticks=20000", 20_000, 20_000},
		{"bfs:ticks=20000,memory=1", 2 * kept, 6 * kept},
	} {
		v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), `
			. . . . . . .
			. . . . . . .
			. . # # . . .
			. o A . . . .
			. . # # . . .
			. . . . . . .
			. . . . . . B`)
		v.Bombs[0].Life, v.Bombs[0].Blast = 4, 9
		v.Alive = env.SeatSet(0).With(0).With(1)
		b, err := Roster.New(test.agent)
		if err != nil {
			t.Fatal(err)
		}
		b.Reset(env.RNG{State: 1})
		b.Act(v, []uint8{0})
		if n := b.(seat.Searcher).Searched(); n < test.least || n > test.most {
			t.Errorf("%s searched %d ticks, want %d to %d", test.agent, n, test.least, test.most)
		}
	}
}

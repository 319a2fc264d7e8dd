package pommerman

import (
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/grid"
)

// eachJavaView plays random games by the Java rules, with every range of vision, and
// calls visit with what each living seat sees.
func eachJavaView(t *testing.T, visit func(r *Rules, s *State, v *View)) {
	for i, vision := range []int{0, OwnCell, 1, 2, 4, 0, 2} {
		r := seeing(Java(FFA), vision)
		if i > 4 {
			r = seeing(Java(Team), vision)
		}
		r.MaxSteps, r.FirstCollapse, r.CollapseEvery = 120, 40, 15
		g := mustGame(t, r)
		for episode := range uint64(6) {
			var s State
			g.Deal(&s, env.Seed{Value: uint64(i), Episode: episode})
			rng := env.RNG{State: episode}
			boost(&r, &s, &rng)
			actions := make([]uint8, r.Seats())
			for !r.Over(&s) {
				for seat := range r.Seats() {
					var v View
					if r.See(&s, seat, &v); s.Agents[seat].Alive {
						visit(&r, &s, &v)
					}
				}
				randomActions(&r, &rng, actions)
				r.Step(&s, actions)
			}
		}
	}
}

// A seat sees the same in its copy of the game as in the game.
func TestCopyJavaLooksAlike(t *testing.T) {
	views := 0
	eachJavaView(t, func(r *Rules, _ *State, v *View) {
		var s State
		r.CopyJava(v, &s)
		var again View
		r.See(&s, v.Seat, &again)
		clear(v.Bombs[v.NumBombs:])
		clear(again.Bombs[again.NumBombs:])
		if again != *v {
			t.Fatalf("seat %d sees in its copy\n%s\nnot what it sees in the game", v.Seat, newTwin(r, &s).text())
		}
		views++
	})
	if views < 2000 {
		t.Errorf("%d views were compared, want more", views)
	}
}

// The copy can be played on: agents that are nowhere stay there, live, and touch
// nothing, bombs are nobody's, and no flame or agent leaves the board.
func TestCopyJavaPlaysOn(t *testing.T) {
	unseen, nth := 0, 0
	rng := env.RNG{State: 1}
	eachJavaView(t, func(r *Rules, _ *State, v *View) {
		if nth++; nth%5 != 0 {
			return
		}
		var s State
		r.CopyJava(v, &s)
		before := s
		actions := make([]uint8, r.Seats())
		for range 12 {
			if s.result(v.Seat) != env.Incomplete {
				break
			}
			randomActions(r, &rng, actions)
			r.Step(&s, actions)
		}
		for i, a := range before.Agents {
			if a.Alive && a.Cell == Nowhere {
				unseen++
				if s.Agents[i] != a {
					t.Fatalf("agent %d, which is nowhere, was %+v and is %+v", i, a, s.Agents[i])
				}
			}
		}
		for i, item := range s.Board {
			c := cell(i)
			if out := c.Row() < 0 || c.Row() >= r.BoardSize || c.Col() < 0 || c.Col() >= r.BoardSize; out && item != Rigid {
				t.Fatalf("after 12 steps there is %d at %s, off the board", item, where(c))
			}
		}
	})
	if unseen < 300 {
		t.Errorf("%d agents were out of sight, want more", unseen)
	}
}

// A bomb of nobody gives no ammo back where one of an agent does: when it explodes,
// and when the board collapses.
func TestBombsOfNobody(t *testing.T) {
	r := Java(FFA)
	r.FirstCollapse, r.CollapseEvery = 0, 100
	for _, tc := range []struct {
		owner, step, life int
		want              uint8
		reason            string
	}{
		{2, 1, 1, 2, "an agent's bomb explodes"},
		{Nobody, 1, 1, 1, "a bomb of nobody explodes"},
		{2, 0, 9, 2, "an agent's bomb is on the ring that falls"},
		{Nobody, 0, 9, 1, "a bomb of nobody is on it"},
	} {
		g := mustGame(t, r)
		var s State
		g.Deal(&s, env.Seed{})
		s.StepCount = uint16(tc.step)
		at := grid.At(0, 5)
		s.Board[at] = BombItem
		s.addBomb(NewBomb(at, uint8(tc.life), 1, tc.owner, grid.Stay))
		r.Step(&s, make([]uint8, 4))
		if got := s.Agents[2].Ammo; got != tc.want || s.NumBombs != 0 {
			t.Errorf("%s: agent 2 has %d ammo and %d bombs are left, want %d and none", tc.reason, got, s.NumBombs, tc.want)
		}
	}
}

func TestResult(t *testing.T) {
	dead := func(seats ...int) func(s *State) {
		return func(s *State) {
			for _, i := range seats {
				s.Agents[i].Alive = false
			}
		}
	}
	for _, tc := range []struct {
		rules  Rules
		change func(s *State)
		want   [4]env.Result
		reason string
	}{
		{Playground(FFA), dead(1), [4]env.Result{env.Incomplete, env.Loss, env.Incomplete, env.Incomplete},
			"who is dead has lost"},
		{Playground(FFA), dead(1, 2, 3), [4]env.Result{env.Win, env.Loss, env.Loss, env.Loss}, "the last one has won"},
		{Playground(FFA), dead(0, 1, 2, 3), [4]env.Result{env.Loss, env.Loss, env.Loss, env.Loss}, "nobody has"},
		{Playground(FFA), func(s *State) { s.StepCount = 800 }, [4]env.Result{env.Tie, env.Tie, env.Tie, env.Tie},
			"the step limit"},
		{Playground(Team), dead(0), [4]env.Result{env.Loss, env.Incomplete, env.Incomplete, env.Incomplete},
			"the mate plays on"},
		{Playground(Team), dead(0, 1, 3), [4]env.Result{env.Win, env.Loss, env.Win, env.Loss},
			"the dead win with their team"},
		{Java(FFA), dead(1), [4]env.Result{env.Incomplete, env.Loss, env.Incomplete, env.Incomplete}, "who is dead has lost"},
		{Java(FFA), func(s *State) { s.results.set(1, resultTie) },
			[4]env.Result{env.Tie, env.Incomplete, env.Incomplete, env.Incomplete}, "a result of its own"},
	} {
		g := mustGame(t, tc.rules)
		var s State
		g.Deal(&s, env.Seed{})
		tc.change(&s)
		for seat, want := range tc.want {
			if got := tc.rules.Result(&s, seat); got != want {
				t.Errorf("%s: the game stands as %v for seat %d, want %v", tc.reason, got, seat, want)
			}
		}
	}
}

// TestRingAfterFlames: those whom flames kill have lost to the one that the ring of the same step kills (2.12, 2.13).
func TestRingAfterFlames(t *testing.T) {
	sc := scenario{
		name: "ring after flames", reason: "agents 0 and 1 burn, then the ring falls on agent 2",
		start: "0*.1*.2", edit: func(_ *Rules, s *State) { s.StepCount = 500 },
		moves: [][4]Action{{Right, Right}},
		want:  []string{"####### #.....# #.....# #.....# #.....# #.....# #######"},
	}
	r := Java(FFA)
	s := sc.run(t, r)
	status := r.Status(&s)
	got, want := status.SeatResults(r.teams(), 0b0111), []env.SeatResult{env.Lost, env.Lost, env.Tied, env.Lost}
	if !slices.Equal(got, want) {
		t.Errorf("the results are %v, want %v", got, want)
	}
}

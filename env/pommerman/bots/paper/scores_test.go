package paper

import (
	"math"
	"slices"
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// lives sets the lives of the bombs of a drawing, in row-major order.
func lives(life ...uint8) func(*pommerman.State) {
	return func(s *pommerman.State) {
		for i := range life {
			s.Bombs[i].Life = life[i]
		}
	}
}

// TestEvadeScore is equation 1: 100 less 25 x (11 - life) / 10 for every bomb
// with less than ten steps to go whose explosion would reach the agent.
func TestEvadeScore(t *testing.T) {
	for _, test := range []struct {
		reason string
		board  string
		change func(*pommerman.State)
		want   float64
	}{
		{reason: "no bombs", board: `
			. . . . . . .
			. A . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, want: 100},
		{reason: "one bomb in its last step", board: `
			. . . . . . .
			. A o . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: lives(1), want: 75},
		{reason: "two bombs, the sooner counts more", board: `
			. o . . . . .
			. A o . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: lives(4, 9), want: 100 - 17.5 - 5},
		{reason: "ten steps are too far off", board: `
			. o . . . . .
			. A o . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: lives(10, 24), want: 100},
		{reason: "out of reach: too far, round a corner, behind wood and a rigid wall", board: `
			o . . o . . .
			. . . + . . .
			. . . . . . .
			o # . A . . o
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) {
			lives(1, 1, 1, 1)(s)
			for i, blast := range []uint8{9, 9, 9, 3} {
				s.Bombs[i].Blast = blast
			}
		}, want: 100},
		{reason: "a blast of 4 reaches three cells away", board: `
			. . . . . . .
			. A . . o . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) { s.Bombs[0].Blast, s.Bombs[0].Life = 4, 6 }, want: 87.5},
		{reason: "agents and items stop nothing", board: `
			. . . . . . .
			. A B k o . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) { s.Bombs[0].Blast, s.Bombs[0].Life = 4, 6 }, want: 87.5},
		{reason: "the dead score nothing", board: `
			. . . . . . .
			. A . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) { s.Agents[0].Alive = false }, want: 0},
	} {
		s := pommermantest.StateOf(pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board))
		if test.change != nil {
			test.change(s)
		}
		if got := evadeScore(s, 0); got != test.want {
			t.Errorf("%s: %v, want %v", test.reason, got, test.want)
		}
	}
}

// TestAttackScore is equation 2: 100 x (1 - safe cells / 13) around the target.
func TestAttackScore(t *testing.T) {
	for _, test := range []struct {
		reason string
		board  string
		change func(*pommerman.State)
		safe   int // of the 13 cells within two steps
	}{
		{reason: "all is safe", board: `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . B . . .
			. . . . . . .
			. . . . . . .
			A . . . . . .`, safe: 13},
		{reason: "what lies off the board counts like a wall", board: `
			B . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			A . . . . . .`, safe: 6},
		{reason: "rigid walls, wood, bombs and agents stop the target", board: `
			. . . . . . .
			. . . . . . .
			. . . # . . .
			. . + B o . .
			. . . A . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) { s.Bombs[0].Blast = 1 }, safe: 1},
		{reason: "cells round a corner count if either way there is open", board: `
			. . . . . . .
			. . . . . . .
			. . # . . . .
			. . # B . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, safe: 10},
		{reason: "items can be walked over", board: `
			. . . . . . .
			. . . . . . .
			. . . k . . .
			. . e B r . .
			. . . . . . .
			. . . . . . .
			A . . . . . .`, safe: 13},
		{reason: "cells in reach of a bomb are not safe, the target's own among them", board: `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . B . . .
			. . . . . . .
			. . . . . . .
			A . . o . . .`, change: func(s *pommerman.State) { s.Bombs[0].Blast = 9 }, safe: 8},
		{reason: "a bomb next to it is both", board: `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . B o . .
			. . . . . . .
			. . . . . . .
			A . . . . . .`, safe: 8},
	} {
		s := pommermantest.StateOf(pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board))
		s.Agents[0].Alive = true
		if test.change != nil {
			test.change(s)
		}
		want := 100 * (1 - float64(test.safe)/13)
		if got := attackScore(s, 0, 1); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v for %d safe cells", test.reason, got, want, test.safe)
		}
	}
	s := pommermantest.StateOf(pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), `
		A . . . . . .
		. . . . . . .
		. . . . . . .
		. . . B . . .
		. . . . . . .
		. . . . . . .
		. . . . . . .`))
	s.Agents[1].Alive = false
	if got := attackScore(s, 0, 1); got != 100 {
		t.Errorf("a dead target scores %v, want 100", got)
	}
	s.Agents[0].Alive = false
	if got := attackScore(s, 0, 1); got != 0 {
		t.Errorf("a dead agent scores %v, want 0", got)
	}
}

// TestFigure3 is the paper's own example of equation 2: of the 13 cells within two steps of the
// target, walls keep it from some and a bomb reaches others; 4 are left, and the score is 69.
func TestFigure3(t *testing.T) {
	s := pommermantest.StateOf(pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), `
		. . . . . . .
		. . . . . . .
		. . . # . . .
		. . # B . o .
		. . . . . . .
		. . . # . . .
		A . . . . . .`))
	s.Bombs[0].Blast = 3
	target := s.Agents[1].Cell
	within, reachable, inRange := 0, 0, 0
	for _, c := range grid.Cells(7) {
		if c.Distance(target) > 2 {
			continue
		}
		within++
		corner := func(d grid.Dir) bool { // a free cell between it and the target
			near := target.Next(d)
			return c.Distance(near) < c.Distance(target) && (s.Board[near] == pommerman.Passage || near == c)
		}
		if c != target && (s.Board[c] == pommerman.Rigid || !slices.ContainsFunc(grid.Dirs[:], corner)) {
			continue
		}
		reachable++
		if reaches(&s.Board, s.Bombs[0].Cell, s.Bombs[0].Blast, c) {
			inRange++
		}
	}
	if score := attackScore(s, 0, 1); within != 13 || reachable-inRange != 4 || math.Round(score) != 69 {
		t.Errorf("%d cells, %d reachable, %d of them in range of the bomb, score %v; want 13 cells, 4 safe, 69", within,
			reachable, inRange, score)
	}
}

// slowRoom counts safe cells by trying all walks of up to two steps.
func slowRoom(s *pommerman.State, c grid.Cell) int {
	ends := map[grid.Cell]bool{c: true}
	for d := grid.Stay; d <= grid.Right; d++ {
		for e := grid.Stay; e <= grid.Right; e++ {
			near := c.Next(d)
			far := near.Next(e)
			free := func(to, from grid.Cell) bool {
				item := s.Board[to]
				return to == from || to == c || item == pommerman.Passage || item >= pommerman.ExtraBomb && item <= pommerman.Skull
			}
			if free(near, c) && free(far, near) {
				ends[near], ends[far] = true, true
			}
		}
	}
	safe := 0
	for end := range ends {
		burns := false
		for _, b := range s.Bombs[:s.NumBombs] {
			var reached grid.Bits
			pommerman.Rays(&s.Board, b.Cell, b.Blast, &reached)
			burns = burns || reached.Has(end)
		}
		if !burns {
			safe++
		}
	}
	return safe
}

// TestScoresAgreeWithSlowTwins in states from play.
func TestScoresAgreeWithSlowTwins(t *testing.T) {
	checked := 0
	pommermantest.Situations(t, players, 2, func(s *pommermantest.Situation) {
		for seat := range s.Rules.Seats() {
			a := &s.State.Agents[seat]
			if !a.Alive {
				continue
			}
			checked++
			if got, want := roomOf(&s.State, a.Cell), slowRoom(&s.State, a.Cell); got != want {
				t.Fatalf("seat %d has %d safe cells, want %d\n", seat, got, want)
			}
			want := 100.0
			for _, b := range s.State.Bombs[:s.State.NumBombs] {
				var reached grid.Bits
				pommerman.Rays(&s.State.Board, b.Cell, b.Blast, &reached)
				if b.Life < 10 && reached.Has(a.Cell) {
					want -= 25 * float64(11-int(b.Life)) / 10
				}
			}
			if got := evadeScore(&s.State, seat); math.Abs(got-want) > 1e-9 {
				t.Fatalf("seat %d scores %v, want %v", seat, got, want)
			}
		}
	})
	if checked < 2000 {
		t.Errorf("%d seats checked, want more", checked)
	}
}

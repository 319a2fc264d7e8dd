package bots

import (
	"testing"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// tryMoves finds out what usefulMoves says by making every move, with all others
// standing still.
func tryMoves(r *pommerman.Rules, s *pommerman.State, seat int) actionSet {
	var m actionSet
	for move := pommerman.Stop; move <= pommerman.LayBomb; move++ {
		actions := make([]uint8, r.Seats()*(1+r.RadioWords))
		actions[seat*(1+r.RadioWords)] = uint8(move)
		next := *s
		r.Step(&next, actions)
		changed := next.Agents[seat].Cell != s.Agents[seat].Cell
		if move == pommerman.LayBomb {
			changed = s.Agents[seat].Ammo > 0 && (r.BombsStack() || !bombOn(s, s.Agents[seat].Cell))
		}
		next = r.Settled(next)
		if next.Agents[seat].Alive && (changed || move == pommerman.Stop) {
			m = m.with(move)
		}
	}
	if m == 0 {
		m = m.with(pommerman.Stop)
	}
	return m
}

// kicks is the moves of a seat that lead onto bombs.
func kicks(s *pommerman.State, seat int) (m actionSet) {
	for _, d := range grid.Dirs {
		if bombOn(s, s.Agents[seat].Cell.Next(d)) {
			m = m.with(pommerman.Action(d))
		}
	}
	return m
}

// TestUsefulMovesAgreesWithTrying in states from play, as long as no bomb rolls.
// Kicks may be called useless that are not, but not the other way round.
func TestUsefulMovesAgreesWithTrying(t *testing.T) {
	checked, deadly, kicked := 0, 0, 0
	situations(t, 4, func(s *situation) {
		if s.rolling() {
			return
		}
		for seat := range s.rules.Seats() {
			got, want, kick := usefulMoves(s.rules, &s.state, seat), tryMoves(s.rules, &s.state, seat), kicks(&s.state, seat)
			exact := got&^kick == want&^kick || got == 1 && want&^kick == 0
			if !exact || got&kick&^want != 0 {
				var v pommerman.View
				s.rules.See(&s.state, seat, &v)
				t.Fatalf("seat %d at (%d,%d), step %d: useful are%v, want%v\n%s%+v\n%+v", seat, v.Self.Cell.Row(), v.Self.Cell.Col(), v.StepCount, got, want, picture(&v), v.Bombs[:v.NumBombs], *s.rules)
			}
			checked++
			if !want.has(pommerman.Stop) || want == 1 {
				deadly++
			}
			if got&kick != 0 {
				kicked++
			}
		}
	})
	if checked < 5000 || deadly < 100 || kicked < 5 {
		t.Errorf("%d sets checked, %d of them where stopping is deadly or all there is, %d with kicks, want more", checked, deadly, kicked)
	}
}

func TestUsefulMovesOfTheDead(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA)
	var s pommerman.State
	if got := usefulMoves(&rules, &s, 0); got != actionSet(0).with(pommerman.Stop) {
		t.Errorf("of a dead agent %06b, want stop alone", got)
	}
}

// stateOf makes a state of a drawn view. Agents that are drawn live.
func stateOf(v *pommerman.View) *pommerman.State {
	s := &pommerman.State{Board: v.Board, StepCount: uint16(v.StepCount)}
	for i := range v.NumBombs {
		b := &v.Bombs[i]
		s.Bombs[i] = pommerman.NewBomb(b.Cell, b.Life, b.Blast, 0, b.Moving)
		s.NumBombs++
	}
	for c, item := range v.Board {
		if seat := int(item) - int(v.Rules.Agent0()); seat >= 0 {
			s.Agents[seat] = pommerman.Agent{Cell: grid.Cell(c), Ammo: 1, Blast: 2, Alive: true}
		}
	}
	s.Agents[v.Seat] = v.Self
	s.RNG = env.RNG{State: 1}
	return s
}

func TestUsefulMoves(t *testing.T) {
	for _, test := range []struct {
		reason string
		board  string
		change func(*pommerman.State)
		want   []pommerman.Action
	}{
		{reason: "all there is", board: `
			. . . . . . .
			. A . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, want: []pommerman.Action{0, 1, 2, 3, 4, 5}},
		{reason: "moves into walls, off the board, onto agents and bombs are void", board: `
			A # . . . . .
			B . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, want: []pommerman.Action{pommerman.Stop, pommerman.LayBomb}},
		{reason: "laying without ammo is void", board: `
			A . . . . . .
			+ . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) { s.Agents[0].Ammo = 0 }, want: []pommerman.Action{pommerman.Stop, pommerman.Right}},
		{reason: "so is laying onto a bomb", board: `
			a . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, want: []pommerman.Action{pommerman.Stop, pommerman.Down, pommerman.Right}},
		{reason: "a bomb can be kicked if the cell beyond is free", board: `
			A o . . . . .
			o . . . . . .
			# . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) { s.Agents[0].Kicks = true },
			want: []pommerman.Action{pommerman.Stop, pommerman.Right, pommerman.LayBomb}},
		{reason: "a bomb that explodes now makes its cross deadly", board: `
			. . . . . . .
			. A o . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) { s.Bombs[0].Life = 1 },
			want: []pommerman.Action{pommerman.Up, pommerman.Down, pommerman.Left}},
		{reason: "so does one that it sets off", board: `
			. o . . . . .
			. A . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) {
			s.Bombs[s.NumBombs] = pommerman.NewBomb(grid.At(0, 2), 1, 2, 0, grid.Stay)
			s.NumBombs++
		}, want: []pommerman.Action{pommerman.Down, pommerman.Left}},
		{reason: "with no way out stopping is what is left", board: `
			A # . . . . .
			o . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(s *pommerman.State) { s.Bombs[0].Life = 1 }, want: []pommerman.Action{pommerman.Stop}},
	} {
		v := draw(t, pommerman.Playground(pommerman.FFA), rows(test.board))
		s := stateOf(v)
		if test.change != nil {
			test.change(s)
		}
		var want actionSet
		for _, a := range test.want {
			want = want.with(a)
		}
		if got := usefulMoves(v.Rules, s, 0); got != want {
			t.Errorf("%s: %06b, want %06b", test.reason, got, want)
		}
	}
}

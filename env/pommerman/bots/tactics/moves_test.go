package tactics_test

import (
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// tryMoves finds out what usefulMoves says by making every move, with all others
// standing still.
func tryMoves(r *pommerman.Rules, s *pommerman.State, seat int) pommerman.Moves {
	var m pommerman.Moves
	for move := pommerman.Stop; move <= pommerman.LayBomb; move++ {
		actions := make([]uint8, r.Seats()*(1+r.RadioWords))
		actions[seat*(1+r.RadioWords)] = uint8(move)
		next := *s
		r.Step(&next, actions)
		changed := next.Agents[seat].Cell != s.Agents[seat].Cell
		if move == pommerman.LayBomb {
			changed = s.Agents[seat].Ammo > 0 && (r.Traits().BombsStack || !s.BombAt(s.Agents[seat].Cell))
		}
		next = r.Settled(next)
		if next.Agents[seat].Alive && (changed || move == pommerman.Stop) {
			m = m.With(move)
		}
	}
	if m == 0 {
		m = m.With(pommerman.Stop)
	}
	return m
}

// kicks is the moves of a seat that lead onto bombs.
func kicks(s *pommerman.State, seat int) (m pommerman.Moves) {
	for _, d := range grid.Dirs {
		if s.BombAt(s.Agents[seat].Cell.Next(d)) {
			m = m.With(pommerman.Action(d))
		}
	}
	return m
}

// TestUsefulMovesAgreesWithTrying in states from play, as long as no bomb rolls.
// Kicks may be called useless that are not, but not the other way round.
func TestUsefulMovesAgreesWithTrying(t *testing.T) {
	checked, deadly, kicked := 0, 0, 0
	pommermantest.Situations(t, players, 4, func(s *pommermantest.Situation) {
		if s.Rolling() {
			return
		}
		for seat := range s.Rules.Seats() {
			got, want, kick := tactics.UsefulMoves(s.Rules, &s.State, seat), tryMoves(s.Rules, &s.State, seat), kicks(&s.State,
				seat)
			exact := got&^kick == want&^kick || got == 1 && want&^kick == 0
			if !exact || got&kick&^want != 0 {
				var v pommerman.View
				s.Rules.See(&s.State, seat, &v)
				t.Fatalf("seat %d at (%d,%d), step %d: useful are%v, want%v\n%s%+v\n%+v", seat, v.Self.Cell.Row(),
					v.Self.Cell.Col(), v.StepCount, got, want, pommermantest.Picture(&v), v.Bombs[:v.NumBombs], *s.Rules)
			}
			checked++
			if !want.Has(pommerman.Stop) || want == 1 {
				deadly++
			}
			if got&kick != 0 {
				kicked++
			}
		}
	})
	if checked < 5000 || deadly < 100 || kicked < 5 {
		t.Errorf("%d sets checked, %d of them where stopping is deadly or all there is, %d with kicks, want more", checked,
			deadly, kicked)
	}
}

func TestUsefulMovesOfTheDead(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA)
	var s pommerman.State
	if got := tactics.UsefulMoves(&rules, &s, 0); got != tactics.One(pommerman.Stop) {
		t.Errorf("of a dead agent %06b, want stop alone", got)
	}
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
		v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board)
		s := pommermantest.StateOf(v)
		if test.change != nil {
			test.change(s)
		}
		var want pommerman.Moves
		for _, a := range test.want {
			want = want.With(a)
		}
		if got := tactics.UsefulMoves(v.Rules, s, 0); got != want {
			t.Errorf("%s: %06b, want %06b", test.reason, got, want)
		}
	}
}

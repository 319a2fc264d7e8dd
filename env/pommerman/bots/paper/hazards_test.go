package paper

import (
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// burns reports whether nobody survives on a cell after a step: in flames, or
// where those kill in the step they come from alone, in new ones.
func burns(s *pommermantest.Situation, now *pommerman.State, c grid.Cell) bool {
	return now.Board[c] == pommerman.Flames && (s.Rules.Traits().FlamesKill || now.Flame(c) == uint8(s.Rules.FlameLife))
}

// TestHazardsComeTrue foresees, and then lets everybody stop: what burns in each
// step must be what was foreseen, as long as no bomb rolls and no ring falls.
func TestHazardsComeTrue(t *testing.T) {
	const ahead = 30
	checked, burnt := 0, 0
	pommermantest.Situations(t, players, 3, func(s *pommermantest.Situation) {
		if s.Rolling() || s.Stacked() || s.RingsFall(horizon) || s.State.NumBombs == 0 || s.Rules.ViewSize > 0 {
			return
		}
		checked++
		var v pommerman.View
		s.Rules.See(&s.State, 0, &v)
		var h hazards
		h.Foresee(&v, false)
		exact := s.Rules.Traits().Lingers == 0 // else it fears more than comes
		now, first := s.State, [256]uint8{}
		stop := make([]uint8, 16)
		for step := 1; step <= ahead; step++ {
			old := now
			s.Rules.Step(&now, stop)
			for c := range now.Board {
				burns := burns(s, &now, grid.Cell(c))
				if foreseen := h.Deadly[step].Has(grid.Cell(c)); foreseen != burns && (burns || exact) {
					t.Fatalf("step %d: (%d,%d) foreseen to burn: %v, burns: %v\n%s", step, grid.Cell(c).Row(), grid.Cell(c).Col(),
						!burns, burns, pommermantest.Picture(&v))
				}
				if burns && now.Flame(grid.Cell(c)) == uint8(s.Rules.FlameLife) &&
					old.Flame(grid.Cell(c)) <= now.Flame(grid.Cell(c)) {
					if first[c] == 0 {
						first[c] = uint8(step)
					}
					burnt++
				}
			}
		}
		if h.Due != first && exact {
			t.Fatalf("foreseen %v, came %v", h.Due, first)
		}
	})
	if checked < 500 || burnt < 5000 {
		t.Errorf("%d situations with %d burnt cells checked, want more", checked, burnt)
	}
}

// TestLaidBombIsForeseen lays the bomb that foresee was asked about.
func TestLaidBombIsForeseen(t *testing.T) {
	checked := 0
	pommermantest.Situations(t, players, 2, func(s *pommermantest.Situation) {
		a := &s.State.Agents[0]
		if s.Rolling() || s.Stacked() || s.RingsFall(horizon) || s.Rules.ViewSize > 0 || !a.Alive || a.Ammo == 0 ||
			s.State.BombAt(a.Cell) {
			return
		}
		checked++
		var v pommerman.View
		s.Rules.See(&s.State, 0, &v)
		var h hazards
		h.Foresee(&v, true)
		exact := s.Rules.Traits().Lingers == 0
		now := s.State
		actions := make([]uint8, 16)
		for step := 1; step <= s.Rules.BombLife; step++ {
			actions[0] = 0
			if step == 1 {
				actions[0] = uint8(pommerman.LayBomb)
			}
			s.Rules.Step(&now, actions)
			for c := range now.Board {
				burns := burns(s, &now, grid.Cell(c))
				if foreseen := h.Deadly[step].Has(grid.Cell(c)); foreseen != burns && (burns || exact) {
					t.Fatalf("step %d: (%d,%d) foreseen to burn: %v, burns: %v", step, grid.Cell(c).Row(), grid.Cell(c).Col(), !burns,
						burns)
				}
			}
		}
	})
	if checked < 100 {
		t.Errorf("%d situations checked, want more", checked)
	}
}

// TestRingsAreForeseen: a ring is deadly at the end of the step at whose count
// it is due, and for good.
func TestRingsAreForeseen(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA).Collapsing(500)
	v := pommermantest.Blank(&rules)
	for _, test := range []struct {
		count, ring, from int
		reason            string
	}{
		{499, 0, 1, "due after the coming step"},
		{490, 0, 10, "due in ten steps"},
		{500, 0, 1, "falls at once"},
		{570, 1, 5, "the second ring"},
		{501, 0, 0, "the first ring has fallen"},
		{459, 0, 0, "too far off"},
	} {
		v.StepCount = test.count
		var h hazards
		h.Foresee(v, false)
		corner := grid.At(test.ring, test.ring)
		for step := 1; step <= horizon; step++ {
			if deadly := h.Deadly[step].Has(corner); deadly != (test.from > 0 && step >= test.from) {
				t.Errorf("%s: at step count %d the corner is deadly in step %d: %v, want from %d on", test.reason, test.count, step,
					deadly, test.from)
			}
			if h.Deadly[step].Has(grid.At(test.ring+1, test.ring+1)) {
				t.Errorf("%s: the inner cells are deadly too", test.reason)
			}
		}
		if int(h.Due[corner]) != test.from {
			t.Errorf("%s: due in step %d, want %d", test.reason, h.Due[corner], test.from)
		}
	}
}

// TestRingsBuryBombs: a bomb on a ring that falls before it explodes is harmless.
func TestRingsBuryBombs(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA).Collapsing(500)
	for _, test := range []struct {
		count int
		life  uint8
		burns bool
	}{
		{498, 2, true}, {498, 3, false}, {499, 1, true}, {499, 2, false}, {500, 1, false}, {480, 9, true},
	} {
		v := pommermantest.Draw(t, rules, `
			. . . o . . .
			. . . . . . .
			. . . . . . .
			. . . A . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`)
		v.StepCount, v.Bombs[0].Life = test.count, test.life
		var h hazards
		h.Foresee(v, false)
		if got := h.Due[grid.At(1, 3)] != 0; got != test.burns {
			t.Errorf("at step count %d with %d steps to go: the bomb explodes is %v, want %v", test.count, test.life, got,
				test.burns)
		}
		s := pommermantest.StateOf(v)
		s.Agents[1].Alive = true
		exploded := false
		for range test.life {
			v.Rules.Step(s, make([]uint8, 4))
			exploded = exploded || s.Flame(grid.At(1, 3)) > 0
		}
		if v.StepCount != rules.FirstCollapse && exploded != test.burns {
			t.Errorf("at step count %d with %d steps to go: the bomb of the game explodes is %v", test.count, test.life,
				exploded)
		}
	}
}

// TestRollingBombsAreForeseen where they will have rolled to.
func TestRollingBombsAreForeseen(t *testing.T) {
	for _, test := range []struct {
		board  string
		life   uint8
		at     grid.Cell
		reason string
	}{
		{`
			o . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . A`, 3, grid.At(0, 3), "three cells in three steps"},
		{`
			o . + . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . A`, 3, grid.At(0, 1), "as far as the wood"},
		{`
			o . k . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . A`, 3, grid.At(0, 1), "items stop it"},
	} {
		v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board)
		v.Bombs[0].Life, v.Bombs[0].Moving = test.life, grid.Right
		var h hazards
		h.Foresee(v, false)
		if !h.Deadly[test.life].Has(test.at) || h.Due[test.at.Next(grid.Down)] != test.life ||
			h.Deadly[test.life].Has(grid.At(0, 6)) {
			t.Errorf("%s: the explosion was foreseen elsewhere: %v", test.reason, h.Due)
		}
	}
}

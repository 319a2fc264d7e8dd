package paper

import (
	"testing"

	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// TestSuicideRule: a bomb is laid only with ammo, and if a cell can be reached in
// time that nothing will burn and that has two neighbours to go on to.
func TestSuicideRule(t *testing.T) {
	for _, test := range []struct {
		reason string
		board  string
		change func(*pommerman.View)
		want   bool
	}{
		{reason: "round the corner", board: `
			A . . # # # #
			# # . . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, want: true},
		{reason: "not without ammo", board: `
			A . . # # # #
			# # . . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.Self.Ammo = 0 }},
		{reason: "not onto a bomb", board: `
			a . . # # # #
			# # . . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`},
		{reason: "a cell with one neighbour is no place to go", board: `
			A . . # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`},
		{reason: "round the corner, just out of reach", board: `
			A . . # # # #
			# # . # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, want: true},
		{reason: "nor is one that the bomb reaches", board: `
			A . . # # # #
			# # . # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.Self.Blast = 3 }},
		{reason: "nor one that another bomb will reach", board: `
			A . . # # # #
			# # . . . o #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.Bombs[0].Blast, v.Self.Blast = 4, 3 }},
		{reason: "bombs that set off this one cut the time short", board: `
			o A . . . . #
			# # # # . . #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.Self.Blast, v.Bombs[0].Life, v.Bombs[0].Blast = 4, 2, 2 }},
		{reason: "with that bomb's life there is time enough", board: `
			o A . . . . #
			# # # # . . #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.Self.Blast, v.Bombs[0].Life, v.Bombs[0].Blast = 4, 5, 2 }, want: true},
		{reason: "nobody gets past an agent", board: `
			A . B . # # #
			# # # . . # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`},
		{reason: "and nobody counts on a cell next to one", board: `
			A . . B # # #
			# # . . # # #
			# # . # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`},
		{reason: "waiting for flames to go out is a way", board: `
			A . * . . # #
			# # # . . # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.AddFlame(grid.At(0, 2), 3) }, want: true},
		{reason: "fog is no refuge", board: `
			A . ? ? # # #
			# # ? ? # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`},
	} {
		v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board)
		if test.change != nil {
			test.change(v)
		}
		o, _ := lookAt(v)
		if got := o.mayBomb(); got != test.want {
			t.Errorf("%s: %v, want %v", test.reason, got, test.want)
		}
	}
}

// slowSurvival is how many steps somebody can survive who has made some moves and
// may make any that follow, found by trying all.
func slowSurvival(h *pommerman.Forecast, c grid.Cell, open grid.Bits, step, limit int) int {
	if h.Deadly[step].Has(c) {
		return step - 1
	}
	if step == limit {
		return limit
	}
	longest := slowSurvival(h, c, open, step+1, limit)
	for _, d := range grid.Dirs {
		if to := c.Next(d); longest < limit && open.Has(to) {
			longest = max(longest, slowSurvival(h, to, open, step+1, limit))
		}
	}
	return longest
}

// TestSurvivalAgreesWithSlowTwin in states from play, a few steps ahead.
func TestSurvivalAgreesWithSlowTwin(t *testing.T) {
	const limit = 7
	checked, doomed := 0, 0
	pommermantest.Situations(t, players, 1, func(s *pommermantest.Situation) {
		for seat := range s.Rules.Seats() {
			if !s.State.Agents[seat].Alive {
				continue
			}
			var v pommerman.View
			s.Rules.See(&s.State, seat, &v)
			o, _ := lookAt(&v)
			for d := grid.Stay; d <= grid.Right; d++ {
				to := v.Self.Cell.Next(d)
				want := 0
				if d == grid.Stay || o.open.Has(to) {
					want = slowSurvival(&o.hazards, to, o.open, 1, limit)
				}
				if !o.quiet.Has(to) { // somebody may keep it from getting there
					want = min(want, slowSurvival(&o.hazards, v.Self.Cell, o.open, 1, limit))
				}
				if got := o.survives(d); min(got, limit) != want {
					t.Fatalf("%v survives %d steps, want %d\n%s", d, got, want, pommermantest.Picture(&v))
				}
				checked++
				if want < limit {
					doomed++
				}
			}
		}
	})
	if checked < 5000 || doomed < 500 {
		t.Errorf("%d moves checked, %d of them doomed, want more", checked, doomed)
	}
}

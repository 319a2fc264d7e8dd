package paper

import (
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// lookAt makes an agent's analysis on a view.
func lookAt(v *pommerman.View) (*analysis, *hybridMemory) {
	o, m := new(analysis), new(hybridMemory)
	rng := env.RNG{State: 1}
	o.look(m.remember(v), m, &rng)
	return o, m
}

// slowCosts relaxes all edges until nothing changes. It knows of no time, so
// there must be no hazards.
func slowCosts(o *analysis) (cost [256]int) {
	cost[o.v.Self.Cell] = 1
	for changed := true; changed; {
		changed = false
		for c := range cost {
			from := grid.Cell(c)
			if cost[from] == 0 || from != o.v.Self.Cell && o.v.Board[from] == pommerman.Fog {
				continue
			}
			for _, d := range grid.Dirs {
				to := from.Next(d)
				item := o.v.Board[to]
				step := costStep
				if item == pommerman.Skull {
					step += costSkull
				}
				if tactics.Walkable.Has(item) && (cost[to] == 0 || cost[from]+step < cost[to]) {
					cost[to], changed = cost[from]+step, true
				}
			}
		}
	}
	return cost
}

// TestWaysAgreeWithSlowTwin on boards of all kinds, without bombs and flames.
func TestWaysAgreeWithSlowTwin(t *testing.T) {
	reached := 0
	for seed := range uint64(3000) {
		v, _ := pommermantest.RandomView(seed)
		v.NumBombs = 0
		o, _ := lookAt(v)
		want := slowCosts(o)
		for c := range o.ways.cost {
			if int(o.ways.cost[c]) != want[c] {
				t.Fatalf("view %d: the way to (%d,%d) costs %d, want %d\n%s", seed, grid.Cell(c).Row(), grid.Cell(c).Col(),
					o.ways.cost[c], want[c], pommermantest.Picture(v))
			}
		}
		last := uint16(0)
		for _, c := range o.ways.order[:o.ways.n] {
			if o.ways.cost[c] < last {
				t.Fatalf("view %d: cells are not in the order of cost", seed)
			}
			last = o.ways.cost[c]
			reached++
		}
	}
	if reached < 100000 {
		t.Errorf("%d cells reached, want more", reached)
	}
}

// TestWays draws what costs and what is in the way.
func TestWays(t *testing.T) {
	rules := pommerman.Rules2018(pommerman.FFA)
	rules.StepKind = pommerman.StepToday // skulls, and flames that kill
	for _, test := range []struct {
		reason string
		board  string
		change func(*pommerman.View)
		to     grid.Cell
		first  grid.Dir
		cost   int // 0: no way
	}{
		{reason: "straight on", board: `
			A . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, to: grid.At(0, 3), first: grid.Right, cost: 3 * costStep},
		{reason: "round walls, bombs, wood and agents", board: `
			A # . . . . .
			. + . . . . .
			. o . . . . .
			. B . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(v *pommerman.View) { v.Bombs[0].Blast = 0 },
			to: grid.At(0, 2), first: grid.Down, cost: 10 * costStep},
		{reason: "round a skull, if the way is not much longer", board: `
			A s . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, to: grid.At(0, 2), first: grid.Down, cost: 4 * costStep},
		{reason: "over a skull, if nothing else leads there", board: `
			A s . . . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, to: grid.At(0, 2), first: grid.Right, cost: 2*costStep + costSkull},
		{reason: "not over a wall", board: `
			A # . . . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, to: grid.At(0, 2)},
		{reason: "round cells that a dangerous bomb reaches", board: `
			# # o o # # #
			A . . . . . .
			. # # # . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(v *pommerman.View) { v.Bombs[0].Life, v.Bombs[1].Life = 4, 4 },
			to: grid.At(1, 4), first: grid.Down, cost: 8 * costStep},
		{reason: "past bombs that are not dangerous yet", board: `
			# # o o # # #
			A . . . . . .
			. # # # . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(v *pommerman.View) { v.Bombs[0].Life, v.Bombs[1].Life = 24, 24 },
			to: grid.At(1, 4), first: grid.Right, cost: 4 * costStep},
		{reason: "not onto a cell in the very step in which it burns", board: `
			# # # # # # #
			A . . . . . .
			# # o # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.Bombs[0].Life = 2 }, to: grid.At(1, 3)},
		{reason: "before a bomb explodes", board: `
			# # # # # # #
			A . . . . . .
			# # o # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.Bombs[0].Life = 3 }, to: grid.At(1, 3),
			first: grid.Right, cost: 3*costStep + costThreat},
		{reason: "through flames that have gone out by then", board: `
			# # # # # # #
			A . * . . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.AddFlame(grid.At(1, 2), 2) }, to: grid.At(1, 3),
			first: grid.Right, cost: 3 * costStep},
		{reason: "not through flames that still burn", board: `
			# # # # # # #
			A . * . . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View) { v.AddFlame(grid.At(1, 2), 3) }, to: grid.At(1, 3)},
		{reason: "into fog", board: `
			# # # # # # #
			A . ? ? . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, to: grid.At(1, 2), first: grid.Right, cost: 2 * costStep},
		{reason: "but not through it", board: `
			# # # # # # #
			A . ? ? . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, to: grid.At(1, 3)},
	} {
		v := pommermantest.Draw(t, rules, test.board)
		if test.change != nil {
			test.change(v)
		}
		o, _ := lookAt(v)
		cost := int(o.ways.cost[test.to]) - 1
		if test.cost == 0 && cost >= 0 || test.cost > 0 && cost != test.cost {
			t.Errorf("%s: the way costs %d, want %d", test.reason, cost, test.cost)
		} else if test.cost > 0 && o.ways.first[test.to] != test.first {
			t.Errorf("%s: the way begins %v, want %v", test.reason, o.ways.first[test.to], test.first)
		}
	}
}

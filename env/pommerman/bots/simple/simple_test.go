package simple

import (
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
)

// always is a script on which every coin and every choice falls the same way.
type always struct {
	heads bool
	k     int
	coins int
}

func (a *always) Coin() bool       { a.coins++; return a.heads }
func (a *always) Choice(n int) int { return min(a.k, n-1) }
func (a *always) Whole() bool      { return true }

func TestSimpleRules(t *testing.T) {
	ffa := pommerman.Playground(pommerman.FFA)
	skulls := pommerman.Rules2018(pommerman.FFA)
	for _, test := range []struct {
		reason string
		rules  pommerman.Rules
		board  string
		change func(*pommerman.View, *Memory)
		heads  bool
		k      int
		action pommerman.Action
		by     Branch
	}{
		{reason: "an adjacent enemy is bombed if a passage round a corner is in reach", board: `
			A B . . . . .
			. . # # # # #
			. # # # # # #
			. # # # # # #
			. # # # # # #
			. # # # # # #
			. # # # # # #`, action: pommerman.LayBomb, by: BombEnemy},
		{reason: "no way out of the blast: walk at the enemy instead", board: `
			A B . . . . .
			. # # # # # #
			. # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, action: pommerman.Right, by: TowardEnemy},
		{reason: "one cell beyond a blast of 2 in the same column is out of it", board: `
			A B . . . . .
			. # # # # # #
			. # # # # # #
			. # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, action: pommerman.LayBomb, by: BombEnemy},
		{reason: "no passage in sight at all: stop, where the original fails", board: `
			A B # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, action: pommerman.Stop, by: Cornered},
		{reason: "nor does one out of sight help, ten columns to the right", board: `
			A B # # # # # # # # .
			# # # # # # # # # # #
			# # # # # # # # # # #
			# # # # # # # # # # #
			# # # # # # # # # # #
			# # # # # # # # # # #
			# # # # # # # # # # #
			# # # # # # # # # # #
			# # # # # # # # # # #
			# # # # # # # # # # #
			# # # # # # # # # # .`, action: pommerman.Stop, by: Cornered},
		{reason: "a passage out of reach is enough to go on", board: `
			A B # # # # #
			# # # # # # #
			# # # . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, action: pommerman.Right, by: TowardEnemy},
		{reason: "of equally near enemies the last in the list is the target", board: `
			. . . . . . .
			. D . A . B .
			. . . . . . .
			. . . C . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, action: pommerman.Left, by: TowardEnemy},
		{reason: "the same direction again needs a coin, which fell wrong", board: `
			. . . . . . .
			. D . A . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(_ *pommerman.View, m *Memory) { m.Heading = grid.Left },
			action: pommerman.Left, by: RandomWalk},
		{reason: "of equally near items Kick goes before IncrRange before ExtraBomb", board: `
			. . . . . . .
			. . . k . . .
			. . . . . . .
			. r . A . e .
			. . . . . . .
			. . . e . . .
			. . . . . . .`, action: pommerman.Up, by: TowardPowerup},
		{reason: "of equally near items of a kind the last in row-major order", board: `
			. . . . . . .
			. . . k . . .
			. . . . . . .
			. k . A . k .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, action: pommerman.Right, by: TowardPowerup},
		{reason: "two ways of equal length: tails keeps the one found first", board: `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . A . . .
			. . . . k . .
			. . . . . . .
			. . . . . . .`, action: pommerman.Down, by: TowardPowerup},
		{reason: "two ways of equal length: heads takes the later one", heads: true, board: `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . A . . .
			. . . . k . .
			. . . . . . .
			. . . . . . .`, action: pommerman.Right, by: TowardPowerup},
		{reason: "a skull is no target", rules: skulls, board: `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . s A . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, k: 3, action: pommerman.Down, by: RandomWalk},
		{reason: "but it can be walked over", rules: skulls, board: `
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# k s A # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, action: pommerman.Left, by: TowardPowerup},
		{reason: "agents' values are one higher where there are skulls", rules: skulls, board: `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. B . A . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, action: pommerman.Left, by: TowardEnemy},
		{reason: "adjacent wood without ammo", board: `
			. . . . . . .
			. . . . . . .
			. . . + . . .
			. . . A . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, change: func(v *pommerman.View, _ *Memory) { v.Self.Ammo = 0 },
			action: pommerman.Stop, by: StopAtWood},
		{reason: "wood two steps away is left where a bomb's line crosses the way", board: `
			. . . . . . .
			. . . + . . .
			. o . . . . .
			. . . A . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, k: 2, action: pommerman.Down, by: RandomWalk},
		{reason: "a bomb no further away than its blast makes its side unsafe; the others are drawn from", board: `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . A . o .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, k: 2, action: pommerman.Left, by: FleeSome},
		{reason: "one step more is safe", board: `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . A . . o
			. . . . . . .
			. . . . . . .
			. . . . . . .`, k: 9, action: pommerman.Down, by: RandomWalk},
		{reason: "a bomb behind a wall is further away than its blast", board: `
			. . . . . . .
			. . . . . . .
			. . . . # . .
			. . . A # o .
			. . . . # . .
			. . . . . . .
			. . . . . . .`, k: 9, action: pommerman.Down, by: RandomWalk},
		{reason: "no safe side: the unsafe ones in the order in which they were found", board: `
			# # # # # # #
			# # # o # # #
			# # # . # # #
			# # # A . o #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, k: 1, action: pommerman.Right, by: FleeSome},
		{reason: "fleeing into fog is thought safe", board: `
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # ? A . o #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, action: pommerman.Left, by: FleeSome},
		{reason: "on a bomb: right is tried first, but is a dead end", board: `
			# # # # # # #
			# . . # # # #
			# # . # # # #
			# . . a . # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, action: pommerman.Left, by: FleeAll4},
		{reason: "on a bomb, with dead ends only", board: `
			# # # # # # #
			# # # # # # #
			# # # . # # #
			# # . a . # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, action: pommerman.Stop, by: FleeAll4},
		{reason: "on a bomb: a corridor must go on for more than the blast from the cell entered", board: `
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # a # # #
			# # # . # # #
			# # # . # # #
			# # # . # # #`, action: pommerman.Stop, by: FleeAll4},
		{reason: "this one does", board: `
			# # # # # # #
			# # # # # # #
			# # # a # # #
			# # # . # # #
			# # # . # # #
			# # # . # # #
			# # # . # # #`, action: pommerman.Down, by: FleeAll4},
		{reason: "of two bombs on one side the stronger blast has to be got out of", board: `
			# # # # # # #
			# # # o # # #
			# # # . . . .
			# # # a # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *Memory) { v.Bombs[0].Blast = 4 },
			action: pommerman.Stop, by: FleeAll4},
		{reason: "wandering avoids where it has been", board: `
			# # # # # # #
			# # # # # # #
			# # # . # # #
			# # . A # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(_ *pommerman.View, m *Memory) { m.Recent.Add(grid.At(3, 2)) },
			action: pommerman.Up, by: RandomWalk},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if test.rules.BoardSize == 0 {
				test.rules = ffa
			}
			v := pommermantest.Draw(t, test.rules, test.board)
			a := simple{draws: draws{script: &always{heads: test.heads, k: test.k}}}
			if test.change != nil {
				test.change(v, &a.Memory)
			}
			before := a.Memory
			action, by := a.decide(v)
			if action != test.action || by != test.by {
				t.Errorf("%v by %v, want %v by %v", action, by, test.action, test.by)
			}
			if err := compareWithTwin(v, before, 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSight shows what the search leaves out: what is more than ten rows and
// columns away, and ten straight down or right, but not ten up or left.
func TestSight(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA)
	rules.BoardSize = 14
	for _, test := range []struct {
		self, seen pos
		want       bool
	}{
		{pos{0, 0}, pos{9, 0}, true},
		{pos{0, 0}, pos{10, 0}, false},
		{pos{0, 0}, pos{0, 10}, false},
		{pos{13, 13}, pos{3, 13}, true},
		{pos{13, 13}, pos{13, 3}, true},
		{pos{13, 13}, pos{2, 13}, false},
		{pos{0, 0}, pos{5, 5}, true},
		{pos{0, 0}, pos{5, 6}, false},
		{pos{0, 0}, pos{1, 9}, true},
	} {
		v := pommermantest.Blank(&rules)
		v.Self.Cell = test.self.cell()
		for row := range 14 {
			for col := range 14 {
				v.Board[grid.At(row, col)] = pommerman.Passage
			}
		}
		v.Board[v.Self.Cell] = rules.Agent0()
		s := tactics.Sight{Shown: &v.Board, Whole: true}
		s.Board, s.Self, s.Order = &v.Board, v.Self.Cell, tactics.InOrder(grid.Dirs)
		s.Open, s.Tie = tactics.Passable(&rules, 0), func() bool { return false }
		s.Start()
		if got := s.Dist[test.seen.cell()] != 0; got != test.want {
			t.Errorf("from %v, %v is in sight: %v, want %v", test.self, test.seen, got, test.want)
		}
	}
}

// TestCoins pins how many coins an empty 3x3 patch of floor takes: one for each
// of the four corners, which two ways reach.
func TestCoins(t *testing.T) {
	v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), `
		# # # # # # #
		# # # # # # #
		# # . . . # #
		# # . A . # #
		# # . . . # #
		# # # # # # #
		# # # # # # #`)
	script := &always{}
	a := simple{draws: draws{script: script}}
	a.decide(v)
	if script.coins != 4 {
		t.Errorf("%d coins, want 4", script.coins)
	}
}

func TestMemory(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA)
	v := pommermantest.Blank(&rules)
	var a simple
	for i := range 9 { // nowhere to go: it remembers its cell each time
		v.Self.Cell = grid.At(i%7, i%7)
		v.Board[v.Self.Cell] = rules.Agent0()
		a.decide(v)
		v.Board[v.Self.Cell] = pommerman.Rigid
	}
	want := []grid.Cell{grid.At(3, 3), grid.At(4, 4), grid.At(5, 5), grid.At(6, 6), grid.At(0, 0), grid.At(1, 1)}
	if got := a.Recent.List(); !slices.Equal(got, want) {
		t.Errorf("recent cells %v, want the last six, %v, the oldest first", got, want)
	}
	a.Reset(env.RNG{State: 5})
	if want := (simple{draws: draws{rng: env.RNG{State: 5}}}); a != want {
		t.Errorf("after Reset it is %+v, want empty memory and the RNG given", a)
	}
}

package paper

import (
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// scene is a drawn board, and what a hybrid agent with any RNG does there.
type scene struct {
	reason string
	rules  pommerman.Rules // those of today if zero
	board  string
	change func(*pommerman.View, *hybridMemory)
	left   task               // what the state machine leaves to the planner
	want   []pommerman.Action // what the heuristic agent may do, each for some state of the RNG
}

func (s *scene) run(t *testing.T) {
	t.Helper()
	var got pommerman.Moves
	for value := range uint64(40) {
		a, v := s.begin(t, "heuristic", value)
		var o analysis
		h := *a
		if _, left := h.decide(v, &o); left != s.left {
			t.Errorf("%s: left to plan is %v, want %v", s.reason, left, s.left)
			return
		}
		got = got.With(pommermantest.ActionOf(a, v))
	}
	if want := pommermantest.SetOf(s.want); got != want {
		t.Errorf("%s: with some RNG it plays %v, want %v", s.reason, got, want)
	}
}

// begin returns a heuristic agent, named with its options, and what it sees.
func (s *scene) begin(t *testing.T, name string, rng uint64) (*hybrid, *pommerman.View) {
	t.Helper()
	rules := s.rules
	if rules.GameType == 0 {
		rules = pommerman.Playground(pommerman.FFA)
	}
	b, err := Roster.New(name)
	if err != nil {
		t.Fatal(err)
	}
	a, v := b.(*hybrid), pommermantest.Draw(t, rules, s.board)
	a.Reset(env.RNG{State: rng})
	if s.change != nil {
		s.change(v, &a.hybridMemory)
	}
	return a, v
}

func (t task) String() string { return []string{"nothing", "evade", "attack"}[t] }

// fuse sets the life and the blast of a drawn bomb, in row-major order.
func fuse(i int, life, blast uint8) func(*pommerman.View, *hybridMemory) {
	return func(v *pommerman.View, _ *hybridMemory) { v.Bombs[i].Life, v.Bombs[i].Blast = life, blast }
}

// TestEvading: the agent evades if a dangerous bomb reaches its cell or one next
// to it, and then goes to the nearest cell that is not threatened.
func TestEvading(t *testing.T) {
	for _, s := range []scene{
		{reason: "a bomb with less than five steps to go is dangerous: round the corner", board: `
			# # # # # # #
			# A . . . # #
			# o # . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: fuse(0, 4, 2), want: []pommerman.Action{pommerman.Right}},
		{reason: "on a safe cell next to one that is threatened it stops", board: `
			# # # # # # #
			# A . . . . #
			# # o # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: fuse(0, 4, 2), want: []pommerman.Action{pommerman.Stop}},
		{reason: "of two ways the shorter", board: `
			# # # # # # #
			# . . A . # #
			# . # # . # #
			# . # # # # #
			# . # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) {
			pommermantest.Lay(v, v.Self.Cell, 3)
			v.Bombs[0].Life = 4
		}, left: toEvade, want: []pommerman.Action{pommerman.Right}},
		{reason: "if the next cell is threatened too, the planner decides; the rules go for survival", board: `
			# # # # # # #
			# o A . . # #
			# # # # . # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: fuse(0, 3, 5), left: toEvade, want: []pommerman.Action{pommerman.Right}},
		{reason: "without a safe cell in reach it lives as long as it can: past the bomb that explodes first", board: `
			# # # # # # #
			# o A . . o #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) {
			v.Bombs[0].Life, v.Bombs[0].Blast = 2, 3
			v.Bombs[1].Life, v.Bombs[1].Blast = 4, 3
		}, left: toEvade, want: []pommerman.Action{pommerman.Right}},
		{reason: "what is in fog is not known to be safe", board: `
			# # # # # # #
			? A . . # # #
			# o # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: fuse(0, 4, 2), want: []pommerman.Action{pommerman.Right}},
		{reason: "it waits for flames to go out if the way to safety is one to death", rules: pommerman.JavaDocument(pommerman.FFA), board: `
			# # # # # # #
			. . * A . . o
			# # # o # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) {
			v.AddFlame(grid.At(1, 2), 2)
			v.Bombs[0].Life, v.Bombs[0].Blast = 7, 4
			v.Bombs[1].Life, v.Bombs[1].Blast = 2, 2
		}, want: []pommerman.Action{pommerman.Stop}},
		{reason: "a ring that falls soon is like a bomb", rules: pommerman.Playground(pommerman.FFA).Collapsing(500), board: `
			. A . # # # #
			# . # # # # #
			# . # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) { v.StepCount = 496 },
			want: []pommerman.Action{pommerman.Down}},
	} {
		s.run(t)
	}
}

// TestDanger is the condition to evade, and its threshold. Bombs are given in
// row-major order.
func TestDanger(t *testing.T) {
	one := `
		. . . . . . .
		. . . . . . .
		. . . A . . .
		. . . . . . .
		. . . o . . .
		. . . . . . .
		. . . . . . .`
	two := `
		. . . . . . .
		. . . . . . .
		o . . A . . .
		. . . . . . .
		. . . o . . .
		. . . . . . .
		. . . . . . .`
	walled := `
		. . . . . . .
		. . . . . . .
		. . . A . . .
		. . . + . . .
		. . . o . . .
		. . . . . . .
		. . . . . . .`
	for _, test := range []struct {
		reason    string
		board     string
		life      []uint8
		blast     []uint8
		threshold uint8
		want      bool
	}{
		{"life 4 is under the threshold, and it reaches the agent", one, []uint8{4}, []uint8{3}, 5, true},
		{"so it is if only the next cell is reached", one, []uint8{4}, []uint8{2}, 5, true},
		{"a blast of 1 reaches neither", one, []uint8{4}, []uint8{1}, 5, false},
		{"life 5 is not under the threshold", one, []uint8{5}, []uint8{3}, 5, false},
		{"a second bomb around adds 2 to it", two, []uint8{9, 6}, []uint8{4, 3}, 7, true},
		{"and 7 is not under 7", two, []uint8{9, 7}, []uint8{4, 3}, 7, false},
		{"a second bomb elsewhere adds nothing", two, []uint8{9, 6}, []uint8{2, 3}, 5, false},
		{"behind wood there is no danger, nor on it", walled, []uint8{4}, []uint8{9}, 5, false},
	} {
		v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board)
		for i := range v.NumBombs {
			v.Bombs[i].Life, v.Bombs[i].Blast = test.life[i], test.blast[i]
		}
		o, _ := lookAt(v)
		if got := o.mustEvade(); got != test.want || o.threshold != test.threshold {
			t.Errorf("%s: must evade is %v with threshold %d, want %v with %d", test.reason, got, o.threshold, test.want,
				test.threshold)
		}
	}
}

// TestAttacking: with a bomb to lay and an enemy within six cells the agent
// attacks: it walks there, and within four the planner takes over.
func TestAttacking(t *testing.T) {
	noAmmo := func(v *pommerman.View, _ *hybridMemory) { v.Self.Ammo = 0 }
	team := pommerman.Playground(pommerman.Team)
	mate := func(v *pommerman.View, _ *hybridMemory) { pommermantest.Relate(v) }
	for _, s := range []scene{
		{reason: "six cells away: walk there", board: `
			A . . . . . B
			k # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .`, want: []pommerman.Action{pommerman.Right}},
		{reason: "seven cells away it explores", board: `
			k A . . . . .
			# # # # # # .
			# # # # # # B
			# # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .`, want: []pommerman.Action{pommerman.Left}},
		{reason: "without a bomb to lay too", board: `
			k A . . B . .
			. # # # # # .
			. # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .`, change: noAmmo, want: []pommerman.Action{pommerman.Left}},
		{reason: "and if no way leads to the enemy", board: `
			k A . # . . B
			# # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .`, want: []pommerman.Action{pommerman.Left}},
		{reason: "four cells away the planner decides; by the rules it closes in", board: `
			# . # # # # #
			. A . . . B .
			# . # # # # #
			# . # # # # #
			# . # # # # #
			# . # # # # #
			# . # # # # #`, left: toAttack, want: []pommerman.Action{pommerman.Right}},
		{reason: "and lays a bomb two cells away, if it can get away from it", board: `
			# . # # # # #
			. A . B . . .
			# . # # # # #
			# . . # # # #
			# . . # # # #
			# . # # # # #
			# . # # # # #`, left: toAttack, want: []pommerman.Action{pommerman.LayBomb}},
		{reason: "but not three cells away", board: `
			# . # # # # #
			. A . . B . .
			# . # # # # #
			# . . # # # #
			# . . # # # #
			# . # # # # #
			# . # # # # #`, left: toAttack, want: []pommerman.Action{pommerman.Right}},
		{reason: "no bomb where it could not hide, but a step closer", board: `
			# # # # # # #
			. A . B . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, left: toAttack, want: []pommerman.Action{pommerman.Right}},
		{reason: "a teammate is no enemy", rules: team, change: mate, board: `
			k A . . C . .
			. # # # # # .
			. # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .
			# # # # # # .`, want: []pommerman.Action{pommerman.Left}},
		{reason: "bombs come first", board: `
			# # # # # # #
			. A . . B . .
			# o # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: fuse(0, 4, 2), want: []pommerman.Action{pommerman.Right}},
	} {
		s.run(t)
	}
}

// TestTarget is the enemy nearest by rows and columns.
func TestTarget(t *testing.T) {
	for _, test := range []struct {
		reason string
		board  string
		want   int
		gap    int
	}{
		{"the nearest", `
			A . . . . . D
			. . . . . . .
			. . . . . . .
			. . B . . . .
			. . . . . . .
			. . . . . . C
			. . . . . . .`, 1, 5},
		{"of equally near ones the lowest seat", `
			. . . D . . .
			. . . . . . .
			. . . . . . .
			C . . A . . B
			. . . . . . .
			. . . . . . .
			. . . . . . .`, 1, 3},
		{"nobody", `
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . A . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, pommerman.NoSeat, 28},
	} {
		o, _ := lookAt(pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), test.board))
		if o.target != test.want || o.gap != test.gap {
			t.Errorf("%s: seat %d, %d away, want %d, %d away", test.reason, o.target, o.gap, test.want, test.gap)
		}
	}
}

// TestExploring: items and wood before the cells least visited.
func TestExploring(t *testing.T) {
	been := func(counts ...uint16) func(*pommerman.View, *hybridMemory) {
		return func(v *pommerman.View, m *hybridMemory) {
			for i, n := range counts {
				m.visits[grid.At(0, i)] = n
			}
		}
	}
	for _, s := range []scene{
		{reason: "next to wood it lays a bomb, if it can get away from it", board: `
			+ A . . # # #
			# . # . # # #
			# . . . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, want: []pommerman.Action{pommerman.LayBomb}},
		{reason: "if it cannot, it goes to other wood", board: `
			+ A . . + # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) { v.Self.Blast = 5 }, want: []pommerman.Action{pommerman.Right}},
		{reason: "without a bomb to lay wood is nothing to go to", board: `
			. . . A . + #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, m *hybridMemory) {
			v.Self.Ammo = 0
			m.visits[grid.At(0, 4)] = 9
		}, want: []pommerman.Action{pommerman.Left}},
		{reason: "a near item before wood further away", board: `
			. . e A . . +
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, want: []pommerman.Action{pommerman.Left}},
		{reason: "near wood before an item further away", board: `
			e . . . A . +
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, want: []pommerman.Action{pommerman.Right}},
		{reason: "every item that makes stronger is one", board: `
			r . . A . . k
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: been(0, 0, 0, 0, 9, 9, 9), want: []pommerman.Action{pommerman.Left, pommerman.Right}},
		{reason: "a skull is not", rules: pommerman.Rules2018(pommerman.FFA), board: `
			s . . A . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: been(0, 9, 9, 0, 9, 9, 1), want: []pommerman.Action{pommerman.Right}},
		{reason: "with nothing else to do, to the cell least visited", board: `
			. . . A . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: been(1, 3, 3, 1, 3, 3, 3), want: []pommerman.Action{pommerman.Left}},
		{reason: "of equally visited ones the nearest", board: `
			. . . A . . .
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: been(1, 1, 3, 1, 3, 3, 1), want: []pommerman.Action{pommerman.Left}},
		{reason: "shut in it stops", board: `
			# # # # # # #
			# A # . . . .
			# # # . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, want: []pommerman.Action{pommerman.Stop}},
	} {
		s.run(t)
	}
}

// TestSoundMoves: no rule leads where a bomb that lies there would trap the
// agent, or where somebody could shut it in with one.
func TestSoundMoves(t *testing.T) {
	for _, s := range []scene{
		{reason: "having laid a bomb it does not go into the dead end in its reach", board: `
			# # # # # # #
			e . a . . . #
			# # # # . # #
			# # # # . # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) {
			v.Bombs[0].Life, v.Bombs[0].Blast = 9, 3
			v.Self.Ammo = 0
		}, want: []pommerman.Action{pommerman.Stop}},
		{reason: "out of reach of it there is no harm in dead ends", board: `
			# # # # # # #
			e . a . . . #
			# # # # . # #
			# # # # . # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) {
			v.Bombs[0].Life, v.Bombs[0].Blast = 9, 2
			v.Self.Ammo = 0
		}, want: []pommerman.Action{pommerman.Left}},
		{reason: "no way out leads past an enemy, who could shut it: so not where that is the only one", board: `
			# # # # # # #
			# . a e . B #
			# . # # . # #
			# . # # . # #
			# . . # . # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) {
			v.Bombs[0].Life, v.Bombs[0].Blast = 9, 4
			v.Self.Ammo = 0
		}, want: []pommerman.Action{pommerman.Stop}},
		{reason: "with somebody near it does not go for an item where it could be shut in", board: `
			# # # # # # #
			# k A . . B .
			# # # . # # #
			# # # . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) { v.Self.Ammo = 0 }, want: []pommerman.Action{pommerman.Stop}},
		{reason: "but with nobody near it does", board: `
			# # # # # # #
			# k A . . . .
			# # # . # # #
			# # # . # # #
			# # # # # # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) { v.Self.Ammo = 0 }, want: []pommerman.Action{pommerman.Left}},
		{reason: "with the enemy further off it goes", board: `
			# # # # # # #
			# . a e . . B
			# . # # . # #
			# . # # . # #
			# . . # . # #
			# # # # # # #
			# # # # # # #`, change: func(v *pommerman.View, _ *hybridMemory) {
			v.Bombs[0].Life, v.Bombs[0].Blast = 9, 4
			v.Self.Ammo = 0
		}, want: []pommerman.Action{pommerman.Right}},
	} {
		s.run(t)
	}
}

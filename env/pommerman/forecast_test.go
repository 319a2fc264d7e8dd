package pommerman_test

import (
	"flag"
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots"
)

var forecasts = flag.Int("forecasts", 4000, "how many positions are foreseen")

// horizon is how far forecasts are compared.
const horizon = pommerman.Horizon

// deadly reports whether nobody survives on a cell after a step: in flames or a wall that was no wall, or where flames
// kill in the step they come from alone, in new ones. Flames that go out in a step of the Java rules kill in it.
func deadly(r *pommerman.Rules, was, now *pommerman.State, c grid.Cell) bool {
	switch {
	case now.Board[c] == pommerman.Rigid:
		return was.Board[c] != pommerman.Rigid
	case !r.Traits().FlamesKill:
		return now.Board[c] == pommerman.Flames && now.Flame(c) == uint8(r.FlameLife)
	case r.Traits().Lingers > 0 && was.Flame(c) == 1:
		return true
	}
	return now.Board[c] == pommerman.Flames
}

// standing steps a state in which everybody stands still after a seat's first move, and calls visit with each step and
// the cells that are deadly then.
func standing(r *pommerman.Rules, s pommerman.State, seat int, first pommerman.Action,
	visit func(step int, deadly *grid.Bits),
) {
	actions, walls := make([]uint8, 16), grid.Bits{}
	actions[seat*(1+r.RadioWords)] = uint8(first)
	for step := 1; step <= horizon; step++ {
		was := s
		r.Step(&s, actions)
		clear(actions)
		now := r.Settled(s)
		all := walls
		for c := range grid.Square(r.BoardSize).All {
			if deadly(r, &was, &now, c) {
				all.Add(c)
			}
			if now.Board[c] == pommerman.Rigid && was.Board[c] != pommerman.Rigid {
				walls.Add(c)
			}
		}
		visit(step, &all)
	}
}

// seen leaves of a state what a seat sees, with nothing hidden and with bombs in the order of maps: what else there is
// has no part in a forecast.
func seen(s *pommermantest.Situation, v *pommerman.View) (pruned pommerman.State) {
	pruned = s.State
	pruned.NumBombs = 0
	for c := range grid.Square(s.Rules.BoardSize).All {
		pruned.Hide(c, pommerman.Passage)
	}
	for _, b := range s.State.Bombs[:s.State.NumBombs] {
		if v.Board[b.Cell] != pommerman.Fog {
			pruned.Bombs[pruned.NumBombs] = b
			pruned.NumBombs++
		}
	}
	clear(pruned.Bombs[pruned.NumBombs:])
	for i := range pruned.Agents { // flames can hide those that live in them
		a := &pruned.Agents[i]
		a.Alive = a.Alive && (i == v.Seat || v.Board[a.Cell] == s.Rules.Agent0()+pommerman.Item(i))
	}
	slices.SortFunc(pruned.Bombs[:pruned.NumBombs], func(a, b pommerman.Bomb) int { return int(a.Cell) - int(b.Cell) })
	return pruned
}

// roll has every second bomb roll, in two of three positions.
func roll(s *pommermantest.Situation, n int) {
	for i, b := range s.State.Bombs[:s.State.NumBombs] {
		if n%3 > 0 && (n/3+i)%2 == 0 {
			d := grid.Dirs[(n/5+i)%len(grid.Dirs)]
			s.State.Bombs[i] = pommerman.NewBomb(b.Cell, b.Life, b.Blast, b.Owner(), d)
		}
	}
}

// TestForecastsComeTrue: with everybody standing still, what burns in each step is exactly what was foreseen: with full
// view of all there is, under fog of what the seat sees.
func TestForecastsComeTrue(t *testing.T) {
	n, checked, rolling, fogged, struck := 0, 0, 0, 0, 0
	var f pommerman.Forecast
	games := 1 + *forecasts/400
	pommermantest.Situations(t, bots.Roster, games, func(s *pommermantest.Situation) {
		n++
		roll(s, n)
		var v pommerman.View
		seat := n % s.Rules.Seats()
		s.Rules.See(&s.State, seat, &v)
		// Where a view shows less than what moves bombs, no forecast can be exact: of bombs on one cell it shows the last;
		// by Java's rules not where a bomb rolls; in fog not what a bomb that rolls there meets.
		exact := !s.Rules.Traits().Conceals // what is concealed is a guess
		if s.Stacked() || s.State.NumBombs == 0 || s.Rolling() && (!exact || s.Rules.ViewSize > 0) {
			return
		}
		f.Foresee(&v, pommerman.Stop)
		now := seen(s, &v)
		checked++
		rolling += int(one(s.Rolling()))
		fogged += int(one(s.Rules.ViewSize > 0))
		standing(s.Rules, now, 0, pommerman.Stop, func(step int, deadly *grid.Bits) {
			for c := range grid.Square(s.Rules.BoardSize).All {
				if item := v.Board[c]; item == pommerman.Fog || item == pommerman.Rigid {
					continue
				}
				if burns := deadly.Has(c); burns != f.Deadly[step].Has(c) && (burns || exact) {
					t.Fatalf("rules %+v, step %d: (%d,%d) burns: %v, foreseen: %v\n%s", s.Rules, step, c.Row(), c.Col(), burns, !burns,
						pommermantest.Picture(&v))
				}
			}
			struck += deadly.Len()
		})
	})
	t.Logf("%d positions, %d with a rolling bomb, %d in fog, %d cells burnt", checked, rolling, fogged, struck)
	if checked < *forecasts/2 || rolling < *forecasts/400 || fogged < *forecasts/20 {
		t.Errorf("%d positions, %d with a rolling bomb, %d in fog: want more", checked, rolling, fogged)
	}
}

func one(is bool) uint8 {
	if is {
		return 1
	}
	return 0
}

// TestMovesAreForeseen makes the move that the forecast was asked about: a bomb laid, or a kick.
func TestMovesAreForeseen(t *testing.T) {
	n, laid, kicked := 0, 0, 0
	var f pommerman.Forecast
	pommermantest.Situations(t, bots.Roster, 2+*forecasts/2000, func(s *pommermantest.Situation) {
		n++
		roll(s, n)
		for seat := range s.Rules.Seats() {
			a := &s.State.Agents[seat]
			// Of what is kicked, no forecast can be exact in fog, where it may meet what nobody sees, and by Java's rules.
			if s.Stacked() || s.Rules.ViewSize > 0 || !a.Alive || s.Rules.Traits().Conceals {
				continue
			}
			var v pommerman.View
			s.Rules.See(&s.State, seat, &v)
			now := seen(s, &v)
			var places grid.Bits
			for c := range grid.Square(s.Rules.BoardSize).All {
				if v.Board[c] != pommerman.Rigid {
					places.Add(c)
				}
			}
			for move := pommerman.Up; move <= pommerman.LayBomb; move++ {
				lays := move == pommerman.LayBomb && a.Ammo > 0 && !s.State.BombAt(a.Cell)
				if !lays && !v.Kicks(move) {
					continue
				}
				laid, kicked = laid+int(one(lays)), kicked+int(one(!lays))
				f.Foresee(&v, move)
				standing(s.Rules, now, seat, move, func(step int, deadly *grid.Bits) {
					if now := f.Deadly[step].And(places); deadly.And(places) != now {
						t.Fatalf("rules %+v, move %v of seat %d, step %d: foreseen %v, came %v\n%s", s.Rules, move, seat, step,
							now, deadly.And(places), pommermantest.Picture(&v))
					}
				})
			}
		}
	})
	if laid < 500 || kicked < 20 {
		t.Errorf("%d bombs laid and %d kicked, want more", laid, kicked)
	}
}

// TestLaidBombsOfJava: by Java's rules a bomb burns on through wood that another burns in the same step, also if the
// seat itself lays one of the two.
func TestLaidBombsOfJava(t *testing.T) {
	v := pommermantest.Draw(t, pommerman.Java(pommerman.FFA), `
		#######
		#######
		#######
		#o.A.+.
		#######
		#######
		#######`)
	v.Self.Blast, v.Bombs[0].Blast, v.Bombs[0].Life = 4, 5, 3
	var s pommerman.State
	v.Rules.CopyJava(v, &s)
	var f pommerman.Forecast
	f.Foresee(v, pommerman.LayBomb)
	standing(v.Rules, s, 0, pommerman.LayBomb, func(step int, deadly *grid.Bits) {
		if f.Deadly[step] != *deadly {
			t.Errorf("step %d: foreseen %v, came %v", step, f.Deadly[step], *deadly)
		}
	})
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
		var h pommerman.Forecast
		h.Foresee(v, pommerman.Stop)
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
		var h pommerman.Forecast
		h.Foresee(v, pommerman.Stop)
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
		v.Bombs[0] = pommerman.NewBomb(v.Bombs[0].Cell, test.life, v.Bombs[0].Blast, pommerman.Nobody, grid.Right)
		var h pommerman.Forecast
		h.Foresee(v, pommerman.Stop)
		if !h.Deadly[test.life].Has(test.at) || h.Due[test.at.Next(grid.Down)] != test.life ||
			h.Deadly[test.life].Has(grid.At(0, 6)) {
			t.Errorf("%s: the explosion was foreseen elsewhere: %v", test.reason, h.Due)
		}
	}
}

// TestRollingBombsAreSetOff: of a recorded game, in which it looked as if the step down could be survived. The bomb
// that rolls to the left is set off on its way.
func TestRollingBombsAreSetOff(t *testing.T) {
	v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), `
		. . r # # # . . . . .
		. . . . k . . . . . k
		+ . . . o . . . . . #
		# . A . . # . . . . .
		# . . . . o B . . . .
		# + o # . . # . . + +
		. . . . . # . . . k #
		+ . . . . . . . . . .
		. . . . . . . . . . #
		. . . . . . . . . . .
		. k # + e . # . # . .`)
	for i, b := range []pommerman.Bomb{pommerman.NewBomb(0, 1, 5, pommerman.Nobody, grid.Stay),
		pommerman.NewBomb(0, 7, 5, pommerman.Nobody, grid.Left), pommerman.NewBomb(0, 5, 2, pommerman.Nobody, grid.Down)} {
		b.Cell = v.Bombs[i].Cell
		v.Bombs[i] = b
	}
	var safety pommerman.Safety
	safety.See(v)
	if !safety.Stays.Deadly[1].Has(grid.At(4, 2)) || safety.Moves().Has(pommerman.Down) {
		t.Errorf("the cell below burns at once: %v, want that foreseen; safe moves %b, without down", safety.Stays.Deadly[1],
			safety.Moves())
	}
}

// TestLateBombsAreForeseen: a bomb that outlasts the forecast burns in its last step.
func TestLateBombsAreForeseen(t *testing.T) {
	for _, rules := range pommermantest.Variants() {
		rules.BombLife = horizon + 10
		game, err := pommerman.New("late", "", rules, bots.Roster)
		if err != nil {
			t.Fatal(err)
		}
		m := game.New(1)[0].(*pommerman.Match)
		m.Reset(env.Seed{Value: 1})
		var v pommerman.View
		m.View(0, &v)
		var f pommerman.Forecast
		f.Foresee(&v, pommerman.LayBomb)
		if !f.Deadly[horizon].Has(v.Self.Cell) || f.Last != horizon {
			t.Errorf("rules %+v: the last step in which anything burns is %d, want %d", rules, f.Last, horizon)
		}
	}
}

// TestRollingBombsThatStop: a step to a bomb that cannot roll on leads nowhere; the only way out is to leave at once.
func TestRollingBombsThatStop(t *testing.T) {
	v := pommermantest.Draw(t, pommerman.Playground(pommerman.FFA), `
		#######
		####..#
		#.##..#
		#..Ao##
		#######
		#######
		#######`)
	v.Bombs[0] = pommerman.NewBomb(v.Bombs[0].Cell, 3, 4, pommerman.Nobody, grid.Down)
	var safety pommerman.Safety
	safety.See(v)
	if got := safety.Moves(); got != pommermantest.SetOf([]pommerman.Action{pommerman.Left}) {
		t.Errorf("the moves %b are safe, want left alone", got)
	}
}

// TestLateBombsAreNotSafe: who lays one in a pocket that it fills with fire cannot outlive it.
func TestLateBombsAreNotSafe(t *testing.T) {
	rules := pommerman.Playground(pommerman.FFA)
	rules.BombLife = horizon + 10
	v := pommermantest.Draw(t, rules, `
		#######
		#######
		#######
		##A.###
		#######
		#######
		#######`)
	var safety pommerman.Safety
	if safety.See(v); safety.Moves().Has(pommerman.LayBomb) {
		t.Errorf("the moves %b are safe, with a bomb among them", safety.Moves())
	}
}

// TestSafetyByExtremeRules: whatever lives bombs and flames have, and however fast the board collapses, some legal move
// is safe, and no more than the legal ones, also where a seat does not see the cells beside its own.
func TestSafetyByExtremeRules(t *testing.T) {
	blind, half := pommerman.Java(pommerman.FFA), pommerman.Rules2018(pommerman.Team)
	blind.ViewSize, half.ViewSize = pommerman.OwnCell, 1
	for _, base := range append(pommermantest.Variants(), blind, half) {
		for _, life := range []int{1, 2, 38, 41, 42, 100} {
			rules := base
			rules.BombLife, rules.FlameLife, rules.StartBlast = life, 1+life%5, 14
			if rules.StepKind == pommerman.StepJava {
				rules.FirstCollapse, rules.CollapseEvery = 5, 1
			}
			game, err := pommerman.New("extreme", "", rules, bots.Roster)
			if err != nil {
				t.Fatal(err)
			}
			seed := env.Seed{Value: uint64(life)}
			m := game.New(1)[0].(*pommerman.Match)
			m.Reset(seed)
			pommermantest.PlayOn(t, game, m, seed, func() {
				for seat := range rules.Seats() {
					legal, safe := legalMoves(m, seat), safeMoves(m, seat)
					if safe == 0 || safe&^legal != 0 {
						t.Fatalf("rules %+v, seat %d: safe %b of legal %b", rules, seat, safe, legal)
					}
				}
			})
		}
	}
}

package suitebot

import (
	"testing"

	"pommego/env"
)

// testHomes checks that home bases lie where the layout says.
func testHomes(t *testing.T) {
	const minSide = 5
	for width := minSide; width <= MaxSide; width++ {
		for height := minSide; height <= MaxSide; height++ {
			for players := 2; players <= MaxPlayers; players++ {
				homes := evenHomes(width, height, players)
				var seen Cells
				for _, home := range homes {
					seen.Add(home)
				}
				if len(homes) != players || seen.Len() != players {
					t.Fatalf("%dx%d, %d players: home bases %v, want as many different fields", width, height, players, homes)
				}
			}
		}
	}
	for _, tc := range []struct {
		width, height, players, nearest int
		translates                      bool
		reason                          string
	}{
		{20, 20, 4, 10, true, "the standard"},
		{20, 20, 2, 20, true, "a duel, as far apart as can be"},
		{20, 20, 8, 10, true, "eight"},
		{20, 20, 5, 12, true, "five, in a knight's lattice"},
		{20, 20, 3, 13, false, "400 fields cannot be shared by three"},
		{5, 5, 5, 3, true, "five on the smallest plan"},
		{7, 6, 2, 3, true, "only half the height is a translation, though further apart were possible"},
		{32, 32, 8, 16, true, "the largest"},
	} {
		homes := evenHomes(tc.width, tc.height, tc.players)
		nearest := distancesOf(homes, tc.width, tc.height)[0]
		if nearest != tc.nearest || translates(homes, tc.width, tc.height) != tc.translates {
			t.Errorf("%s: %v, the nearest two %d apart, the same for all: %v; want %d and %v", tc.reason, homes, nearest,
				translates(homes, tc.width, tc.height), tc.nearest, tc.translates)
		}
	}
}

// translates reports whether the way from any base to any other leads every base
// to a base.
func translates(homes []Cell, width, height int) bool {
	is := map[[2]int]bool{}
	for _, c := range homes {
		is[[2]int{int(c) % width, int(c) / width}] = true
	}
	for _, a := range homes {
		for _, b := range homes {
			for _, c := range homes {
				x := (int(c)%width + int(b)%width - int(a)%width + width) % width
				y := (int(c)/width + int(b)/width - int(a)/width + height) % height
				if !is[[2]int{x, y}] {
					return false
				}
			}
		}
	}
	return true
}

// TestDealing checks what each layout draws and what not.
func TestDealing(t *testing.T) {
	for _, tc := range []struct {
		layout                HomeLayout
		shifts, deals, spaces bool
	}{{Even, true, true, false}, {Fixed, false, false, false}, {Drawn, true, true, true}} {
		r := Standard()
		r.HomeLayout = tc.layout
		p := mustGame(t, r)
		firsts, orders, spaces := map[Cell]bool{}, map[[4]Cell]bool{}, map[int]bool{}
		for episode := range uint64(200) {
			var s State
			p.Deal(&s, env.Seed{Value: 3, Episode: episode})
			firsts[s.Homes[0]] = true
			var order [4]Cell
			for k, home := range s.Homes[:4] {
				x, y := p.XY(home)
				x0, y0 := p.XY(s.Homes[0])
				order[k] = p.At((x-x0+20)%20, (y-y0+20)%20)
			}
			orders[order] = true
			spaces[distancesOf(s.Homes[:4], 20, 20)[0]] = true
		}
		if len(firsts) > 100 != tc.shifts || len(orders) > 1 != tc.deals || len(spaces) > 1 != tc.spaces {
			t.Errorf("%v: %d places of base 0, %d ways to deal the bases, %d distances in 200 episodes", tc.layout, len(firsts),
				len(orders), len(spaces))
		}
	}
}

func testStarts(t *testing.T) {
	for _, start := range []Start{AtHome, Scattered} {
		r := Standard()
		r.Width, r.Height, r.Players, r.Start = 5, 5, 8, start
		p := mustGame(t, r)
		var s State
		for episode := range uint64(50) {
			p.Deal(&s, env.Seed{Episode: episode})
			if err := p.form.Check(&s); err != nil {
				t.Fatal(err)
			}
			if home := s.Agents == s.Homes; home != (start == AtHome) {
				t.Fatalf("start %v: agents at %v, home bases at %v", start, s.Agents, s.Homes)
			}
		}
	}
}

// testSight checks that a seat sees everything, or with a view_radius what is
// near and nothing else.
func testSight(t *testing.T) {
	start := `A0 1b . 2b . . 3b   . _ . . . . .   . . _ . . . .   . . . A1 . . .   H0 . . . . . H1`
	r := sceneRules()
	p := mustGame(t, r)
	s := draw(t, p, start)
	s.RNG = env.RNG{State: 99}
	var v View
	p.See(&s, 0, &v)
	open := s
	open.RNG = env.RNG{}
	if v.State != open || v.Sight.Len() != 35 {
		t.Error("without view_radius a seat does not see all but the RNG")
	}
	r.ViewRadius = 1
	p = mustGame(t, r)
	p.See(&s, 0, &v)
	bombs := 0
	for b := range v.State.Bombs {
		if b.Cell != p.At(1, 0) && b.Cell != p.At(6, 0) {
			t.Errorf("the bomb %+v is seen", b)
		}
		bombs++
	}
	switch {
	case v.Sight.Len() != 9 || bombs != 2:
		t.Errorf("%d fields and %d bombs are seen, want 9 and 2", v.Sight.Len(), bombs)
	case v.State.Agents[0] != 0 || v.State.Agents[1] != NoCell:
		t.Errorf("agents are seen at %v, want the own at 0 and the other nowhere", v.State.Agents[:2])
	case v.State.Spent.Len() != 1 || !v.State.Spent.Has(p.At(1, 1)):
		t.Error("the field without points at [1,1], and no other, should be seen")
	case v.State.Homes != s.Homes || v.State.Scores != s.Scores:
		t.Error("home bases and points are known to all, but not seen")
	}
}

// testBasesInAnyOrder plays rounds in which agents stand on others' bases and
// judges them one by one, in any order: it makes no difference, because who
// dies goes to a base of its own.
func testBasesInAnyOrder(t *testing.T) {
	r := Standard()
	r.Width, r.Height, r.Players = 5, 5, 6
	p := mustGame(t, r)
	rng := env.RNG{State: 5}
	actions := make([]uint8, 6)
	intruders := 0
	var s State
	for episode := range uint64(40) {
		p.Deal(&s, env.Seed{Episode: episode})
		for !p.Over(&s) {
			randomActions(&rng, actions)
			before := s
			p.Step(&s, actions)
			moved := before
			p.move(&moved, actions)
			if dead := p.collide(&moved); dead == 0 && s.Blast == (Cells{}) {
				order := []int{0, 1, 2, 3, 4, 5}
				for i := range order {
					j := rng.IntN(i + 1)
					order[i], order[j] = order[j], order[i]
				}
				for _, seat := range order {
					for owner, home := range moved.Homes[:6] {
						if owner != seat && moved.Agents[seat] == home {
							moved.Agents[seat] = moved.Homes[seat]
							intruders++
						}
					}
				}
				if moved.Agents != s.Agents {
					t.Fatalf("judged in the order %v agents are at %v, together at %v", order, moved.Agents, s.Agents)
				}
			}
		}
	}
	if intruders < 100 {
		t.Errorf("only %d agents stood on others' bases, want enough to tell", intruders)
	}
}

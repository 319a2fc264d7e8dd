package bots

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pommego/arena/picture"
	"pommego/env"
	"pommego/env/basewar"
)

func TestNames(t *testing.T) {
	if want := []string{"static", "random", "simple", "flat", "mcts"}; !slices.Equal(Roster.Names(), want) {
		t.Errorf("Names() is %v, want %v", Roster.Names(), want)
	}
	for _, name := range []string{"flat:ticks=10,c=1,depth=0", "mcts:ms=0.5", "mcts:ticks=1,depth=20"} {
		if _, err := Roster.New(name); err != nil {
			t.Errorf("New(%q): %v", name, err)
		}
	}
	for _, tc := range []struct{ name, want string }{
		{"smart", "static, random, simple, flat, mcts"},
		{"simple:ticks=3", "simple takes no options"},
		{"mcts:tick=3", "mcts takes: ms, ticks, c, depth"},
		{"mcts:ticks=0", "want a whole number from 1"},
		{"flat:ms=-1", "want a number from 0.01"},
		{"flat:c=x", "want a number from 0"},
		{"flat:depth=1.5", "want a whole number from 0 to 100"},
	} {
		if _, err := Roster.New(tc.name); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("New(%q): error %v, want one that says %q", tc.name, err, tc.want)
		}
	}
}

// TestSimpleBeatsRandom plays 300 games, 150 in each view: at least 90 in 100
// are won.
func TestSimpleBeatsRandom(t *testing.T) {
	won := 0
	for _, rules := range []basewar.Rules{basewar.Standard(), basewar.StandardSides()} {
		sum := play(t, mustGame(t, rules), "simple", "random", 150)
		t.Logf("%+v", sum)
		won += sum.won
	}
	if won < 270 {
		t.Errorf("simple wins %d of 300 games against random, want at least 270", won)
	}
}

// TestSearchBeatsRandom plays some games with little time to think.
func TestSearchBeatsRandom(t *testing.T) {
	for _, name := range []string{"flat:ticks=100", "mcts:ticks=100"} {
		sum := play(t, mustGame(t, basewar.StandardSides()), name, "random", 12)
		t.Logf("%s: %+v", name, sum)
		if sum.won < 11 {
			t.Errorf("%s wins %d of 12 games against random, want at least 11", name, sum.won)
		}
	}
}

// TestRandomPlaysEverything counts what random plays in a side's three moves.
func TestRandomPlaysEverything(t *testing.T) {
	bot, err := Roster.New("random")
	if err != nil {
		t.Fatal(err)
	}
	bot.Reset(env.Seed{Value: 1}.RNG(env.StreamAgents))
	var counts [6 * 6 * 6]float64
	const each = 100
	for range each * len(counts) {
		action := []uint8{77, 77, 77}
		bot.Act(nil, action)
		counts[int(action[0])*36+int(action[1])*6+int(action[2])]++
	}
	statistic := 0.0
	for _, n := range counts {
		statistic += (n - each) * (n - each) / each
	}
	// 215 degrees of freedom: four standard deviations are 83.
	if statistic < 132 || statistic > 298 {
		t.Errorf("chi-square %.1f over 215 degrees of freedom", statistic)
	}
}

// TestSimpleSituations shows what simple goes by, one decision at a time.
func TestSimpleSituations(t *testing.T) {
	for _, tc := range []struct {
		reason string
		boxes  [][2]int
		at     [2]int
		bombs  []basewar.Bomb
		want   []basewar.Action
		life   int // of its bombs; 0: the standard one
	}{
		{"on an empty map it goes towards the enemy's base", nil, [2]int{7, 4}, nil, []basewar.Action{basewar.Right}, 0},
		{"beside a box in its way it lays a bomb", [][2]int{{7, 5}, {6, 5}, {8, 5}}, [2]int{7, 4}, nil,
			[]basewar.Action{basewar.LayBomb}, 0},
		{"there it lays one that is due after the forecast's end, too", [][2]int{{7, 5}, {6, 5}, {8, 5}}, [2]int{7, 4}, nil,
			[]basewar.Action{basewar.LayBomb}, basewar.Horizon + 4},
		{"where a bomb reaches the base it lays one", nil, [2]int{7, 12}, nil, []basewar.Action{basewar.LayBomb}, 0},
		{"it lays none that it cannot get away from", [][2]int{{1, 0}, {1, 1}, {0, 2}}, [2]int{0, 0}, nil,
			[]basewar.Action{basewar.Stop, basewar.Right}, 0},
		{"it leaves the reach of a bomb that is about to explode", nil, [2]int{3, 4},
			[]basewar.Bomb{{Cell: at(3, 3), Life: 1, Owners: 1 << 1}}, []basewar.Action{basewar.Up, basewar.Down}, 0},
		{"it does not walk into the reach of one", nil, [2]int{7, 4},
			[]basewar.Bomb{{Cell: at(5, 5), Life: 1, Owners: 1 << 1}},
			[]basewar.Action{basewar.Stop, basewar.Up, basewar.Down, basewar.Left}, 0},
	} {
		rules := basewar.Standard()
		rules.BombLife = cmp.Or(tc.life, rules.BombLife)
		g := mustGame(t, rules)
		m := g.New(1)[0].(*basewar.Match)
		m.Reset(env.Seed{})
		m.Stones, m.Boxes = [4]uint64{}, [4]uint64{}
		for _, b := range tc.boxes {
			m.Boxes.Add(at(b[0], b[1]))
		}
		m.Bombers[2].Cell = at(tc.at[0], tc.at[1])
		for i, b := range tc.bombs {
			m.Bombs[i] = b
			m.NumBombs++
			m.Bombers[1].Bombs--
		}
		// Its mates are far away, or it might have to wait for its turn.
		m.Bombers[0].Cell, m.Bombers[4].Cell = at(14, 0), at(14, 1)
		if err := m.Restore(m.Append(nil)); err != nil {
			t.Fatalf("%s: %v", tc.reason, err)
		}
		for seed := range uint64(20) {
			a, err := g.NewAgent("simple")
			if err != nil {
				t.Fatal(err)
			}
			a.Reset(env.Seed{Value: seed}.RNG(0))
			action := []uint8{77}
			a.Act(m, 2, action)
			if !slices.Contains(tc.want, basewar.Action(action[0])) {
				t.Fatalf("%s: it plays %v, want one of %v, in\n%s", tc.reason, basewar.Action(action[0]), tc.want,
					picture.AppendMatch(nil, g.Spec(), m, nil, env.NoSeat, false))
			}
		}
	}
}

package java

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pommego/env"
	"pommego/env/grid"
	"pommego/env/pommerman"
	"pommego/env/pommerman/bots/tactics"
	"pommego/env/saved"
	"pommego/env/seat"
)

func TestOptions(t *testing.T) {
	tree := settings{method: treeSearch, iterations: 200, depth: 12, c: math.Sqrt2}
	plans := settings{method: evolution, iterations: 200, length: 12, mutation: 0.5}
	with := func(s settings, change func(s *settings)) settings { change(&s); return s }
	for name, want := range map[string]settings{
		"java-osla":            {},
		"java-osla:advanced=1": {advanced: true},
		"java-mcts":            tree,
		"java-mcts:depth=8,ms=40": with(tree,
			func(s *settings) { s.depth, s.budget.Time, s.iterations = 8, 40*time.Millisecond, 0 }),
		"java-mcts:ticks=2000": with(tree, func(s *settings) { s.budget.Ticks, s.iterations = 2000, 0 }),
		"java-mcts:ms=1.5,iterations=9,c=2,advanced=1": with(tree, func(s *settings) {
			s.budget.Time, s.iterations, s.c, s.advanced = 1500*time.Microsecond, 9, 2, true
		}),
		"java-rhea": plans,
		"java-rhea:mutation=0.3,length=5,iterations=20": with(plans,
			func(s *settings) { s.mutation, s.length, s.iterations = 0.3, 5, 20 }),
	} {
		bot, err := Roster.New(name)
		if err != nil {
			t.Errorf("New(%q): %v", name, err)
		} else if got := bot.(*agent).settings; got != want {
			t.Errorf("New(%q) searches by %+v, want %+v", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"java-osla:ticks=3":      "java-osla takes: advanced",
		"java-mcts:length=3":     "java-mcts takes: ms, ticks, iterations, depth, c, advanced",
		"java-rhea:depth=3":      "java-rhea takes: ms, ticks, iterations, length, mutation, advanced",
		"java-mcts:depth=0":      "depth=0, want a whole number from 1 to 100",
		"java-mcts:iterations=0": "want a whole number from 1",
		"java-rhea:length=41":    "want a whole number from 1 to 40",
		"java-rhea:mutation=2":   "want a number from 0 to 1",
		"java-mcts:omniscient=2": "want a whole number from 0 to 1",
		"java-mcts:advanced=2":   "want a whole number from 0 to 1",
		"java-simple:ticks=3":    "java-simple takes no options",
	} {
		if _, err := Roster.New(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%q): %v, want an error with %q", name, err, want)
		}
	}
}

func TestLogarithm(t *testing.T) {
	for n := 1; n < 3_000_000; n += 1 + n/50 {
		got, want := logarithm(n), math.Log(float64(n))
		if math.Abs(got-want) > 4e-16*math.Max(want, 1) {
			t.Errorf("logarithm(%d) is %v, want %v", n, got, want)
		}
	}
}

// play plays a game by some rules, the first agent in the given seat and the second
// in all others, and calls visit after each decision of the first.
func play(t *testing.T, rules pommerman.Rules, first, other string, seat int, seed uint64,
	visit func(a env.Agent, move uint8)) env.Status {
	t.Helper()
	game, err := pommerman.New("play", "", rules, Roster)
	if err != nil {
		t.Fatal(err)
	}
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: seed})
	players := make([]env.Agent, rules.Seats())
	for k := range players {
		name := other
		if k == seat {
			name = first
		}
		if players[k], err = game.NewAgent(name); err != nil {
			t.Fatal(err)
		}
		players[k].Reset(env.Seed{Value: seed}.RNG(env.StreamAgents + uint64(k)))
	}
	width := 1 + rules.RadioWords
	actions := make([]uint8, len(players)*width)
	for !m.Status().Over && m.Status().In.Has(seat) {
		for k, p := range players {
			if m.Status().In.Has(k) {
				p.Act(m, k, actions[k*width:][:width])
			}
		}
		visit(players[seat], actions[seat*width])
		m.Step(actions)
	}
	return m.Status()
}

// The original's results against three of its simple players: of 40 games its tree
// search won 25 and its evolution 18, of 100 games its look-ahead won 11.
func TestStrength(t *testing.T) {
	for _, tc := range []struct {
		name        string
		games       int
		least, most int
	}{
		{"java-mcts:iterations=60", 8, 3, 8}, {"java-rhea:iterations=60", 8, 1, 7},
		{"java-osla", 60, 1, 14}, {"java-simple", 60, 4, 24},
	} {
		won := 0
		for seed := range tc.games {
			seat := seed % 4
			s := play(t, pommerman.Java(pommerman.FFA), tc.name, "java-simple", seat, uint64(seed), func(env.Agent, uint8) {})
			if s.Winners.Has(seat) {
				won++
			}
		}
		if won < tc.least || won > tc.most {
			t.Errorf("%s won %d of %d games, want %d to %d", tc.name, won, tc.games, tc.least, tc.most)
		}
	}
}

// With omniscient=1 agents plan on the whole state, and without it on what their seat sees.
func TestOmniscient(t *testing.T) {
	others := 0
	for _, rules := range []pommerman.Rules{
		pommerman.Java(pommerman.FFA), pommerman.Java(pommerman.Team), pommerman.Playground(pommerman.Team),
	} {
		rules.ViewSize, rules.MaxSteps = 4, 60
		game, err := pommerman.New("play", "", rules, Roster)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"java-osla", "java-mcts:iterations=20", "java-rhea:iterations=9"} {
			name += map[bool]string{true: ",omniscient=1", false: ":omniscient=1"}[strings.Contains(name, ":")]
			player, err := game.NewAgent(name)
			if err != nil {
				t.Fatal(err)
			}
			bot, _ := Roster.New(name)
			twin, seat := bot.(*agent), 1
			blind := *twin
			m := game.New(1)[0].(*pommerman.Match)
			m.Reset(env.Seed{Value: 5})
			rng := env.RNG{State: 8}
			player.Reset(rng)
			twin.Reset(rng)
			for actions := make([]uint8, 4); !m.Status().Over && m.Status().In.Has(seat); m.Step(actions) {
				for k := range actions {
					actions[k] = uint8(rng.IntN(5)) // no bombs
				}
				var v pommerman.View
				var root pommerman.State
				m.View(seat, &v)
				rules.CopyWhole(&m.State, &root)
				before := *twin
				player.Act(m, seat, actions[seat:seat+1])
				if got, want := uint8(1)<<actions[seat], twin.Could(&v, &root, &twin.rng); got != want {
					t.Fatalf("%s, step %d: it plays %#b, on the whole state it is %#b", name, v.StepCount, got, want)
				}
				blind.memory, blind.rng = before.memory, before.rng
				own := []uint8{0}
				if blind.Act(&v, own); own[0] != actions[seat] {
					others++
				}
			}
		}
	}
	if others < 20 {
		t.Errorf("by what its seat sees it plays otherwise %d times, want more", others)
	}
}

// With their own numbers too, agents play what they report to be the best, and spend
// what their iterations take.
func TestReports(t *testing.T) {
	for name, most := range map[string]uint64{"java-osla": 6, "java-rhea": 12 + 200*24, "java-mcts": 200 * 12,
		"java-mcts:iterations=30,advanced=1": 360} {
		ticks, decided := uint64(0), 0
		rules := pommerman.Java(pommerman.Team)
		rules.ViewSize = 4
		rules.MaxSteps, rules.FirstCollapse, rules.CollapseEvery = 60, 20, 10
		play(t, rules, name, "java-simple", 1, 3, func(a env.Agent, move uint8) {
			var visits [tactics.Choices]int32
			var values [tactics.Choices]float64
			if !a.(env.SearchReporter).SearchStatistics(visits[:], values[:]) {
				return
			}
			decided++
			ticks = max(ticks, a.Searched())
			for other, n := range visits {
				if n > 0 && (visits[move] == 0 || values[other] > values[move]) {
					t.Errorf("%s plays %d, but reports %v and %v", name, move, visits, values)
				}
			}
		})
		if decided < 20 || ticks > most || ticks < most/3 {
			t.Errorf("%s took up to %d ticks in %d decisions, want up to %d", name, ticks, decided, most)
		}
	}
}

// The tree's player sends what the original's does, and the others nothing.
func TestRadio(t *testing.T) {
	rules := pommerman.Playground(pommerman.TeamRadio)
	for _, name := range Roster.Names() {
		bot, err := Roster.New(name)
		if err != nil {
			t.Fatal(err)
		}
		v := pommerman.View{Rules: &rules, Alive: env.AllSeats(4)}
		v.Self.Cell, v.Self.Alive = grid.At(1, 1), true
		v.Board[v.Self.Cell] = rules.Agent0()
		action := []uint8{9, 9, 9}
		bot.Act(&v, action)
		want := "[0 0]"
		if name == "java-mcts" {
			want = "[1 0]"
		}
		if got := fmt.Sprint(action[1:]); got != want {
			t.Errorf("%s sends %s, want %s", name, got, want)
		}
	}
}

func TestRestoreErrors(t *testing.T) {
	rng, nan := "12345678", "\x00\x00\x00\x00\x00\x00\xf8\x7f"
	for _, tc := range []struct{ name, state, want string }{
		{"java-simple", "", "cut short"},
		{"java-simple", rng + "\x07", "has 7 recent cells, want at most 6"},
		{"java-simple", rng + "\x01\x01", "recent cell (-1,0)"},
		{"java-simple", rng + "\x00\x00", "1 bytes too many"},
		{"java-rhea", rng + "\x00\x00\x29", "has 41 moves in its plan, want at most 40"},
		{"java-rhea", rng + "\x00\x00\x01\x06" + strings.Repeat("\x00", 9), "has the move 6 in its plan"},
		{"java-rhea", rng + "\x00\x00\x00" + nan + "\x00", "has NaN for the value"},
		{"java-rhea", rng + "\x00\x00\x00" + strings.Repeat("\x00", 10), "1 bytes too many"},
		{"java-mcts", rng, "cut short"},
		{"java-mcts", rng + strings.Repeat("\x00", 11) + "\x0b", "belief"},
	} {
		bot, err := Roster.New(tc.name)
		if err != nil {
			t.Fatal(err)
		}
		before := string(saved.Append(nil, bot))
		if err := seat.Restore(bot, []byte(tc.state)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s takes %q: %v, want an error with %q", tc.name, tc.state, err, tc.want)
		}
		if string(saved.Append(nil, bot)) != before {
			t.Errorf("%s is changed by %q, which it refuses", tc.name, tc.state)
		}
	}
}

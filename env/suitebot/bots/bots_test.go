package bots_test

import (
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/envtest"
	"pommego/env/suitebot"
	"pommego/env/suitebot/bots"
)

func newGame(t testing.TB, rules suitebot.Rules) *suitebot.Game {
	t.Helper()
	game, err := suitebot.New("test", "for tests", rules, bots.Roster)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// TestConformance holds the agents to the contract, with and without fog, on
// the smallest plan and with the most players.
func TestConformance(t *testing.T) {
	fog := suitebot.Standard()
	fog.ViewRadius, fog.Width, fog.Height = 4, 13, 11
	crowd := suitebot.Standard()
	crowd.Width, crowd.Height, crowd.Players, crowd.BombDelay, crowd.HomeLayout = 5, 5, 8, 8, suitebot.Drawn
	for name, rules := range map[string]suitebot.Rules{"fog": fog, "crowd": crowd} {
		t.Run(name, func(t *testing.T) { envtest.Run(t, envtest.Quick(newGame(t, rules))) })
	}
}

// TestNames checks what is read of an agent's name, and what is said of a wrong
// one.
func TestNames(t *testing.T) {
	for _, name := range append(bots.Roster.Names(), "mcts:ticks=9,c=0.5,depth=0", "flat:ms=0.5", "flat:ticks=3,ms=2") {
		if _, err := bots.Roster.New(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, tc := range []struct{ name, want string }{
		{"nobody", "there are: static, random, simple, flat, mcts"},
		{"simple:x=1", "takes no options"},
		{"mcts:x=1", "mcts takes: ms, ticks, c, depth"},
		{"mcts:ticks", "want key=value"},
		{"mcts:ticks=0", "want a whole number from 1"},
		{"mcts:ticks=1.5", "want a whole number"},
		{"flat:c=-1", "want a number from 0"},
		{"flat:ms=NaN", "want a number from 0.01"},
		{"flat:depth=1,depth=2", "given twice"},
	} {
		if _, err := bots.Roster.New(tc.name); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one that says %q", tc.name, err, tc.want)
		}
	}
}

// decide is what the agent in seat 0 does in a position, with various RNGs.
func decide(t *testing.T, name string, edit func(p *suitebot.Game, s *suitebot.State)) map[suitebot.Action]bool {
	t.Helper()
	rules := suitebot.Standard()
	rules.Players = 2
	game, err := suitebot.New("test", "", rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	var s suitebot.State
	s.Homes[0], s.Homes[1] = game.At(0, 0), game.At(10, 10)
	s.Agents = s.Homes
	edit(game, &s)
	m := game.New(1)[0].(*suitebot.Match)
	m.State = s
	if err := m.Restore(m.Append(nil)); err != nil {
		t.Fatal(err)
	}
	done := map[suitebot.Action]bool{}
	for draw := range uint64(20) {
		bot, err := bots.Roster.New(name)
		if err != nil {
			t.Fatal(err)
		}
		bot.Reset(env.Seed{Value: draw}.RNG(env.StreamAgents))
		var v suitebot.View
		game.See(&s, 0, &v)
		action := []uint8{9}
		bot.Act(&v, action)
		done[suitebot.Action(action[0])] = true
	}
	return done
}

// TestDecisions puts agents before positions that leave no doubt.
func TestDecisions(t *testing.T) {
	for _, tc := range []struct {
		reason string
		edit   func(p *suitebot.Game, s *suitebot.State)
		want   []suitebot.Action
		agents string
	}{
		{"nothing around: a bomb collects most where it stands", func(p *suitebot.Game, s *suitebot.State) {
			s.Agents[0] = p.At(3, 3)
		}, []suitebot.Action{suitebot.PlantBomb}, "simple mcts flat"},
		{"an enemy's bomb goes off at once: only one step leads out of the row", func(p *suitebot.Game, s *suitebot.State) {
			s.Agents[0] = p.At(3, 3)
			s.Place(suitebot.Bomb{Cell: p.At(5, 3), Rounds: 1, Owner: 1})
		}, []suitebot.Action{suitebot.Up, suitebot.Down}, "simple"},
		{"the same: who searches sees that planting here makes the bombs' fields and the kill contested",
			func(p *suitebot.Game, s *suitebot.State) {
				s.Agents[0] = p.At(3, 3)
				s.Place(suitebot.Bomb{Cell: p.At(5, 3), Rounds: 1, Owner: 1})
			}, []suitebot.Action{suitebot.PlantBomb, suitebot.Up, suitebot.Down}, "mcts flat"},
		{"its own bomb beneath it goes off in two rounds: it takes two steps", func(p *suitebot.Game, s *suitebot.State) {
			s.Agents[0] = p.At(3, 3)
			s.Place(suitebot.Bomb{Cell: p.At(3, 3), Rounds: 2, Owner: 0})
		}, []suitebot.Action{suitebot.Up, suitebot.Down, suitebot.Left, suitebot.Right}, "simple"},
		{"all fields but a few to the right are gone", func(p *suitebot.Game, s *suitebot.State) {
			s.Agents[0] = p.At(3, 3)
			for c := range suitebot.Cell(p.Cells()) {
				if x, y := p.XY(c); x != 9 || y != 3 {
					s.Spent.Add(c)
				}
			}
		}, []suitebot.Action{suitebot.Right}, "simple"},
	} {
		for _, name := range strings.Fields(tc.agents) {
			for action := range decide(t, name, tc.edit) {
				found := false
				for _, want := range tc.want {
					found = found || action == want
				}
				if !found {
					t.Errorf("%s: %s does %v, want one of %v", tc.reason, name, action, tc.want)
				}
			}
		}
	}
}

// TestSimpleRarelyDies counts deaths among simple agents, who see every bomb
// coming but not what others will plant.
func TestSimpleRarelyDies(t *testing.T) {
	tb := newTable(t, suitebot.Standard(), "simple", "simple", "simple", "simple")
	deaths, rounds := 0, 0
	for i := range 20 {
		s := tb.play(env.Seed{Value: uint64(i)})
		for _, n := range s.Deaths {
			deaths += int(n)
		}
		rounds += 4 * int(s.StepCount)
	}
	if deaths*50 > rounds {
		t.Errorf("%d deaths in %d decisions, want at most one in 50", deaths, rounds)
	}
}

// TestSearchersSearch checks that ticks are counted and bounded, and that nobody
// foresees the draws: the view has no RNG.
func TestSearchersSearch(t *testing.T) {
	game := newGame(t, suitebot.Standard())
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	for name, want := range map[string]uint64{"flat:ticks=40": 40, "mcts:ticks=77": 77, "simple": 0} {
		agent, err := game.NewAgent(name)
		if err != nil {
			t.Fatal(err)
		}
		agent.Reset(env.RNG{})
		agent.Act(m, 0, make([]uint8, 1))
		if got := agent.Searched(); got != want {
			t.Errorf("%s simulated %d ticks, want %d", name, got, want)
		}
	}
}

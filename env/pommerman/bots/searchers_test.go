package bots

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pommego/arena/picture"
	"pommego/env"
	"pommego/env/envtest/pommermantest"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// searching lists the agents that search.
func searching() []string {
	var names []string
	for _, k := range Roster {
		if slices.Contains(k.Options(), "ticks") {
			names = append(names, k.Name)
		}
	}
	return names
}

func TestSearchOptions(t *testing.T) {
	for _, test := range []struct{ name, want, reason string }{
		{"mcts:bandit=ucb1", `"bandit" does not exist, mcts takes: ms, ticks, c, depth, careful`,
			"an unknown option lists what exists"},
		{"fmcs-random:c=3", `"c" does not exist, fmcs-random takes: ms, ticks, depth, careful`,
			"a bandit without UCB1 has no constant"},
		{"bfs:depth=3", "bfs takes: ms, ticks, memory, careful", "breadth-first search makes no roll-outs"},
		{"osla:length=3", "osla takes: ms, ticks, samples", "nor plans"},
		{"uct:careful=0", "uct takes: ms, ticks, c, depth", "only the paper's agents follow its text"},
		{"heuristic:careful=2", "careful=2, want a whole number from 0 to 1", "neither yes nor no"},
		{"bfs:careful=0.5", "careful=0.5, want a whole number from 0 to 1", "half as careful"},
		{"bfs:memory=0", "memory=0, want a whole number from 1 to 1048576", "no memory at all"},
		{"mcts:ticks=0", "ticks=0, want a whole number from 1 to", "no budget at all"},
		{"mcts:ticks=1.5", "ticks=1.5, want a whole number", "half a tick"},
		{"mcts:ticks=-5", "want a whole number from 1", "less than none"},
		{"mcts:ticks=many", "ticks=many", "no number"},
		{"mcts:ms=0", "ms=0, want a number from 0.01 to 60000", "no time"},
		{"mcts:c=NaN", "c=NaN, want a number", "what is no number compares with nothing"},
		{"mcts:c=-1", "c=-1", "an exploration that deters"},
		{"mcts:depth=101", "from 0 to 100", "roll-outs too long"},
		{"rhea:mutation=2", "from 0.001 to 1", "a share over one"},
		{"rhea:length=41", "from 1 to 40", "a plan too long"},
		{"rhea:population=1001", "from 1 to 1000", "too many plans"},
	} {
		bot, err := Roster.New(test.name)
		if err == nil || bot != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: New(%q) gives %v, want an error with %q", test.reason, test.name, err, test.want)
		}
	}
}

// TestSearched: agents tell what they searched, at most their budget, and all
// of them do search.
func TestSearched(t *testing.T) {
	const ticks = 50
	for _, name := range searching() {
		most := uint64(0)
		for i, rules := range pommermantest.Variants() {
			var a env.Agent
			pommermantest.Follow(t, Roster, rules, uint64(i), func(game *pommerman.Game, m *pommerman.Match) {
				if a == nil {
					a = pommermantest.Agent(t, game, fmt.Sprintf("%s:ticks=%d", name, ticks))
					a.Reset(env.RNG{State: 1})
				}
				a.Act(m, 0, make([]uint8, 1+rules.RadioWords))
				most = max(most, a.Searched())
			})
		}
		if most > ticks || most < ticks-2 {
			t.Errorf("%s says that it searched up to %d ticks, want %d", name, most, ticks)
		}
	}
	game, err := pommerman.New("", "", pommerman.Playground(pommerman.FFA), Roster)
	if err != nil {
		t.Fatal(err)
	}
	if n := pommermantest.Agent(t, game, "simple").Searched(); n != 0 {
		t.Errorf("simple says that it searched %d ticks, want none", n)
	}
}

// TestNoPeeking changes what a seat cannot see, which must change neither what
// it does nor what it remembers.
func TestNoPeeking(t *testing.T) {
	for i, rules := range pommermantest.Variants() {
		agents := map[string]env.Agent{}
		rng := env.RNG{State: uint64(i)}
		pommermantest.Follow(t, Roster, rules, uint64(i), func(game *pommerman.Game, m *pommerman.Match) {
			altered := alter(t, game, m, &rng)
			for _, name := range append(searching(), "heuristic") {
				a := agents[name]
				if a == nil {
					a = pommermantest.Agent(t, game, pommermantest.Quick(Roster, name))
					a.Reset(env.RNG{State: 1})
					agents[name] = a
				}
				twin := pommermantest.Agent(t, game, pommermantest.Quick(Roster, name))
				if err := twin.Restore(a.Append(nil)); err != nil {
					t.Fatal(err)
				}
				want, got := make([]uint8, 1+rules.RadioWords), make([]uint8, 1+rules.RadioWords)
				a.Act(m, 0, want)
				twin.Act(altered, 0, got)
				if !slices.Equal(got, want) || !slices.Equal(twin.Append(nil), a.Append(nil)) {
					t.Fatalf("%s: with things changed that it cannot see it plays %v, want %v; the game is\n%s", name, got, want,
						picture.AppendMatch(nil, game.Spec(), m, nil, env.NoSeat, false))
				}
			}
		})
	}
}

// alter makes a match that looks the same to seat 0 and differs where it cannot
// look: in the items under wood, in what others carry, in fog, and in the RNG.
func alter(t *testing.T, game *pommerman.Game, m *pommerman.Match, rng *env.RNG) *pommerman.Match {
	t.Helper()
	rules := game.Rules()
	altered := game.New(1)[0].(*pommerman.Match)
	altered.State = m.State
	if m.StepCount%4 == 0 { // without the items under wood
		for _, c := range grid.Cells(rules.BoardSize) {
			altered.Hide(c, pommerman.Passage)
		}
	}
	altered.RNG = env.RNG{State: rng.Uint64()}
	var before, after pommerman.View
	m.View(0, &before)
	for seat := 1; seat < rules.Seats(); seat++ {
		a := &altered.Agents[seat]
		a.Ammo, a.Blast, a.Kicks = uint8(rng.IntN(5)), uint8(2+rng.IntN(5)), rng.Coin()
	}
	for row := range rules.BoardSize {
		for col := range rules.BoardSize {
			c := grid.At(row, col)
			if item := altered.Board[c]; before.Board[c] == pommerman.Fog && item <= pommerman.Rigid && rng.Coin() {
				altered.Board[c] = pommerman.Rigid - item
			}
		}
	}
	altered.View(0, &after)
	clear(before.Bombs[before.NumBombs:])
	clear(after.Bombs[after.NumBombs:])
	if before != after {
		t.Fatal("the altered game does not look the same")
	}
	return altered
}

// TestSearchersBeatSimple one against one, over a few seeds and with hardly any
// budget. Those of the Java re-implementation need more: package java tests them.
func TestSearchersBeatSimple(t *testing.T) {
	for _, name := range searching() {
		if strings.HasPrefix(name, "java-") {
			continue
		}
		game, err := pommerman.New("duel", "", pommerman.Playground(pommerman.OneVsOne), Roster)
		if err != nil {
			t.Fatal(err)
		}
		var sum pommermantest.Tally
		for i := range 24 {
			pommermantest.PlaySeat(t, game, pommermantest.Quick(Roster, name), i%2, env.Seed{Value: uint64(i)}, &sum)
		}
		if sum.Won <= sum.Lost+3 {
			t.Errorf("%s against simple: %+v, want more games won than lost", name, sum)
		}
	}
}

// TestClock: with a limit on time alone an agent searches too, and comes to an
// end.
func TestClock(t *testing.T) {
	for _, name := range searching() {
		most := uint64(0)
		var a env.Agent
		pommermantest.Follow(t, Roster, pommerman.Playground(pommerman.FFA), 3,
			func(game *pommerman.Game, m *pommerman.Match) {
				if a == nil {
					a = pommermantest.Agent(t, game, name+":ms=0.05")
					a.Reset(env.RNG{State: 1})
				}
				a.Act(m, 0, make([]uint8, 1))
				most = max(most, a.Searched())
			})
		if most == 0 {
			t.Errorf("%s with 0.05 ms searched nothing", name)
		}
	}
}

package bots_test

import (
	"flag"
	"strings"
	"testing"

	"pommego/env"
	"pommego/env/suitebot"
	"pommego/env/suitebot/bots"
)

// table is a game with an agent in each seat.
type table struct {
	match  env.Match
	agents []env.Agent
}

func newTable(t testing.TB, rules suitebot.Rules, names ...string) *table {
	t.Helper()
	rules.Players = len(names)
	game, err := suitebot.New("test", "", rules, bots.Roster)
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{match: game.New(1)[0]}
	for _, name := range names {
		agent, err := game.NewAgent(name)
		if err != nil {
			t.Fatal(err)
		}
		tb.agents = append(tb.agents, agent)
	}
	return tb
}

// play plays a game to its end and returns the state.
func (tb *table) play(seed env.Seed) *suitebot.State {
	tb.match.Reset(seed)
	for seat, agent := range tb.agents {
		agent.Reset(seed.RNG(env.StreamAgents + uint64(seat)))
	}
	actions := make([]uint8, len(tb.agents))
	for !tb.match.Status().Over {
		for seat, agent := range tb.agents {
			agent.Act(tb.match, seat, actions[seat:seat+1])
		}
		tb.match.Step(actions)
	}
	return &tb.match.(*suitebot.Match).State
}

// firsts plays games and counts how often seat 0 has the most points, alone.
func firsts(t testing.TB, games int, rules suitebot.Rules, names ...string) (won int, points []int) {
	tb := newTable(t, rules, names...)
	points = make([]int, len(names))
	for i := range games {
		s := tb.play(env.Seed{Value: uint64(i)})
		for seat := range names {
			points[seat] += int(s.Scores[seat])
		}
		if tb.match.Status().Winners == 1 {
			won++
		}
	}
	return won, points
}

// TestSimpleBeatsRandom plays 300 games of the standard against three random
// agents, and others of other sizes.
func TestSimpleBeatsRandom(t *testing.T) {
	for _, tc := range []struct {
		games, side, players, want int
	}{{300, 20, 4, 270}, {60, 20, 2, 54}, {60, 10, 4, 54}, {30, 32, 8, 27}} {
		names := []string{"simple"}
		for len(names) < tc.players {
			names = append(names, "random")
		}
		rules := suitebot.Standard()
		rules.Width, rules.Height = tc.side, tc.side
		won, points := firsts(t, tc.games, rules, names...)
		t.Logf("%dx%d: won %d of %d games against %d random agents; points %v", tc.side, tc.side, won, tc.games, tc.players-1,
			points)
		if won < tc.want {
			t.Errorf("%dx%d: won %d of %d games against %d random agents, want at least %d", tc.side, tc.side, won, tc.games,
				tc.players-1, tc.want)
		}
	}
}

var (
	duel = flag.String("duel", "",
		"agents to play -duel-games games against each other, with | between; the first one's wins are counted")
	duelGames = flag.Int("duel-games", 30, "how many")
)

// TestDuel measures one line-up, for example
//
//	go test ./env/suitebot/bots -run TestDuel -v -duel 'mcts:ticks=2000|simple|simple|simple'
func TestDuel(t *testing.T) {
	if *duel == "" {
		t.Skip("no -duel given")
	}
	names := strings.Split(*duel, "|")
	won, points := firsts(t, *duelGames, suitebot.Standard(), names...)
	t.Logf("%s: the first won %d of %d games; points %v", *duel, won, *duelGames, points)
}

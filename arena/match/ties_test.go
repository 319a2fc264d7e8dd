package match_test

import (
	"testing"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/envtest"
	"pommego/env/pommerman"
)

// Agents that never move tie every time: the rules for ties alone end the
// match.
func TestTiesWithoutEnd(t *testing.T) {
	pomme, toy := variant(t, "PommeFFACompetition-v0", `{"max_steps": 40}`), envtest.NewToy(idle())
	for _, tc := range []struct {
		reason  string
		game    env.Game
		agent   string
		ties    match.Ties
		games   int
		result  env.Result
		of      env.SeatResult
		outcome float64
	}{
		{"a tie stands, and pays what the original pays", pomme, "static", match.KeepTies, 1, env.Tie, env.Tied, -1},
		{"the playground plays once more, then 20 on a collapsing board", pomme, "static", match.RerunPlayground, 22, env.Tie,
			env.Tied, -1},
		{"the Java rule plays three more, and then all have lost", pomme, "static", match.RerunJava, 4, env.Loss,
			env.Lost, -1},
		{"a game that does not collapse is played again as it is", toy, "still", match.RerunPlayground, 22, env.Tie,
			env.Tied, 0},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			names := make([]string, tc.game.Spec().Seats)
			for i := range names {
				names[i] = tc.agent
			}
			p := play(t, tc.game, seatsOf(t, tc.game, names...), match.Rules{Ties: tc.ties})
			if p.Games != tc.games || p.Result.Result != tc.result || p.Winners != 0 {
				t.Errorf("%+v, want %d games and %v", p.Result, tc.games, tc.result)
			}
			steps := 0
			for _, at := range p.moments {
				if at.Actions != nil {
					steps++
				}
			}
			if p.Total != steps || p.Steps > p.Total || p.Steps == 0 {
				t.Errorf("%d steps in all and %d in the last game, but %d were shown", p.Total, p.Steps, steps)
			}
			for seat, outcome := range p.Outcome {
				if outcome != tc.outcome || p.Results[seat] != tc.of {
					t.Errorf("seat %d has %s with outcome %v, want %s with %v", seat, p.Results[seat], outcome, tc.of, tc.outcome)
				}
			}
		})
	}
}

// idle is a toy game too short for its heat to kill anybody.
func idle() envtest.ToyRules {
	rules := envtest.ToySolo()
	rules.MaxSteps = 2
	return rules
}

// The re-runs of the playground's rule: which of them collapse, that each has a
// board of its own, and that each can be played again from its seed alone.
func TestReruns(t *testing.T) {
	game := variant(t, "PommeFFACompetition-v0", `{"max_steps": 60}`)
	p := play(t, game, seatsOf(t, game, "simple", "static", "static", "static"), match.Rules{Ties: match.RerunPlayground})
	boards, number := map[string]bool{}, -1
	var first moment
	for i, at := range p.moments {
		if at.Actions == nil {
			number++
			first = at
			boards[string(at.state)] = true
		}
		if at.Number != number {
			t.Fatalf("a moment of game %d, want %d", at.Number, number)
		}
		want := pommerman.NoCollapse
		if number >= 2 {
			want = 37 // five eighths of 60
		}
		if got := at.Game.Spec().Rules.(pommerman.Rules).FirstCollapse; got != want {
			t.Fatalf("game %d collapses from step %d, want %d", number, got, want)
		}
		over := i+1 == len(p.moments) || p.moments[i+1].Actions == nil
		if !over {
			continue
		}
		alone := playSeed(t, first.Game, seatsOf(t, first.Game, "simple", "static", "static", "static"), first.Seed,
			match.Rules{})
		if got := alone.moments[len(alone.moments)-1].state; string(got) != string(at.state) {
			t.Errorf("game %d ends otherwise when it is played by itself with seed %v", number, first.Seed)
		}
	}
	if number+1 != p.Games || p.Games < 3 || len(boards) != p.Games {
		t.Errorf("saw %d games on %d boards, the result says %d; want at least 3, each with its own", number+1, len(boards),
			p.Games)
	}
}

// A re-run that is won ends the match, and its winner has won it.
func TestRerunWon(t *testing.T) {
	game := variant(t, "OneVsOne-v0", `{"max_steps": 200}`)
	for _, ties := range []match.Ties{match.RerunPlayground, match.RerunJava} {
		won := 0
		for value := range uint64(30) {
			p := playSeed(t, game, seatsOf(t, game, "simple", "simple"), env.Seed{Value: value}, match.Rules{Ties: ties})
			if p.Games > 1 && p.Result.Result == env.Win {
				won++
				if p.Winners.Len() != 1 || p.Outcome[0]+p.Outcome[1] != 0 || p.Outcome[0] == 0 {
					t.Errorf("%v, seed %d: winners %b with outcomes %v", ties, value, p.Winners, p.Outcome)
				}
			}
		}
		if won == 0 {
			t.Errorf("%v: no re-run of 30 matches was ever won", ties)
		}
	}
}

func TestParseTies(t *testing.T) {
	for _, ties := range []match.Ties{match.KeepTies, match.RerunPlayground, match.RerunJava} {
		var got match.Ties
		if err := got.UnmarshalText([]byte(ties.String())); got != ties || err != nil {
			t.Errorf("%q is read as %v, %v", ties, got, err)
		}
	}
	if err := new(match.Ties).UnmarshalText([]byte("coin")); err == nil ||
		err.Error() != `match: the rule for ties is "coin", want one of none, playground, java` {
		t.Errorf("coin: %v", err)
	}
}

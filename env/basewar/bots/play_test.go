package bots

import (
	"testing"

	"pommego/env"
	"pommego/env/basewar"
	"pommego/env/grid"
)

// tally is the outcome of some games for one side.
type tally struct {
	won, lost, drawn, rounds, bases int
	points                          [2]int
}

// mustGame makes a game with these agents.
func mustGame(t testing.TB, rules basewar.Rules) *basewar.Game {
	t.Helper()
	g, err := basewar.New("test", "a test", rules, Roster)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// play plays games of one agent, in all seats of a side, against another; the
// sides change from game to game.
func play(t testing.TB, g *basewar.Game, one, other string, games int) (sum tally) {
	t.Helper()
	seats, width := g.Spec().Seats, len(g.Spec().Actions)
	match := g.New(1)[0].(*basewar.Match)
	actions := make([]uint8, seats*width)
	for i := range games {
		seed := env.Seed{Value: 1000, Episode: uint64(i)}
		match.Reset(seed)
		own := basewar.Side(i % 2)
		players := make([]env.Agent, seats)
		for seat := range players {
			name := other
			if basewar.SideOf(seat) == own {
				name = one
			}
			var err error
			if players[seat], err = g.NewAgent(name); err != nil {
				t.Fatal(err)
			}
			players[seat].Reset(seed.RNG(env.StreamAgents + uint64(seat)))
		}
		for !match.Status().Over {
			for seat, p := range players {
				if match.Status().In.Has(seat) {
					p.Act(match, seat, actions[seat*width:][:width])
				}
			}
			match.Step(actions)
		}
		switch st := match.Status(); {
		case st.Winners == 0:
			sum.drawn++
		case st.Winners.Has(int(own)):
			sum.won++
		default:
			sum.lost++
		}
		sum.rounds += int(match.StepCount)
		sum.points[0] += int(match.Score[own])
		sum.points[1] += int(match.Score[own.Other()])
		if match.Energy[own.Other()] == 0 {
			sum.bases++
		}
	}
	return sum
}

func at(row, col int) grid.Cell { return grid.At(row, col) }

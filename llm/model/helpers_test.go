package model_test

import (
	"encoding/json"
	"testing"

	"go.uber.org/goleak"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// variant is a game with changed rules.
func variant(t *testing.T, id, changes string) env.Game {
	t.Helper()
	game, err := catalog.Variant(id, json.RawMessage(changes))
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// seatsOf makes players by name, closed when the test ends.
func seatsOf(t *testing.T, game env.Game, names ...string) []match.Player {
	t.Helper()
	players := match.Players{Game: game}
	t.Cleanup(func() {
		if err := players.Close(); err != nil {
			t.Error(err)
		}
	})
	seats, err := players.Seat(names)
	if err != nil {
		t.Fatal(err)
	}
	return seats
}

// play plays a match to its end.
func play(t *testing.T, game env.Game, players []match.Player, r match.Rules) *match.Report {
	t.Helper()
	report, err := match.Play(t.Context(), game, players, env.Seed{Value: 20}, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

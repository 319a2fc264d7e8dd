package match_test

import (
	"reflect"
	"slices"
	"testing"

	"pommego/env"
	"pommego/env/envtest"
	"pommego/env/match"
)

// seatsOf makes players by name, closed when the test ends.
func seatsOf(t *testing.T, game env.Game, names ...string) []match.Player {
	t.Helper()
	var players []match.Player
	for _, name := range names {
		p, err := match.NewPlayer(game, name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
		players = append(players, p)
	}
	return players
}

// timeless is a result without what the clock says.
func timeless(r *match.Result) match.Result {
	plain := *r
	plain.Seats = slices.Clone(r.Seats)
	for i := range plain.Seats {
		plain.Seats[i].Think, plain.Seats[i].Longest = 0, 0
	}
	return plain
}

// A match of built-in agents is the game that the contract alone would play,
// with the agents' dice from the seed, and the same every time.
func TestPlayIsTheGame(t *testing.T) {
	game := envtest.NewToy(envtest.ToySolo())
	names := []string{"hunter", "wander", "hunter:reach=2"}
	for value := range uint64(20) {
		seed := env.Seed{Value: value, Episode: value % 3}
		var states [][]byte
		watch := func(at match.Moment) error {
			states = append(states, at.Match.Append(nil))
			return nil
		}
		got, err := match.Play(t.Context(), game, seatsOf(t, game, names...), seed, match.Rules{}, watch)
		if err != nil {
			t.Fatal(err)
		}
		want := byHand(t, game, seed, names)
		if !reflect.DeepEqual(states, want) {
			t.Fatalf("seed %v: %d states differ from the %d of a game played by hand", seed, len(states), len(want))
		}
		again, err := match.Play(t.Context(), game, seatsOf(t, game, names...), seed, match.Rules{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(timeless(got), timeless(again)) {
			t.Fatalf("seed %v gave %+v, then %+v", seed, got, again)
		}
		if got.Games != 1 || got.Steps != len(states)-1 || got.Total != got.Steps || got.Seed != seed {
			t.Errorf("seed %v: %+v after %d steps", seed, got, len(states)-1)
		}
	}
}

// byHand is the states of a game, from the start to the end.
func byHand(t *testing.T, game env.Game, seed env.Seed, names []string) [][]byte {
	t.Helper()
	m := game.New(1)[0]
	m.Reset(seed)
	var agents []env.Agent
	for seat, name := range names {
		agent, err := game.NewAgent(name)
		if err != nil {
			t.Fatal(err)
		}
		agent.Reset(seed.Dice(env.StreamAgents + uint64(seat)))
		agents = append(agents, agent)
	}
	states := [][]byte{m.Append(nil)}
	width := len(game.Spec().Actions)
	for !m.Status().Over {
		actions := make([]uint8, width*len(agents))
		for seat, agent := range agents {
			if m.Status().In.Has(seat) {
				agent.Act(m, seat, actions[seat*width:][:width])
			}
		}
		m.Step(actions)
		states = append(states, m.Append(nil))
	}
	return states
}

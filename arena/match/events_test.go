package match_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pommego/arena/match"
	"pommego/env"
	"pommego/env/catalog"
)

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every id's matches say what was counted, and have events that add up to it.
func TestCountsAndEvents(t *testing.T) {
	for _, id := range catalog.IDs() {
		t.Run(id, func(t *testing.T) {
			game, err := catalog.Game(id)
			if err != nil {
				t.Fatal(err)
			}
			spec := game.Spec()
			names := slices.Repeat([]string{"simple"}, spec.Seats)
			died, laid := make([]int32, spec.Seats), int32(0)
			result, err := match.Play(t.Context(), game, seatsOf(t, game, names...), env.Seed{Value: 3},
				match.Rules{Events: true}, func(at match.Moment) error {
					for _, e := range at.Tracker.Events() {
						switch e.Kind {
						case env.Died:
							died[e.Seat]++
						case env.Laid:
							laid++
						default:
						}
					}
					return nil
				})
			if err != nil {
				t.Fatal(err)
			}
			if len(spec.Counts) == 0 || len(result.Counts) != len(spec.Counts) {
				t.Fatalf("counted %v, want %v", result.Counts, spec.Counts)
			}
			if bombs := result.Counts["bombs"]; bombs != nil {
				for _, n := range bombs {
					laid -= n
				}
				if laid != 0 {
					t.Errorf("counted %v bombs, there were %d more", bombs, laid)
				}
			}
			if deaths := result.Counts["deaths"]; deaths != nil && !slices.Equal(deaths, died) {
				t.Errorf("counted deaths %v, there were %v", deaths, died)
			}
		})
	}
}

// A repetition is played on the same board with other random numbers, and by itself it is
// the same every time. The first is the match without.
func TestRepetition(t *testing.T) {
	game := duel(t, "60")
	plays := func(r int) played {
		return play(t, game, seatsOf(t, game, "random", "random"), match.Rules{Repetition: r})
	}
	plain, other := plays(0), plays(1)
	withoutRNG := func(p played) string {
		m := game.New(1)[0]
		if err := m.Restore(p.moments[0].state); err != nil {
			t.Fatal(err)
		}
		m.Reseed(env.Seed{})
		return string(m.Append(nil))
	}
	if withoutRNG(plain) != withoutRNG(other) || string(plain.moments[0].state) == string(other.moments[0].state) {
		t.Error("want the same board and another generator")
	}
	if reflect.DeepEqual(plain.moves(0), other.moves(0)) {
		t.Error("the repetition has the same moves")
	}
	if again := plays(1); !reflect.DeepEqual(again.moves(0), other.moves(0)) {
		t.Error("played again the repetition has other moves")
	}
	if at := other.moments[0]; at.Seed != (env.Seed{Value: 20}) {
		t.Errorf("the board is from %v", at.Seed)
	}
}

package envtest

import (
	"testing"

	"pommego/env"
)

// The toy games must have all that what runs them should be tested with.
func TestToyIsVaried(t *testing.T) {
	for _, rules := range []ToyRules{ToyTeams(), ToySolo()} {
		game := NewToy(rules)
		k := &kit{fixture: &fixture{game: game}, t: t, spec: game.Spec()}
		wins, ties, outEarly, limit := map[env.SeatSet]int{}, 0, 0, 0
		for seed := range 60 {
			m := game.New(1)[0]
			m.Reset(env.Seed{Value: uint64(seed)})
			rng := env.RNG{State: uint64(seed)}
			early := false
			for !m.Status().Over {
				early = early || m.Status().In != env.AllSeats(k.spec.Seats)
				m.Step(k.choose(m, &rng, styles[seed%3]))
			}
			if early {
				outEarly++
			}
			switch st := m.Status(); {
			case st.Result == env.Win:
				wins[st.Winners]++
			case st.Steps == rules.MaxSteps:
				limit++
			default:
				ties++
			}
		}
		if len(wins) < len(rules.Teams) || ties == 0 || limit == 0 || outEarly < 30 {
			t.Errorf("%s: wins by team %v, ties before the step limit %d, at it %d, games with a seat out before the end %d: "+
				"want some of each and 30 of the last",
				rules.ID, wins, ties, limit, outEarly)
		}
	}
}

package envtest

import "testing"

func TestToy(t *testing.T) {
	for _, rules := range []ToyRules{ToyTeams(), ToySolo()} {
		t.Run(rules.ID, func(t *testing.T) { Run(t, NewToy(rules)) })
	}
}

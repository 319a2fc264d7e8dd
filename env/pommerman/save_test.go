package pommerman

import (
	"testing"

	"pommego/env"
)

// TestDifference names the first value in which two matches differ.
func TestDifference(t *testing.T) {
	g, err := New("test", "", Playground(FFA), nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, alter := range map[string]func(m *Match){
		"":                              func(*Match) {},
		"step_count: 0 and 1":           func(m *Match) { m.StepCount++ },
		"agents[2].ammo: 1 and 2":       func(m *Match) { m.Agents[2].Ammo++ },
		"agents[1].can_kick: 0 and 1":   func(m *Match) { m.Agents[1].Kicks = true },
		"bombs: [] and [[1 2 9 2 3 0]]": func(m *Match) { m.addBomb(NewBomb(g.rules.cell(13), 9, 2, 3, 0)) },
		"ring_due: -1 and 0":            func(m *Match) { m.due = 1 },
		"training_agent: -1 and 3":      func(m *Match) { m.SetTrainingSeat(3) },
		"dice: 000000000000000b and 000000000000000c": func(m *Match) { m.RNG.State = 0xc },
	} {
		pair := g.New(2)
		a, b := pair[0].(*Match), pair[1].(*Match)
		a.Reset(env.Seed{Value: 5})
		a.RNG.State = 0xb
		a.RNG.State = 0xb
		b.State = a.State
		alter(b)
		if got := a.Difference(b); got != want {
			t.Errorf("the difference is %q, want %q", got, want)
		}
	}
}

package words_test

import (
	"testing"

	"pommego/arena/scene"
	"pommego/arena/words"
	"pommego/env"
	"pommego/env/catalog"
)

func TestLook(t *testing.T) {
	for _, id := range []string{"PommeRadioCompetition-v2", "BaseWarSides-v0", "SuiteBot-v0"} {
		game, _ := catalog.Game(id)
		m := game.New(1)[0]
		m.Reset(env.Seed{Value: 1})
		spec := game.Spec()
		head := scene.HeadOf(spec, m)
		g, err := words.New(spec, &head)
		if err != nil {
			t.Fatal(err)
		}
		tr := game.NewTrackers(1, true)[0]
		tr.Begin(m)
		step := scene.Describe(spec, m, tr, nil)
		seen := step.Seen(&head, 1)
		mask := make([]uint8, spec.MaskSize())
		m.Mask(1, mask)
		t.Log(g.Rules(), g.View(&seen, 1, mask, words.Full))
		j, err := g.JSON(&seen, 1, mask, words.Full)
		t.Log(string(j), err)
	}
}

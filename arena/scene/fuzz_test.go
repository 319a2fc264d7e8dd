package scene_test

import (
	"encoding/json"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/catalog"
)

// FuzzGame: no JSON makes reading a described game panic, and what is read can be written
// and read again as the same.
func FuzzGame(f *testing.F) {
	for _, id := range []string{"PommeRadio-v2", "BaseWar-v0", "SuiteBot-v0"} {
		game, err := catalog.Game(id)
		if err != nil {
			f.Fatal(err)
		}
		m := game.New(1)[0]
		m.Reset(env.Seed{Value: 1})
		head := scene.HeadOf(game.Spec(), m)
		tracker := game.NewTrackers(1, true)[0]
		tracker.Begin(m)
		steps := []scene.Step{scene.Describe(game.Spec(), m, tracker, nil)}
		text, err := json.Marshal(scene.Timeline{Head: head, Steps: steps})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var game, again scene.Timeline
		if json.Unmarshal(text, &game) != nil {
			return
		}
		once, err := json.Marshal(game)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(once, &again); err != nil {
			t.Fatalf("%v: %s", err, once)
		}
		if twice, err := json.Marshal(again); err != nil || string(twice) != string(once) {
			t.Fatalf("written again it is %s (%v), want %s", twice, err, once)
		}
	})
}

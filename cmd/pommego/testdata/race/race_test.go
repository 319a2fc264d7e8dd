package race_test

import (
	"testing"

	"pommego/env/envtest"
	"pommego/env/race"
	"pommego/env/race/bots"
)

func TestConformance(t *testing.T) {
	game, err := race.New("Race-v0", "a race", race.Standard(), bots.Roster)
	if err != nil {
		t.Fatal(err)
	}
	envtest.Run(t, game)
}

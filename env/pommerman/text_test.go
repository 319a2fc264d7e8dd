package pommerman

import (
	"strings"
	"testing"

	pictures "pommego/arena/picture"
	"pommego/env"
)

// TestText: a picture for a seat has fog, and no more of the others than that they play.
func TestText(t *testing.T) {
	game, err := New("test", "a test", seeing(Playground(Team), 4), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := game.New(1)[0]
	m.Reset(env.Seed{Value: 1})
	tracker := game.NewTrackers(1, false)[0]
	tracker.Begin(m)
	whole := string(pictures.AppendMatch(nil, game.Spec(), m, tracker, env.NoSeat, false))
	seen := string(pictures.AppendMatch(nil, game.Spec(), m, tracker, 1, false))
	if strings.Contains(whole, "??") || strings.Count(whole, ": ammo 1, blast 2\n") != 4 {
		t.Errorf("the whole game is drawn as\n%s", whole)
	}
	if !strings.Contains(seen, "??") || !strings.Contains(seen, "A1") || strings.Contains(seen, "A3") ||
		strings.Count(seen, ": ammo 1, blast 2\n") != 1 || strings.Count(seen, ": in the game\n") != 3 {
		t.Errorf("what seat 1 sees is drawn as\n%s", seen)
	}
}

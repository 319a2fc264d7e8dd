package suitebot

import (
	"strings"
	"testing"
	"unsafe"

	"pommego/arena/picture"
	"pommego/env"
)

// TestText draws a position.
func TestText(t *testing.T) {
	r := sceneRules()
	game, err := New("test", "a test", r, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := game.New(1)[0].(*Match)
	m.State = draw(t, mustGame(t, r),
		`. A0 . 4a . . .   . _ . 1b+H0 . . .   * . . . . . .   . . . A1 . . .   . . . . . . H1`)
	m.StepCount, m.Scores[1], m.Kills[1], m.Deaths[0] = 12, 11, 1, 1
	tracker := game.NewTrackers(1, false)[0]
	tracker.Begin(m)
	want := strings.Join([]string{
		"step 12 of 100",
		" .A0 .4a . . .",
		" .   .1b . . .",
		"** . . . . . .",
		" . . .A1 . . .",
		" . . . . . .H1",
		"seat 0: ammo 1, blast 2, deaths 1",
		"seat 1: ammo 1, blast 2, points 11, kills 1", "",
	}, "\n")
	if got := string(picture.AppendMatch(nil, game.Spec(), m, tracker, env.NoSeat, false)); got != want {
		t.Errorf("the picture is\n%s\nwant\n%s", got, want)
	}
	inColour := string(picture.AppendMatch(nil, game.Spec(), m, tracker, env.NoSeat, true))
	if !strings.Contains(inColour, "48;5;166mA1") {
		t.Errorf("the picture in colour shows no agent 1 in its colour:\n%q", inColour)
	}
}

// TestStateSize pins what a running game costs; 32-bit programs leave the last 4 bytes out.
func TestStateSize(t *testing.T) {
	const want = 544
	if got := (unsafe.Sizeof(State{}) + 7) &^ 7; got != want {
		t.Errorf("a State takes %d bytes, want %d: if that is meant, pin the new size", got, want)
	}
}

// TestSeenText: in a picture for a seat, fields out of its sight show nothing, and
// with everything in sight it is the plan as it is.
func TestSeenText(t *testing.T) {
	for _, radius := range []int{0, 2} {
		r := Standard()
		r.ViewRadius = radius
		game, err := New("test", "a test", r, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := game.New(1)[0].(*Match)
		m.Reset(env.Seed{Value: 4})
		_, plan, _ := strings.Cut(string(picture.AppendMatch(nil, game.Spec(), m, nil, env.NoSeat, false)), "\n")
		seen := string(picture.AppendMatch(nil, game.Spec(), m, nil, 1, false))
		_, rest, _ := strings.Cut(seen, "\n")
		if !strings.HasPrefix(seen, "step 0 of 100, as seat 1 sees it\n") || radius == 0 && rest != plan {
			t.Errorf("radius %d: drawn as\n%s", radius, seen)
		}
		if radius > 0 && (strings.Count(rest, "??") != 400-25-3 || strings.Contains(rest, "A0") ||
			!strings.Contains(rest, "H0")) {
			t.Errorf("radius %d: drawn as\n%s", radius, seen)
		}
	}
}

package suitebot

import (
	"strings"
	"testing"
	"unsafe"

	"pommego/env"
)

// TestText draws a position.
func TestText(t *testing.T) {
	r := sceneRules()
	p := mustPlan(t, r)
	s := draw(t, p, `. A0 . 4a . . .   . _ . 1b+H0 . . .   * . . . . . .   . . . A1 . . .   . . . . . . H1`)
	s.StepCount, s.Scores[1], s.Gains[1], s.Collected[1], s.Kills[1], s.Deaths[0] = 12, 11, 10, 1, 1, 1
	want := strings.Join([]string{
		"round 12 of 100, 33 fields left, 1 contested",
		" .A0 .4a . . .",
		" .   .1b . . .",
		"** . . . . . .",
		" . . .A1 . . .",
		" . . . . . .H1",
		"player 0:    0 points (+0), 0 fields, 0 kills, 1 deaths",
		"player 1:   11 points (+10), 1 fields, 1 kills, 0 deaths", "",
	}, "\n")
	if got := string(p.AppendText(nil, &s, false)); got != want {
		t.Errorf("the picture is\n%s\nwant\n%s", got, want)
	}
	if got := string(p.AppendText(nil, &s, true)); !strings.Contains(got, agentColours[1]+"A1\x1b[0m") {
		t.Errorf("the picture in colour shows no agent 1 in its colour:\n%q", got)
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
		_, plan, _ := strings.Cut(string(m.AppendText(nil, false)), "\n")
		seen := string(m.AppendSeen(nil, 1, false))
		_, rest, _ := strings.Cut(seen, "\n")
		if !strings.HasPrefix(seen, "round 0 of 100, you are A1\n") || radius == 0 && rest != plan {
			t.Errorf("radius %d: drawn as\n%s", radius, seen)
		}
		if radius > 0 && (strings.Count(rest, "??") != 400-25-3 || strings.Contains(rest, "A0") || !strings.Contains(rest, "H0")) {
			t.Errorf("radius %d: drawn as\n%s", radius, seen)
		}
	}
}

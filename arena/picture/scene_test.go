package picture_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pommego/arena/picture"
	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/basewar"
	"pommego/env/catalog"
	"pommego/env/grid"
	"pommego/env/pommerman"
)

// on is the names of the whole sprites on a cell, but for the floor and the marks of those
// who are out.
func on(pic *picture.Picture, row, col int) string {
	var names []string
	for _, m := range pic.Marks {
		if m.Row == float64(row) && m.Col == float64(col) && m.Size == 1 && m.Sprite != "out" &&
			!strings.HasPrefix(m.Sprite, "floor") {
			names = append(names, strings.Fields(m.Sprite)[0])
		}
	}
	return strings.Join(names, " ")
}

// TestPicturesShowTheBoard plays games of every variant of Pommerman and compares each
// cell with what is drawn there.
func TestPicturesShowTheBoard(t *testing.T) {
	want := map[pommerman.Item][]string{
		pommerman.Passage: {""}, pommerman.Rigid: {"wall"}, pommerman.Wood: {"wood"},
		pommerman.Flames: {"flame", "ember"}, pommerman.ExtraBomb: {"card extra_bomb"},
		pommerman.IncrRange: {"card incr_range"}, pommerman.Kick: {"card kick"}, pommerman.Skull: {"card skull"},
	}
	agents := []string{"round facing", "square facing", "bomb spark round facing ticks", "bomb spark square facing ticks"}
	cells := 0
	for _, id := range catalog.IDs() {
		for steps := 0; steps < 100; steps += 20 {
			match, actions := playedOn(t, id, "", steps)
			m, ok := match.(*pommerman.Match)
			if !ok {
				break
			}
			rules := m.Game().(*pommerman.Game).Rules()
			pic, n := pictureOf(m, actions, env.NoSeat), rules.BoardSize
			for at := range n * n {
				item, got := m.Board[grid.At(at/n, at%n)], on(&pic, at/n, at%n)
				expected := want[item]
				switch {
				case item >= rules.Agent0():
					expected = agents
				case item == pommerman.BombItem:
					got, _, _ = strings.Cut(got, " ")
					expected = []string{"bomb"}
				}
				if !slices.Contains(expected, got) {
					t.Errorf("%s, step %d: item %d is drawn as %q, want one of %q", id, steps, item, got, expected)
				}
				cells++
			}
		}
	}
	if cells < 10_000 {
		t.Errorf("only %d cells were compared", cells)
	}
}

// count is how many marks there are of a sprite and a colour.
func count(pic *picture.Picture, sprite string, colour env.Colour) (n int) {
	for _, m := range pic.Marks {
		if m.Sprite == sprite && m.Colour == colour {
			n++
		}
	}
	return n
}

// TestPicturesOfSides: whose bases and bombers there are, and where each of a seat's bombers
// looks.
func TestPicturesOfSides(t *testing.T) {
	match, _ := playedOn(t, "BaseWarSides-v0", "", 30)
	m := match.(*basewar.Match)
	actions := []uint8{uint8(basewar.Up), uint8(basewar.Left), uint8(basewar.Stop), 0, 0, uint8(basewar.Right)}
	pic := pictureOf(m, actions, env.NoSeat)
	for _, tc := range []struct {
		sprite string
		colour env.Colour
		want   int
	}{
		{"base", env.Blue[0], 1}, {"base", env.Green[0], 1}, {"round", env.Blue[0], 3}, {"square", env.Green[0], 3},
		{"facing up", env.Blue[0], 1}, {"facing left", env.Blue[0], 1}, {"facing", env.Blue[0], 1},
		{"facing", env.Green[0], 2}, {"facing right", env.Green[0], 1},
	} {
		if n := count(&pic, tc.sprite, tc.colour); n != tc.want {
			t.Errorf("%d %s of colour %06x, want %d", n, tc.sprite, tc.colour, tc.want)
		}
	}
}

// TestPictureOfASeatsStep: a picture of what a seat sees of a step shows nothing but what the
// seat knows of it, nor where others wanted to go.
func TestPictureOfASeatsStep(t *testing.T) {
	m, actions := playedOn(t, "PommeTeam-v0", "", 10)
	game := m.(*pommerman.Match).Game()
	head, tracker := scene.HeadOf(game.Spec(), m), game.NewTrackers(1, true)[0]
	tracker.Begin(m)
	for i := range actions {
		actions[i] = uint8(pommerman.Left)
	}
	step := scene.Describe(game.Spec(), m, tracker, actions)
	for seat := range head.Colours {
		seen := step.Seen(&head, seat)
		got, want := picture.OfStep(&head, &step, seat), picture.OfStep(&head, &seen, env.NoSeat)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seat %d: the picture is\n%v\nthat of what it knows\n%v", seat, got, want)
		}
	}
}

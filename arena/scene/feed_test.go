package scene_test

import (
	"fmt"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/env/catalog"
)

// TestFeed sends a viewer the rest of the game that it is shown, and then the last game, or
// all games, whatever it missed.
func TestFeed(t *testing.T) {
	f, v := scene.Feed{Most: 8}, scene.Viewer{}
	add := func(step int) { f.Add(scene.Step{Step: step, Status: &scene.Status{Over: true}}, nil) }
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		t.Fatal(err)
	}
	m := game.New(1)[0]
	play := func(name string, steps ...int) {
		f.Begin(scene.Head{Env: name}, m)
		for _, step := range steps {
			add(step)
		}
	}
	want := func(reason, want string) {
		t.Helper()
		var got []string
		for _, line := range f.News(&v, scene.Whole) {
			if line.Head != nil {
				got = append(got, line.Head.Env)
			} else {
				got = append(got, fmt.Sprint(line.Step.Step))
			}
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%s: %q, want %q", reason, g, want)
		}
	}
	want("nothing was played", "")
	play("a", 0, 1)
	want("a game has begun", "a 0 1")
	want("nothing is new", "")
	add(2)
	play("b", 0)
	play("c", 0, 1)
	want("two games began since", "2")
	want("and then", "c 0 1")
	v = scene.Viewer{All: true}
	want("a viewer of all games comes", "a 0 1 2 b 0 c 0 1")
	for step := range 20 {
		add(step + 2)
	}
	want("more positions came than are kept", "14 15 16 17 18 19 20 21")
	if g := f.Game(); g.Env != "c" || len(g.Steps) != 8 || f.Last().Step != 21 {
		t.Errorf("the game is %s with %d steps", g.Env, len(g.Steps))
	}
	f.Clear()
	want("all was forgotten", "")
	play("d", 0)
	want("another game has begun", "d 0")
}

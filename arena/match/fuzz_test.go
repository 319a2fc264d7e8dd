package match

import (
	"testing"

	"pommego/env/catalog"
)

// FuzzAnswer: whatever a program answers, it is a legal number of each component or an
// error.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{`5`, `"Left"`, `[1, 2, 3]`, `[]`, `null`, `1e400`, `-0`, `0.5`, `"`, `[[`, `{"a": 1}`,
		`256`} {
		f.Add([]byte(text))
	}
	game, err := catalog.Game("PommeRadio-v2")
	if err != nil {
		f.Fatal(err)
	}
	choices := game.Spec().Actions
	f.Fuzz(func(t *testing.T, text []byte) {
		action := make([]uint8, len(choices))
		if readAction(text, choices, action) != nil {
			return
		}
		for i, a := range action {
			if int(a) >= choices[i].N {
				t.Fatalf("%q is read as choice %d of %d", text, a, choices[i].N)
			}
		}
	})
}

// FuzzPlayer: every name is a player, which has not been started yet, or an error.
func FuzzPlayer(f *testing.F) {
	for _, name := range []string{"simple", "http://localhost:8080", "https://[::1]:1/a?b#c", "http://", "exec:",
		"exec:python3 a.py 'b c'", "http://a:b@c:9", "mcts:ticks=9"} {
		f.Add(name)
	}
	game, err := catalog.Game("PommeRadio-v2")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if p, err := NewPlayer(game, name); err == nil {
			p.Close()
		}
	})
}

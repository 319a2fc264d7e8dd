package joined_test

import (
	"testing"

	"pommego/arena/dataset/joined"
	"pommego/env/catalog"
)

// FuzzParse: no file of the original's form makes reading it panic, nor playing it again.
func FuzzParse(f *testing.F) {
	game, err := catalog.Game("OneVsOne-v0")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(original))
	f.Fuzz(func(t *testing.T, text []byte) {
		if g, err := joined.Parse(text); err == nil {
			_, _ = g.Episode(game)
		}
	})
}

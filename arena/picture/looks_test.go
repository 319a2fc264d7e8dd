package picture_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pommego/arena/picture"
	"pommego/env/catalog"
)

// TestLooksAreDrawn: what any game of the catalog says that things look like, pictures have a sprite for, and texts
// characters. Else it would be on no board.
func TestLooksAreDrawn(t *testing.T) {
	var drawn struct{ Sprites map[string]any }
	if err := json.Unmarshal(picture.Sprites, &drawn); err != nil {
		t.Fatal(err)
	}
	for _, id := range catalog.IDs() {
		game, err := catalog.Game(id)
		if err != nil {
			t.Fatal(err)
		}
		stage := game.New(1)[0].Stage()
		if len(stage.Looks) == 0 {
			t.Errorf("%s has no looks", id)
		}
		for _, look := range stage.Looks {
			if look.Sprite == "" {
				continue // it is drawn as another is
			}
			if drawn.Sprites[look.Sprite] == nil {
				t.Errorf("%s: sprites.json has no %q", id, look.Sprite)
			}
			if !picture.InTexts(look.Sprite) && !slices.Contains([]string{"base", "home", "bomb"}, look.Sprite) {
				t.Errorf("%s: texts have no characters for %q", id, look.Sprite)
			}
		}
	}
}

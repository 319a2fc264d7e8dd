package scene_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
)

// TestEveryKeyIsDocumented looks for every key of the JSON form, every event and all
// that can be concealed in the page that describes the form.
func TestEveryKeyIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/maintainers/scene.md")
	if err != nil {
		t.Fatal(err)
	}
	words := []string{
		scene.Format, string(env.HiddenItems), string(env.BombOwners), string(env.BombDirections),
		string(env.FlameLives), string(env.OthersCarry), string(env.OthersSay),
	}
	for kind := env.Laid; !strings.Contains(kind.String(), "?"); kind++ {
		words = append(words, kind.String())
	}
	seen := map[reflect.Type]bool{}
	var keys func(reflect.Type)
	keys = func(in reflect.Type) {
		switch in.Kind() {
		case reflect.Slice, reflect.Pointer:
			keys(in.Elem())
		case reflect.Struct:
			if seen[in] {
				return
			}
			seen[in] = true
			for field := range in.Fields() {
				if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
					words = append(words, name)
				}
				keys(field.Type)
			}
		}
	}
	keys(reflect.TypeFor[scene.Timeline]())
	if len(words) < 50 {
		t.Errorf("only %d words to look for: %q", len(words), words)
	}
	for _, word := range words {
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("docs/maintainers/scene.md does not mention `%s`", word)
		}
	}
}

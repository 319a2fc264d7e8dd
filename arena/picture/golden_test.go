package picture_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pommego/arena/picture"
	"pommego/arena/scene"
	"pommego/env"
	"pommego/env/catalog"
)

var update = flag.Bool("update", false, "write the golden pictures anew")

// The golden pictures: whole games, and what a seat sees in fog and without.
var golden = []struct {
	file, id, rules   string
	steps, seat, tile int
	dark              bool
}{
	{"ffa", "PommeFFACompetition-v0", "", 40, env.NoSeat, 16, false},
	{"ffa-large", "PommeFFACompetition-v0", "", 40, env.NoSeat, 32, false},
	{"team", "PommeTeam-v0", "", 60, env.NoSeat, 16, true},
	{"collapse", "PommeFFA-v1", `{"first_collapse": 40}`, 45, env.NoSeat, 16, false},
	{"radio-fog", "PommeRadioCompetition-v2", "", 60, 1, 16, false},
	{"duel", "OneVsOne-v0", "", 25, env.NoSeat, 16, false},
	{"basewar", "BaseWar-v0", "", 30, env.NoSeat, 16, false},
	{"basewar-sides", "BaseWarSides-v0", "", 45, 1, 16, true},
	{"suitebot", "SuiteBot-v0", "", 20, env.NoSeat, 16, false},
	{"suitebot-fog", "SuiteBot-v0", `{"view_radius": 5}`, 20, 2, 16, false},
}

// playedOn is a game of simple agents after some steps, by the rules of an id or with
// some of them changed, and the actions of the last one.
func playedOn(t testing.TB, id, rules string, steps int) (env.Match, []uint8) {
	t.Helper()
	game, err := catalog.Game(id)
	if rules != "" {
		game, err = catalog.Variant(id, json.RawMessage(rules))
	}
	if err != nil {
		t.Fatal(err)
	}
	m, width := game.New(1)[0], len(game.Spec().Actions)
	m.Reset(env.Seed{Value: 2})
	agents := make([]env.Agent, game.Spec().Seats)
	for seat := range agents {
		if agents[seat], err = game.NewAgent("simple"); err != nil {
			t.Fatal(err)
		}
		agents[seat].Reset(env.RNG{State: uint64(seat)})
	}
	actions := make([]uint8, len(agents)*width)
	for range steps {
		for seat, a := range agents {
			if m.Status().In.Has(seat) {
				a.Act(m, seat, actions[seat*width:][:width])
			}
		}
		m.Step(actions)
	}
	return m, actions
}

// pictureOf is a picture of a match by itself.
func pictureOf(m env.Match, actions []uint8, seat int) picture.Picture {
	spec := m.(interface{ Game() env.Game }).Game().Spec()
	head, step := scene.HeadOf(spec, m), scene.Describe(spec, m, nil, actions)
	return picture.OfStep(&head, &step, seat)
}

// TestGoldenPictures compares pictures of all games with those in testdata. Processors
// round differently, so shades may differ a little.
func TestGoldenPictures(t *testing.T) {
	for _, tc := range golden {
		m, actions := playedOn(t, tc.id, tc.rules, tc.steps)
		pic := pictureOf(m, actions, tc.seat)
		got := picture.NewPainter(tc.tile, tc.dark).Image(&pic)
		path := filepath.Join("testdata", tc.file+".png")
		if *update {
			write(t, path, got)
		}
		if why := differs(got, read(t, path)); why != "" {
			t.Errorf("%s, step %d, seat %d: %s; if it is to be so, run go test -update", tc.id, tc.steps, tc.seat, why)
		}
	}
}

// TestGoldenPicturesCatch: what the comparison is for is beyond its tolerance.
func TestGoldenPicturesCatch(t *testing.T) {
	m, actions := playedOn(t, "PommeFFACompetition-v0", "", 40)
	p := picture.NewPainter(16, false)
	pic := pictureOf(m, actions, env.NoSeat)
	right := p.Image(&pic)
	for reason, damage := range map[string]func(*picture.Mark) bool{
		"an agent's colour": func(m *picture.Mark) bool { m.Colour = 0xcc79a7; return m.Sprite == "round" },
		"an agent's number": func(m *picture.Mark) bool { m.Text = "8"; return m.Sprite == "round" },
		"where it looks":    func(m *picture.Mark) bool { m.Sprite = "facing up"; return true },
		"wood":              func(m *picture.Mark) bool { m.Sprite = "wall"; return true },
		"a bomb's time":     func(m *picture.Mark) bool { m.Text = "88"; return m.Sprite == "bomb" },
	} {
		wrong := pictureOf(m, actions, env.NoSeat)
		before := map[string]string{"where it looks": "facing", "wood": "wood"}[reason]
		for i := range wrong.Marks {
			changed := wrong.Marks[i]
			if (before == "" || strings.HasPrefix(changed.Sprite, before)) && damage(&changed) {
				wrong.Marks[i] = changed
				break
			}
		}
		if differs(p.Image(&wrong), right) == "" {
			t.Errorf("%s: the damaged picture passes for the right one", reason)
		}
	}
}

// differs says in what two images differ beyond the tolerance: no pixel by more than
// 40 of 255 but for two.
func differs(got *image.RGBA, want image.Image) string {
	if got.Bounds() != want.Bounds() {
		return fmt.Sprintf("the image is %v, want %v", got.Bounds(), want.Bounds())
	}
	const shade, pixels = 40 << 8, 2
	wrong, first := 0, image.Point{}
	for y := range got.Rect.Dy() {
		for x := range got.Rect.Dx() {
			r, g, b, _ := got.At(x, y).RGBA()
			r2, g2, b2, _ := want.At(x, y).RGBA()
			if max(apart(r, r2), apart(g, g2), apart(b, b2)) > shade {
				if wrong == 0 {
					first = image.Pt(x, y)
				}
				wrong++
			}
		}
	}
	if wrong <= pixels {
		return ""
	}
	return fmt.Sprintf("%d pixels differ, the first at %v", wrong, first)
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }

func write(t *testing.T, path string, img image.Image) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// BenchmarkImage draws pictures of games with tiles of 16 pixels, as rgb_array does.
func BenchmarkImage(b *testing.B) {
	for _, id := range []string{"PommeFFACompetition-v0", "PommeTeamCompetition-v0", "BaseWar-v0", "SuiteBot-v0"} {
		m, actions := playedOn(b, id, "", 20)
		for name, seat := range map[string]int{"whole": env.NoSeat, "seat": 0} {
			b.Run(id+"/"+name, func(b *testing.B) {
				p := picture.NewPainter(16, false)
				for b.Loop() {
					pic := pictureOf(m, actions, seat)
					p.Image(&pic)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pictures/s")
			})
		}
	}
}

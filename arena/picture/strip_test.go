package picture

import (
	"bytes"
	"image"
	"strings"
	"testing"

	"pommego/arena/scene"
	"pommego/env"
)

// filmed is a game of two on a board of 8 by 8, which the first has won.
func filmed(names ...string) *scene.Timeline {
	g := &scene.Timeline{Head: scene.Head{Names: names, Teams: [][]int{{0}, {1}}, Actions: []env.Choice{{N: 6}}}}
	g.Rows, g.Cols, g.Colours = 8, 8, []env.Colour{0x0072b2, 0xd55e00}
	for step := range 4 {
		s := scene.Step{Step: step, Status: &scene.Status{Winners: []int{}, In: []int{0, 1}}}
		s.Ground = bytes.Repeat([]byte{'.'}, 64)
		if step == 3 {
			s.Status = &scene.Status{Over: true, Winners: []int{0}, In: []int{0}}
		}
		g.Steps = append(g.Steps, s)
	}
	return g
}

// TestFilm: pictures of a game have strips that say who plays and lives, the step, and who has won.
func TestFilm(t *testing.T) {
	film := Film(filmed("anna"), env.NoSeat)[2:]
	for i, want := range []string{"step 2", "step 3: won by anna"} {
		if got := film[i].Strip.Words; got != want {
			t.Errorf("the strip says %q, want %q", got, want)
		}
	}
	last := film[1].Strip.Seats
	if last[0].Text != "anna" || last[1].Text != "seat 1" || last[0].Sprite != "round" || last[1].Sprite != "out" {
		t.Errorf("the seats are %+v", last)
	}
}

// TestStrip: a strip stands below boards with room for letters, other boards are as they are without; names are cut.
func TestStrip(t *testing.T) {
	for _, tile := range []int{24, 32, 48} {
		for _, dark := range []bool{false, true} {
			p := NewPainter(tile, dark)
			pic := Film(filmed("anna", "ben"), env.NoSeat)[3]
			long := Film(filmed("anna", strings.Repeat("ben", 99)), env.NoSeat)[3]
			img, other := p.Image(&pic), p.Image(&long)
			pic.Strip = nil
			board := p.Image(&pic)
			if room := tile >= 32; (img.Rect.Dy() > board.Rect.Dy()) != room || img.Rect != other.Rect {
				t.Errorf("with cells of %d the picture is %v, its board %v", tile, img.Rect, board.Rect)
			} else if room && bytes.Equal(img.Pix, other.Pix) {
				t.Error("the names are not seen")
			}
			if !bytes.Equal(img.Pix[:len(board.Pix)], board.Pix) {
				t.Errorf("with cells of %d the strip changes the board", tile)
			}
			inks := map[string]bool{}
			for y := board.Rect.Max.Y; y < img.Rect.Max.Y; y++ {
				for x := range img.Rect.Max.X {
					inks[string(img.Pix[img.PixOffset(x, y):][:4])] = true
				}
			}
			if tile >= 32 && len(inks) < 8 {
				t.Errorf("the strip has %d colours", len(inks))
			}
		}
	}
	p := NewPainter(32, false)
	if width, height := p.Size(&Picture{8, 8, nil, new(Strip)}); image.Pt(width, height) != image.Pt(256, 8*32+56) {
		t.Errorf("a board of 8 by 8 with its strip is %d by %d", width, height)
	}
}

package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/gif"
	"strings"
	"testing"

	"pommego/env"
)

// board is a picture of six cells of floor, with a sprite in the middle below.
func board(sprite, text string) Picture {
	p := Picture{Cols: 3, Rows: 2}
	for i := range 6 {
		p.Marks = append(p.Marks, Mark{"floor", float64(i / 3), float64(i % 3), 1, 0, 0, ""})
	}
	p.Marks = append(p.Marks, Mark{sprite, 1, 1, 1, 0, 0x0072b2, text})
	return p
}

func drawnBoard(sprite, text string, tile int, dark bool) *image.RGBA {
	p := board(sprite, text)
	return NewPainter(tile, dark).Image(&p)
}

// TestEverySpriteIsDrawn counts the pixels that each sprite changes: some of its cell, and
// no others.
func TestEverySpriteIsDrawn(t *testing.T) {
	for sprite := range drawings.Sprites {
		for _, tile := range []int{4, 20, 64} {
			for _, dark := range []bool{false, true} {
				img, empty := drawnBoard(sprite, "", tile, dark), drawnBoard("", "", tile, dark)
				in, out := 0, 0
				for y := range 2 * tile {
					for x := range 3 * tile {
						switch {
						case img.RGBAAt(x, y) == empty.RGBAAt(x, y):
						case x/tile == 1 && y/tile == 1:
							in++
						default:
							out++
						}
					}
				}
				if sprite != "floor" && in < tile*tile/50 || out != 0 {
					t.Errorf("%s of %d pixels: %d of its cell and %d outside", sprite, tile, in, out)
				}
			}
		}
	}
}

// TestTextsAreRead: numbers differ from each other, and those on seats' colours can be read.
func TestTextsAreRead(t *testing.T) {
	seen := map[string]string{}
	for _, text := range strings.Split(",0,1,2,3,4,5,6,7,8,9,-,10,0a,0b,0c,15,100", ",") {
		img := string(drawnBoard("bomb", text, 16, false).Pix)
		if other, known := seen[img]; known {
			t.Errorf("%q looks like %q", text, other)
		}
		seen[img] = text
	}
	for colour, want := range map[env.Colour]string{0x0072b2: "#ffffff", 0xf0e442: "#1d2329"} {
		if got := colourOf("label", colour, false); got != read(want) {
			t.Errorf("the label on %06x is %v, want %s", colour, got, want)
		}
	}
}

func TestThemesDiffer(t *testing.T) {
	if bytes.Equal(drawnBoard("bomb", "3", 16, false).Pix, drawnBoard("bomb", "3", 16, true).Pix) {
		t.Error("light and dark look alike")
	}
}

// TestPathsThatCannotBe: what sprites.json may not hold.
func TestPathsThatCannotBe(t *testing.T) {
	for _, bad := range []string{"X 1 2", "M 1", "L 1 b", "A 1 2 3 4 5 6 7"} {
		if err := new(outline).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is a path", bad)
		}
	}
}

func pictures() []Picture {
	return []Picture{board("", ""), board("bomb", "2"), board("flame", ""), board("flame", ""), board("round", "3")}
}

func written(t *testing.T, tile int) *gif.GIF {
	t.Helper()
	var out bytes.Buffer
	if err := WriteGIF(context.Background(), &out, NewPainter(tile, false), pictures(), 10); err != nil {
		t.Fatal(err)
	}
	read, err := gif.DecodeAll(&out)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// TestGIF puts the images on each other, as those who show them do.
func TestGIF(t *testing.T) {
	read := written(t, 16)
	if len(read.Image) != 5 || read.Delay[0] != 10 || read.Delay[4] != 200 {
		t.Fatalf("%d images with delays %v", len(read.Image), read.Delay)
	}
	shown := image.NewRGBA(image.Rect(0, 0, 48, 32))
	for i, p := range pictures() {
		for at := range 48 * 32 {
			x, y := at%48, at/48
			if c := read.Image[i].At(x, y); (image.Point{x, y}).In(read.Image[i].Rect) {
				if _, _, _, a := c.RGBA(); a > 0 {
					shown.Set(x, y, c)
				}
			}
		}
		want := NewPainter(16, false).Image(&p)
		for at, b := range want.Pix {
			if d := int(b) - int(shown.Pix[at]); max(d, -d) > 24 {
				t.Fatalf("image %d, byte %d is %d, want %d", i, at, shown.Pix[at], b)
			}
		}
	}
}

// TestGIFStoresWhatChanges: the rectangle of the one cell that does, or as good as nothing.
func TestGIFStoresWhatChanges(t *testing.T) {
	cell := image.Rect(16, 16, 32, 32)
	for i, frame := range written(t, 16).Image {
		switch area := frame.Rect; {
		case i == 0 && area != image.Rect(0, 0, 48, 32):
			t.Errorf("the first image is %v", area)
		case i == 3 && area.Dx()*area.Dy() != 1:
			t.Errorf("image 3, as the one before, is %v", area)
		case i > 0 && i != 3 && !area.In(cell):
			t.Errorf("image %d is %v, which is more than %v", i, area, cell)
		}
	}
}

// TestGIFStops: a video takes long to write, and need not be written to its end.
func TestGIFStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out bytes.Buffer
	err := WriteGIF(ctx, &out, NewPainter(16, false), pictures(), 5)
	if !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("error %v and %d bytes, want %v and none", err, out.Len(), context.Canceled)
	}
	if _, err := (while{ctx, &out}).Write([]byte("x")); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("once it has ended, writing gives %v and %d bytes", err, out.Len())
	}
}

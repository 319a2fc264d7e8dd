package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"testing"
)

func board(shape Shape) Picture {
	p := Picture{Cols: 3, Rows: 2, Lines: []Line{{Text: "a line"}, {Text: "another"}}}
	for range 6 {
		p.Tiles = append(p.Tiles, Tile{Ground: 0x102030})
	}
	p.Tiles[4] = Tile{Ground: 0x102030, Mark: Mark{Shape: shape, Colour: 0xf0e000}}
	return p
}

// TestEveryShapeIsDrawn counts the pixels of each shape: some of the tile, and
// only of its own.
func TestEveryShapeIsDrawn(t *testing.T) {
	const tile = 20
	for shape := Disc; int(shape) < len(depths); shape++ {
		img := NewPainter(tile).Image(board(shape))
		if got := img.Bounds(); got != image.Rect(0, 0, 60, 40+2*unit) {
			t.Fatalf("shape %d: the image is %v", shape, got)
		}
		in, out := 0, 0
		for y := range 40 {
			for x := range 60 {
				if img.RGBAAt(x, y) != (color.RGBA{0xf0, 0xe0, 0, 0xff}) {
					continue
				}
				if x/tile == 1 && y/tile == 1 {
					in++
				} else {
					out++
				}
			}
		}
		if in < tile*tile/5 || in >= tile*tile || out != 0 {
			t.Errorf("shape %d: %d pixels on its tile and %d outside", shape, in, out)
		}
	}
}

func TestLabelsAndLinesAreWritten(t *testing.T) {
	with, without := board(Disc), board(Disc)
	with.Tiles[4].Label = "12"
	a, b := NewPainter(32).Image(with), NewPainter(32).Image(without)
	if bytes.Equal(a.Pix, b.Pix) {
		t.Error("the label changes nothing")
	}
	dark := 0
	for y := 64; y < a.Rect.Dy(); y++ {
		for x := range a.Rect.Dx() {
			if a.RGBAAt(x, y) == rgba(ink) {
				dark++
			}
		}
	}
	if dark < 50 {
		t.Errorf("%d pixels of the lines are ink", dark)
	}
}

func pictures() []Picture { return []Picture{board(Nothing), board(Disc), board(Star)} }

func TestGIF(t *testing.T) {
	var out bytes.Buffer
	if err := WriteGIF(context.Background(), &out, pictures(), 16, 10); err != nil {
		t.Fatal(err)
	}
	read, err := gif.DecodeAll(&out)
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Image) != 3 || read.Delay[0] != 10 || read.Delay[2] != 200 {
		t.Fatalf("%d images with delays %v", len(read.Image), read.Delay)
	}
	for i, p := range pictures() {
		want := NewPainter(16).Image(p)
		for y := range want.Rect.Dy() {
			for x := range want.Rect.Dx() {
				r, g, b, _ := read.Image[i].At(x, y).RGBA()
				if got := (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0xff}); got != want.RGBAAt(x, y) {
					t.Fatalf("image %d, pixel (%d,%d) is %v, want %v", i, x, y, got, want.RGBAAt(x, y))
				}
			}
		}
	}
}

// TestGIFStops: a video takes long to write, and need not be written to its end.
func TestGIFStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out bytes.Buffer
	if err := WriteGIF(ctx, &out, pictures(), 16, 5); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("error %v and %d bytes, want %v and none", err, out.Len(), context.Canceled)
	}
	if _, err := (while{ctx, &out}).Write([]byte("x")); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("once it has ended, writing gives %v and %d bytes", err, out.Len())
	}
}

package picture

import (
	"image"
	"image/color"

	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"pommego/env"
)

// The colours that the game does not choose.
const (
	paper = env.Colour(0xffffff)
	ink   = env.Colour(0x202020)
	light = env.Colour(0xffffff) // labels on dark shapes
)

// unit is the size of marks in the lines below a picture, in pixels, and of the tiles
// for which texts have their smallest size. Larger tiles have larger texts.
const unit = 16

// Painter draws pictures with tiles of one size. It keeps the tiles that it has
// drawn, since most are the same in the next picture. It belongs to one goroutine.
type Painter struct {
	tile    int
	scale   int // of texts
	sprites map[sprite]*image.RGBA
}

// sprite is what a painter has drawn: a tile in a size.
type sprite struct {
	Tile
	size int
}

// maxSprites is how many are kept: more than a game needs.
const maxSprites = 1024

// NewPainter makes a painter for tiles of the given size in pixels.
func NewPainter(tile int) *Painter {
	return &Painter{tile, max(tile/unit, 1), make(map[sprite]*image.RGBA)}
}

// Tile is the size of the tiles.
func (p *Painter) Tile() int { return p.tile }

// Size is the width and height of a picture's image in pixels.
func (p *Painter) Size(pic *Picture) (width, height int) {
	return pic.Cols * p.tile, pic.Rows*p.tile + len(pic.Lines)*unit*p.scale
}

// Image draws a picture. Pictures with as many tiles and lines have images of the same
// size.
func (p *Painter) Image(pic Picture) *image.RGBA {
	line := unit * p.scale
	top := pic.Rows * p.tile
	width, height := p.Size(&pic)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	fill(img.Pix[top*img.Stride:], paper)
	for i := range pic.Tiles {
		p.put(img, i%pic.Cols*p.tile, i/pic.Cols*p.tile, sprite{pic.Tiles[i], p.tile})
	}
	for i := range pic.Lines {
		p.line(img, top+i*line, &pic.Lines[i])
	}
	return img
}

// line draws a line whose top is at y.
func (p *Painter) line(img *image.RGBA, y int, l *Line) {
	size := unit * p.scale
	x := 0
	for _, mark := range l.Marks {
		if x+size > img.Rect.Dx() {
			return
		}
		p.put(img, x, y, sprite{Tile{Ground: paper, Mark: mark}, size})
		x += size
	}
	p.write(img, l.Text, x+3*p.scale, y+12*p.scale)
}

// put copies a sprite, which it draws first if it has not yet.
func (p *Painter) put(img *image.RGBA, x, y int, s sprite) {
	drawn := p.sprites[s]
	if drawn == nil {
		if len(p.sprites) >= maxSprites {
			clear(p.sprites)
		}
		drawn = drawTile(s.size, &s.Tile)
		p.sprites[s] = drawn
	}
	for row := range s.size {
		copy(img.Pix[img.PixOffset(x, y+row):], drawn.Pix[row*drawn.Stride:][:4*s.size])
	}
}

// write writes a text from x on, in capitals as high as 9 times the scale; y is where
// it stands.
func (p *Painter) write(img *image.RGBA, text string, x, y int) {
	for _, r := range text {
		at, mask, from, advance, ok := basicfont.Face7x13.Glyph(fixed.Point26_6{}, r)
		if !ok {
			continue
		}
		letter := mask.(*image.Alpha)
		for row := range at.Dy() {
			for col := range at.Dx() {
				if letter.AlphaAt(from.X+col, from.Y+row).A != 0 {
					dot(img, x+(at.Min.X+col)*p.scale, y+(at.Min.Y+row)*p.scale, p.scale, rgba(ink))
				}
			}
		}
		x += advance.Ceil() * p.scale
	}
}

// dot draws a square dot, as far as it lies in the image.
func dot(img *image.RGBA, x, y, size int, c color.RGBA) {
	for row := y; row < y+size; row++ {
		for col := x; col < x+size; col++ {
			img.SetRGBA(col, row, c)
		}
	}
}

// fill gives pixels a colour.
func fill(pixels []uint8, c env.Colour) {
	if len(pixels) == 0 {
		return
	}
	colour := rgba(c)
	for done := copy(pixels, []uint8{colour.R, colour.G, colour.B, colour.A}); done < len(pixels); done *= 2 {
		copy(pixels[done:], pixels[:done])
	}
}

func rgba(c env.Colour) color.RGBA {
	return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}
}

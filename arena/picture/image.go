package picture

import (
	"image"
	"image/draw"
	"math"

	"pommego/env"
)

// Painter draws pictures with cells of one size. It keeps the sprites that it has drawn. It
// belongs to one goroutine.
type Painter struct {
	tile  int
	dark  bool
	drawn map[sprite]drawn
}

// sprite is everything that an image of a sprite depends on; a painter draws each once.
type sprite struct {
	name   string
	size   int
	colour env.Colour
	text   string
}

type drawn struct {
	*image.RGBA
	how draw.Op
}

// maxSprites is how many sprites a painter keeps: more than a game needs.
const maxSprites = 1024

// NewPainter makes a painter for cells of a size in pixels, in light or dark colours.
func NewPainter(tile int, dark bool) *Painter { return &Painter{tile, dark, make(map[sprite]drawn)} }

// Tile is the size of the cells.
func (p *Painter) Tile() int { return p.tile }

// Size is the width and height of a picture's image in pixels.
func (p *Painter) Size(pic *Picture) (width, height int) {
	return pic.Cols * p.tile, pic.Rows*p.tile + p.stripHeight(pic)
}

// Image draws a picture.
func (p *Painter) Image(pic *Picture) *image.RGBA {
	width, height := p.Size(pic)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range pic.Marks {
		m := &pic.Marks[i]
		size := p.pixels(m.Size)
		d := p.draw(sprite{m.Sprite, size, m.Colour, m.Text})
		x, y := p.pixels(m.Col), p.pixels(m.Row)
		draw.Draw(img, image.Rect(x, y, x+size, y+size), d.RGBA, image.Point{}, d.how)
	}
	p.strip(img, pic)
	return img
}

func (p *Painter) pixels(cells float64) int { return int(math.Floor(cells*float64(p.tile) + 0.5)) }

// draw returns a sprite's image. It draws the image the first time.
func (p *Painter) draw(s sprite) drawn {
	d, ok := p.drawn[s]
	if !ok {
		if len(p.drawn) >= maxSprites {
			clear(p.drawn)
		}
		d = drawn{render(s, p.dark), draw.Over}
		if d.Opaque() {
			d.how = draw.Src
		}
		p.drawn[s] = d
	}
	return d
}

package picture

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
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

const lineHeight = 16 // of the text below, in pixels

// size is the width and height of a picture's image, in pixels, with tiles of
// the given size.
func size(p env.Picture, tile int) (width, height int) {
	return p.Cols * tile, p.Rows*tile + len(p.Lines)*lineHeight
}

// Image draws a picture with tiles of the given size in pixels.
func Image(p env.Picture, tile int) *image.RGBA {
	width, height := size(p, tile)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.NewUniform(rgba(paper)), image.Point{}, draw.Src)
	for i, t := range p.Tiles {
		drawTile(img, image.Pt(i%p.Cols*tile, i/p.Cols*tile), tile, t)
	}
	for i, line := range p.Lines {
		write(img, line, 4, p.Rows*tile+(i+1)*lineHeight-4, ink)
	}
	return img
}

func rgba(c env.Colour) color.RGBA {
	return color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff}
}

func drawTile(img *image.RGBA, at image.Point, size int, t env.Tile) {
	ground, front := rgba(t.Ground), rgba(t.Colour)
	inside := shapes[t.Shape]
	for y := range size {
		for x := range size {
			c := ground
			// The middle of the pixel, from -1 to 1.
			if inside((2*float64(x)+1)/float64(size)-1, (2*float64(y)+1)/float64(size)-1) {
				c = front
			}
			img.SetRGBA(at.X+x, at.Y+y, c)
		}
	}
	if t.Label == "" {
		return
	}
	under := t.Ground
	if t.Shape != env.Nothing && t.Shape != env.Ring {
		under = t.Colour
	}
	width := font.MeasureString(basicfont.Face7x13, t.Label).Ceil()
	write(img, t.Label, at.X+(size-width)/2, at.Y+(size+10)/2, contrast(under))
}

// contrast is the colour in which text can be read on c.
func contrast(c env.Colour) env.Colour {
	if 3*(c>>16&0xff)+6*(c>>8&0xff)+c&0xff > 1280 {
		return ink
	}
	return light
}

func write(img *image.RGBA, text string, x, y int, c env.Colour) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(rgba(c)), Face: basicfont.Face7x13, Dot: fixed.P(x, y)}
	d.DrawString(text)
}

// shapes report for each shape whether it covers a point of a tile, from -1 to 1
// each way.
var shapes = map[env.Shape]func(x, y float64) bool{
	env.Nothing: func(x, y float64) bool { return false },
	env.Disc:    func(x, y float64) bool { return x*x+y*y < 0.6 },
	env.Ring:    func(x, y float64) bool { d := x*x + y*y; return d < 0.75 && d > 0.45 },
	env.Block:   func(x, y float64) bool { return max(math.Abs(x), math.Abs(y)) < 0.94 },
	env.Bricks:  bricks,
	env.Diamond: func(x, y float64) bool { return math.Abs(x)+math.Abs(y) < 0.75 },
	env.Star:    func(x, y float64) bool { return math.Hypot(x, y) < 0.65+0.25*math.Cos(8*math.Atan2(y, x)) },
}

// bricks is a wall: three courses, joints between them.
func bricks(x, y float64) bool {
	course := math.Floor((y + 1) * 1.5)
	if math.Mod(y+1, 2.0/3) < 0.09 {
		return false
	}
	return math.Mod(x+1+course*0.5, 1) > 0.09
}

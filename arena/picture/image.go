package picture

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"

	"golang.org/x/image/vector"

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

// Sprites describes what things look like, as JSON: see the package comment.
//
//go:embed sprites.json
var Sprites []byte

var drawings = parse()

type sheet struct {
	Colours, Dark map[string]string
	Shades        map[string]shade
	Sprites       map[string][]layer
	Glyphs        map[string]outline
}

// shade is a mixture with another colour.
type shade struct {
	With  string
	Share float64
}

// layer is an outline: it is filled, or its line is drawn, in a colour.
type layer struct {
	Fill, Stroke string
	Width        float64
	Circle       []float64 // its middle and radii
	Box          []float64 // its upper left corner, width, height, and the radius of its corners
	Path         outline
	Text         []float64 // where the middle of the sprite's text is, and its height
}

func parse() (s sheet) {
	if err := json.Unmarshal(Sprites, &s); err != nil {
		panic(err)
	}
	for _, layers := range s.Sprites {
		for i := range layers {
			l := &layers[i]
			switch {
			case l.Circle != nil:
				x, y, rx, ry := l.Circle[0], l.Circle[1], l.Circle[2], l.Circle[3]
				l.Path = box(x-rx, y-ry, 2*rx, 2*ry, rx, ry)
			case l.Box != nil:
				l.Path = box(l.Box[0], l.Box[1], l.Box[2], l.Box[3], l.Box[4], l.Box[4])
			}
		}
	}
	return s
}

func render(s sprite, dark bool) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, s.size, s.size))
	scale := float64(s.size) / 100
	for _, l := range drawings.Sprites[s.name] {
		switch {
		case l.Fill != "":
			r := vector.NewRasterizer(s.size, s.size)
			l.Path.fill(r, float32(scale))
			r.Draw(img, img.Rect, image.NewUniform(colourOf(l.Fill, s.colour, dark)), image.Point{})
		default:
			p := pen{*image.NewAlpha(img.Rect), scale * l.Width / 2}
			if l.Text != nil {
				p.write(s.text, l.Text[0]*scale, l.Text[1]*scale, l.Text[2]*scale)
			} else {
				l.Path.lines(0, 0, scale, p.line)
			}
			draw.DrawMask(img, img.Rect, image.NewUniform(colourOf(l.Stroke, s.colour, dark)), image.Point{}, &p.Alpha,
				image.Point{}, draw.Over)
		}
	}
	return img
}

func colourOf(name string, seat env.Colour, dark bool) color.NRGBA {
	if s, ok := drawings.Shades[name]; ok {
		other, own := read(s.With), rgb(seat)
		mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-s.Share) + float64(b)*s.Share)) }
		return color.NRGBA{mix(own.R, other.R), mix(own.G, other.G), mix(own.B, other.B), 0xff}
	}
	if name == "label" {
		name = "white"
		if seat.Bright() {
			name = "ink"
		}
	}
	if text, ok := drawings.Dark[name]; ok && dark {
		return read(text)
	}
	return read(drawings.Colours[name])
}

func rgb(c env.Colour) color.NRGBA { return color.NRGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff} }

// read reads a colour such as #0072b2. Two more digits are its opacity.
func read(text string) color.NRGBA {
	c := color.NRGBA{A: 0xff}
	if n, _ := fmt.Sscanf(text, "#%02x%02x%02x%02x", &c.R, &c.G, &c.B, &c.A); n < 3 {
		panic("picture: no colour: " + text)
	}
	return c
}

// outline is a path of curves: M, L, Q, C and Z of SVG, all in absolute coordinates.
type outline []stretch

type stretch struct {
	kind byte
	to   [6]float64
}

func (o *outline) UnmarshalText(text []byte) error {
	words := strings.Fields(string(text))
	for len(words) > 0 {
		s := stretch{kind: words[0][0]}
		n, ok := map[string]int{"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}[words[0]]
		if !ok || len(words) <= n {
			return fmt.Errorf("no path: %s", text)
		}
		for i := range n {
			if _, err := fmt.Sscan(words[1+i], &s.to[i]); err != nil {
				return err
			}
		}
		*o, words = append(*o, s), words[1+n:]
	}
	return nil
}

// bow is the distance of a curve's control points from its ends that makes it a quarter of a circle.
const bow = 0.5523

// box is a rectangle with round corners, of radius rx across and ry down.
func box(x, y, width, height, rx, ry float64) outline {
	x2, y2, kx, ky := x+width, y+height, rx*(1-bow), ry*(1-bow)
	return outline{
		{'M', [6]float64{x + rx, y}},
		{'L', [6]float64{x2 - rx, y}}, {'C', [6]float64{x2 - kx, y, x2, y + ky, x2, y + ry}},
		{'L', [6]float64{x2, y2 - ry}}, {'C', [6]float64{x2, y2 - ky, x2 - kx, y2, x2 - rx, y2}},
		{'L', [6]float64{x + rx, y2}}, {'C', [6]float64{x + kx, y2, x, y2 - ky, x, y2 - ry}},
		{'L', [6]float64{x, y + ry}}, {'C', [6]float64{x, y + ky, x + kx, y, x + rx, y}},
		{kind: 'Z'},
	}
}

func (o outline) fill(r *vector.Rasterizer, scale float32) {
	for _, s := range o {
		var p [6]float32
		for i, n := range s.to {
			p[i] = float32(n) * scale
		}
		switch s.kind {
		case 'M':
			r.MoveTo(p[0], p[1])
		case 'L':
			r.LineTo(p[0], p[1])
		case 'Q':
			r.QuadTo(p[0], p[1], p[2], p[3])
		case 'C':
			r.CubeTo(p[0], p[1], p[2], p[3], p[4], p[5])
		case 'Z':
			r.ClosePath()
		}
	}
}

func (o outline) lines(x, y, scale float64, line func(ax, ay, bx, by float64)) {
	const parts = 12 // straight pieces per curve
	var at, first [2]float64
	to := func(px, py float64) {
		line(x+at[0]*scale, y+at[1]*scale, x+px*scale, y+py*scale)
		at = [2]float64{px, py}
	}
	for _, s := range o {
		p, from := s.to, at
		switch s.kind {
		case 'M':
			at, first = [2]float64{p[0], p[1]}, [2]float64{p[0], p[1]}
		case 'L':
			to(p[0], p[1])
		case 'Z':
			to(first[0], first[1])
		case 'Q':
			p = [6]float64{(from[0] + 2*p[0]) / 3, (from[1] + 2*p[1]) / 3, (p[2] + 2*p[0]) / 3, (p[3] + 2*p[1]) / 3, p[2], p[3]}
			fallthrough
		case 'C':
			for i := 1; i <= parts; i++ {
				t := float64(i) / parts
				u := 1 - t
				a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
				to(a*from[0]+b*p[0]+c*p[2]+d*p[4], a*from[1]+b*p[1]+c*p[3]+d*p[5])
			}
		}
	}
}

// pen draws lines with round ends on a mask.
type pen struct {
	image.Alpha
	half float64 // half of its width
}

// line draws a line: it covers each pixel by its distance from the line.
func (p *pen) line(ax, ay, bx, by float64) {
	dx, dy := bx-ax, by-ay
	length, reach := max(dx*dx+dy*dy, 1e-9), p.half+1
	for y := max(0, int(min(ay, by)-reach)); y < min(p.Rect.Dy(), int(max(ay, by)+reach)+1); y++ {
		for x := max(0, int(min(ax, bx)-reach)); x < min(p.Rect.Dx(), int(max(ax, bx)+reach)+1); x++ {
			px, py := float64(x)+0.5-ax, float64(y)+0.5-ay
			t := min(max((px*dx+py*dy)/length, 0), 1)
			cover := min(p.half+0.5-math.Hypot(px-t*dx, py-t*dy), 2*p.half, 1)
			pixel := &p.Pix[y*p.Stride+x]
			*pixel = max(*pixel, uint8(255*max(cover, 0)+0.5))
		}
	}
}

// write writes a text whose middle is a point. Long texts are smaller.
func (p *pen) write(text string, x, y, height float64) {
	const width, gap = 64, 14
	n := float64(len(text))
	small := min(1, 2/n)
	scale := height / 100 * small
	p.half *= small
	left := x - (n*(width+gap)-gap)/2*scale
	for i, glyph := range text {
		drawings.Glyphs[string(glyph)].lines(left+float64(i)*(width+gap)*scale, y-50*scale, scale, p.line)
	}
}

package picture

import (
	"image"
	"image/color"
	"math"
	"unicode"

	"pommego/env"
)

// samples are how many points of a pixel are looked at in each direction. A video's
// palette has 256 colours, which sets a limit to shades.
const samples = 3

// drawTile draws a tile of the given size.
func drawTile(size int, t *Tile) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			ground := t.Ground
			if t.Fog && (x+y)*4/size%2 == 0 {
				ground = darker(ground)
			}
			img.SetRGBA(x, y, pixel(size, x, y, ground, &t.Mark))
		}
	}
	under := t.Ground
	if t.Shape != Nothing && t.Shape != Ring {
		under = t.Colour
	}
	if t.Label != "" {
		n := len([]rune(t.Label))
		scale := max(min(size*9/10/width(n, 1), size*13/20/glyphHeight), 1)
		at := image.Pt((size-width(n, scale)+1)/2, (size-glyphHeight*scale+1)/2)
		label(img, t.Label, at, scale, under)
	}
	if t.Corner != "" {
		n, scale := len([]rune(t.Corner)), max(size/unit, 1)
		label(img, t.Corner, image.Pt(size-width(n, scale)-scale, size-(glyphHeight+1)*scale), scale, ink)
	}
	return img
}

// pixel is the colour of a pixel of a tile: the average of its samples.
func pixel(size, x, y int, ground env.Colour, m *Mark) color.RGBA {
	if m.Shape == Nothing {
		return rgba(ground)
	}
	depth := depths[m.Shape]
	var r, g, b int
	for i := range samples * samples {
		at := func(pixel, sample int) float64 {
			return (2*float64(pixel)+(2*float64(sample)+1)/samples)/float64(size) - 1
		}
		c := ground
		switch d := depth(at(x, i%samples), at(y, i/samples)); {
		case d <= 1-rim(m.Shape), d <= 1 && m.Edge == 0:
			c = m.Colour
		case d <= 1:
			c = m.Edge
		}
		r, g, b = r+int(c>>16&0xff), g+int(c>>8&0xff), b+int(c&0xff)
	}
	const n = samples * samples
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), 0xff}
}

// rim is how wide a shape's outline is, as a share of the way from its middle to its
// border. On bombs and items it says whose or what they are.
func rim(s Shape) float64 {
	if s == Round || s == Card {
		return 0.28
	}
	return 0.16
}

// depths are the shapes. Each tells for a point of the tile, from -1 to 1 each way, how
// far from the shape's middle it is: up to 1 it belongs to the shape.
var depths = [...]func(x, y float64) float64{
	Disc:    func(x, y float64) float64 { return math.Hypot(x, y) / 0.86 },
	Square:  func(x, y float64) float64 { return max(math.Abs(x), math.Abs(y)) / 0.78 },
	Diamond: func(x, y float64) float64 { return (math.Abs(x) + math.Abs(y)) / 0.98 },
	Cross: func(x, y float64) float64 {
		x, y = math.Abs(x), math.Abs(y)
		return min(max(x/0.92, y/0.5), max(x/0.5, y/0.92))
	},
	Ring:   func(x, y float64) float64 { return math.Abs(math.Hypot(x, y)-0.74) / 0.17 },
	Block:  func(x, y float64) float64 { return max(math.Abs(x), math.Abs(y)) / 0.94 },
	Bricks: bricks,
	Star: func(x, y float64) float64 {
		return math.Hypot(x, y) / (0.65 + 0.25*math.Cos(8*math.Atan2(y, x)))
	},
	Round: func(x, y float64) float64 {
		fuse := max(math.Abs(x+y)/0.3, math.Abs(x-0.62)/0.22)
		return min(math.Hypot(x+0.06, y-0.1)/0.86, fuse)
	},
	Card: func(x, y float64) float64 { return max(math.Abs(x), math.Abs(y)) / 0.82 },
}

// bricks is a wall: three courses, with joints between the bricks.
func bricks(x, y float64) float64 {
	const outside = 2
	course := math.Floor((y + 1) * 1.5)
	if math.Mod(y+1, 2.0/3) < 0.09 || math.Mod(x+1+course*0.5, 1) <= 0.09 {
		return outside
	}
	return 0
}

func darker(c env.Colour) env.Colour { return c >> 3 & 0x1f1f1f * 6 }

// contrast is the colour in which text can be read on c.
func contrast(c env.Colour) env.Colour {
	if c.Bright() {
		return ink
	}
	return light
}

// The glyphs of labels are 3 dots wide and 5 high, so that two fit into 16 pixels.
const glyphHeight = 5

// width is the width of a label of n glyphs.
func width(n, scale int) int { return (4*n - 1) * scale }

// glyphs are the characters that labels can have, row by row from the top. Others show
// as a block.
var glyphs = map[rune]uint16{
	'0': 0b111_101_101_101_111, '1': 0b010_110_010_010_111, '2': 0b111_001_111_100_111, '3': 0b111_001_111_001_111,
	'4': 0b101_101_111_001_001, '5': 0b111_100_111_001_111, '6': 0b111_100_111_101_111, '7': 0b111_001_001_010_010,
	'8': 0b111_101_111_101_111, '9': 0b111_101_111_001_111, '+': 0b000_010_111_010_000, '-': 0b000_000_111_000_000,
	'!': 0b010_010_010_000_010, '?': 0b111_001_011_000_010, 'B': 0b110_101_110_101_110, 'K': 0b101_101_110_101_101,
	'R': 0b110_101_110_101_101, 'X': 0b101_101_010_101_101,
}

// label writes a label with its upper left corner at a point: in the colour that can be
// read on what is under it, of which it gets an outline where it is larger.
func label(img *image.RGBA, text string, at image.Point, scale int, under env.Colour) {
	for _, paint := range []struct {
		c    env.Colour
		wide int
	}{{under, 1}, {contrast(under), 0}} {
		x := at.X
		for _, r := range text {
			bits, known := glyphs[unicode.ToUpper(r)]
			if !known {
				bits = 0b111_111_111_111_111
			}
			for i := range 3 * glyphHeight {
				if bits>>(3*glyphHeight-1-i)&1 != 0 {
					dot(img, x+i%3*scale-paint.wide, at.Y+i/3*scale-paint.wide, scale+2*paint.wide, rgba(paint.c))
				}
			}
			x += 4 * scale
		}
	}
}

package chart

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// typeface is the font that all charts are written in.
var typeface = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(fmt.Sprintf("chart: the font that is part of the program: %v", err))
	}
	return f
})

// face is the font at a size in pixels.
func face(pixels float64) font.Face {
	f, err := opentype.NewFace(typeface(), &opentype.FaceOptions{Size: pixels, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic(fmt.Sprintf("chart: a font of %g pixels: %v", pixels, err))
	}
	return f
}

// textWidth is how wide a text is in this size.
func textWidth(size float64, s string) float64 {
	return float64(font.MeasureString(face(size), s)) / 64
}

// PNG draws the chart with that many dots an inch.
func (b *Bars) PNG(w io.Writer, dpi float64) error {
	scale := dpi / 72
	c := &pixels{scale, image.NewRGBA(image.Rect(0, 0, int(math.Round(b.Width*scale)), int(math.Round(b.Height*scale))))}
	draw.Draw(c.img, c.img.Bounds(), image.White, image.Point{}, draw.Src)
	b.draw(c)
	return png.Encode(w, c.img)
}

// pixels is a canvas of pixels, scale of them to a point.
type pixels struct {
	scale float64
	img   *image.RGBA
}

// fill paints whole pixels, at least one each way.
func (p *pixels) fill(x, y, width, height float64, c color.RGBA) {
	left, top := p.pixel(x), p.pixel(y)
	right, bottom := max(p.pixel(x+width), left+1), max(p.pixel(y+height), top+1)
	if width <= 0 || height <= 0 {
		return
	}
	draw.Draw(p.img, image.Rect(left, top, right, bottom), image.NewUniform(c), image.Point{}, draw.Src)
}

func (p *pixels) pixel(points float64) int { return int(math.Round(points * p.scale)) }

func (p *pixels) text(x, y, anchor, size float64, upright bool, s string) {
	f := face(size * p.scale)
	length := font.MeasureString(f, s)
	before := int(math.Round(anchor * float64(length) / 64))
	if !upright {
		d := font.Drawer{Dst: p.img, Src: image.Black, Face: f, Dot: fixed.P(p.pixel(x)-before, p.pixel(y))}
		d.DrawString(s)
		return
	}
	m := f.Metrics()
	line := image.NewRGBA(image.Rect(0, -m.Ascent.Ceil(), length.Ceil(), m.Descent.Ceil()))
	d := font.Drawer{Dst: line, Src: image.Black, Face: f}
	d.DrawString(s)
	turned := image.NewRGBA(image.Rect(line.Rect.Min.Y, -line.Rect.Max.X, line.Rect.Max.Y, 1))
	for v := line.Rect.Min.Y; v < line.Rect.Max.Y; v++ {
		for u := range line.Rect.Max.X {
			turned.SetRGBA(v, -u, line.RGBAAt(u, v))
		}
	}
	at := turned.Rect.Add(image.Pt(p.pixel(x), p.pixel(y)+before))
	draw.Draw(p.img, at, turned, turned.Rect.Min, draw.Over)
}

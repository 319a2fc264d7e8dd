package picture

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"maps"
	"slices"
	"strings"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/inconsolata"
	"golang.org/x/image/math/fixed"

	"pommego/arena/scene"
)

// WriteGIF writes pictures of one size, of which there is one at least, as an animation
// with fps pictures a second; the last one stands for two seconds. Each image holds only the
// change from the one before. It returns an error when ctx ends.
func WriteGIF(ctx context.Context, w io.Writer, p *Painter, pictures []Picture, fps float64) error {
	const longest = 200 // hundredths of a second
	colours, err := p.palette(ctx, pictures)
	if err != nil {
		return err
	}
	var video gif.GIF
	var before *image.RGBA
	for i := range pictures {
		if err := ctx.Err(); err != nil {
			return err
		}
		img := p.Image(&pictures[i])
		video.Image = append(video.Image, colours.changed(img, before))
		video.Delay = append(video.Delay, min(max(int(100/fps+0.5), 2), longest))
		before = img
	}
	video.Delay[len(video.Delay)-1] = longest
	return gif.EncodeAll(while{ctx, w}, &video)
}

// while is a writer that fails once its context has ended.
type while struct {
	ctx context.Context
	w   io.Writer
}

func (w while) Write(data []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(data)
}

type palette struct {
	colours color.Palette
	number  map[color.RGBA]uint8
}

// palette is the most frequent colours of pictures that the eye can tell apart. All others are
// shades at edges, which get the nearest colour.
func (p *Painter) palette(ctx context.Context, pictures []Picture) (*palette, error) {
	counts := map[color.RGBA]int{}
	var before *image.RGBA
	for i := range pictures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		img := p.Image(&pictures[i])
		eachChange(img, before, func(_, _ int, c color.RGBA) { counts[c]++ })
		before = img
	}
	all := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	made := &palette{color.Palette{color.RGBA{}}, map[color.RGBA]uint8{}}
	const flat = 64 // the most frequent are colours of whole areas, kept even if they are similar
	for i, c := range all {
		k := 1 + made.colours[1:].Index(c)
		if i < flat || len(made.colours) < 256 && far(c, made.colours[k].(color.RGBA)) {
			k = len(made.colours)
			made.colours = append(made.colours, c)
		}
		made.number[c] = uint8(k)
	}
	return made, nil
}

// far reports whether two colours can be told apart in a small picture.
func far(a, b color.RGBA) bool {
	const near = 10
	apart := func(a, b uint8) bool { return max(a, b)-min(a, b) > near }
	return apart(a.R, b.R) || apart(a.G, b.G) || apart(a.B, b.B)
}

// changed is the rectangle of an image in which it differs from the one before.
func (p *palette) changed(img, before *image.RGBA) *image.Paletted {
	area := image.Rectangle{}
	eachChange(img, before, func(x, y int, _ color.RGBA) { area = area.Union(image.Rect(x, y, x+1, y+1)) })
	if area.Empty() {
		area = image.Rect(0, 0, 1, 1)
	}
	out := image.NewPaletted(area, p.colours)
	eachChange(img, before, func(x, y int, c color.RGBA) { out.SetColorIndex(x, y, p.number[c]) })
	return out
}

func eachChange(img, before *image.RGBA, change func(x, y int, c color.RGBA)) {
	for y := range img.Rect.Dy() {
		start, end := y*img.Stride, (y+1)*img.Stride
		if before != nil && bytes.Equal(img.Pix[start:end], before.Pix[start:end]) {
			continue
		}
		for x := range img.Rect.Dx() {
			if c := img.RGBAAt(x, y); before == nil || c != before.RGBAAt(x, y) {
				change(x, y, c)
			}
		}
	}
}

// Strip is the text below a board.
type Strip struct {
	Seats []Mark // with their names, and "out" for seats that are out
	Words string // the step, and how the game ended
}

// Film makes one picture per step of a game, as a seat sees it, each with a strip.
func Film(g *scene.Timeline, seat int) (pictures []Picture) {
	p := painting{head: &g.Head}
	for i := range g.Steps {
		s := &g.Steps[i]
		var winners []string
		strip := &Strip{Words: fmt.Sprint("step ", s.Step)}
		for seat, colour := range g.Colours {
			m := Mark{Sprite: p.form(seat), Colour: colour, Text: fmt.Sprint("seat ", seat)}
			if seat < len(g.Names) {
				m.Text = g.Names[seat]
			}
			if slices.Contains(s.Status.Winners, seat) {
				winners = append(winners, m.Text)
			}
			if !slices.Contains(s.Status.In, seat) {
				m.Sprite = "out"
			}
			strip.Seats = append(strip.Seats, m)
		}
		switch {
		case len(winners) > 0:
			strip.Words += ": won by " + strings.Join(winners, " and ")
		case s.Status.Over:
			strip.Words += ": a tie"
		}
		pic := OfStep(&g.Head, s, seat)
		pic.Strip = strip
		pictures = append(pictures, pic)
	}
	return pictures
}

// Sizes in pixels of a small board. A pixel of a large board is several pixels.
const (
	letterTile = 32 // the least size of cells with a strip below them
	line, edge = 24, 8
	letter     = 8 // the width of a letter
	project    = "pommego"
)

func (p *Painter) stripHeight(pic *Picture) int {
	if pic.Strip == nil || p.tile < letterTile {
		return 0
	}
	return p.stripScale() * (2*line + edge)
}

func (p *Painter) stripScale() int { return max(1, p.tile/48) }

// strip draws the strip of a picture below its board.
func (p *Painter) strip(img *image.RGBA, pic *Picture) {
	area := img.Rect
	if area.Min.Y = area.Max.Y - p.stripHeight(pic); area.Empty() {
		return
	}
	colour := func(light, dark string) image.Image {
		if p.dark {
			light = dark
		}
		return image.NewUniform(colourOf(light, 0, p.dark))
	}
	scale := p.stripScale()
	width := area.Dx() / scale
	ink, soft := colour("ink", "white"), colour("wall", "wall3")
	draw.Draw(img, area, colour("white", "fog"), image.Point{}, draw.Src)
	write := func(text string, left, right, row int, ink image.Image, face font.Face) {
		runes := []rune(text)
		if most := max((right-left)/letter, 1); len(runes) > most {
			runes = append(runes[:most-1], '~')
		}
		small := image.NewRGBA(image.Rect(0, 0, letter*len(runes), line))
		pen := font.Drawer{Dst: small, Src: ink, Face: face, Dot: fixed.P(0, 20)}
		pen.DrawString(string(runes))
		at := area.Min.Add(image.Pt(left, row*line).Mul(scale))
		to := image.Rectangle{at, at.Add(small.Rect.Max.Mul(scale))}
		xdraw.CatmullRom.Scale(img, to, small, small.Rect, draw.Over, nil)
	}
	for i, m := range pic.Strip.Seats {
		left := i*width/len(pic.Strip.Seats) + edge
		d := p.draw(sprite{m.Sprite, scale * (line - 2), m.Colour, fmt.Sprint(i)})
		draw.Draw(img, d.Rect.Add(image.Pt(left, 4).Mul(scale).Add(area.Min)), d.RGBA, image.Point{}, draw.Over)
		named := ink
		if m.Sprite == "out" {
			named = soft
		}
		write(m.Text, left+line+2, (i+1)*width/len(pic.Strip.Seats), 0, named, inconsolata.Bold8x16)
	}
	end := width - edge - letter*len(project)
	write(pic.Strip.Words, edge, end-letter, 1, ink, inconsolata.Regular8x16)
	write(project, end, width, 1, soft, inconsolata.Bold8x16)
}

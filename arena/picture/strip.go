package picture

import (
	"fmt"
	"image"
	"image/draw"
	"slices"
	"strings"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/inconsolata"
	"golang.org/x/image/math/fixed"

	"pommego/arena/scene"
)

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

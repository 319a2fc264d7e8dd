package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// AppendMatch draws the current position of a match as text: a line with the step's number, the rows of the board
// with two characters per cell, and one line per seat. It draws what a seat sees, or
// with env.NoSeat the whole game. In colour it has ANSI escape sequences for those of a terminal's 256 colours
// that are nearest to the page's. t is the match's tracker; nil if nothing is counted.
//
// An agent is a letter and its seat (A0), or + and the first seat where several stand. A
// bomb is its remaining steps and its owner (a for seat 0). A base is H and its energy, or
// its seat in games without energy.
func AppendMatch(dst []byte, spec *env.Spec, m env.Match, t env.Tracker, seat int, colour bool) []byte {
	h, s := scene.HeadOf(spec, m), scene.Describe(spec, m, t, nil)
	dst = fmt.Appendf(dst, "step %d of %d", s.Step, h.MaxSteps)
	if seat != env.NoSeat {
		s = s.Seen(&h, seat)
		dst = fmt.Appendf(dst, ", as seat %d sees it", seat)
	}
	d, pic := lettering{Step: &s, head: &h}, OfStep(&h, &s, env.NoSeat)
	d.draw(&pic)
	for row := range slices.Chunk(d.glyphs, 2*h.Cols) {
		dst = appendGlyphs(append(dst, '\n'), row, colour)
	}
	for other := range h.Colours {
		words := "out"
		if slices.Contains(s.Status.In, other) {
			words = d.about(other, seat)
		}
		dst = appendGlyphs(append(dst, '\n'), d.owned(nil, fmt.Sprint("seat ", other), other), colour)
		dst = fmt.Appendf(dst, ": %s", words)
	}
	return append(dst, '\n')
}

// dark returns a colour of the page's dark theme.
func dark(name string) env.Colour {
	c := colourOf(name, 0, true)
	return env.Colour(c.R)<<16 | env.Colour(c.G)<<8 | env.Colour(c.B)
}

// glyph is a character, its colour and its background's colour.
type glyph struct {
	char        byte
	ink, ground env.Colour
}

// word is characters in the same colours; in a cell there are two.
type word struct {
	text        string
	ink, ground env.Colour
}

// words are the texts for the sprites of a picture, except those of seats.
var words = map[string]word{
	"floor":      {" .", dark("wall"), dark("floor")},
	"point":      {" .", dark("wall"), dark("floor")},
	"spent":      {"  ", dark("wall"), dark("spent")},
	"wall":       {"##", dark("wall"), dark("wall2")},
	"wood":       {"%%", dark("wood"), dark("wood2")},
	"fog":        {"??", dark("wall"), dark("fog")},
	"flame":      {"**", dark("flame"), dark("flame3")},
	"ember":      {"**", dark("flame"), dark("flame3")},
	"extra_bomb": {"+b", dark("plus"), dark("card")},
	"incr_range": {"+r", dark("flame"), dark("card")},
	"kick":       {"+k", dark("boot"), dark("card")},
	"skull":      {"+!", dark("skull"), dark("card")},
}

// appendGlyphs appends glyphs, in colour with an escape sequence where the colours change.
func appendGlyphs(dst []byte, glyphs []glyph, colour bool) []byte {
	var last glyph
	for _, g := range glyphs {
		if colour && (g.ink != last.ink || g.ground != last.ground) {
			dst = fmt.Appendf(dst, "\x1b[38;5;%d;48;5;%dm", of256(g.ink), of256(g.ground))
		}
		dst, last = append(dst, g.char), g
	}
	if colour {
		dst = append(dst, "\x1b[0m"...)
	}
	return dst
}

// of256 is the number of the nearest of a terminal's 256 colours: a grey, or one of its cube of 6 by 6 by 6.
func of256(c env.Colour) int {
	r, g, b := int(c>>16), int(c>>8&0xff), int(c&0xff)
	if most := max(r, g, b); most < 0xf0 && 3*(most-min(r, g, b)) <= most {
		return 232 + max(0, (r+g+b)/3-3)/10
	}
	level := func(part int) int { return max(0, part-35) / 40 }
	return 16 + 36*level(r) + 6*level(g) + level(b)
}

// lettering is a step while it is drawn.
type lettering struct {
	*scene.Step
	head   *scene.Head
	glyphs []glyph // two per cell
}

// draw draws the board as its picture has it.
func (d *lettering) draw(pic *Picture) {
	d.glyphs = slices.Repeat([]glyph{{char: ' '}}, 2*pic.Cols*pic.Rows)
	for _, m := range pic.Marks {
		cell := 2 * (int(m.Row)*pic.Cols + int(m.Col))
		at, owner := d.glyphs[cell:cell], m.Seats.First()
		number, _ := strconv.Atoi(m.Text)
		switch m.Sprite {
		case "base":
			d.owned(at, fmt.Sprintf("H%d", min(number, 9)), owner)
		case "home":
			d.owned(at, fmt.Sprintf("H%d", min(owner, 9)), owner)
		case "bomb":
			d.bomb(at, &m, number)
		case "round", "square":
			if m.Row != math.Trunc(m.Row) { // beside another figure in the cell
				at[:1][0].char = '+'
				continue
			}
			name := cmp.Or(strings.TrimLeft(m.Text, "0123456789"), "a")
			d.owned(at, strings.ToUpper(name[:1])+strconv.FormatInt(int64(owner), 36), owner)
		default:
			if m.Size == 1 && d.glyphs[cell].char != 'H' { // a base is drawn over fire
				words[strings.TrimRight(m.Sprite, " 2")].append(at) // every other floor and flame has a 2
			}
		}
	}
}

func (w word) append(to []glyph) []glyph {
	for _, char := range []byte(w.text) {
		to = append(to, glyph{char, w.ink, w.ground})
	}
	return to
}

// owned appends a text in the colour of a seat.
func (d *lettering) owned(to []glyph, text string, seat int) []glyph {
	colour, ink := d.head.Colours[seat], "white"
	if colour.Bright() {
		ink = "ink"
	}
	return word{text, dark(ink), colour}.append(to)
}

func (d *lettering) bomb(at []glyph, m *Mark, life int) {
	text, owned := fmt.Sprintf("%2d", min(life, 99)), m.Seats != 0 && m.Colour != public
	switch {
	case life > 9 || m.Seats == 0:
	case owned:
		text = fmt.Sprintf("%d%c", life, 'a'+m.Seats.First())
	default:
		text = fmt.Sprintf("%d=", life)
	}
	word{text, dark("white"), dark("bomb")}.append(at)
	if owned {
		d.owned(at[1:1], text[1:], m.Seats.First())
	}
}

func (d *lettering) about(seat, viewer int) string {
	var words []string
	hidden := viewer != env.NoSeat && viewer != seat && d.head.Hides(env.OthersCarry)
	for i := range d.Agents {
		if a := &d.Agents[i]; a.Seat == seat && !hidden {
			words = append(words, carries(a))
		}
	}
	for _, m := range d.Said {
		if m.Seat == seat {
			words = append(words, fmt.Sprint("says ", m.Words))
		}
	}
	for _, name := range d.head.Counts {
		if by := d.Counts[name.Name]; by != nil && by[seat] != 0 {
			words = append(words, fmt.Sprintf("%s %d", strings.ReplaceAll(name.Name, "_", " "), by[seat]))
		}
	}
	if words == nil {
		return "in the game"
	}
	return strings.Join(words, ", ")
}

func carries(a *env.SceneAgent) string {
	text := fmt.Sprintf("ammo %d, blast %d", a.Ammo, a.Blast)
	if a.Kicks {
		text += ", kicks"
	}
	if a.Lives > 0 {
		text += fmt.Sprintf(", lives %d", a.Lives)
	}
	if a.Name != "" {
		text = fmt.Sprintf("%s (%s)", strings.ToUpper(a.Name), text)
	}
	return text
}

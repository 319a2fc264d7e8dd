package picture

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// AppendMatch draws a match as it stands, as AppendText does. t is its tracker, nil if nothing
// is counted.
func AppendMatch(dst []byte, spec *env.Spec, m env.Match, t env.Tracker, seat int, colour bool) []byte {
	h, s := scene.HeadOf(spec, m), scene.Describe(spec, m, t, nil)
	return AppendText(dst, &h, &s, seat, colour)
}

// AppendText draws a whole step as text: a line with its number, the rows of the board
// with two characters per cell, and one line per seat. It draws what a seat sees, or
// with env.NoSeat the whole game. In colour it has ANSI escape sequences for the nearest to the page's colours
// of a terminal's 256.
//
// An agent is a letter and its seat (A0), or + and the first seat where several stand. A
// bomb is the steps it has left and its owner (a for seat 0). A base is H and its energy, or
// its seat in games without energy.
func AppendText(dst []byte, h *scene.Head, s *scene.Step, seat int, colour bool) []byte {
	dst = fmt.Appendf(dst, "step %d of %d", s.Step, h.MaxSteps)
	if seat != env.NoSeat {
		seen := s.Seen(h, seat)
		s = &seen
		dst = fmt.Appendf(dst, ", as seat %d sees it", seat)
	}
	d := lettering{Step: s, head: h}
	d.draw()
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

// dark is a colour of the page's dark theme.
func dark(name string) env.Colour {
	c := colourOf(name, 0, true)
	return env.Colour(c.R)<<16 | env.Colour(c.G)<<8 | env.Colour(c.B)
}

// glyph is a character, its colour and that of what is behind it.
type glyph struct {
	char        byte
	ink, ground env.Colour
}

// word is characters in the same colours: in a cell, two.
type word struct {
	text        string
	ink, ground env.Colour
}

var groundWords = [128]word{
	env.GroundFloor: {" .", dark("wall"), dark("floor")},
	env.GroundSpent: {"  ", dark("wall"), dark("spent")},
	env.GroundWall:  {"##", dark("wall"), dark("wall2")},
	env.GroundWood:  {"%%", dark("wood"), dark("wood2")},
	env.GroundFog:   {"??", dark("wall"), dark("fog")},
}

var flameWord = word{"**", dark("flame"), dark("flame3")}

var itemWords = map[string]word{
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

// of256 is the number of the nearest of a terminal's 256 colours: a grey, or of its cube of 6 reds, greens and blues.
func of256(c env.Colour) int {
	r, g, b := int(c>>16), int(c>>8&0xff), int(c&0xff)
	if most := max(r, g, b); most < 0xf0 && 3*(most-min(r, g, b)) <= most {
		return 232 + max(0, (r+g+b)/3-3)/10
	}
	level := func(part int) int { return max(0, part-35) / 40 }
	return 16 + 36*level(r) + 6*level(g) + level(b)
}

// lettering is a step that is being drawn.
type lettering struct {
	*scene.Step
	head   *scene.Head
	glyphs []glyph // two a cell
}

// draw draws the board: what lies on a cell covers its ground, and agents cover all.
func (d *lettering) draw() {
	d.glyphs = make([]glyph, 0, 2*len(d.Ground))
	for _, ground := range d.Ground {
		d.glyphs = groundWords[ground].append(d.glyphs)
	}
	for _, f := range d.Flames {
		flameWord.append(d.at(f.At))
	}
	hasEnergy := slices.ContainsFunc(d.Bases, func(b env.SceneBase) bool { return b.Energy > 0 })
	for _, b := range d.Bases {
		owner := b.Owners.First()
		number := b.Energy
		if !hasEnergy {
			number = owner
		}
		d.owned(d.at(b.At), fmt.Sprintf("H%d", min(number, 9)), owner)
	}
	for _, i := range d.Items {
		if !i.Hidden {
			itemWords[i.Kind].append(d.at(i.At))
		}
	}
	for _, b := range d.Bombs {
		d.bomb(b)
	}
	d.agents()
}

// at is where a cell's glyphs are, to be appended to.
func (d *lettering) at(p env.Place) []glyph {
	cell := 2 * (p[0]*d.head.Cols + p[1])
	return d.glyphs[cell:cell]
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

func (d *lettering) bomb(b env.SceneBomb) {
	at, owners := d.at(b.At), b.Owners.List()
	text := fmt.Sprintf("%2d", min(b.Life, 99))
	if len(owners) > 0 && b.Life <= 9 {
		text = fmt.Sprintf("%d%c", b.Life, 'a'+owners[0])
	}
	mates := slices.ContainsFunc(d.head.Teams, func(team []int) bool {
		return !slices.ContainsFunc(owners, func(seat int) bool { return !slices.Contains(team, seat) })
	})
	if !mates && b.Life <= 9 {
		text = text[:1] + "="
	}
	at = word{text, dark("white"), dark("bomb")}.append(at)
	if mates && len(owners) > 0 {
		d.owned(at[1:1], text[1:], owners[0])
	}
}

func (d *lettering) agents() {
	taken := map[env.Place]bool{}
	for _, a := range d.Agents {
		switch at := d.at(a.At); {
		case !a.Alive:
		case taken[a.At]:
			at[:1][0].char = '+'
		default:
			name := strings.ToUpper(cmp.Or(a.Name, "a"))
			d.owned(at, name[:1]+strconv.FormatInt(int64(a.Seat), 36), a.Seat)
			taken[a.At] = true
		}
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

package env

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AppendText draws a position as text: a line with the step, the rows of the board with two
// characters a cell, and a line a seat. It draws what a seat sees, or with NoSeat the whole
// game. t is the match's tracker; without one (nil) the seats' lines have no counts. With
// colour, ANSI escape sequences give each seat its colour of [Stage].
//
// An agent is a letter and its seat (A0), or + and the first seat where several stand. A
// bomb is the steps it has left and its owner (a for seat 0). A base is H and its energy, or
// its seat in games without energy.
func AppendText(dst []byte, spec *Spec, m Match, t Tracker, seat int, colour bool) []byte {
	d := drawing{spec: spec, stage: m.Stage(), counts: Counts{}}
	m.Describe(&d.Scene)
	if t != nil {
		d.counts = CountsOf(spec, t, m)
	}
	status := m.Status()
	dst = fmt.Appendf(dst, "step %d of %d", status.Steps, spec.MaxSteps)
	if seat != NoSeat {
		d.Seen(&d.stage, spec.Teams, seat)
		dst = fmt.Appendf(dst, ", as seat %d sees it", seat)
	}
	dst = append(dst, '\n')
	for i, cell := range d.cells() {
		dst = cell.append(dst, colour)
		if (i+1)%d.stage.Cols == 0 {
			dst = append(dst, '\n')
		}
	}
	for other := range spec.Seats {
		words := "out"
		if status.In.Has(other) {
			words = d.about(other, seat)
		}
		dst = fmt.Appendf(dst, "seat %d: %s\n", other, words)
	}
	return dst
}

// drawing is a position that is being drawn.
type drawing struct {
	Scene
	spec   *Spec
	stage  Stage
	counts Counts
}

// textCell is two characters, and the ANSI escape sequence of their colours.
type textCell struct{ text, ink string }

func (c textCell) append(dst []byte, colour bool) []byte {
	if !colour || c.ink == "" {
		return append(dst, c.text...)
	}
	return fmt.Appendf(dst, "%s%s\x1b[0m", c.ink, c.text)
}

var groundCells = [128]textCell{
	GroundFloor: {" .", "\x1b[90m"},
	GroundSpent: {"  ", ""},
	GroundWall:  {"##", "\x1b[37;47m"},
	GroundWood:  {"%%", "\x1b[33;43m"},
	GroundFog:   {"??", "\x1b[90m"},
}

var flameCell = textCell{"**", "\x1b[91;101m"}

var itemCells = map[string]textCell{
	"extra_bomb": {"+b", "\x1b[96m"},
	"incr_range": {"+r", "\x1b[96m"},
	"kick":       {"+k", "\x1b[96m"},
	"skull":      {"+!", "\x1b[95m"},
}

// cells draws the board: what lies on a cell covers its ground, and agents cover all.
func (d *drawing) cells() []textCell {
	cells := make([]textCell, len(d.Ground))
	at := func(p Place) *textCell { return &cells[p[0]*d.stage.Cols+p[1]] }
	for i, ground := range d.Ground {
		cells[i] = groundCells[ground]
	}
	for _, f := range d.Flames {
		*at(f.At) = flameCell
	}
	hasEnergy := slices.ContainsFunc(d.Bases, func(b SceneBase) bool { return b.Energy > 0 })
	for _, b := range d.Bases {
		owner := SeatSet(b.Owners).First()
		number := b.Energy
		if !hasEnergy {
			number = owner
		}
		*at(b.At) = textCell{fmt.Sprintf("H%d", min(number, 9)), d.stage.Colours[owner].ground()}
	}
	for _, i := range d.Items {
		if !i.Hidden {
			*at(i.At) = itemCells[i.Kind]
		}
	}
	for _, b := range d.Bombs {
		*at(b.At) = d.bombCell(b)
	}
	taken := map[Place]bool{}
	for _, a := range d.Agents {
		switch cell := at(a.At); {
		case !a.Alive:
		case taken[a.At]:
			cell.text = "+" + cell.text[1:]
		default:
			*cell = textCell{a.letter() + strconv.Itoa(a.Seat), d.stage.Colours[a.Seat].ground()}
			taken[a.At] = true
		}
	}
	return cells
}

// bombCell draws a bomb. One of several teams has the owner =.
func (d *drawing) bombCell(b SceneBomb) textCell {
	owners := SeatSet(b.Owners).List()
	if len(owners) == 0 || b.Life > 9 {
		return textCell{fmt.Sprintf("%2d", b.Life), "\x1b[97;40m"}
	}
	first := owners[0]
	for _, other := range owners[1:] {
		if !mates(d.spec.Teams, first, other) {
			return textCell{fmt.Sprintf("%d=", b.Life), "\x1b[97;40m"}
		}
	}
	c := d.stage.Colours[first]
	return textCell{fmt.Sprintf("%d%c", b.Life, 'a'+first), fmt.Sprintf("\x1b[38;2;%d;%d;%d;40m", c>>16, c>>8&0xff,
		c&0xff)}
}

// letter is the name of an agent among those of its seat.
func (a *SceneAgent) letter() string {
	if a.Name == "" {
		return "A"
	}
	return strings.ToUpper(a.Name)
}

// ground is the escape sequence of text on the colour.
func (c Colour) ground() string {
	ink := 97 // white
	if c.Bright() {
		ink = 30 // black
	}
	return fmt.Sprintf("\x1b[1;%d;48;2;%d;%d;%dm", ink, c>>16, c>>8&0xff, c&0xff)
}

// about says what the agents of a seat carry, what it says and what has been counted,
// as far as the viewer sees it.
func (d *drawing) about(seat, viewer int) string {
	var words []string
	hidden := viewer != NoSeat && slices.Contains(d.stage.Conceals, OthersCarry)
	for i := range d.Agents {
		a := &d.Agents[i]
		if a.Seat != seat || hidden && seat != viewer {
			continue
		}
		words = append(words, a.carries())
	}
	for _, m := range d.Said {
		if m.Seat == seat {
			words = append(words, fmt.Sprint("says ", m.Words))
		}
	}
	for _, name := range d.spec.Counts {
		if by := d.counts[name.Name]; by != nil && by[seat] != 0 && !hidden {
			words = append(words, fmt.Sprintf("%s %d", strings.ReplaceAll(name.Name, "_", " "), by[seat]))
		}
	}
	if words == nil {
		return "in the game"
	}
	return strings.Join(words, ", ")
}

// carries says what an agent carries.
func (a *SceneAgent) carries() string {
	text := fmt.Sprintf("ammo %d, blast %d", a.Ammo, a.Blast)
	if a.Kicks {
		text += ", kicks"
	}
	if a.Lives > 0 {
		text += fmt.Sprintf(", lives %d", a.Lives)
	}
	if a.Name != "" {
		text = fmt.Sprintf("%s (%s)", a.letter(), text)
	}
	return text
}

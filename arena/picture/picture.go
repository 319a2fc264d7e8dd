// Package picture turns positions into images and videos. It knows no game: games
// describe their positions, see package scene.
//
//	pic := picture.OfStep(&head, &step, env.NoSeat)
//	img := picture.NewPainter(32, false).Image(&pic)
//	err := picture.WriteGIF(ctx, w, picture.NewPainter(32, true), pictures, 5)
//
// What things look like is data, sprites.json, from which the page in the browser draws too:
// outlines on a cell of 100 by 100, filled or stroked, one over the other. A colour is a
// name of the theme, or seat and its shades, which stand for the owner's colour; label is
// the text on the thing. Texts are lists of glyphs, lines on 64 by 100.
//
// OfStep here, and groundOf and marksOf in the page's board.js, decide where sprites are. A
// test compares what both draw while nothing moves.
package picture

import (
	"slices"
	"strconv"
	"strings"

	"pommego/arena/scene"
	"pommego/env"
)

// Picture is a drawing of a position: marks, each drawn over those before.
type Picture struct {
	Cols, Rows int
	Marks      []Mark
	Strip      *Strip // below the board; nil without room for letters
}

// Mark is a sprite on a board.
type Mark struct {
	Sprite   string
	Row, Col float64 // of its upper left corner
	Size     float64 // 1: a cell
	Seats    env.SeatSet
	Colour   env.Colour // the colour of the seats that own the thing
	Text     string
}

// The colours of bombs that nobody owns, or several teams.
const (
	nobodys = env.Colour(0x50565e)
	public  = env.Colour(0xf7f7f2)
)

// OfStep is a picture of a whole step of a described game: what a seat sees or, with env.NoSeat, the whole game.
// Agents face the direction of their last move, or the front if they made none.
func OfStep(head *scene.Head, step *scene.Step, seat int) Picture {
	if seat != env.NoSeat {
		seen := step.Seen(head, seat)
		step = &seen
	}
	p := painting{Step: step, head: head, pic: Picture{Cols: head.Cols, Rows: head.Rows}}
	p.ground()
	p.things()
	p.agents()
	return p.pic
}

// Lettered adds the numbers of rows and columns at the edges, and on figures the letters that texts use for them in
// a game of this many seats.
func (p Picture) Lettered(seats int) Picture {
	all := Picture{Cols: p.Cols + 1, Rows: p.Rows + 1}
	put := func(row, col int, text string) {
		all.Marks = append(all.Marks, Mark{Sprite: "number", Row: float64(row), Col: float64(col), Size: 1, Text: text})
	}
	for row := range all.Rows {
		put(row, 0, strings.TrimPrefix(strconv.Itoa(row-1), "-1"))
	}
	for col := range p.Cols {
		put(0, col+1, strconv.Itoa(col))
	}
	for i, m := range p.Marks {
		if strings.HasPrefix(m.Sprite, "facing") { // a facing belongs to the figure before it
			who := p.Marks[i-1].Text + "a"
			m.Sprite, m.Text = "letter", string(rune('A'+int(who[1]-'a')*seats+int(who[0]-'0')))
		}
		m.Row, m.Col = m.Row+1, m.Col+1
		all.Marks = append(all.Marks, m)
	}
	return all
}

// painting is a picture while it is made.
type painting struct {
	*scene.Step
	head *scene.Head
	pic  Picture
}

func (p *painting) put(sprite string, at env.Place, owners env.SeatSet, text string) {
	p.part(at, 0, 1, Mark{Sprite: sprite, Seats: owners, Text: text})
}

func (p *painting) ground() {
	for i, kind := range p.Ground {
		at := env.Place{i / p.pic.Cols, i % p.pic.Cols}
		sprite := p.head.Look(kind).Sprite
		if odd := sprite + "2"; (at[0]+at[1])%2 == 1 && drawings.Sprites[odd] != nil {
			sprite = odd
		}
		p.put(sprite, at, 0, "")
	}
}

// things draws everything except agents.
func (p *painting) things() {
	energy := slices.ContainsFunc(p.Bases, func(b env.SceneBase) bool { return b.Energy > 0 })
	for _, b := range p.Bases {
		if energy {
			p.put("base", b.At, b.Owners, strconv.Itoa(b.Energy))
		} else {
			p.put("home", b.At, b.Owners, "")
		}
	}
	for _, i := range p.Items {
		switch {
		case !i.Hidden:
			p.put("card", i.At, 0, "")
			p.put(i.Kind, i.At, 0, "")
		case p.Ground[i.At[0]*p.pic.Cols+i.At[1]] == env.GroundWood:
			p.part(i.At, 0.25, 0.5, Mark{Sprite: "card"}, Mark{Sprite: i.Kind})
		}
	}
	for _, f := range p.Flames {
		sprite := "flame"
		if f.Life < 3 && p.head.FlameLife > 1 {
			sprite = [3]string{"flame", "ember", "flame 2"}[f.Life]
		}
		p.put(sprite, f.At, 0, "")
	}
	for _, b := range p.Bombs {
		p.put("bomb", b.At, b.Owners, strconv.Itoa(b.Life))
		p.put("spark", b.At, 0, "")
		if b.Moving != "" {
			p.put(b.Moving, b.At, 0, "")
		}
	}
}

func (p *painting) part(at env.Place, aside, size float64, marks ...Mark) {
	for _, m := range marks {
		m.Row, m.Col, m.Size, m.Colour = float64(at[0])+aside, float64(at[1])+aside, size, p.colour(m.Seats)
		p.pic.Marks = append(p.pic.Marks, m)
	}
}

// colour is the colour of owners: the first owner's, if all of them are in one team.
func (p *painting) colour(owners env.SeatSet) env.Colour {
	if owners == 0 {
		return nobodys
	}
	first := owners.First()
	if slices.ContainsFunc(owners.List(), func(seat int) bool { return !env.Mates(p.head.Teams, seat, first) }) {
		return public
	}
	return p.head.Colours[first]
}

func (p *painting) agents() {
	here := map[env.Place][]*env.SceneAgent{} // those who live, by their cell
	for i := range p.Agents {
		if a := &p.Agents[i]; a.Alive {
			here[a.At] = append(here[a.At], a)
		} else {
			p.put("out", a.At, 1<<a.Seat, "")
		}
	}
	for i := range p.Agents {
		a := &p.Agents[i]
		if !a.Alive {
			continue
		}
		size, aside := 1.0, 0.0
		if n := len(here[a.At]); n > 1 {
			size, aside = 0.62, 0.38*float64(slices.Index(here[a.At], a))/float64(n-1)
		}
		p.part(a.At, aside, size, Mark{Sprite: p.form(a.Seat), Seats: 1 << a.Seat, Text: strconv.Itoa(a.Seat) + a.Name},
			Mark{Sprite: p.facing(a), Seats: 1 << a.Seat})
	}
	for _, b := range p.Bombs {
		if here[b.At] != nil {
			p.put("ticks", b.At, b.Owners, strconv.Itoa(b.Life))
		}
	}
}

// form is a shape for a seat's team, so that two teams differ without colour, too.
func (p *painting) form(seat int) string {
	if len(p.head.Teams) == 2 && slices.Contains(p.head.Teams[1], seat) {
		return "square"
	}
	return "round"
}

// facing is the sprite for the direction that an agent faces.
func (p *painting) facing(a *env.SceneAgent) string {
	if len(p.Actions) == 0 || p.Actions[a.Seat] == nil {
		return "facing"
	}
	own := max(0, slices.IndexFunc(p.head.Actions, func(c env.Choice) bool {
		return a.Name != "" && strings.HasSuffix(c.Name, "_"+a.Name)
	}))
	if sprite := "facing " + p.head.Actions[own].Names[p.Actions[a.Seat][own]]; drawings.Sprites[sprite] != nil {
		return sprite
	}
	return "facing"
}
